"""What was run again is read whole or not at all, and judged by the rules that were committed."""

import json
import math

import pytest
import variations
from variation_results import write

from transformer_course.errors import DataError
from transformer_course.pages import rerun
from transformer_course.pages.paper_tables import TABLE2, TABLE3

ROWS = [row.row for row in TABLE3]


@pytest.fixture
def folder(tmp_path):
    for seed, near in enumerate([0.99, 1.0, 1.01]):
        write(tmp_path, "base", seed, 10 * near, 30 * near)
        write(tmp_path, "C layers 1", seed, 12 * near, 25 * near)
        write(tmp_path, "D smoothing 0.0", seed, 9 * near, 30 * near)
    write(tmp_path, "big", 0, 5.0)
    return tmp_path


def test_the_last_perplexity_of_each_seed_is_read(folder):
    rows = rerun.read(folder, ROWS)
    assert rows["base"].perplexity == pytest.approx([9.9, 10, 10.1])
    assert rows["base"].seeds == [0, 1, 2]
    assert rows["base"].values("log perplexity")[1] == pytest.approx(math.log(10))
    assert rows["big"].values("BLEU") == [30.0]


def test_a_row_is_judged_by_each_measure(folder):
    rows = rerun.read(folder, ROWS)
    assert rerun.judge(rows, "C layers 1", 0.2, "log perplexity").says == "agrees"
    assert rerun.judge(rows, "C layers 1", -2.1, "BLEU").says == "agrees"
    assert rerun.judge(rows, "D smoothing 0.0", 0.05, "log perplexity").says == "opposite"
    assert rerun.judge(rows, "D smoothing 0.0", -0.5, "BLEU").says == "cannot tell"


def test_rows_of_another_table_have_no_part_in_the_spread(folder):
    before = rerun.judge(rerun.read(folder, ROWS), "C layers 1", 0.2, "log perplexity")
    for seed, perplexity in enumerate([2.0, 20.0, 200.0]):
        write(folder, "rotary", seed, perplexity)
    assert rerun.judge(rerun.read(folder, ROWS), "C layers 1", 0.2, "log perplexity") == before
    everything = rerun.read(folder, [*ROWS, "rotary"])
    assert rerun.judge(everything, "C layers 1", 0.2, "log perplexity").says == "cannot tell"


def test_one_seed_and_none_get_no_verdict(folder):
    rows = rerun.read(folder, ROWS)
    assert rerun.judge(rows, "big", -0.1, "BLEU") is None
    assert rerun.judge(rows, "A heads 1", 0.07, "BLEU") is None


def test_a_run_that_failed_is_told_and_not_averaged(folder):
    (folder / "base.3.json").write_text(json.dumps({"row": "base", "seed": 3, "failed": "nan"}))
    base = rerun.read(folder, ROWS)["base"]
    assert (base.failed, base.seeds) == (["nan"], [0, 1, 2])


def test_a_run_without_translations_counts_for_its_perplexity_alone(folder):
    path = folder / "big.1.json"
    path.write_text(
        json.dumps({"row": "big", "seed": 1, "valid": [{"perplexity": 5.2}], "parameters": 7})
    )
    rows = rerun.read(folder, ROWS)
    big = rows["big"]
    assert (big.seeds, big.perplexity, big.bleu, big.seconds) == (
        [0, 1],
        [5.0, 5.2],
        [30.0],
        [600.0],
    )
    assert rerun.judge(rows, "big", -0.1, "log perplexity") is not None
    assert rerun.judge(rows, "big", 1.0, "BLEU") is None


@pytest.mark.parametrize("text", ['{"row": "base", "va', "{}", '{"row": "base"}', "[]"])
def test_half_a_result_is_named(folder, text):
    (folder / "base.9.json").write_text(text)
    with pytest.raises(DataError, match=r"base\.9\.json is no whole result"):
        rerun.read(folder, ROWS)


def test_every_row_of_the_paper_has_one_of_ours():
    assert [row.row for row in TABLE3] == list(variations.TABLE3)


def test_two_rows_alone_claim_no_difference_in_perplexity():
    base = TABLE3[0]
    near = rerun.NO_DIFFERENCE["log perplexity"]
    same = [r.row for r in TABLE3[1:] if abs(math.log(r.perplexity / base.perplexity)) < near]
    assert same == ["A heads 16", "E learned positions"]
    near = rerun.NO_DIFFERENCE["BLEU"]
    assert [r.row for r in TABLE3[1:] if abs(r.bleu - base.bleu) < near] == ["A heads 16"]


def test_no_single_model_before_the_paper_is_above_its_big_one():
    big = TABLE2[-1]
    assert all(row.german < big.german for row in TABLE2[:-1] if row.german)
    assert all(row.french < big.french for row in TABLE2[:-1] if row.french)


def test_means_and_differences_are_told_as_verdicts_take_them():
    assert rerun.mean([8, 12.5], "log perplexity") == "10.00"
    assert rerun.mean([29, 31], "BLEU") == "30.0"
    assert rerun.against(math.log(1.042), math.log(1.038), "log perplexity") == "+4.2 ± 3.8 %"
    assert rerun.against(-0.44, 1.1, "BLEU") == "−0.4 ± 1.1"
