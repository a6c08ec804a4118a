"""Train, measure and export the small parser that the course carries for chapter 6.3.

    python benchmarks/carried_parser.py

A teacher learns from CRAFT's training trees alone. It parses image captions, and the half that it
is surest of stays. The student goes on from the teacher's weights, with CRAFT's trees and these.
Both write the bracketed line of the paper's section 6.3. The result file holds the F1 of CRAFT's
test trees before and after rounding to int8; the card quotes it. Training that was interrupted goes
on.
"""

import sys
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch
from parsing import COPIES, ROOT, Recipe, Trial, about

from transformer_course import carried
from transformer_course.commands import record
from transformer_course.data import Tree, TreeTokens, load_pairs, load_trees, tree_words
from transformer_course.decoding import parse
from transformer_course.decoding.exporting import write_int8
from transformer_course.model import Transformer, TransformerConfig
from transformer_course.training import TrainingConfig, checkpoint, choose_precision, make_optimizer

RUNS = ROOT / "runs" / "carried-parser"
CAPTIONS = 6_000  # the first ones of Multi30k's training texts; the surer half is learned from,
TIMES = 4  # each beside a CRAFT tree, which is twice as long
SENTENCES = 500  # the first ones of CRAFT's test trees
RARE = 16  # a word that stands no more often in all these texts is known by its look only

WAYS = {
    "int8": "int8, as it is carried, beam 4 under the rule",
    "fp32": "before rounding, beam 4 under the rule",
    "unconstrained": "int8, greedy, without the rule",
}
CARD = """\
# A small parser of English

A Transformer that writes the tree of a sentence as a line of brackets and words, as section 6.3 of
the paper does. Trained from scratch by this course in {steps:,} steps and stored as int8, with a
scale for every row of a weight matrix: `transformer_course.carried.load_parser()`.

| | |
|---|---|
| parameters | {parameters:,} |
| layers, heads, width | {layers} + {layers}, {heads}, {width} |
| tokens: words, looks of words, brackets | {tokens:,} |
| size, tokens included | {bytes:,} bytes |

| CRAFT's first {sentences} test sentences | F1 | valid trees |
|---|---:|---:|
{rows}

Data and terms: {trees:,} trees of the CRAFT corpus (github.com/UCDenver-ccp/CRAFT; Verspoor et al.
2012), under CC BY 3.0: name CRAFT wherever you show what you made of them. And {kept:,} captions of
Multi30k (Elliott et al. 2016), which is for research and teaching; its English captions come from
Flickr30k, whose terms apply. Their trees are no annotator's: a teacher that had learned from CRAFT
alone wrote them. Nothing was learned from the Penn Treebank or from any test sentence.

Limits: its articles are of biology, its captions of everyday scenes in the present. A word outside
its list it knows by its look alone. It decides where a phrase belongs by habit, not by meaning. It
is a teaching example, not a parser to rely on.
"""


@dataclass(frozen=True, kw_only=True)
class Small(Recipe):
    """A recipe of parsing.py for a model that a reader of a page can load."""

    copies: int = COPIES
    warmup: int = 800
    rate_factor: float = 1.0
    zero: int  # the step at which the rate would be zero

    def model(self, vocab_size: int) -> TransformerConfig:
        """Half the width inside, less dropout: it has seven times as many trees as `both`."""
        return replace(super().model(vocab_size), d_ff=256, dropout=0.1)

    def training(self, seed: int) -> TrainingConfig:
        """The student begins with weights that know something: it climbs sooner, and less high."""
        return TrainingConfig(
            max_tokens=1500,
            warmup=self.warmup,
            rate_factor=self.rate_factor,
            last_step=self.zero,
            seed=seed,
            precision=choose_precision(torch.device("cpu"), d_model=128),
        )


TEACHER = Small(data="craft", steps=1_500, zero=1_600)
STUDENT = Small(
    data="craft",
    steps=2_000,
    zero=2_500,
    captions=CAPTIONS,
    copies=2,
    warmup=200,
    rate_factor=0.35,
)


def captions() -> list[list[str]]:
    """The first captions of the training texts, each as its words."""
    return [tree_words(text) for text, _ in load_pairs("multi30k:en-de", "train", CAPTIONS)]


class Lesson(Trial):
    """Teacher or student: a folder with the newest checkpoint, and a log."""

    def __init__(self, name: str, recipe: Small, runs: Path, before: "Lesson | None" = None):
        """`before` is the teacher, with whose weights the student begins, and who parses for it."""
        self.name, self.recipe, self.runs, self.seed = name, recipe, runs, 0
        self.folder, self.before, self.copies = runs / name, before, recipe.copies
        if before:
            self.trees, self.tokens, self.config = before.trees, before.tokens, before.config
        else:
            self.trees = load_trees(recipe.data, "train")
            self.tokens = TreeTokens(self.trees, sentences=captions(), rare=RARE)
            self.config = recipe.model(len(self.tokens))

    def train(self) -> Transformer:
        """The student begins where its teacher ended."""
        if self.before and not self.checkpoints():
            begun = self.before.train()
            checkpoint.save(self.folder / "step-000000", begun, make_optimizer(begun))
        return super().train()

    def parsed_captions(self) -> list[Tree]:
        """The trees that the teacher is surest of."""
        assert self.before is not None
        model = self.before.train()
        found = parse(model, self.tokens, captions(), beam=1)
        ranked = sorted(found, key=lambda each: each.score, reverse=True)
        kept = [each.tree for each in ranked[: len(ranked) // 2] if each.tree is not None]
        return kept * TIMES


def lessons(runs: Path = RUNS) -> tuple[Lesson, Lesson]:
    """The teacher and its student."""
    teacher = Lesson("teacher", TEACHER, runs)
    return teacher, Lesson("student", STUDENT, runs, teacher)


def export(model: Transformer, tokens: TreeTokens, folder: Path) -> None:
    """Write the weights as int8, and the tokens."""
    write_int8(model, folder / "averaged")
    tokens.save(folder / "tokens.json")


def measure(
    models: dict[str, Transformer], tokens: TreeTokens, count: int = SENTENCES
) -> dict[str, Any]:
    """Parse CRAFT's first test sentences as the page does; and with int8 also without the rule."""
    gold = load_trees("craft", "test", count)
    sentences = [tree.words() for tree in gold]
    found = {
        name: about([each.tree for each in parse(model, tokens, sentences)], gold)
        for name, model in models.items()
    }
    free = parse(models["int8"], tokens, sentences, beam=1, constrained=False)
    found["unconstrained"] = about([each.tree for each in free], gold)
    return found


def card(result: dict[str, Any], model: TransformerConfig) -> str:
    """What someone who finds the folder should know, with the figures of the result file."""
    rows = "\n".join(
        f"| {name} | {result['test'][kind]['f1']:.1f} | {result['test'][kind]['valid']:.0f} % |"
        for kind, name in WAYS.items()
    )
    return CARD.format(
        rows=rows,
        layers=model.num_layers,
        heads=model.num_heads,
        width=model.d_model,
        kept=CAPTIONS // 2,
        sentences=result["test"]["int8"]["sentences"],
        **{name: result[name] for name in ("trees", "parameters", "tokens", "bytes", "steps")},
    )


def main() -> int:
    """Train what is left to train, export, measure, and write the result file and the card."""
    record.no_options(__doc__)
    torch.set_num_threads(1)
    teacher, student = lessons()
    model = student.train()
    export(model, student.tokens, carried.PARSER)
    stored, tokens = carried.load_parser()
    logs = {each.name: each.log() for each in (teacher, student)}
    result: dict[str, Any] = {
        "recipes": {each.name: asdict(each.recipe) for each in (teacher, student)},
        "training": {
            each.name: asdict(each.recipe.training(each.seed)) for each in (teacher, student)
        },
        "seed": student.seed,
        "model": asdict(model.config),
        "parameters": model.num_parameters(),
        "tokens": len(tokens),
        "trees": len(teacher.trees),
        "captions": CAPTIONS,
        "steps": TEACHER.steps + STUDENT.steps,
        "cpu_minutes": {
            name: round(sum(line["cpu_seconds"] for line in log) / 60, 1)
            for name, log in logs.items()
        },
        "log": logs,
        "test": measure({"fp32": model, "int8": stored}, tokens),
    }
    files = [path for path in carried.PARSER.rglob("*") if path.is_file()]
    result["bytes"] = sum(path.stat().st_size for path in files if path.name != "README.md")
    (carried.PARSER / "README.md").write_text(card(result, model.config))
    path = record.write(
        "carried-parser-en",
        "F1 of the carried parser on CRAFT's test trees, in float32 and as int8",
        ["python benchmarks/carried_parser.py"],
        **result,
    )
    print({name: each["f1"] for name, each in result["test"].items()}, path)
    return 0


if __name__ == "__main__":
    sys.exit(record.exits(main))
