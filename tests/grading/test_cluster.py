"""Grading on a Dask cluster of two workers."""

import os

import pytest
from small_exercise import notebook, saved, submission

from transformer_course.errors import DataError
from transformer_course.grading.grader import cluster
from transformer_course.grading.grader.cluster import grade_on, grade_part
from transformer_course.grading.grader.results_file import Results, read

if not os.environ.get("CI"):  # there its absence is a failure
    pytest.importorskip("distributed")

OPTIONS = ["--isolation", "1", "--allow-unsafe", "--exercise"]


@pytest.mark.slow
def test_a_part_that_a_dead_worker_s_command_still_holds_is_waited_for(tmp_path, monkeypatch):
    source = saved(tmp_path / "sources" / "small.ipynb", notebook())
    path, out = saved(tmp_path / "ada.ipynb", submission()), tmp_path / "part.jsonl"
    held = Results(out)
    waited = []
    monkeypatch.setattr(cluster.time, "sleep", lambda _: (waited.append(1), held.file.close()))
    arguments = [str(path), "--out", str(out), *OPTIONS, str(source)]
    assert grade_part(arguments)[0] == 0
    assert (len(waited), len(list(read(out)))) == (1, 1)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # Dask's own
def test_two_workers_grade_a_class_between_them(tmp_path):
    from distributed import Client, LocalCluster  # noqa: PLC0415  an extra

    source = saved(tmp_path / "sources" / "small.ipynb", notebook())
    for number in range(6):
        saved(tmp_path / "in" / f"s{number}.ipynb", submission() if number else "broken")
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None
        ) as two,
        Client(two) as client,
    ):
        files = grade_on(
            client, [tmp_path / "in"], tmp_path / "out", parts=2, options=[*OPTIONS, str(source)]
        )
        lines = [each for file in files for each in read(file)]
        assert len(files) == 2
        assert sorted(each["submission"]["id"] for each in lines) == [f"s{n}" for n in range(6)]
        assert sum(each["score"] for each in lines) == 20
        wrong = ["--exercise", str(tmp_path)]
        with pytest.raises(DataError, match=r"exit code 2: transformer-course: error: no exercise"):
            grade_on(client, [tmp_path / "in"], tmp_path / "out", parts=1, options=wrong)
