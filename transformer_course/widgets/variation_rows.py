"""Table 3, one knob at a time: guess, then see the paper's figures and ours beside them."""

import math
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Self

import numpy as np
import traitlets

from transformer_course.pages import paper_tables, rerun
from transformer_course.widgets.base import CourseWidget, Table

GROUPS = ["base", "A", "B", "C", "D", "E", "big"]
GUESSES = ["better", "same", "worse"]
SAYS = ["agrees", "opposite", "cannot tell"]
MEASURES = {"perplexity": "log perplexity", "bleu": "BLEU"}  # as rerun.judge calls them
SEEDS = {"base": 8}  # that benchmarks/CRITERIA.md asks for
OTHER_SEEDS = 3
NAMES = {row.row for row in paper_tables.TABLE3}
MOST_SEEDS = 8
BASE_SIZES: dict[str, float] = {"N": 6, "d_model": 512, "d_ff": 2048, "h": 8, "d_k": 64}
BASE_SIZES |= {"dropout": 0.1, "smoothing": 0.1}
EQUATION = re.compile(r"(N|d_model|d_ff|h|d_k|dropout|smoothing)(?: = d_v)? = ([\d.]+)")


def beside(measured: Mapping[str, rerun.Row]) -> list[dict[str, Any]]:
    """The paper's Table 3 with what was measured of each row, as plain data for the widget.

    A knob is what the row changes first; the other widths that follow from it are in `sizes`.
    """
    base = paper_tables.TABLE3[0]
    return [_beside(row, base, dict(measured)) for row in paper_tables.TABLE3]


def _beside(
    paper: paper_tables.Variation, base: paper_tables.Variation, measured: dict[str, rerun.Row]
) -> dict[str, Any]:
    group = paper.row.split()[0]
    ours = measured.get(paper.row, rerun.Row())
    changed = dict(EQUATION.findall(paper.change)) if paper is not base else {}
    knob, setting = next(iter(changed.items()), ("positions", "learned"))
    if group in ("base", "big"):
        knob, setting = "size", group
    claims = {
        "perplexity": math.log(paper.perplexity / base.perplexity),
        "bleu": paper.bleu - base.bleu,
    }
    return {
        "name": paper.row,
        "group": group,
        "change": paper.change,
        "ours": paper.ours,
        "knob": knob,
        "setting": setting,
        "sizes": BASE_SIZES | {name: float(size) for name, size in changed.items()},
        "perplexity": paper.perplexity,
        "bleu": paper.bleu,
        "seeds": {
            "perplexity": [round(x, 4) for x in ours.perplexity],
            "bleu": [round(x, 3) for x in ours.bleu],
        },
        "failed": len(ours.failed),
        "wanted": SEEDS.get(paper.row, OTHER_SEEDS),
        "verdicts": {
            measure: None if paper is base else _verdict(measured, paper.row, claim, measure)
            for measure, claim in claims.items()
        },
        "teaches": paper_tables.TEACHES[paper.row],
    }


def _verdict(
    measured: dict[str, rerun.Row], row: str, claim: float, measure: str
) -> dict[str, Any] | None:
    name = MEASURES[measure]
    found = rerun.judge(measured, row, claim, name)
    if found is None:
        return None
    return {
        "difference": round(found.difference, 5),
        "bound": round(found.bound, 5),
        "says": found.says,
        "same": abs(claim) < rerun.NO_DIFFERENCE[name],
        "margin": rerun.MARGIN[name],
    }


class VariationRows(CourseWidget, source="variation_rows"):
    """Turn one knob of the base model, guess what its perplexity does, then see.

    Each setting of a knob is a row of the paper's Table 3. `VariationRows.of(folder)` puts the
    results of a folder beside it; `VariationRows()` has the paper's figures alone. `rows` are
    plain data, as `beside` gives them: paper and seeds by measure, verdicts or None.
    """

    rows: traitlets.List = traitlets.List(help="Table 3, and ours beside it").tag(sync=True)
    row = traitlets.Unicode("base", help="the row that is shown").tag(sync=True)
    guesses: traitlets.Dict = traitlets.Dict(
        value_trait=traitlets.Enum(GUESSES), help="by row: better, same or worse"
    ).tag(sync=True)
    measure = traitlets.Enum([*MEASURES], "perplexity", help="what is drawn").tag(sync=True)
    view = traitlets.Enum(["one", "all"], "one", help="one row, or all of them").tag(sync=True)

    def __init__(self, rows: list[dict[str, Any]] | None = None, **traits: Any):
        super().__init__(rows=beside({}) if rows is None else rows, **traits)

    @classmethod
    def of(cls, folder: Path, **traits: Any) -> Self:
        """The widget with the results of a folder; rows that have not run are there, and say so.

        Raises:
            DataError: if a file of the folder is no result.
        """
        return cls(rows=beside(rerun.read(folder, NAMES)), **traits)

    @traitlets.validate("rows")
    def _check_rows(self, proposal: dict[str, Any]) -> list[dict[str, Any]]:
        rows = proposal["value"]
        for place, row in enumerate(rows):
            _check_row(place, row)
        names = [row["name"] for row in rows]
        if names[:1] != ["base"] or len({*names}) != len(names):
            raise traitlets.TraitError(
                f"rows: expected 'base' first and each name once, got {names}"
            )
        return rows

    @traitlets.validate("row", "guesses")
    def _check_names(self, proposal: dict[str, Any]) -> Any:
        value, names = proposal["value"], [row["name"] for row in self.rows]
        for name in [value] if isinstance(value, str) else value:
            if name not in names:
                raise traitlets.TraitError(
                    f"{proposal['trait'].name}: there is no row {name!r}; the rows are {names}"
                )
        return value

    def __repr__(self) -> str:
        run = sum(bool(row["seeds"]["perplexity"]) for row in self.rows)
        return f"VariationRows({len(self.rows)} rows, {run} of them run)"

    def tables(self) -> list[Table]:
        """The whole table: the paper's figures; our means, how far from base, and the verdicts."""
        names = [
            row["group"] if row["knob"] == "size" else f"{row['group']}: {row['change']}"
            for row in self.rows
        ]
        paper = np.array([[row["perplexity"], row["bleu"]] for row in self.rows])
        ours = np.array([_in_words(row) for row in self.rows], dtype=object)
        columns = ["seeds"]
        for name in ("perplexity", "BLEU"):
            columns += [name, "against base", "verdict"]
        return [
            Table("Table 3 of the paper", names, ["perplexity", "BLEU"], paper),
            Table("Ours, smaller; ± how far chance reaches", names, columns, ours),
        ]


def _in_words(row: Mapping[str, Any]) -> list[str]:
    """What we measured of a row: seeds, and for each measure mean, difference, verdict."""
    seeds = row["seeds"]["perplexity"]
    failed = f", {row['failed']} failed" if row["failed"] else ""
    cells = [f"{len(seeds)} of {row['wanted']}{failed}"]
    for measure, name in MEASURES.items():
        values, verdict = row["seeds"][measure], row["verdicts"][measure]
        cells += [rerun.mean(values, measure=name) if values else "not run yet"]
        far = verdict and rerun.against(verdict["difference"], verdict["bound"], name)
        cells += [far, verdict["says"]] if verdict else ["", ""]
    return cells


# ---- What a row of plain data has to be ----


def _number(least: float, most: float = math.inf) -> Callable[[Any], bool]:
    def fits(x: Any) -> bool:
        is_number = isinstance(x, int | float) and not isinstance(x, bool)
        return is_number and math.isfinite(x) and least <= x <= most

    return fits


def _text(x: Any) -> bool:
    return isinstance(x, str) and bool(x.strip())


def _seeds(x: Any) -> bool:
    if not isinstance(x, dict) or x.keys() != MEASURES.keys():
        return False
    lists = all(isinstance(each, list) and len(each) <= MOST_SEEDS for each in x.values())
    return lists and (
        len(x["perplexity"]) == len(x["bleu"])
        and all(map(_number(1), x["perplexity"]))
        and all(map(_number(0, 100), x["bleu"]))
    )


def _verdicts(x: Any) -> bool:
    if not isinstance(x, dict) or x.keys() != MEASURES.keys():
        return False
    return all(
        each is None
        or (
            isinstance(each, dict)
            and each.keys() == {"difference", "bound", "says", "same", "margin"}
            and each["says"] in SAYS
            and isinstance(each["same"], bool)
            and _number(-math.inf)(each["difference"])
            and all(_number(0)(each[name]) for name in ("bound", "margin"))
        )
        for each in x.values()
    )


def _sizes(x: Any) -> bool:
    return (
        isinstance(x, dict) and x.keys() == BASE_SIZES.keys() and all(map(_number(0), x.values()))
    )


FIELDS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "name": ("a text", _text),
    "group": (f"one of {', '.join(GROUPS)}", lambda x: x in GROUPS),
    **{name: ("a text", _text) for name in ("change", "ours", "setting", "teaches")},
    "knob": ("a size, positions or size", lambda x: x in [*BASE_SIZES, "positions", "size"]),
    "sizes": (f"numbers for {', '.join(BASE_SIZES)}", _sizes),
    "perplexity": ("a number from 1 on", _number(1)),
    "bleu": ("a number from 0 to 100", _number(0, 100)),
    "seeds": (f"as many perplexities as bleus, at most {MOST_SEEDS}, each a number", _seeds),
    "failed": ("a count", lambda x: isinstance(x, int) and x >= 0),
    "wanted": ("a count from 1 on", lambda x: isinstance(x, int) and x >= 1),
    "verdicts": (f"None, or a difference that {' or '.join(SAYS)}, by measure", _verdicts),
}


def _check_row(place: int, row: Any) -> None:
    if not isinstance(row, dict) or row.keys() != FIELDS.keys():
        given = [*row] if isinstance(row, dict) else row
        raise traitlets.TraitError(
            f"rows[{place}]: expected the fields {', '.join(FIELDS)}; got {given!r}"
        )
    for name, (wanted, fits) in FIELDS.items():
        if not fits(row[name]):
            raise traitlets.TraitError(
                f"rows[{place}] ({row['name']!r}): expected {name} to be {wanted}, "
                f"got {row[name]!r}"
            )
