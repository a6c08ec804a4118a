"""Write what the encoder heads of the grammar's translator look at, for Figures 3 to 5.

    python benchmarks/export_figures.py

Each head is a text of whole percents, row by row. The head that a figure opens with is the one that
`figures.py` found.
"""

from __future__ import annotations

import json
import re
import sys
from functools import cache
from itertools import count
from typing import Any

import torch
from export_attention import PACKAGE, dump, percents

from transformer_course import carried
from transformer_course.commands import record
from transformer_course.data import BOS_ID, EOS_ID, Tokenizer, grammar
from transformer_course.data.grammar import Sentence
from transformer_course.decoding import beam_search
from transformer_course.model import Transformer, record_attention

TARGET = PACKAGE / "widgets" / "attention_figures.json"
TITLES = {
    "3": "Figure 3: do heads join what belongs together?",
    "4": "Figure 4: does a head find what decides a word?",
    "5": "Figure 5: do the heads follow the grammar?",
}
LINKS = {
    "antecedent": "stands for",
    "reason": "is told by",
    "cue": "is told by",
    "particle": "is one verb with",
    "subject": "has the subject",
}
NAMES = {"not": "negation"}  # of words that the grammar counts with others, as "did not"
TIRED = ("pronoun", "The animal did not cross the street because it was too tired.")
WIDE = ("pronoun", "The animal did not cross the street because it was too wide.")
MONEY = ("sense", "The man walked to the bank because he needed the money.")
BOAT = ("sense", "The man walked to the bank because he needed the boat.")
FAR = ("particle", r"The \w+ turns the black lamp [a-z ]+ off.")
ON = ("particle", r"The \w+ turns the lamp [a-z ]+ on.")
OFF = ("particle", r"The \w+ turns the lamp [a-z ]+ off.")
DOGS = ("agreement", r"\w+ the dogs [a-z ]+ the house [a-z ]+.")
SENTENCES = {  # kind, and a pattern that the first such sentence of the test split fits
    "3": {"black lamp": FAR, "lamp on": ON, "lamp off": OFF, "dogs": DOGS},
    "4": {"tired": TIRED, "wide": WIDE, "money": MONEY, "boat": BOAT},
    "5": {"animal": TIRED, "dogs": DOGS, "lamp": FAR, "bank": MONEY},
}


@cache
def sample(kind: str, seed: int) -> list[Sentence]:
    """Test sentences to choose from."""
    return grammar.generate("test", 2_000, seed, kind)


@cache
def chosen(kind: str, pattern: str) -> Sentence:
    """The first test sentence that fits, of those that the seeds from 2 on give."""
    every = (each for seed in count(2) for each in sample(kind, seed))
    return next(each for each in every if re.fullmatch(pattern, each.english))


def truth(sentence: Sentence, structure: bool) -> list[tuple[int, int, str]]:
    """What is true of the words: (word, the word that it depends on, in what way)."""
    if structure:
        words = sentence.english_words
        return [
            (word, head, f"{NAMES.get(words[word], name)} of")
            for word, head, name in sentence.arcs
            if name != "root"
        ]
    return [(x.asks, x.answer, LINKS[x.name]) for x in sentence.links if x.name in LINKS]


@torch.no_grad()
def look(model: Transformer, tokenizer: Tokenizer, text: str) -> dict[str, Any]:
    """Words, translation and the percents of all encoder heads."""
    src = torch.tensor([[*tokenizer.encode(text), EOS_ID]])
    ids = beam_search(model, src, beam=4)[0]
    with record_attention(model) as weights:
        model(src, torch.tensor([[BOS_ID, *ids]]))
    layers = [weights[f"encoder_layers.{n}.self_attn"][0] for n in range(model.config.num_layers)]
    return {
        "text": text,
        "translation": tokenizer.decode(ids),
        "words": [*(piece.removeprefix("▁") for piece in tokenizer.pieces(text)), "(end)"],
        "weights": [[percents(head, False) for head in layer] for layer in layers],
    }


def starts() -> dict[str, dict[str, Any]]:
    """What each figure opens with: the head that was found, and the word that asks."""
    found = json.loads((record.RESULTS / "figures.json").read_text(encoding="utf-8"))
    heads = {
        "3": ("black lamp", found["kinds"]["particle"]["looking"]["particle"]),
        "4": ("tired", found["kinds"]["pronoun"]["looking"]["antecedent"]),
        "5": ("animal", found["structure"]["looking"]["adjective"]),
    }
    return {
        name: {"sentence": sentence, "layer": best["layer"], "heads": [best["head"]]}
        for name, (sentence, best) in heads.items()
    }


def main() -> int:
    """Look at every sentence, and write one line for each."""
    model, tokenizer = carried.load("grammar")
    shape = [model.config.num_layers, model.config.num_heads]
    lines = [f'{{"shape": {dump(shape)}, "figures": {{']
    for figure, start in starts().items():
        lines.append(f'"{figure}": {{"title": {dump(TITLES[figure])},')
        found = {}
        for name, wanted in SENTENCES[figure].items():
            sentence = chosen(*wanted)
            arcs = truth(sentence, figure == "5")
            asks = -1 if figure == "5" else arcs[0][0]
            found[name] = look(model, tokenizer, sentence.english) | {"truth": arcs, "asks": asks}
        lines.append(f'"start": {dump(start | {"word": found[start["sentence"]]["asks"]})},')
        lines.append('"sentences": {')
        lines += [f'"{name}": {dump(one)},' for name, one in found.items()]
        lines[-1] = lines[-1].removesuffix(",")
        lines.append("}},")
    lines[-1] = "}}"
    TARGET.write_text("\n".join([*lines, "}}"]) + "\n", encoding="utf-8")
    json.loads(TARGET.read_text(encoding="utf-8"))
    print(f"{TARGET}: {TARGET.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    record.no_options(__doc__)
    sys.exit(main())
