"""Translating whole texts, and scoring them against references (section 6.1)."""

from collections.abc import Sequence
from typing import Any

import sacrebleu

from transformer_course.data import EOS_ID, Tokenizer, make_batch, pad
from transformer_course.decoding.packed import pack
from transformer_course.decoding.search import beam_search, greedy
from transformer_course.errors import DataError
from transformer_course.model import Transformer, record_attention


def encode_sources(sentences: Sequence[str], tokenizer: Tokenizer, max_len: int) -> list[list[int]]:
    """Ids of each sentence with its end mark.

    Raises:
        DataError: if a sentence is empty or has more than `max_len` tokens.
    """
    sources = [[*ids, EOS_ID] for ids in tokenizer.encode_batch(list(sentences))]
    for number, ids in enumerate(sources, start=1):
        if len(ids) == 1:
            raise DataError(f"sentence {number} is empty: expected at least one word")
        if len(ids) > max_len:
            raise DataError(
                f"sentence {number} has {len(ids)} tokens, but the model was built for "
                f"max_len={max_len}: split it into shorter sentences"
            )
    return sources


def translate(
    model: Transformer,
    tokenizer: Tokenizer,
    sentences: Sequence[str],
    *,
    beam: int = 4,
    alpha: float = 0.6,
    max_tokens: int = 1500,
) -> list[str]:
    """Translate sentences, about equally long ones together; `beam=1` is greedy search."""
    sources = encode_sources(sentences, tokenizer, model.config.max_len)
    device = model.embedding.weight.device
    if model.config.d_model >= 128:  # narrower maps take less time than packing saves
        model = pack(model)
    outputs = [""] * len(sources)
    waiting = sorted(range(len(sources)), key=lambda place: len(sources[place]))
    while waiting:
        longest = len(sources[waiting[-1]])
        size = max(1, max_tokens // longest)
        places, waiting = waiting[-size:], waiting[:-size]
        src = pad([sources[place] for place in places]).to(device)
        found = greedy(model, src) if beam == 1 else beam_search(model, src, beam=beam, alpha=alpha)
        for place, ids in zip(places, found, strict=True):
            outputs[place] = tokenizer.decode(ids)
    return outputs


def score(hypotheses: Sequence[str], references: Sequence[str]) -> dict[str, Any]:
    """BLEU and chrF by sacreBLEU, on cased, detokenized text, with BLEU's signature (Post 2018)."""
    bleu, chrf = sacrebleu.BLEU(), sacrebleu.CHRF()
    return {
        "bleu": round(bleu.corpus_score(hypotheses, [references]).score, 2),
        "chrf": round(chrf.corpus_score(hypotheses, [references]).score, 2),
        "exact_match": round(
            sum(a == b for a, b in zip(hypotheses, references, strict=True)) / len(references), 4
        ),
        "sentences": len(references),
        "signature": str(bleu.get_signature()),
    }


def attention_map(
    model: Transformer, tokenizer: Tokenizer, source: str, output: str
) -> dict[str, object]:
    """What every head looked at: pieces of both sides, and weights by layer, head, row, column."""
    src, tgt = tokenizer.encode(source), tokenizer.encode(output)
    batch = make_batch([(src, tgt)]).to(model.embedding.weight.device)
    with record_attention(model) as weights:
        model(batch.src, batch.tgt_in)
    return {
        "source": [tokenizer.id_to_piece(i) for i in [*src, EOS_ID]],
        "output": [tokenizer.id_to_piece(i) for i in [*tgt, EOS_ID]],
        "weights": {
            name: [[[round(w, 4) for w in row] for row in head] for head in layer[0].tolist()]
            for name, layer in weights.items()
        },
    }
