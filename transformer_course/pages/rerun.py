"""What the queue of runs has measured so far, and what it says of the paper's rows.

The rules are those of benchmarks/CRITERIA.md, decided before the first run.
"""

import json
import math
from collections import defaultdict
from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from transformer_course.errors import DataError
from transformer_course.pages.verdicts import Verdict, pooled_deviation, verdict

NO_DIFFERENCE = {"log perplexity": 0.003, "BLEU": 0.05}  # in the paper: 4.91, 4.92; 25.8
MARGIN = {"log perplexity": 0.02, "BLEU": 0.3}  # what still counts as none in ours


@dataclass
class Row:
    """One row of a table: what each finished seed measured."""

    seeds: list[int] = field(default_factory=list)
    perplexity: list[float] = field(default_factory=list)
    bleu: list[float] = field(default_factory=list)
    exact: list[float] = field(default_factory=list)
    parameters: int = 0
    seconds: list[float] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)  # runs whose loss was not finite

    def values(self, measure: str) -> list[float]:
        """What verdicts are about: "log perplexity" or "BLEU", a number for each seed."""
        if measure == "BLEU":
            return self.bleu
        return [math.log(value) for value in self.perplexity]

    def add(self, result: dict[str, Any]) -> None:
        """Take in the result file of one seed."""
        if "failed" in result:
            self.failed.append(result["failed"])
            return
        self.seeds.append(result["seed"])
        self.perplexity.append(result["valid"][-1]["perplexity"])
        if "test" in result:  # of some runs the log alone was kept: perplexities, no translations
            self.bleu.append(result["test"]["bleu"])
            self.exact.append(result["test"]["exact_match"])
        if "seconds" in result:  # not where several runs shared a card
            self.seconds.append(result["seconds"])
        self.parameters = result["parameters"]


def read(folder: Path, names: Container[str]) -> dict[str, Row]:
    """These rows of a task's folder of results, as far as they have run.

    What is judged together is read together: `judge` pools the spread of all rows that it gets.

    Raises:
        DataError: if a file is no result.
    """
    rows: dict[str, Row] = defaultdict(Row)
    for path in sorted(folder.glob("*.json")):
        try:
            result = json.loads(path.read_text(encoding="utf-8"))
            if result["row"] in names:
                rows[result["row"]].add(result)
        except (ValueError, KeyError, TypeError, IndexError) as error:
            raise DataError(
                f"{path} is no whole result ({error}): take it away, and run `make results` again"
            ) from error
    return dict(rows)


def mean(values: Sequence[float], measure: str) -> str:
    """What the seeds of a row come to, as verdicts take it: of perplexities the geometric mean."""
    if measure == "BLEU":
        return f"{np.mean(values):.1f}"
    return f"{np.exp(np.mean(np.log(values))):.2f}"


def against(difference: float, bound: float, measure: str) -> str:
    """How far a row is from base, plus or minus how far chance reaches: "+4.2 ± 3.8 %".

    Logarithms of perplexities are told in percent of base's perplexity, BLEU in points.
    """
    unit = ""
    if measure != "BLEU":
        difference, bound, unit = 100 * math.expm1(difference), 100 * math.expm1(bound), " %"
    return f"{difference:+.1f} ± {bound:.1f}{unit}".replace("-", "−")


def judge(
    rows: dict[str, Row],
    row: str,
    claim: float,
    measure: str,
    comparisons: int = 19,
    without: Container[str] = (),
) -> Verdict | None:
    """What our seeds say of the paper's difference `claim` between a row and base, once they can.

    A verdict needs two seeds of base and of the row. Seeds of a row that failed are not in it.
    The spread of the rows in `without` is not pooled: the criteria leave none out.
    """
    found = {name: values for name in rows if (values := rows[name].values(measure))}
    if min(len(found.get(name, [])) for name in ("base", row)) < 2:
        return None
    spread = pooled_deviation([values for name, values in found.items() if name not in without])
    return verdict(
        rows[row].values(measure),
        rows["base"].values(measure),
        spread,
        claim=0.0 if abs(claim) < NO_DIFFERENCE[measure] else claim,
        comparisons=comparisons,
        margin=MARGIN[measure],
    )
