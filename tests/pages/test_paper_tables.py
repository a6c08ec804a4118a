"""What the course says of Table 3 is what the table's figures say."""

import math
import re

import pytest
import variations

from transformer_course.model import TransformerConfig
from transformer_course.model.sizes import head_sizes
from transformer_course.pages.paper_tables import TABLE3, TEACHES

BASE = TABLE3[0]
ROWS = {row.row: row for row in TABLE3}
EQUATION = re.compile(r"(\w+)(?: = d_v| = label smoothing)? = ([\d.]+)")
OURS = {"h": "num_heads", "N": "num_layers", "d_model": "d_model", "d_ff": "d_ff"}
OURS |= {"dropout": "dropout", "smoothing": "label_smoothing"}


def figures(row) -> set[float]:
    """All that may be said of a row in numbers: its own, and how far they are from base's."""
    found = {round(abs(row.bleu - BASE.bleu), 1), round(abs(row.perplexity - BASE.perplexity), 2)}
    found |= {round(abs(100 * (row.perplexity / BASE.perplexity - 1)))}
    if row.millions:
        found |= {row.millions, abs(row.millions - BASE.millions)}
    return found | {float(number) for number in re.findall(r"[\d.]+\d|\d", row.change)}


def test_every_row_has_a_sentence():
    assert list(TEACHES) == list(ROWS)
    assert all(text.endswith(".") and len(text) < 130 for text in TEACHES.values())


@pytest.mark.parametrize("row", TABLE3, ids=lambda row: row.row)
def test_a_sentence_names_figures_of_its_group_and_base_alone(row):
    allowed = figures(BASE).union(*(figures(r) for r in TABLE3 if r.row[:2] == row.row[:2]))
    said = {float(x) for x in re.findall(r"\d+(?:\.\d+)?", TEACHES[row.row])}
    assert said <= allowed


def bleu(row: str) -> float:
    return ROWS[row].bleu - BASE.bleu


def test_what_the_sentences_compare_holds():
    assert min(TABLE3, key=lambda row: row.bleu).row == "C layers 1"
    assert max(TABLE3, key=lambda row: row.bleu) == min(TABLE3, key=lambda row: row.perplexity)
    assert max(TABLE3, key=lambda row: row.bleu).row == "big"
    assert bleu("C layers 2") / bleu("C layers 1") == pytest.approx(1 / 4, abs=0.02)
    assert bleu("C d_model 256") == pytest.approx(bleu("C d_ff 1024") / 2)
    assert bleu("D dropout 0.0") < bleu("D smoothing 0.0") < 0
    assert ROWS["D smoothing 0.0"].perplexity < BASE.perplexity
    assert ROWS["C layers 4"].perplexity < BASE.perplexity
    assert bleu("A heads 32") == pytest.approx(bleu("A heads 4"), abs=0.11)


@pytest.mark.parametrize("row", TABLE3, ids=lambda row: row.row)
def test_our_words_are_what_our_runs_change(row):
    said = {OURS[name]: float(x) for name, x in EQUATION.findall(row.ours) if name in OURS}
    changes = dict(variations.TABLE3[row.row])
    config = {**variations.BASE, **changes}
    own = {"num_layers": 6, "label_smoothing": 0.1, **config}
    assert said == {name: own[name] for name in said}
    assert {*changes} - {"head_dim", "positions"} <= {*said}
    key = re.search(r"d_k(?: = d_v)? = (\d+)", row.ours)
    head_dim, value_dim, _ = head_sizes(
        config["d_model"], config["num_heads"], changes.get("head_dim"), None, None
    )
    if key:
        assert int(key[1]) == head_dim
    assert ("d_v" in row.ours) <= (head_dim == value_dim)


def test_the_papers_base_is_the_packages():
    assert f"d_model = {TransformerConfig().d_model}, d_ff = 2048, h = 8" in BASE.change
    assert "300K" not in ROWS["big"].ours
    assert math.isclose(BASE.perplexity, 4.92)
