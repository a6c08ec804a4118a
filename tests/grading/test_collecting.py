"""Submissions as platforms hand them over, and archives that mean harm."""

import io
import json
import os
import pickle
import zipfile
from pathlib import Path

import pytest
from small_exercise import saved, submission

from transformer_course.errors import DataError
from transformer_course.grading.grader import archives, reading
from transformer_course.grading.grader.collecting import collect
from transformer_course.grading.grader.reading import UnreadableError, parse

TEXT = json.dumps(submission())


def archive(path: Path, members: dict[str, str | bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in members.items():
            file.writestr(name, data)
    return path


def students(*inputs: Path, **options: list[str]) -> list[str]:
    return [found.student for found in collect(inputs, **options)]


def reason(found) -> str:
    with pytest.raises(UnreadableError) as error:
        found.read()
    return str(error.value)


def test_a_file_and_a_folder_of_files_are_named_by_their_stems(tmp_path):
    saved(tmp_path / "ada.ipynb", TEXT)
    saved(tmp_path / "Zoë.IPYNB", TEXT)
    assert students(tmp_path) == ["Zoë", "ada"]
    assert students(tmp_path / "ada.ipynb") == ["ada"]


def test_a_folder_of_folders_is_named_by_the_folders(tmp_path):
    for name in ("ada/01.ipynb", "ada/02.ipynb", "bob/deep/01.ipynb"):
        saved(tmp_path / name, TEXT)
    saved(tmp_path / "ada/.ipynb_checkpoints/01-checkpoint.ipynb", TEXT)
    saved(tmp_path / "ada/._01.ipynb", TEXT)
    names = {"exercises": ["01-heads", "02-norms"]}
    assert students(tmp_path, **names) == ["ada", "ada", "bob/deep"]
    saved(tmp_path / "eve/02-norms/mine.ipynb", TEXT)
    saved(tmp_path / "eve/01-heads-Copy1.ipynb", TEXT)
    assert students(tmp_path / "eve", **names) == ["01-heads-Copy1", "mine"]
    assert students(tmp_path, **names)[3:] == ["eve", "eve"]


def test_two_students_of_one_folder_are_never_one(tmp_path):
    for name in ("tut-A/anna/x.ipynb", "tut-A/ben/x.ipynb", "tut-B/anna/x.ipynb"):
        saved(tmp_path / name, TEXT)
    assert students(tmp_path) == ["tut-A/anna", "tut-A/ben", "tut-B/anna"]
    for name in ("tut-C/eva.ipynb", "tut-C/fay.1.ipynb", "tut-C/fay.2.ipynb", "tut-C/eva.pdf"):
        saved(tmp_path / name, TEXT)
    assert students(tmp_path)[3:] == ["tut-C/eva", "tut-C/fay.1", "tut-C/fay.2"]


@pytest.mark.parametrize("name", ["{}-01-heads", "01-heads-{}", "01-heads {}", "{}"])
def test_an_exercise_s_name_beside_a_student_s_makes_nobody_one(tmp_path, name):
    for student in ("anna", "ben"):
        saved(tmp_path / "tut-A" / f"{name.format(student)}.ipynb", TEXT)
    found = students(tmp_path, exercises=["01-heads"])
    assert found == [f"tut-A/{name.format(student)}" for student in ("anna", "ben")]


def test_copies_of_one_notebook_are_one_student_s(tmp_path):
    for name in ("01-heads", "01-heads-Copy1", "01-heads (2)", "01-heads final"):
        saved(tmp_path / "anna" / f"{name}.ipynb", TEXT)
    assert set(students(tmp_path, exercises=["01-heads"])) == {"anna"}


def test_a_student_on_the_roster_is_found_in_any_part_of_the_path(tmp_path):
    for name in ("tut-A/Anna/x.ipynb", "tut-A/ben.ipynb", "tut-A/cy.ipynb", "eva/deep/x.ipynb"):
        saved(tmp_path / name, TEXT)
    found = students(tmp_path, roster=["anna", "ben", "eva"])
    assert sorted(found) == ["anna", "ben", "eva", "tut-A/cy"]


@pytest.mark.parametrize("name", ["x", "01-heads", "01", "01-heads-Copy1"])
def test_two_places_that_are_one_student_on_the_roster_are_refused(tmp_path, name):
    saved(tmp_path / "tut-A/Anna/01-heads.ipynb", TEXT)
    saved(tmp_path / f"tut-B/anna/{name}.ipynb", TEXT)
    names = {"exercises": ["01-heads", "02-norms"]}
    said = "tut-A/Anna and tut-B/anna are both anna on the roster: write tut-A/Anna and tut-B/anna"
    with pytest.raises(DataError, match=said):
        students(tmp_path, roster=["anna", "ben"], **names)
    roster = ["tut-a/anna", "tut-B/anna", "ben"]
    assert students(tmp_path, roster=roster, **names) == ["tut-a/anna", "tut-B/anna"]
    folders = tmp_path / "tut-A", tmp_path / "tut-B"
    assert students(*folders, roster=["anna"], **names) == ["anna", "anna"]


def test_a_student_s_exercises_may_lie_in_several_places(tmp_path):
    for place in ("01-heads/anna/x", "02-norms/anna/x", "ps3/ben/01-heads", "ps4/ben/02-norms"):
        saved(tmp_path / f"{place}.ipynb", TEXT)
    names = {"exercises": ["01-heads", "02-norms"]}
    assert students(tmp_path, roster=["anna", "ben"], **names) == ["anna", "anna", "ben", "ben"]


def test_no_file_is_left_out_in_silence(tmp_path):
    for name in ("anna.py", "ben", "cleo.docx", "dan/notes.txt", "dan/data.csv", "eva.ipynb.txt"):
        saved(tmp_path / name, TEXT)
    saved(tmp_path / "fay/x.ipynb", TEXT)
    saved(tmp_path / "fay/README", "beside a notebook")
    (tmp_path / "gus").symlink_to(tmp_path / "fay")
    (tmp_path / "hal").mkdir()
    found = {each.student: each for each in collect([tmp_path])}
    assert sorted(found) == ["anna", "ben", "cleo", "dan", "eva", "fay", "gus", "hal"]
    for student in ("ben", "eva", "fay"):
        assert parse(found[student].read()).exercise == "small"
    for student, words in {
        "anna": "no notebook (.ipynb) was handed in, but anna.py",
        "cleo": "no notebook (.ipynb) was handed in, but cleo.docx",
        "dan": "no notebook (.ipynb) was handed in, but data.csv, notes.txt",
        "gus": "a link, which is not followed: hand in the folder itself",
        "hal": "nothing was handed in: the folder is empty",
    }.items():
        assert reason(found[student]) == words


def test_a_folder_that_is_named_itself_may_be_a_link(tmp_path):
    saved(tmp_path / "there/ada.ipynb", TEXT)
    (tmp_path / "here").symlink_to(tmp_path / "there")
    assert students(tmp_path / "here") == ["ada"]


def test_a_name_that_is_not_utf_8_becomes_text_and_stays_apart(tmp_path):
    for byte in (b"\xe9", b"\xe8"):
        saved(Path(os.fsdecode(os.fsencode(tmp_path) + b"/zo" + byte)) / "x.ipynb", TEXT)
    found = list(collect([tmp_path]))
    assert [each.student for each in found] == ["zo\\udce8", "zo\\udce9"]
    assert all(parse(each.read()).exercise == "small" for each in found)


def test_blackboard_s_names_tell_the_student(tmp_path):
    saved(tmp_path / "Heads_anna7_attempt_2026-11-20-23-59-01_x_1.ipynb", TEXT)
    saved(tmp_path / "Heads_anna7_attempt_2026-11-20-23-59-01.txt", "Submitted by Anna")
    assert students(tmp_path) == ["anna7"]


def test_nbgrader_s_layout_is_known_from_any_folder_of_it(tmp_path):
    saved(tmp_path / "course/submitted/ada/ps1/01.ipynb", TEXT)
    for place in ("course", "course/submitted", "course/submitted/ada", "course/submitted/ada/ps1"):
        assert students(tmp_path / place) == ["ada"]


def test_moodle_s_zip_names_the_participant(tmp_path):
    path = archive(
        tmp_path / "ps1.zip",
        {
            "Ada Lovelace_12345_assignsubmission_file_/x.ipynb": TEXT,
            "Bob_Brown_678_assignsubmission_file_x.ipynb": TEXT,
            "Eve_9_assignsubmission_file_/report.pdf": "pdf",
            "Eve_9_assignsubmission_onlinetext_/onlinetext.html": "here is my work",
            "__MACOSX/Ada Lovelace_12345_assignsubmission_file_/._x.ipynb": "x",
        },
    )
    found = list(collect([path]))
    assert [(each.student, each.name) for each in found] == [
        ("12345", "Ada Lovelace"),
        ("678", "Bob_Brown"),
        ("9", "Eve"),
    ]
    assert parse(found[0].read()).exercise == "small"
    said = "no notebook (.ipynb) was handed in, but report.pdf, onlinetext.html"
    assert reason(found[2]) == said
    assert found[2].path.endswith("report.pdf")


def test_canvas_s_zip_names_student_and_lateness(tmp_path):
    members = {"lovelaceada_123_4567_x-1.ipynb": TEXT, "brownbob_LATE_124_4568_x.ipynb": TEXT}
    found = list(collect([archive(tmp_path / "submissions.zip", members)]))
    assert [(each.student, each.name, each.late) for each in found] == [
        ("124", "brownbob", True),
        ("123", "lovelaceada", False),
    ]


def test_a_pattern_tells_the_student_and_nobody_is_dropped(tmp_path):
    for name in ("group-a/s1 final.ipynb", "group-b/s2.ipynb", "group-b/nobody.ipynb"):
        saved(tmp_path / name, TEXT)
    found = list(collect([tmp_path], r"(?P<student>s\d+)"))
    assert [each.student for each in found] == ["s1", "group-b/nobody.ipynb", "s2"]
    assert reason(found[1]) == "the --pattern finds no student in its path"


@pytest.mark.parametrize(
    ("pattern", "message"),
    [("(", "is no regular expression"), ("s1", r"expected a group \(\?P<student>...\)")],
)
def test_a_pattern_that_cannot_work_is_refused(tmp_path, pattern, message):
    with pytest.raises(DataError, match=message):
        collect([tmp_path], pattern)


def test_an_input_that_is_not_there_is_refused_at_once(tmp_path):
    with pytest.raises(DataError, match="expected a notebook, a folder or a zip; there is no such"):
        collect([tmp_path, tmp_path / "nothing.zip"])


@pytest.mark.parametrize("name", ["class.tar.gz", "class.tar", "class.7z", "CLASS.TGZ"])
def test_an_archive_that_is_no_zip_is_refused_with_what_is_taken(tmp_path, name):
    with pytest.raises(DataError, match="expected a notebook .* or a .zip; unpack this archive"):
        collect([saved(tmp_path / name, "packed")])


def test_what_only_looks_like_a_notebook_gets_its_line(tmp_path):
    (tmp_path / "a.ipynb").mkdir()
    saved(tmp_path / "a.ipynb/inside.ipynb", TEXT)
    os.mkfifo(tmp_path / "b.ipynb")
    (tmp_path / "c.ipynb").symlink_to("/etc/passwd")
    saved(tmp_path / "d.7z", TEXT)
    found = list(collect([tmp_path]))
    assert [each.student for each in found] == ["a", "b", "c", "d"]
    for each, words in zip(
        found, ("a folder", "a pipe", "a symbolic link", "of archives only"), strict=True
    ):
        assert words in reason(each)


def test_a_name_in_a_zip_leads_nowhere(tmp_path):
    members = {
        "../../evil.ipynb": TEXT,
        "/etc/evil.ipynb": TEXT,
        "a\\..\\evil.ipynb": TEXT,
        "/": "",
    }
    before = set(tmp_path.parent.iterdir())
    found = list(collect([archive(tmp_path / "x.zip", members)]))
    assert len(found) == 3
    assert all(parse(each.read()).exercise == "small" for each in found)
    assert set(tmp_path.parent.iterdir()) == before
    assert list(tmp_path.iterdir()) == [tmp_path / "x.zip"]


def test_a_zip_bomb_is_stopped_by_what_it_says_and_by_what_it_does(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "MAX_BYTES", 1 << 20)
    monkeypatch.setattr(archives, "MAX_BYTES", 1 << 20)
    path = archive(tmp_path / "bomb.zip", {"bomb.ipynb": bytes(3 << 20)})
    (found,) = collect([path])
    assert "3 MB, more than 1 MB" in reason(found)
    data = bytearray(path.read_bytes())
    for sizes in (data.index(b"PK\x03\x04") + 22, data.index(b"PK\x01\x02") + 24):
        data[sizes : sizes + 4] = (100).to_bytes(4, "little")  # it claims 100 bytes
    path.write_bytes(data)
    (found,) = collect([path])
    assert "damaged in the zip" in reason(found)


def packed(*names: str) -> bytes:
    """A zip that somebody handed in."""
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as file:
        for name in names:
            file.writestr(name, TEXT)
    return inner.getvalue()


def test_a_zip_that_somebody_handed_in_is_opened(tmp_path):
    one = packed("work/x.ipynb", "__MACOSX/work/._x.ipynb", "work/data.csv", "work/.ipynb")
    members = {
        "Ada_12345_assignsubmission_file_/work.zip": one,
        "brownbob_124_4568_work.zip": one,
        "tut-A/cy.zip": one,
        "tut-A/dan.ZIP": one,
        "eve/x.ZIP": packed("data.csv"),
        "fay/x.zip": packed("1.ipynb", "2.ipynb"),
        "gus/x.zip": packed("deep.zip"),
        "hal/x.zip": b"PK no",
    }
    path = archive(tmp_path / "in.zip", members)
    zipfile.ZipFile(path).extractall(tmp_path / "in")
    for place in (path, tmp_path / "in"):
        found = {each.student: each for each in collect([place])}
        assert len(found) == len(members)
        for student in ("12345", "124", "tut-A/cy", "tut-A/dan"):
            read = pickle.loads(pickle.dumps(found[student])).read
            assert parse(read()).exercise == "small"
        assert reason(found["eve"]) == "no notebook (.ipynb) in the zip: expected one"
        assert reason(found["fay"]) == "2 notebooks in the zip: expected one"
        assert reason(found["gus"]) == "no notebook (.ipynb) in the zip: expected one"
        assert "the zip cannot be read" in reason(found["hal"])


def test_a_bomb_in_a_zip_that_somebody_handed_in_is_stopped(tmp_path, monkeypatch):
    inner = archive(tmp_path / "inner.zip", {"x.ipynb": bytes(3 << 20)})
    path = archive(tmp_path / "in.zip", {"ada/inner.zip": inner.read_bytes()})
    monkeypatch.setattr(reading, "MAX_BYTES", 1 << 20)
    (found,) = collect([path])
    assert "3 MB, more than 1 MB" in reason(found)
    inner = archive(tmp_path / "inner.zip", {"x.ipynb": TEXT, "y": "", "z": ""})
    path = archive(tmp_path / "in.zip", {"ada/inner.zip": inner.read_bytes()})
    (found,) = collect([path])
    monkeypatch.setattr(archives, "MAX_MEMBERS", 2)
    assert reason(found) == "3 files in one zip, more than 2"


def test_an_encrypted_and_a_damaged_member_get_their_lines(tmp_path):
    path = archive(tmp_path / "x.zip", {"ada/x.ipynb": TEXT, "bob/x.ipynb": TEXT})
    data = path.read_bytes()
    flags = data.rindex(b"PK\x01\x02") + 8
    path.write_bytes(data[:flags] + b"\x01" + data[flags + 1 :])
    assert "encrypted" in reason(list(collect([path]))[1])
    start = data.index(b"bob/x.ipynb") + 11
    path.write_bytes(data[:start] + b"\xff" * 40 + data[start + 40 :])
    assert "damaged in the zip" in reason(list(collect([path]))[1])
    methods = data.rindex(b"PK\x01\x02") + 10
    path.write_bytes(data[:methods] + b"\x0e" + data[methods + 1 :])
    assert "packed by a method (number 14)" in reason(list(collect([path]))[1])


def test_a_zip_that_is_none_gets_one_line(tmp_path, monkeypatch):
    (tmp_path / "x.zip").write_bytes(b"PK\x03\x04 no")
    (found,) = collect([tmp_path / "x.zip"])
    assert "the zip cannot be read" in reason(found)
    os.mkfifo(tmp_path / "pipe.zip")
    (found,) = collect([tmp_path / "pipe.zip"])
    assert "expected a zip file" in reason(found)
    monkeypatch.setattr(archives, "MAX_MEMBERS", 1)
    (found,) = collect([archive(tmp_path / "many.zip", {"a.ipynb": TEXT, "b.ipynb": TEXT})])
    assert "2 files in one zip, more than 1" in reason(found)


def test_what_is_found_travels_to_another_process(tmp_path):
    path = archive(tmp_path / "x.zip", {"ada.ipynb": TEXT, "ada.ipynb ": TEXT})
    found = pickle.loads(pickle.dumps(next(collect([path]))))
    assert parse(found.read()).exercise == "small"
