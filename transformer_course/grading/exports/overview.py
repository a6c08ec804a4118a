"""What a class got right, and what it most often got wrong: the numbers of its report."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import correlation, fmean, median
from typing import Any

from transformer_course.grading.exercises.checking import reading
from transformer_course.grading.exports.adjusting import change
from transformer_course.grading.exports.counting import LATE_UNKNOWN, needs_look
from transformer_course.grading.grader.reporting import explained
from transformer_course.grading.grader.result import Result, Tested, reasons, told

FAILED = {"fail", "error", "timeout", "died", "memory"}
IDLE = {"not_attempted", "not_reached"}
BINS = 10  # of the histogram, each a tenth of the points
FEWEST = 10  # students below whom discrimination says nothing
TAIL = 0.27  # of a class above and below, as item analysis has it since Kelley (1939)


def of_exercises(results: list[Result]) -> Iterator[dict[str, Any]]:
    """For each exercise what came of it, and of each question."""
    by_exercise: dict[str, list[Result]] = {}
    for result in results:
        if result["exercise"]:
            by_exercise.setdefault(result["exercise"], []).append(result)
    for name, every in sorted(by_exercise.items()):
        graded = [each for each in every if each["status"] == "graded"]
        scores = [each["score"] for each in graded]
        yield {
            "name": name,
            "graded": graded,
            "statuses": Counter(each["status"].replace("_", " ") for each in every),
            "mean": round(fmean(scores), 2) if scores else 0.0,
            "median": round(median(scores), 2) if scores else 0.0,
            "most": every[0]["max_score"],
            "bins": histogram(scores, every[0]["max_score"]),
            "questions": list(of_questions(graded)),
        }


def histogram(scores: Sequence[float], most: float) -> list[int]:
    """How many scores lie in each tenth of the points; full points are in the last one."""
    shares = [min(max(score / most, 0.0), 1.0) if most else 0.0 for score in scores]
    counts = Counter(min(int(share * BINS + 1e-9), BINS - 1) for share in shares)
    return [counts[number] for number in range(BINS)]


def of_questions(results: list[Result]) -> Iterator[dict[str, Any]]:
    """For each question how hard it was, how well it tells students apart, and what went wrong."""
    for name in dict.fromkeys(row["qid"] for each in results for row in each["tests"]):
        rows = [[row for row in each["tests"] if row["qid"] == name] for each in results]
        most = max(sum(row["max"] for row in own) for own in rows)
        points = [sum(row["points"] for row in own) for own in rows]
        totals = [sum(row["points"] for row in each["tests"]) for each in results]
        wrong = Counter(first_message(own) for own in rows if is_wrong(own))
        yield {
            "name": name,
            "difficulty": fmean(points) / most if most else 0.0,
            "item_rest": item_rest(points, totals),
            "upper_lower": upper_lower(points, totals, most),
            "wrong": sum(wrong.values()),
            "messages": wrong.most_common(3),
            "idle": sum(all(row["status"] in IDLE for row in own) for own in rows),
        }


def is_wrong(rows: Sequence[Tested]) -> bool:
    """Whether some check of a question failed."""
    return any(row["status"] in FAILED for row in rows)


def first_message(rows: Sequence[Tested]) -> str:
    """What the check said that failed and tells most."""
    failed = (told(row) for row in rows if row["status"] in FAILED)
    return min(failed, key=reading).message


def item_rest(points: Sequence[float], totals: Sequence[float]) -> float | None:
    """Correlation of a question's points with those of all other questions together.

    Where a question is all or nothing this is the point-biserial correlation, without the
    question itself in the total. None where it says nothing: too few students, or no difference.
    """
    rest = [total - own for own, total in zip(points, totals, strict=True)]
    if len(points) < FEWEST or len(set(points)) < 2 or len(set(rest)) < 2:
        return None
    return correlation(points, rest)


def upper_lower(points: Sequence[float], totals: Sequence[float], most: float) -> float | None:
    """The upper-lower index D: the share of the points of the upper 27 %, less the lower's.

    Upper and lower are by total. None where students are too few.
    """
    if len(points) < FEWEST or not most:
        return None
    by_total = [own for _, own in sorted(zip(totals, points, strict=True), key=lambda x: x[0])]
    count = math.ceil(TAIL * len(points))
    return (fmean(by_total[-count:]) - fmean(by_total[:count])) / most


def of_practice(found: list[dict[str, Any]], names: Sequence[str]) -> list[dict[str, Any]]:
    """For each question the tries, hints and solutions looked up, where progress was handed in."""
    rows = []
    for name in names:
        own = [each[name] for each in found if name in each]
        if own:
            rows.append(
                {
                    "name": name,
                    "students": len(own),
                    "tries": median(whole(each.get("tries")) for each in own),
                    "hinted": fmean(whole(each.get("hints")) > 0 for each in own),
                    "shown": fmean(each.get("shown") is True for each in own),
                }
            )
    return rows


def whole(found: object) -> int:
    """A number in a file that a student can edit; what is none is 0."""
    return found if isinstance(found, int) and 0 <= found <= 10_000 else 0


def of_students(students: dict[str, list[Result]]) -> Iterator[dict[str, Any]]:
    """A row for each student."""
    for student, own in students.items():
        yield {
            "student": student,
            "name": own[0]["submission"]["name"],
            "score": sum(result["score"] for result in own),
            "most": sum(result["max_score"] for result in own),
            "remarks": [
                *{
                    each["status"].replace("_", " "): 0
                    for each in own
                    if each["status"] != "graded"
                },
                *["needs a look"] * any(map(needs_look, own)),
                *(
                    f"{result['exercise']}: " * (len(own) > 1)
                    + f"{change(each['points'])} {each['reason']}"
                    for result in own
                    for each in result.get("adjustments", ())
                ),
            ],
        }


def whose(result: Result) -> str:
    """The student's id, and the name if it is known."""
    about = result["submission"]
    return f"{about['id']} {about['name']}".rstrip()


def to_look_at(results: list[Result]) -> dict[str, list[str]]:
    """What a person should look at: the students, each once, by the reason."""
    found: dict[str, dict[str, None]] = {}
    for each in results:
        if needs_look(each):
            asked = [*reasons(each), *(flag for flag in each["flags"] if flag == LATE_UNKNOWN)]
            for why in [each["message"]] if each.get("message") else map(explained, asked):
                found.setdefault(why, {})[whose(each)] = None
    return {why: list(students) for why, students in found.items()}
