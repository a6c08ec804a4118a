"""Which vector carries a dependency: swap it for that of another sentence, and see what is written.

Two sentences differ in one English word, and so in their German. The decoder reads the beginning
that they share, and the encoder's sentence gets single vectors of the other one.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import combinations
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from transformer_course.data import BOS_ID, EOS_ID, Tokenizer, grammar
from transformer_course.data.grammar import Sentence
from transformer_course.model import Transformer, record_attention

PAIRS = 100
ATTENTION = "encoder_layers.{}.self_attn"
CAUSES = {"pronoun": "reason", "sense": "cue", "particle": "particle", "agreement": "subject"}


class Twins(NamedTuple):
    """Two sentences, the place of the one word that differs, and of the first German one."""

    one: Sentence
    other: Sentence
    cause: int
    first: int


def twins(kind: str, count: int = 2_400, pairs: int = PAIRS) -> list[Twins]:
    """Test sentences that differ in their cause: the reason, the cue, the particle, the subject.

    Of a kind there are not many more than `count` different ones, and making all of them is slow.
    """
    groups: dict[tuple[str, ...], list[tuple[Sentence, int]]] = defaultdict(list)
    for each in grammar.generate("test", count, 5, kind):
        cause = next(link.answer for link in each.links if link.name == CAUSES[kind])
        words = list(each.english_words)
        words[cause] = "_"
        groups[tuple(words)].append((each, cause))
    found = []
    for group in groups.values():
        for (one, cause), (other, _) in combinations(group, 2):
            sides = zip(one.german_words, other.german_words, strict=False)
            first = next((n for n, (a, b) in enumerate(sides) if a != b), None)
            if first is not None and first in asked_places(one):
                found.append(Twins(one, other, cause, first))
                break
    return found[:pairs]


def asked_places(sentence: Sentence) -> list[int]:
    """Places of the German words that the truth decides; of a noun, its article too."""
    places = sentence.links[0].decided
    return [places[0] - 1, *places] if sentence.kind == "sense" else [*places]


@contextmanager
def mixtures(model: Transformer) -> Iterator[dict[int, Tensor]]:
    """Collect, by layer, what the heads of the encoder's attentions give, side by side."""
    found: dict[int, Tensor] = {}

    def keeper(layer: int):
        def keep(module: nn.Module, args: tuple[Tensor, ...]) -> None:
            found[layer] = args[0]

        return keep

    hooks = [
        model.get_submodule(ATTENTION.format(n)).out_proj.register_forward_pre_hook(keeper(n))
        for n in range(model.config.num_layers)
    ]
    try:
        yield found
    finally:
        for hook in hooks:
            hook.remove()


@contextmanager
def replaced(
    model: Transformer, layer: int, heads: Sequence[int], place: int, mixed: Tensor
) -> Iterator[None]:
    """What some heads of an encoder layer give one word comes from elsewhere."""
    attend = model.get_submodule(ATTENTION.format(layer))
    width = attend.value_dim

    def put(module: nn.Module, args: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        changed = args[0].clone()
        for head in heads:
            part = slice(head * width, (head + 1) * width)
            changed[:, place, part] = mixed[:, place, part]
        return (changed,)

    hook = attend.out_proj.register_forward_pre_hook(put)
    try:
        yield
    finally:
        hook.remove()


def patch(model: Transformer, tokenizer: Tokenizer, pair: Twins) -> dict[str, bool]:
    """Whether the translation turns into the other one's: by word of the memory, and by head."""
    one, other, cause, first = pair
    mine, theirs = (
        torch.tensor([[*tokenizer.encode(each.english), EOS_ID]]) for each in (one, other)
    )
    start = torch.tensor([[BOS_ID, *tokenizer.encode(one.german)[:first]]])
    wanted = tokenizer.encode(other.german)[first]

    def turns(memory: Tensor) -> bool:
        return int(model.decode(start, memory)[0, -1].argmax()) == wanted

    with mixtures(model) as mixed:
        new = model.encode(theirs)
    old, link = model.encode(mine), one.links[0]
    found = {"nothing": turns(old), "everything": turns(new)}
    places = {"the word that differs": cause, "the word that asks": link.asks}
    if one.kind == "pronoun":
        places |= {"noun meant before": link.answer, "noun meant after": other.links[0].answer}
    for name, place in places.items():
        memory = old.clone()
        memory[:, place] = new[:, place]
        found[f"output of {name}"] = turns(memory)
    every = [*range(model.config.num_heads)]
    for layer in range(model.config.num_layers):
        for heads in [*([head] for head in every), every]:
            which = "all heads" if heads == every else f"head {heads[0] + 1}"
            with replaced(model, layer, heads, link.asks, mixed[layer]):
                found[f"layer {layer + 1}, {which}"] = turns(model.encode(mine))
    return found


def lines(model: Transformer, tokenizer: Tokenizer, pair: Twins) -> dict[str, int]:
    """By head: in how many of the two its strongest line ends at the word that differs."""
    found: dict[str, int] = defaultdict(int)
    for each in pair[:2]:
        with record_attention(model) as weights:
            model.encode(torch.tensor([[*tokenizer.encode(each.english), EOS_ID]]))
        for layer in range(model.config.num_layers):
            looks = weights[ATTENTION.format(layer)][0, :, each.links[0].asks].argmax(-1)
            for head, at in enumerate(looks.tolist(), 1):
                found[f"layer {layer + 1}, head {head}"] += at == pair.cause
    return found


@torch.inference_mode()
def patching(model: Transformer, tokenizer: Tokenizer, kind: str) -> dict[str, Any]:
    """The shares of pairs in which the translation turns over.

    And by head: of the pairs with a line to the word that differs in none of the two sentences, in
    one, in both, how many there are and how many turn over by that head alone.
    """
    found = twins(kind)
    turned = [patch(model, tokenizer, pair) for pair in found]
    drawn = [lines(model, tokenizer, pair) for pair in found]
    by_line = {
        head: [
            [len(of), sum(of)]
            for count in range(3)
            for of in [[x[head] for x, y in zip(turned, drawn, strict=True) if y[head] == count]]
        ]
        for head in drawn[0]
    }
    return {
        "pairs": len(found),
        "example": [found[0].one.english, found[0].other.english],
        "turned": {name: rounded(sum(x[name] for x in turned) / len(turned)) for name in turned[0]},
        "by_line": by_line,
    }


def rounded(share: float | Tensor) -> float:
    """Four decimals."""
    return round(float(share), 4)
