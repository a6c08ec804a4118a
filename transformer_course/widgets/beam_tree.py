"""Beam search as a tree: which beginnings are kept, which are dropped, and which sentence wins."""

import functools
from typing import Any

import numpy as np
import torch
import traitlets
from torch import Tensor

from transformer_course import carried, decoding
from transformer_course.data import BOS_ID, EOS_ID, Tokenizer
from transformer_course.decoding import encode_sources
from transformer_course.model import Transformer
from transformer_course.widgets.base import CourseWidget, Table

MAX_BEAM, MAX_EXTRA = 5, 5
SENTENCES = [
    "A musician performs.",
    "A man is about to jump.",
    "A worker is working.",
    "A team is celebrating.",
    "The boy looks around.",
]


@functools.cache
def translator() -> tuple[Transformer, Tokenizer]:
    """The captions translator in float64: no processor's rounding shows in two decimals."""
    model, tokenizer = carried.load("captions")
    return model.double(), tokenizer


def log_probability(model: Transformer, src: Tensor, ids: list[int]) -> float:
    """Of a whole sentence, as precise as the model: the search adds up in less."""
    with decoding.evaluating(model):
        logits = model.decode(torch.tensor([[BOS_ID, *ids[:-1]]]), model.encode(src))[0]
        logits[:, :EOS_ID] = float("-inf")  # padding and the start mark never follow
        return logits.log_softmax(-1).gather(1, torch.tensor(ids)[:, None]).sum().item()


@functools.cache
def record(sentence: str) -> dict[str, Any]:
    """Each continuation that a search with 1 to 5 beams looks at, and its log-probability.

    A node is a prefix: `parent` is the node it continues, `piece` its last token, `log_prob` that
    token's log-probability after the parent, times 10,000. Node 0 is the empty prefix. Which
    prefixes a search keeps does not depend on alpha; alpha only says when to stop.
    """
    model, tokenizer = translator()
    src = torch.tensor(encode_sources([sentence], tokenizer, model.config.max_len))
    limit = src.size(1) + MAX_EXTRA
    nodes: dict[tuple[int, ...], tuple[int, float]] = {(): (-1, 0.0)}
    kept: dict[int, list[tuple[float, tuple[int, ...]]]]
    kept = {beam: [(0.0, ())] for beam in range(1, MAX_BEAM + 1)}
    with decoding.evaluating(model):
        memory = model.encode(src)
        for length in range(limit + 1):
            prefixes = sorted({prefix for beams in kept.values() for _, prefix in beams})
            tgt = torch.tensor([[BOS_ID, *prefix] for prefix in prefixes])
            logits = model.decode(tgt, memory.expand(len(prefixes), -1, -1))[:, -1]
            logits[:, :EOS_ID] = float("-inf")  # padding and the start mark never follow
            log_probs = dict(zip(prefixes, logits.log_softmax(-1), strict=True))
            for beam, beams in kept.items():
                found = []
                for total, prefix in beams:
                    row = log_probs[prefix]
                    tokens = row.topk(2 * beam).indices.tolist() if length < limit else [EOS_ID]
                    found += [(total + row[token].item(), (*prefix, token)) for token in tokens]
                found = sorted(found, reverse=True)[: 2 * beam]
                for _, prefix in found:
                    parent = list(nodes).index(prefix[:-1])
                    nodes[prefix] = (parent, log_probs[prefix[:-1]][prefix[-1]].item())
                kept[beam] = [each for each in found if each[1][-1] != EOS_ID][:beam]
    pieces = sorted({prefix[-1] for prefix in nodes if prefix})
    return {
        "source": sentence,
        "limit": limit,
        "pieces": [tokenizer.id_to_piece(piece) for piece in pieces],
        "end": pieces.index(EOS_ID),
        "parent": [parent for parent, _ in nodes.values()],
        "piece": [pieces.index(prefix[-1]) if prefix else -1 for prefix in nodes],
        "log_prob": [round(10_000 * log_prob) for _, log_prob in nodes.values()],
    }


class BeamTree(CourseWidget, source="beam_tree"):
    """Step through a beam search of the course's own translator; change beam and alpha.

    Python runs the model on every prefix that any offered search visits; the browser searches that
    table. An output may be at most 5 tokens longer than its source (the paper: 50), so that a tree
    fits a page. Other sentences: `BeamTree(sentences=["Two dogs play."])`.
    """

    sentences = traitlets.List(
        traitlets.Unicode(), SENTENCES, minlen=1, maxlen=6, help="English, short"
    )
    searches: traitlets.List = traitlets.List(help="what was recorded of each sentence").tag(
        sync=True
    )
    sentence = traitlets.Int(0, min=0, help="which of the sentences").tag(sync=True)
    beam = traitlets.Int(4, min=1, max=MAX_BEAM).tag(sync=True)
    alpha = traitlets.Float(0.6, min=0, max=1, help="0 does not care for length").tag(sync=True)
    step = traitlets.Int(4, min=0, help="past the end of the search: its end").tag(sync=True)

    def __init__(self, **traits: Any):
        super().__init__(**traits)
        for text in self.sentences:
            if len(text.split()) > 12:
                raise traitlets.TraitError(
                    f"sentences: expected at most 12 words each, got {len(text.split())} in "
                    f"{text!r}: the tree of a longer one does not fit a page"
                )
        if self.sentence >= len(self.sentences):
            raise traitlets.TraitError(
                f"sentence={self.sentence}: there are {len(self.sentences)}, counted from 0"
            )
        self.searches = [record(text) for text in self.sentences]

    def __repr__(self) -> str:
        return f"BeamTree({self.sentences[self.sentence]!r}, beam={self.beam}, alpha={self.alpha})"

    def tables(self) -> list[Table]:
        """What the package's own search finds: whole sentences, best first."""
        model, tokenizer = translator()
        text = self.sentences[self.sentence]
        src = torch.tensor(encode_sources([text], tokenizer, model.config.max_len))
        [found] = decoding.beam_hypotheses(
            model, src, beam=self.beam, alpha=self.alpha, max_extra=MAX_EXTRA
        )
        [greedy] = decoding.greedy(model, src, max_extra=MAX_EXTRA)
        rows = []
        for each in found:
            ids = [*each.ids, EOS_ID]  # the end mark counts
            penalty = decoding.length_penalty(len(ids), self.alpha)
            total = log_probability(model, src, ids)
            rows.append([total, len(ids), penalty, total / penalty])
        columns = ["log-probability", "tokens", "penalty", "score"]
        title = f"{text} Beam {self.beam}, alpha {self.alpha:g}; greedy: {tokenizer.decode(greedy)}"
        names = [tokenizer.decode(each.ids) for each in found]
        return [Table(title, names, columns, np.array(rows))]
