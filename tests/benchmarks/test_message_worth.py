"""The blind repair of wrong answers: what a reader is shown, and how repairs are counted."""

import json

import message_worth as bench
import pytest

from transformer_course.commands import record
from transformer_course.grading.exercises.exercise import load
from transformer_course.grading.panel.panels import solutions

ONE = "18-modern-parts"


@pytest.fixture(scope="module")
def tasks():
    return bench.chosen(8, 0, [ONE])


@pytest.fixture
def folder(tasks, tmp_path, monkeypatch):
    monkeypatch.setattr(record, "RESULTS", tmp_path)
    monkeypatch.setattr(bench, "EACH", 5)
    bench.write_sheets(tmp_path, tasks)
    return tmp_path


def answer(folder, form, answers):
    blocks = (f"## {name}\n\n```python\n{text}\n```\n" for name, text in answers.items())
    (folder / "answers" / f"{form}-1.md").write_text("# Mine\n\n" + "\n".join(blocks))


def test_the_seed_chooses_mistakes_of_as_many_questions_as_there_are(tasks):
    assert tasks == bench.chosen(8, 0, [ONE])
    assert tasks != bench.chosen(8, 1, [ONE])
    kinds = {name: q.kind for name, q in load(bench.SOURCES / f"{ONE}.md").questions.items()}
    asked = [task["id"].split("/")[1] for task in tasks]
    assert set(asked) == {name for name, kind in kinds.items() if kind in bench.KINDS}
    assert all(task["said"] for task in tasks)


def test_the_two_forms_differ_in_the_messages_alone_and_hold_no_solution(folder, tasks):
    solved = dict(solutions(load(bench.SOURCES / f"{ONE}.md")))
    for number, count in ((1, 5), (2, 3)):
        wrong, message = ((folder / f"{form}-{number}.md").read_text() for form in bench.FORMS)
        assert wrong.count("\nThis is wrong.\n") == wrong.count(f"\n## {ONE}/") == count
        for task in tasks:
            for said in task["said"]:
                assert said not in wrong
            assert (f"## {task['id']}" in wrong) == (f"## {task['id']}" in message)
            if f"## {task['id']}" in message:
                assert all(f"- {said}" in message for said in task["said"])
        assert not any(text in wrong + message for text in solved.values())


def test_a_repair_counts_if_all_checks_pass(folder, tasks):
    solved = dict(solutions(load(bench.SOURCES / f"{ONE}.md")))
    right = {task["id"]: solved[task["id"].split("/")[1]] for task in tasks}
    answer(folder, "message", right)
    broken = "raise ValueError"
    answer(folder, "wrong", {**right, tasks[0]["id"]: tasks[0]["answer"], tasks[1]["id"]: broken})
    assert bench.main(["grade", str(folder), "--by", "two students"]) == 0
    found = json.loads((folder / "message_worth.json").read_text())
    assert found["repaired_by"] == "two students"
    assert found["message"] == {"repaired": 8, "of": 8, "share": 1.0}
    assert found["wrong"] == {"repaired": 6, "of": 8, "share": 0.75}
    lost = [row["task"] for row in found["tasks"] if row["wrong"] == [False]]
    assert lost == [tasks[0]["id"], tasks[1]["id"]]


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ({}, "needs wrong-N.md and message-N.md"),
        ({"nothing/at/all": "x"}, "'nothing/at/all' is no task of tasks.json"),
    ],
)
def test_what_cannot_be_graded_gets_one_line(folder, capsys, answers, said):
    answer(folder, "wrong", answers)
    assert bench.main(["grade", str(folder)]) == 2
    assert said in capsys.readouterr().err
    assert bench.main(["grade", str(folder / "answers")]) == 2
    assert "write the sheets first" in capsys.readouterr().err
