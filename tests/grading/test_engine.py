"""One submission: which of its cells count, what a check's row says, and that nothing is raised."""

import json
import os

import pytest
from small_exercise import ANSWER, DOUBLE, code, exercise, grade_one, saved, submission

from transformer_course.grading.border.asking import Limits
from transformer_course.grading.border.failures import Gone
from transformer_course.grading.grader.forbidden import mentioned
from transformer_course.grading.grader.result import doubtful
from transformer_course.grading.grader.run import Grader
from transformer_course.grading.processes.isolation import probe
from transformer_course.grading.processes.warm_process import ZygoteError

LIMITS = Limits(seconds=2.0, total_seconds=20.0)
FUNCTIONAL = "torch.nn.functional.softmax"
LOOP = "def double(x):\n    while True: pass"


@pytest.fixture(scope="module")
def zygote(warm):
    return warm(1)


@pytest.fixture(scope="module")
def grader():
    return Grader(exercise())


@pytest.fixture
def grade(zygote, grader, tmp_path):
    def graded(made, limits=LIMITS):
        return grade_one(grader, saved(tmp_path / "ada.ipynb", made), zygote, limits)

    return graded


def statuses(result: dict) -> dict[str, str]:
    return {row["id"]: row["status"] for row in result["tests"]}


def extra(made: dict, after: str, source: str, **about) -> dict:
    place = [raw["id"] for raw in made["cells"]].index(after) + 1 if after else 0
    made["cells"].insert(place, {**code(source, **about), "id": f"extra-{place}"})
    return made


def without(made: dict, *names: str) -> dict:
    made["cells"] = [raw for raw in made["cells"] if raw["id"] not in names]
    return made


def test_the_right_answers_earn_all_points(grade):
    result = grade(submission())
    assert (result["status"], result["score"], result["max_score"]) == ("graded", 4.0, 4.0)
    assert set(statuses(result).values()) == {"pass"}
    assert [row["hidden"] for row in result["tests"]] == [False, True, False]
    assert (result["cells"], result["flags"]) == ([], [])
    assert result["submission"]["id"] == "ada"
    assert result["runner"]["isolation"]["level"] == 1
    assert result["runner"]["torch"]
    assert 0 < result["secs"] < 10


HEAD = ["schema", "exercise", "exercise_version", "submission", "status"]
BODY = ["score", "tests", "cells", "flags", "stdout_tail", "max_score", "runner", "secs"]
TESTED = [
    "id",
    "qid",
    "question",
    "title",
    "points",
    "max",
    "hidden",
    "status",
    "message",
    "rank",
    "secs",
]


def test_a_line_of_results_has_its_fields_in_their_order(grade):
    result = grade(submission({"double": "def double(:"}))
    assert list(result) == [*HEAD, *BODY, "graded_at"]
    assert list(result["submission"]) == ["id", "name", "path", "sha256", "late"]
    assert [list(row) for row in result["tests"]] == [TESTED] * 3
    assert [list(cell) for cell in result["cells"]] == [["index", "id", "error"]]
    assert list(result["runner"]) == ["version", "torch", "isolation", "limits"]
    assert list(grade("{")) == [*HEAD, "message", *BODY, "graded_at"]


def test_the_notebook_as_handed_out_earns_nothing(grade):
    result = grade(submission({}))
    assert result["score"] == 0
    assert set(statuses(result).values()) == {"not_attempted"}
    assert (result["cells"], result["flags"]) == ([], [])


def test_a_wrong_answer_gets_its_message_and_the_hidden_test_its_say(grade):
    result = grade(submission({"double": "def double(x):\n    return {1: 2, 3: 6}.get(x)"}))
    rows = {row["id"]: row for row in result["tests"]}
    assert rows["double-one"]["points"] == 1
    assert rows["double-more"]["status"] == "fail"
    assert rows["double-more"]["message"] == "With other values than those shown: not twice 1234567"


def test_a_cell_that_fails_costs_its_own_question_only(grade):
    result = grade(submission({"double": "def double(x)\n    return 2", "answer": ANSWER}))
    assert result["score"] == 1
    assert statuses(result)["double-one"] == "error"
    assert "The cell of this answer did not finish: SyntaxError" in result["tests"][0]["message"]
    assert result["cells"][0]["error"] == "SyntaxError: expected ':' (line 1)"


SPY = """\
class {name}(Exception): pass
def double(x):
    name = f"Saw{{x}}" if {own} else "ValueError"
    if x > 3: raise type(name, (Exception,), {{}})(f"it was {{x}}")
    return 2 * x
"""


@pytest.mark.parametrize("own", [False, True])
def test_an_error_does_not_carry_hidden_values_to_whoever_reads_the_feedback(grade, own):
    row = grade(submission({"double": SPY.format(name="Own", own=own)}))["tests"][1]
    kind = "an error of its own" if own else "ValueError"
    said = f"Your code raised {kind}: with other values than those shown (line 4"
    assert (row["status"], row["hidden"]) == ("error", True)
    assert row["message"].startswith(said)
    assert "1234567" not in str(row)


def test_a_result_stays_small_whatever_its_answers_say(grade):
    loud = "def double(x):\n    raise ValueError('x' * 3_000_000)"
    made = submission({"double": loud, "answer": "answer = 'x' * 3_000_000"})
    for _ in range(300):
        extra(made, "answer", "raise ValueError('x' * 3000)")
    result = grade(made, Limits(seconds=2.0, total_seconds=60.0))
    assert result["tests"][0]["message"].endswith(
        "x … (3,200 more characters) (line 2 of your answer)"
    )
    assert len(result["cells"]) == 100
    assert len(json.dumps(result)) < 150_000


def test_what_it_prints_is_kept_from_its_end(grade):
    result = grade(submission({"answer": "print('x' * 9000 + 'the end')\nanswer = 42"}))
    assert result["stdout_tail"].endswith("the end\n")
    assert len(result["stdout_tail"]) == 2000


def test_a_cell_of_ones_own_runs_behind_the_cell_it_follows(grade):
    made = submission({"double": "def double(x):\n    return helped(x)", "answer": ANSWER})
    result = grade(extra(made, "double", "def helped(x):\n    return 2 * x"))
    assert result["score"] == 4
    made = extra(submission({}), "setup", "def double(x):\n    return 2 * x")
    assert grade(without(made, "double"))["score"] == 3


def test_an_answer_that_is_nowhere_says_so(grade):
    row = grade(without(submission(), "double"))["tests"][0]
    assert row["status"] == "not_attempted"
    assert row["message"] == "`double` is not defined yet by any cell here."


def test_a_copy_counts_where_the_first_cell_was_left_alone(grade):
    about = {"nbgrader": {"grade_id": "answer", "solution": True}}
    result = grade(extra(submission({}), "answer", ANSWER, **about))
    assert (result["score"], result["flags"]) == (1, [])


def test_of_two_answers_the_last_counts_as_in_jupyter_and_both_are_reported(grade):
    about = {"nbgrader": {"grade_id": "answer", "solution": True}}
    result = grade(extra(submission({"answer": "answer = 41"}), "answer", ANSWER, **about))
    assert (result["score"], result["flags"]) == (1, ["duplicated:answer"])


def test_deleted_and_edited_fixed_cells_are_the_exercise_s_own(grade):
    made = without(submission(), "setup", "double-more")
    edited = next(raw for raw in made["cells"] if raw["id"] == "answer-right")
    edited["source"] = "pass"
    result = grade(made)
    assert (result["score"], result["flags"]) == (4, ["edited:answer-right"])
    made = submission({})
    next(raw for raw in made["cells"] if raw["id"] == "answer-right")["source"] = "answer = 42"
    assert grade(made)["score"] == 0


def test_another_version_is_graded_and_says_so(grade):
    made = submission()
    made["metadata"]["course"]["version"] = "sha256:older"
    result = grade(made)
    assert (result["score"], result["flags"]) == (4, ["other_version"])


def test_panels_and_helpers_are_not_run_as_the_learner_s_code(grade):
    made = submission()
    assert any("panels.show" in raw["source"] for raw in made["cells"])
    assert grade(made)["cells"] == []
    made["cells"].append({**made["cells"][2], "id": "copied"})
    assert grade(made)["cells"] == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import torch as t\ndef double(x):\n    return t.add(x, x)", ["torch.add"]),
        ("from torch import add as plus\ndef double(x):\n    return plus(x, x)", ["torch.add"]),
        ("def double(x):\n    return torch.tensor(x).add(x)", ["torch.Tensor.add"]),
        ("def double(x):\n    return 2 * x  # not torch.add", []),
        ("add = 1\ndef double(x):\n    return 2 * x * add", []),
        ("def double(x:\n    return torch.add(x, x)", []),
        (
            "def double(x):\n    return torch._C._VariableFunctions.mul(x, 2)",
            ["torch._C._VariableFunctions.mul"],
        ),
        ("import _thread as t\ndef double(x):\n    return 2 * x if t else 0", ["_thread"]),
        (
            "def double(x):\n    return 2 * x if double.__closure__ is None else 0",
            ["double.__closure__"],
        ),
        ("def double(x):\n    return 2 * x if torch.__version__ else 0", []),
    ],
)
def test_forbidden_functions_that_an_answer_mentions_are_reported(grade, source, found):
    made = submission({"double": source, "answer": "torch.add(1, 1)\nanswer = 42"})
    assert grade(made)["flags"] == [f"forbidden:{name}" for name in found]


@pytest.mark.parametrize(
    ("beside", "answer", "found"),
    [
        ("assert torch.add(1, 1) == 2 == double(1)", DOUBLE, []),
        ("tool = torch.add\nx = 3", "def double(x):\n    return 2 * x", []),
        ("tool = torch.add", "def double(x):\n    return 2 * x if tool else 0", ["torch.add"]),
        (
            "class Tool:\n    add = torch.add|near = far = Tool",
            "def double(x):\n    return 2 * x if [far for x in [1]] else 0",
            ["torch.add"],
        ),
        ("x = torch._C", DOUBLE, ["torch._C"]),
    ],
)
def test_a_cell_that_no_answer_builds_on_may_use_what_is_forbidden(grade, beside, answer, found):
    made = submission({"double": answer, "answer": ANSWER})
    for cell in reversed(beside.split("|")):
        made = extra(made, "setup", cell)
    assert grade(made)["flags"] == [f"forbidden:{name}" for name in found]


def test_what_was_refused_is_reported_however_it_was_hidden(grade):
    hidden = (
        "tool = getattr(torch, 'ad' + 'd')\ndef double(x):\n    return tool(torch.tensor(x), x)"
    )
    result = grade(submission({"double": hidden, "answer": ANSWER}))
    assert (result["score"], result["flags"]) == (1, ["forbidden:torch.add"])


def test_an_allowed_function_is_not_taken_for_a_forbidden_namesake():
    names = ["torch.masked.softmax", "torch.sparse.softmax"]
    assert not mentioned(names[0], {"torch.softmax"}, names)
    assert mentioned(names[0], {"torch.ops.aten.softmax"}, [*names, "torch.softmax", FUNCTIONAL])
    assert mentioned(names[0], {"torch.masked.softmax"}, names)


def test_a_function_that_never_returns_ends_in_its_question_s_time(grade):
    result = grade(submission({"double": LOOP, "answer": ANSWER}))
    assert statuses(result) == {
        "double-one": "timeout",
        "double-more": "timeout",
        "answer-right": "pass",
    }
    assert "Stopped: the code took longer than it may (0.4 s" in result["tests"][0]["message"]
    assert result["secs"] < 5


def test_a_cell_that_ends_its_process_is_left_out_of_the_next(grade):
    made = extra(submission(), "double", "import os\nos._exit(3)")
    result = grade(made)
    assert result["score"] == 4
    assert [cell["error"] for cell in result["cells"]] == ["the code ended its process"]
    result = grade(submission({"double": DOUBLE, "answer": "answer = 42\nimport os; os._exit(0)"}))
    assert statuses(result)["answer-right"] == "died"
    assert result["score"] == 3


def test_the_time_for_a_notebook_holds_over_all_restarts(grade):
    limits = Limits(seconds=0.4, total_seconds=0.8)
    made = submission({"double": LOOP, "answer": "while True: pass"})  # whatever is left out
    for _ in range(6):
        made = extra(made, "setup", "while True: pass")
    result = grade(made, limits)
    assert set(statuses(result).values()) == {"not_reached"}
    assert "the 0.8 s for the whole notebook were used up" in result["tests"][0]["message"]
    assert result["secs"] < 6


def test_grading_twice_gives_the_same(grade):
    draw = "import numpy as np\nanswer = [random.random(), torch.rand(1).item(), np.random.rand()]"
    made = submission({"answer": f"{draw}\nprint(answer)"})
    first, second = grade(made), grade(made)
    for result in (first, second):
        for changing in ("secs", "graded_at"):
            del result[changing]
        for row in result["tests"]:
            del row["secs"]
    assert first == second
    assert first["stdout_tail"].count(",") == 2


def test_another_exercise_is_refused_by_name_or_by_its_cells(grade):
    result = grade(submission(name="other"))
    assert (result["status"], result["score"]) == ("wrong_exercise", 0)
    assert result["message"] == "It says it is 'other'; graded here: small."
    assert statuses(result)["double-one"] == "not_reached"
    made = submission()
    del made["metadata"]["course"]
    assert grade(made)["score"] == 4
    for raw in made["cells"]:
        raw["metadata"] = {}
    assert grade(made)["score"] == 4  # by its cells' ids
    for raw in made["cells"]:
        del raw["id"]
    assert grade(made)["score"] == 4  # by the text of its checks
    made["cells"] = [raw for raw in made["cells"] if "check" not in raw["source"]]
    assert "No cell of it belongs to a question" in grade(made)["message"]


def test_nothing_a_file_holds_is_raised(grade):
    for made in ("", "[1]", "{", '{"cells": 3}', '{"cells": [3]}', "[" * 100_000):
        result = grade(made)
        assert (result["status"], result["score"], result["max_score"]) == ("unreadable", 0, 4)
        assert result["message"][0].isupper()
        assert result["message"][-1] in ".?"
        assert not doubtful(result)  # another try changes nothing


def test_a_grader_that_fails_says_so(grader, tmp_path):
    class Broken:
        isolation = probe(1)

        def student(self, limits, provides):
            raise ZygoteError("no process for the student's code: out of memory")

    result = grade_one(grader, saved(tmp_path / "ada.ipynb", submission()), Broken(), LIMITS)
    assert result["status"] == "error"
    assert result["message"].startswith("The grader failed: ZygoteError: no process")
    assert statuses(result)["double-one"] == "not_reached"


def test_interference_is_reported(grader, tmp_path):
    class Poisoned:
        isolation = probe(1)

        def student(self, limits, provides):
            return Liar()

    class Liar:
        limits, seconds, output, returned = LIMITS, 0.1, "", {}

        def execute(self, source, name):
            if "42" in source:
                raise Gone("protocol", "a message that cannot be read")

        def close(self):
            pass

        def forbid(self, names):
            return []

        def values(self, names):
            return {}

    result = grade_one(grader, saved(tmp_path / "ada.ipynb", submission()), Poisoned(), LIMITS)
    assert result["flags"] == ["protocol_violation", "died:answer"]
    assert statuses(result)["answer-right"] == "died"


def test_the_engine_itself_takes_little_time(grade):
    """Its own processor time, without the student's: under 10 ms on a quiet machine."""
    made = submission()
    grade(made)
    start = os.times()
    for _ in range(10):
        grade(made)
    end = os.times()
    assert (end.user + end.system - start.user - start.system) / 10 < 0.03
