"""What `transformer-course grade` says: a result in words, and the counts at the end."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import groupby
from operator import itemgetter

from transformer_course.grading.grader.result import Result, Tested, needs_human, reasons
from transformer_course.grading.processes.isolation import Isolation

LISTED = 20  # submissions that the summary names
FLAGS = {  # that ask for a look; {} is what stands behind the colon
    "protocol_violation": "its process answered the grader as no answer does",
    "forbidden": "{} is forbidden and was called or is named",
    "forbidden:unwatched": "what an answer called could not be watched",
    "timeout": "{} took too long",
    "memory": "{} wanted too much memory",
    "died": "{} ended its process",
    "not_reached": "the time had gone before {}",
    "duplicated": "{} has several answers, of which the last one counted",
    "edited": "the cell {}, which is the exercise's, was changed",
    "newer_python": "a cell failed that may need the notebook's Python {}",
    "not_code": "the answer to {} stands in a cell of text, and was run as code",
    "late_by_unknown": "late, and nothing says by how much",
}


def explained(flag: str) -> str:
    """A flag in words, and as it stands in the results."""
    kind, _, what = flag.partition(":")
    words = FLAGS.get(flag) or FLAGS.get(kind)
    return f"{words.format(what)} ({flag})" if words else flag


class Tally:
    """Counts, for the summary. What is `decided`, by student and exercise, needs no look."""

    def __init__(self, decided: Callable[[str, str], bool] = lambda *_: False) -> None:
        self.decided = decided
        self.statuses: Counter[str] = Counter()
        self.scores: dict[tuple[str, str], tuple[float, float]] = {}
        self.look: dict[tuple[str, str, str], str] = {}
        self.start = time.monotonic()

    def count(self, result: Result | None) -> None:
        """Take one result into account."""
        if result is None:
            self.statuses["done before"] += 1
            return
        self.statuses[result["status"].replace("_", " ")] += 1
        whose = result["submission"]["id"], result["exercise"]
        points = result["score"], result["max_score"]
        self.scores[whose] = max(points, self.scores.get(whose, points))  # the best file counts
        self.remember(result)

    def remember(self, result: Result) -> None:
        """Keep in mind whether a person should look at it, in place of what stood there before."""
        about = result["submission"]
        place = about["id"], about["path"], result["exercise"]
        self.look.pop(place, None)
        self.look.pop((about["id"], about["path"], ""), None)  # it could not be read before
        if needs_human(result) and not self.decided(about["id"], result["exercise"]):
            why = result.get("message") or "; ".join(map(explained, reasons(result)))
            self.look[place] = printable(f"{about['path']}: {why}")

    def summary(self, isolation: Isolation) -> str:
        """Some lines for whoever started the run."""
        taken = time.monotonic() - self.start
        counts = ", ".join(f"{number} {status}" for status, number in self.statuses.most_common())
        number = self.statuses.total()
        lines = [f"{number} submission{'s' * (number != 1)} in {taken:.0f} s: {counts}"]
        score, most = map(sum, zip(*self.scores.values(), strict=True)) if self.scores else (0, 0)
        if most:
            lines[0] += f"; {score:g} of {most:g} points"
        lines[0] += f"; isolation level {isolation.level}"
        if self.look:
            lines.append(f"{len(self.look)} need{'s' * (len(self.look) == 1)} a look:")
            lines += [f"  {each}" for each in list(self.look.values())[:LISTED]]
            if len(self.look) > LISTED:
                lines.append(f"  and {len(self.look) - LISTED} more, named in the results")
        return "\n".join(lines)


def words(result: Result, rows: bool) -> str:
    """A result for a person, with a line for each check if asked for."""
    about = result["submission"]
    whose = "" if rows else f"{about['id']}: "
    score = f", {result['score']:g} of {result['max_score']:g} points"
    lines = [whose + (f"{result['exercise']}{score}" if result["exercise"] else about["path"])]
    if result["status"] != "graded":
        lines[0] += f", {result['status'].replace('_', ' ')}. {result['message']}"
    for _, checks in groupby(result["tests"] if rows else (), itemgetter("qid")):
        lines += _question(list(checks))
    return "\n".join(printable(line) for line in lines)


def _question(rows: Sequence[Tested]) -> list[str]:
    """A question, and its checks below it; one line if it was left open."""
    points, most = sum(row["points"] for row in rows), sum(row["max"] for row in rows)
    name = rows[0].get("question") or rows[0]["qid"]
    whole = f"  {points:g} of {most:g}  {name}"
    if {row["status"] for row in rows} == {"not_attempted"}:
        return [f"{whole}: {rows[0]['message']}"]
    lines = [whole]
    for row in rows:
        said = "" if row["status"] == "pass" else f": {row['message']}"
        lines.append(f"    {row['points']:g} of {row['max']:g}  {row['title']}{said}")
    return lines


def printable(text: str) -> str:
    """Without what a terminal would obey."""
    return "".join(c if c.isprintable() else " " for c in text).rstrip()
