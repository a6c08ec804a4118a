"""The report on a class, for the instructor alone: one page that needs nothing outside itself."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from transformer_course.grading.exercises.exercise import source_of
from transformer_course.grading.exercises.releasing import released
from transformer_course.grading.exports import handed_in, overview, similarity
from transformer_course.grading.exports.counting import Grades
from transformer_course.grading.exports.feedback import rendered, write
from transformer_course.grading.grader.catalog import Catalog
from transformer_course.grading.grader.result import Result
from transformer_course.grading.grader.results_file import by_student

LISTED = 20  # groups of similar submissions that the page names


def to_report(grades: Grades, to: Path) -> str:
    """One page: scores, questions, wrong answers, hints, what is alike, what needs a look.

    What was handed in is read again where it lies; what is not there any more is counted.
    """
    files = handed_in.files_of(grades.handed_in)
    catalog = Catalog(grades.exercises)
    exercises = list(overview.of_exercises(grades.results))
    for each in exercises:
        graded: list[Result] = each.pop("graded")
        each["graded"] = len(graded)
        each |= alike(each["name"], graded, files, catalog)
        found = list(handed_in.progress(graded, files))
        names = [question["name"] for question in each["questions"]]
        each["practice"] = overview.of_practice(found, names)
    students = by_student(grades.results)
    page = rendered(
        "report.html",
        title="Report on the class",
        exercises=exercises,
        students=list(overview.of_students(students)),
        look=overview.to_look_at(grades.results),
        notes=grades.notes,
        measure=similarity,
        fewest=overview.FEWEST,
    )
    write(to, page)
    several = "" if len(exercises) == 1 else "s"
    return f"{to}: {len(students)} students, {len(exercises)} exercise{several}"


def alike(
    name: str, graded: Sequence[Result], files: dict[str, Any], catalog: Catalog
) -> dict[str, Any]:
    """The submissions of an exercise that are alike, and how many could not be compared."""
    here = handed_in.notebooks(list(graded), files)
    given: list[str] = []
    if name in catalog.known:
        notebook = released(catalog.grader(name).exercise)
        given = [source_of(raw) for raw in notebook["cells"] if raw["cell_type"] == "code"]
    whose = {each["submission"]["id"]: overview.whose(each) for each in graded}
    cells = {whose[student]: [step.source for step in each.cells] for student, each in here.items()}
    found = similarity.likeness(cells, given)
    return {
        "alike": found.alike[:LISTED],
        "more": max(0, len(found.alike) - LISTED),
        "left_out": found.left_out,
        "compared": len(here),
        "absent": len(graded) - len(here),
    }
