"""Results into the gradebook of an nbgrader course, as if nbgrader had graded."""

import warnings
from pathlib import Path, PurePath
from typing import Any

from transformer_course.errors import DataError
from transformer_course.grading.grader.result import Result


def to_nbgrader(results: list[Result], to: Path) -> str:
    """Write the scores into an existing gradebook.db; what people graded by hand stays.

    Raises:
        DataError: there is no gradebook, it does not know an exercise, or nbgrader is missing.
    """
    try:
        from nbgrader.api import Gradebook  # noqa: PLC0415  an instructor's extra
        from sqlalchemy.exc import SAWarning, SQLAlchemyError  # noqa: PLC0415
    except ImportError:
        raise DataError(
            "nbgrader is not installed: pip install 'transformer-course[instructor]'"
        ) from None
    if not to.is_file():
        raise DataError(
            f"{to}: expected the gradebook.db of an nbgrader course; run nbgrader "
            "generate_assignment in it first"
        )
    known = [result for result in results if result["exercise"]]
    handed_in = {each["exercise"]: each for each in known if each["submission"]["path"]}
    try:
        with warnings.catch_warnings(), Gradebook(f"sqlite:///{to.resolve()}") as gradebook:
            warnings.simplefilter("ignore", SAWarning)  # of nbgrader's own way to add a student
            for result in known:
                own = result["submission"]["path"]
                like = result if own else handed_in.get(result["exercise"], result)
                enter(gradebook, assignment_of(gradebook, like), result)
            gradebook.db.commit()
    except SQLAlchemyError as error:
        raise DataError(f"{to} is no gradebook of nbgrader: {str(error).splitlines()[0]}") from None
    return f"{to}: {len(known)} submissions"


def assignment_of(gradebook: Any, result: Result) -> str:
    """The assignment that has this notebook; of several, the one in the submission's path."""
    exercise = result["exercise"]
    names = [
        assignment.name
        for assignment in gradebook.assignments
        if any(notebook.name == exercise for notebook in assignment.notebooks)
    ]
    if len(names) > 1:
        parts = PurePath(result["submission"]["path"]).parts
        names = [name for name in names if name in parts] or names
    if len(names) != 1:
        there = f"it is in {', '.join(names)}" if names else "no assignment has it"
        raise DataError(
            f"expected one assignment with the notebook {exercise}.ipynb, and {there}: copy the "
            "exercise to source/ASSIGNMENT and run nbgrader generate_assignment; submissions lie "
            "in submitted/STUDENT/ASSIGNMENT"
        )
    return names[0]


def enter(gradebook: Any, assignment: str, result: Result) -> None:
    """Enter one submission."""
    student = result["submission"]["id"]
    gradebook.update_or_create_student(student)
    gradebook.update_or_create_submission(assignment, student)
    notebook = gradebook.find_submission_notebook(result["exercise"], assignment, student)
    rows = {row["id"]: row for row in result["tests"]}
    cells = {grade.name for grade in notebook.grades}
    if cells != set(rows):
        odd = ", ".join(sorted(cells ^ set(rows)))
        raise DataError(
            f"the gradebook's {result['exercise']} and the results differ in the checks {odd}: "
            "generate the assignment from the source that the submissions were graded by"
        )
    for grade in notebook.grades:
        grade.auto_score, grade.needs_manual_grade = rows[grade.name]["points"], False
    late = -sum(e["points"] for e in result.get("adjustments", ()) if e["kind"] == "late")
    notebook.late_submission_penalty = late or None
    beyond = result["score"] + late - sum(row["points"] for row in rows.values())
    if abs(beyond) > 1e-6 and notebook.grades:  # the whole exercise was given other points
        notebook.grades[-1].extra_credit = round(beyond, 4)
