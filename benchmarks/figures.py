"""What the heads of the grammar's translator look at, and what is lost without them.

    python benchmarks/figures.py          # about 10 minutes

The sentences come with their truth (`transformer_course.data.grammar`). For every dependency, such
as "it" and the noun it stands for, three questions:

- looking: which encoder head looks there most often? Head and rule by position are chosen on
  sentences of the validation split, and told of 1,000 test sentences.
- removal: how often is the German word that depends on it still right, without that head, without
  each other head, without pairs and whole layers? The decoder reads the right beginning.
- patching: of two sentences that differ in one word, one gets vectors of the other. Which vector
  turns the translation over?
"""

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import torch
from ablations import Head, with_means, without_heads
from patching import ATTENTION, asked_places, mixtures, patching, rounded
from torch import Tensor

from transformer_course import carried
from transformer_course.commands import record
from transformer_course.data import PAD_ID, Tokenizer, grammar, make_batch
from transformer_course.data.grammar import Sentence
from transformer_course.model import Transformer, padding_mask, record_attention

COUNT = 1_000
ASKED = {"pronoun": "antecedent", "sense": "cue", "particle": "particle", "agreement": "subject"}
Pair = tuple[int, int]  # the place that looks, the place that it should look at
Rule = tuple[str, int]


def written(
    split: str, count: int, seed: int, kind: str | None, tokenizer: Tokenizer
) -> list[Sentence]:
    """Sentences of a split in which every word is one piece, as nearly all are."""
    found = grammar.generate(split, count + count // 10, seed, kind)

    def whole(sentence: Sentence) -> bool:
        sides = (sentence.english, sentence.english_words), (sentence.german, sentence.german_words)
        return all(len(tokenizer.encode(text)) == len(words) for text, words in sides)

    return [each for each in found if whole(each)][:count]


# ---- Looking ----


def looks(model: Transformer, tokenizer: Tokenizer, sentences: Sequence[Sentence]) -> list[Tensor]:
    """Of each sentence, for every layer and head, where each word looks most."""
    found: list[Tensor] = []
    for batch in batches(sentences):
        src = make_batch([(tokenizer.encode(each.english), []) for each in batch]).src
        with torch.inference_mode(), record_attention(model) as weights:
            model.encode(src, padding_mask(src))
        layers = [weights[ATTENTION.format(n)] for n in range(model.config.num_layers)]
        most = torch.stack(layers).argmax(-1)  # layer, sentence, head, word
        found += [most[:, n, :, : len(each.english_words)] for n, each in enumerate(batch)]
    return found


def batches(sentences: Sequence[Sentence], size: int = 100) -> Iterator[Sequence[Sentence]]:
    """Some at once."""
    for start in range(0, len(sentences), size):
        yield sentences[start : start + size]


def rules(sentence: Sentence, at: int) -> dict[Rule, int]:
    """Every guess by position alone: so many words away, the n-th word, the n-th noun."""
    count = len(sentence.english_words)
    nouns = sorted({head for _, head, name in sentence.arcs if name == "article"})
    before, after = [n for n in nouns if n < at], [n for n in nouns if n > at]
    guesses = {("words away", n - at): n for n in range(count)}
    guesses |= {("word of the sentence", n): n for n in range(count)}
    guesses |= {("noun of the sentence", n): place for n, place in enumerate(nouns)}
    guesses |= {("noun before", n): place for n, place in enumerate(reversed(before))}
    guesses |= {("noun after", n): place for n, place in enumerate(after)}
    return guesses


def best_rule(sentences: Sequence[Sentence], asked: Sequence[Sequence[Pair]]) -> Rule:
    """The rule that is right most often."""
    right: Counter[Rule] = Counter()
    for sentence, pairs in zip(sentences, asked, strict=True):
        for at, answer in pairs:
            right.update(name for name, n in rules(sentence, at).items() if n == answer)
    return right.most_common(1)[0][0]


def right_by_head(found: Sequence[Tensor], asked: Sequence[Sequence[Pair]]) -> Tensor:
    """For every layer and head, the share of pairs in which it looks at the answer."""
    hits = [
        most[:, :, at] == answer
        for most, pairs in zip(found, asked, strict=True)
        for at, answer in pairs
    ]
    return torch.stack(hits).float().mean(0)


def looking(
    choice: tuple[Sequence[Sentence], list[Tensor]],
    test: tuple[Sequence[Sentence], list[Tensor]],
    pairs_of: Callable[[Sentence], list[Pair]],
) -> dict[str, Any]:
    """The best head and the best rule, chosen on one set and told of the other."""
    chosen, told = ([pairs_of(each) for each in sentences] for sentences, _ in (choice, test))
    shares = right_by_head(choice[1], chosen)
    layer, head = divmod(int(shares.argmax()), shares.size(1))
    rule = best_rule(choice[0], chosen)
    by_rule = [
        rules(sentence, at).get(rule) == answer
        for sentence, pairs in zip(test[0], told, strict=True)
        for at, answer in pairs
    ]
    by_head = right_by_head(test[1], told)
    return {
        "layer": layer + 1,
        "head": head + 1,
        "right": rounded(by_head[layer, head]),
        "asked": len(by_rule),
        "rule": rule,
        "right_by_rule": rounded(sum(by_rule) / len(by_rule)),
        "all": [[rounded(x) for x in row] for row in by_head],
    }


def link_pairs(name: str, back: bool = False) -> Callable[[Sentence], list[Pair]]:
    """From what asks to the answer, or back."""

    def pairs(sentence: Sentence) -> list[Pair]:
        links = [each for each in sentence.links if each.name == name][:1]
        return [(x.answer, x.asks) if back else (x.asks, x.answer) for x in links]

    return pairs


def arc_pairs(relation: str, back: bool = False) -> Callable[[Sentence], list[Pair]]:
    """From a word to its head, or back."""

    def pairs(sentence: Sentence) -> list[Pair]:
        arcs = [(word, head) for word, head, name in sentence.arcs if name == relation]
        return [(head, word) if back else (word, head) for word, head in arcs]

    return pairs


# ---- Removal ----


def correct(
    model: Transformer, tokenizer: Tokenizer, sentences: Sequence[Sentence]
) -> dict[str, Tensor]:
    """Of each sentence, whether the word decided is right, and whether all are."""
    word, every = [], []
    for batch in batches(sentences):
        ids = [(tokenizer.encode(each.english), tokenizer.encode(each.german)) for each in batch]
        made = make_batch(ids)
        with torch.inference_mode():
            right = model(made.src, made.tgt_in).argmax(-1) == made.tgt_out
        for n, each in enumerate(batch):
            length = len(ids[n][1])
            word.append(bool(right[n, asked_places(each)].all()))
            every.append(bool(right[n, : length + 1].all()))
    return {"word": torch.tensor(word), "sentence": torch.tensor(every)}


def shares(found: dict[str, Tensor]) -> dict[str, float]:
    """Rounded means."""
    return {name: rounded(each.float().mean()) for name, each in found.items()}


def encoder_heads(model: Transformer) -> list[Head]:
    """Every head of the encoder, by its attention's name and its number from 0."""
    config = model.config
    return [
        (ATTENTION.format(n), m) for n in range(config.num_layers) for m in range(config.num_heads)
    ]


def mean_mixtures(
    model: Transformer, tokenizer: Tokenizer, sentences: Sequence[Sentence]
) -> dict[str, Tensor]:
    """By attention of the encoder: what its heads, side by side, give a word on average."""
    given: dict[str, list[Tensor]] = {}
    for batch in batches(sentences):
        src = make_batch([(tokenizer.encode(each.english), []) for each in batch]).src
        with torch.inference_mode(), mixtures(model) as mixed:
            model.encode(src, padding_mask(src))
        for layer, each in mixed.items():
            given.setdefault(ATTENTION.format(layer), []).append(each[src != PAD_ID])
    return {name: torch.cat(each).mean(0) for name, each in given.items()}


def removal(
    model: Transformer,
    tokenizer: Tokenizer,
    choice: Sequence[Sentence],
    sentences: Sequence[Sentence],
    best: Head | None,
) -> dict[str, Any]:
    """What is right without each head, without the best one and another, without each layer's.

    And with a head's mean, which is taken over `choice`, in place of what it gives.
    """
    every = encoder_heads(model)
    means = mean_mixtures(model, tokenizer, choice)

    def with_mean(heads: Sequence[Head]) -> dict[str, float]:
        return shares(correct(with_means(model, heads, means), tokenizer, sentences))

    def without(heads: Iterable[Head]) -> dict[str, float]:
        return shares(correct(without_heads(model, heads), tokenizer, sentences))

    layers = dict.fromkeys(name for name, _ in every)
    return {
        "whole": shares(correct(model, tokenizer, sentences)),
        "alone": [{"head": told(head), **without([head])} for head in every],
        "means": [{"head": told(head), **with_mean([head])} for head in every],
        "with_best": [
            {"head": told(head), **without([best, head])} for head in every if best and head != best
        ],
        "layers": [
            {"layer": n + 1, **without([head for head in every if head[0] == name])}
            for n, name in enumerate(layers)
        ],
        "layer_means": [
            {"layer": n + 1, **with_mean([head for head in every if head[0] == name])}
            for n, name in enumerate(layers)
        ],
    }


def told(head: Head) -> list[int]:
    """Layer and head, counted from 1."""
    return [int(head[0].split(".")[1]) + 1, head[1] + 1]


@torch.no_grad()
def main(argv: Sequence[str] | None = None) -> int:
    """Measure everything and write the result file."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, help="of sentences, for a trial that is not kept")
    args = parser.parse_args(argv)
    count = args.count or COUNT
    model, tokenizer = carried.load("grammar")
    kinds = {}
    for kind, asked in ASKED.items():
        choice, test = (written(split, count, 7, kind, tokenizer) for split in ("valid", "test"))
        seen = [(each, looks(model, tokenizer, each)) for each in (choice, test)]
        names = dict.fromkeys(link.name for link in test[0].links)
        found = {
            name + (", back" if back else ""): looking(*seen, link_pairs(name, back))
            for name in names
            for back in (False, True)
        }
        best = ATTENTION.format(found[asked]["layer"] - 1), found[asked]["head"] - 1
        kinds[kind] = {
            "looking": found,
            "removal": removal(model, tokenizer, choice, test, best),
            "patching": patching(model, tokenizer, kind),
        }
        print(
            kind,
            {n: (x["layer"], x["head"], x["right"], x["right_by_rule"]) for n, x in found.items()},
            flush=True,
        )
    choice, test = (written(split, count, 8, None, tokenizer) for split in ("valid", "test"))
    seen = [(each, looks(model, tokenizer, each)) for each in (choice, test)]
    relations = Counter(name for each in test for _, _, name in each.arcs)
    arcs = {
        name + (", back" if back else ""): looking(*seen, arc_pairs(name, back))
        for name, number in relations.items()
        if name != "root" and number >= count / 10
        for back in (False, True)
    }
    structure = {
        "looking": arcs,
        "removal": removal(model, tokenizer, choice, test, None),
    }
    results = {
        "run": "transformer_course/carried/grammar-en-de",
        "sentences": count,
        "kinds": kinds,
        "structure": structure,
    }
    if args.count:
        print(results)
    else:
        what = "where heads look in sentences of known truth, and what is lost without them"
        print(record.write("figures", what, ["python benchmarks/figures.py"], **results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
