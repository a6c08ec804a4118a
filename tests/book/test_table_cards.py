"""On a phone the rows of a table that would not fit are cards."""

import re

import pytest
import table_cards

LONG = "how well each key matches one query, at a size that does not depend on the width of a head"
NUMBERS = [["heads", "1", "4", "8"], ["width of a head", "512", "128", "64"]]
FORMULA = [["step", "in code", "shape", "a row is"], ["score", "scores", "(q_len, k_len)", LONG]]
ALONE = [["step", "why", "shape", "a row is"], ["score", LONG, "(q_len, k_len)", LONG]]
LETTERS = [["symbol", "counts", "in code", "base"], ["N", LONG, "num_layers", "6"]]


def page(rows: list[list[str]], cell: str = "<p>{}</p>") -> str:
    head, *body = (
        "".join(f"<{tag}>{cell.format(text)}</{tag}>" for text in row)
        for row, tag in zip(rows, ["th", *["td"] * len(rows)], strict=False)
    )
    body = "".join(f'<tr class="row-even">{row}</tr>' for row in body)
    return f'<table class="table">\n<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


@pytest.mark.parametrize(
    ("rows", "wide"),
    [
        (NUMBERS, False),
        (FORMULA, True),
        ([row[:2] for row in FORMULA], False),  # two columns have room to wrap
        ([row[1:] for row in FORMULA], False),
        ([["a", "b", "c"], ["x", LONG, LONG]], True),
        ([["a", "b", "c", "d"], [*["transformer_course"] * 3, "x"]], True),  # names are not cut
    ],
)
def test_rows_are_cards_where_a_table_would_not_fit(rows, wide):
    assert table_cards.too_wide(rows) is wide
    assert ("course-cards" in table_cards.mark(page(rows))) is wide


def test_each_cell_names_its_column_and_nothing_is_lost():
    marked = table_cards.mark(page(FORMULA))
    assert re.findall(r'data-name="(.*?)"', marked) == FORMULA[0]
    assert re.findall("<p>(.*?)</p>", marked) == [*FORMULA[0], *FORMULA[1]]
    roles = ["table", "rowgroup", "row", *["columnheader"] * 4, "rowgroup", "row", *["cell"] * 4]
    assert re.findall('role="(.*?)"', marked) == roles


@pytest.mark.parametrize(
    ("rows", "kinds"),
    [
        (FORMULA, ["head", "short", "short", "line"]),
        (ALONE, ["head", "line", "line", "line"]),
        (LETTERS, ["letter", "head", "short", "short"]),
        ([*LETTERS, ["N", LONG, "", "6"]], ["letter", "head", "none", "short"]),
    ],
)
def test_short_cells_share_a_line_and_empty_ones_go(rows, kinds):
    marked = table_cards.mark(page(rows))
    assert re.findall(r'data-card="(.*?)"', marked)[-len(kinds) :] == kinds


def test_a_formula_counts_as_it_is_seen():
    seen = "<math><mi>n</mi><annotation>\\mathrm{n}</annotation></math> &lt; 2"
    assert table_cards.text(seen) == "n < 2"


def test_other_tables_stay_as_they_are():
    for kind in ('<table class="dataframe">', "<table>", '<table class="table" rowspan="2">'):
        other = page(FORMULA).replace('<table class="table">', kind)
        assert table_cards.mark(other) == other
