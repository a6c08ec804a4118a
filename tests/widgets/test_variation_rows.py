"""VariationRows: it says what the results say, and what is not a result is refused."""

import copy
import math

import numpy as np
import pytest
import traitlets
import variation_results
import variations

from transformer_course.errors import DataError
from transformer_course.pages import paper_tables, rerun
from transformer_course.widgets import VariationRows
from transformer_course.widgets.variation_rows import NAMES, beside


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return variation_results.whole(tmp_path_factory.mktemp("results"))


def row(widget, name):
    return next(row for row in widget.rows if row["name"] == name)


def test_without_results_the_papers_table_is_there_and_nothing_else():
    widget = VariationRows()
    assert [each["name"] for each in widget.rows] == list(variations.TABLE3)
    assert [each["bleu"] for each in widget.rows] == [each.bleu for each in paper_tables.TABLE3]
    assert all(not each["seeds"]["bleu"] for each in widget.rows)
    assert all(set(each["verdicts"].values()) == {None} for each in widget.rows)
    assert repr(widget) == "VariationRows(20 rows, 0 of them run)"


def test_a_folder_that_does_not_exist_yet_has_no_results(tmp_path):
    assert VariationRows.of(tmp_path / "none").rows == VariationRows().rows


def test_seeds_and_verdicts_are_those_of_the_results(folder):
    widget, measured = VariationRows.of(folder), rerun.read(folder, NAMES)
    base = paper_tables.TABLE3[0]
    for paper in paper_tables.TABLE3[1:]:
        each = row(widget, paper.row)
        assert each["seeds"]["perplexity"] == pytest.approx(
            measured[paper.row].perplexity, abs=1e-4
        )
        assert each["seeds"]["bleu"] == pytest.approx(measured[paper.row].bleu, abs=1e-3)
        claim = math.log(paper.perplexity / base.perplexity)
        verdict = rerun.judge(measured, paper.row, claim, "log perplexity")
        assert each["verdicts"]["perplexity"]["says"] == verdict.says
        assert each["verdicts"]["perplexity"]["bound"] == pytest.approx(verdict.bound, abs=1e-5)
        verdict = rerun.judge(measured, paper.row, paper.bleu - base.bleu, "BLEU")
        assert each["verdicts"]["bleu"]["says"] == verdict.says
    same = [each["name"] for each in widget.rows[1:] if each["verdicts"]["perplexity"]["same"]]
    assert same == ["A heads 16", "E learned positions"]


def test_a_run_that_failed_is_counted_apart(folder):
    big = row(VariationRows.of(folder), "big")
    assert (len(big["seeds"]["bleu"]), big["failed"], big["wanted"]) == (2, 1, 3)


def test_half_a_result_is_refused_by_name(tmp_path):
    (tmp_path / "base.0.json").write_text("{")
    with pytest.raises(DataError, match=r"base\.0\.json is no whole result"):
        VariationRows.of(tmp_path)


def test_as_many_seeds_are_wanted_as_the_queue_runs():
    runs = [trial.row for trial in variations.trials() if trial.task == "multi30k"]
    for each in VariationRows().rows:
        assert each["wanted"] == runs.count(each["name"])


def test_each_row_turns_the_knob_that_its_run_changes_first():
    knobs = {"h": "num_heads", "d_k": "head_dim", "N": "num_layers", "smoothing": "label_smoothing"}
    for each in VariationRows().rows[1:-1]:
        knob = knobs.get(each["knob"], each["knob"])
        assert [knob] == list(variations.TABLE3[each["name"]])
        smaller = {"d_k": 4, "d_model": 4, "d_ff": 4, "N": 2}.get(each["knob"], 1)
        ours = variations.TABLE3[each["name"]][knob]
        assert each["setting"] == "learned" or float(each["setting"]) == smaller * ours


def test_heads_share_the_width_in_every_picture():
    for each in VariationRows().rows:
        sizes = each["sizes"]
        whole = sizes["h"] * sizes["d_k"] == sizes["d_model"]
        assert whole or each["group"] == "B"


def test_the_static_twin_has_the_whole_table(folder):
    widget = VariationRows.of(folder)
    paper, ours = widget.tables()
    assert paper.rows == ours.rows
    assert len(paper.rows) == 20
    assert paper.rows[1] == "A: h = 1, d_k = d_v = 512"
    assert paper.cells[1].tolist() == [5.29, 24.9]
    one = row(widget, "A heads 1")
    seeds, verdict = one["seeds"]["perplexity"], one["verdicts"]["perplexity"]
    assert ours.cells[1][0] == "3 of 3"
    assert ours.cells[1][1] == f"{np.exp(np.mean(np.log(seeds))):.2f}"
    far = 100 * math.expm1(verdict["difference"])
    assert ours.cells[1][2] == f"{far:+.1f} ± {100 * math.expm1(verdict['bound']):.1f} %"
    assert ours.cells[1][3] == verdict["says"]
    assert ours.cells[-1][0] == "2 of 3, 1 failed"
    assert "<td>opposite</td>" in widget.as_html()
    assert "not run yet" in VariationRows().as_text()


def test_one_seed_has_a_mean_no_spread_and_no_verdict(tmp_path):
    variation_results.write(tmp_path, "C layers 1", 0, 12.5)
    cells = VariationRows.of(tmp_path).tables()[1].cells[7]
    assert cells.tolist() == ["1 of 3", "12.50", "", "", "30.0", "", ""]


BAD = [
    (1, "perplexity", 0.5, "expected perplexity to be a number from 1 on, got 0.5"),
    (1, "perplexity", math.nan, "expected perplexity to be a number from 1 on"),
    (1, "bleu", 101, "expected bleu to be a number from 0 to 100, got 101"),
    (2, "group", "F", "expected group to be one of base, A, B"),
    (2, "change", " ", "expected change to be a text"),
    (2, "knob", "heads", "expected knob to be a size, positions or size"),
    (2, "sizes", {"N": 6}, "expected sizes to be numbers for N, d_model"),
    (3, "seeds", {"perplexity": [5.0], "bleu": []}, "expected seeds to be as many perplexities"),
    (3, "seeds", {"perplexity": [5.0] * 9, "bleu": [1.0] * 9}, "at most 8"),
    (3, "seeds", {"perplexity": ["5"], "bleu": [1.0]}, "each a number"),
    (3, "seeds", [], "expected seeds"),
    (4, "failed", -1, "expected failed to be a count"),
    (4, "wanted", 0, "expected wanted to be a count from 1 on"),
    (4, "verdicts", {"perplexity": None}, "expected verdicts to be None"),
    (4, "verdicts", {"perplexity": {"says": "maybe"}, "bleu": None}, "agrees or opposite"),
]


@pytest.mark.parametrize(("place", "field", "value", "wanted"), BAD)
def test_a_row_that_is_none_is_named_with_its_field(place, field, value, wanted):
    rows = copy.deepcopy(beside({}))
    rows[place][field] = value
    with pytest.raises(traitlets.TraitError, match=rf"rows\[{place}\] .*{wanted}"):
        VariationRows(rows)


def test_fields_and_names_are_whole():
    rows = beside({})
    with pytest.raises(traitlets.TraitError, match=r"rows\[0\]: expected the fields name, group"):
        VariationRows([{"name": "base"}])
    with pytest.raises(traitlets.TraitError, match="expected 'base' first and each name once"):
        VariationRows(rows[1:])
    with pytest.raises(traitlets.TraitError, match="each name once, got"):
        VariationRows([*rows, rows[3]])


@pytest.mark.parametrize(
    ("traits", "wanted"),
    [
        ({"row": "F"}, "row: there is no row 'F'; the rows are"),
        ({"guesses": {"F": "same"}}, "guesses: there is no row 'F'"),
        ({"guesses": {"big": "best"}}, "best"),
        ({"measure": "chrf"}, "chrf"),
        ({"view": "two"}, "two"),
    ],
)
def test_what_does_not_fit_is_refused(traits, wanted):
    with pytest.raises(traitlets.TraitError, match=wanted):
        VariationRows(**traits)
