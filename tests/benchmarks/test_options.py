"""Every benchmark says what it does; each that `make remeasure` runs has a small form."""

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from not_run import DATA, NEEDS_CHROMIUM

from transformer_course.commands import record
from transformer_course.errors import DataError

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "benchmarks"
SCRIPTS = [path for path in sorted(FOLDER.glob("*.py")) if "__main__" in path.read_text("utf-8")]
TARGET = (ROOT / "Makefile").read_text("utf-8").split("\nremeasure:")[1].split("\n\n")[0]
REMEASURED = re.findall(r"benchmarks/(\w+\.py) ?(.*)", TARGET)
SMALL = {  # {} is a file or folder to write in place of what is kept
    "page_sentences.py": "--count 1",
    "page_warnings.py": "--count 2",
    "translator_page.py": "--sentences 1 --rounds 1 --out {}.json",
    "beam_sizes.py": "--count 2 --beams 1 --out {}.json",
    "sampling_quality.py": "--count 2 --samples 2 --out {}.json",
    "ablations.py": "{what} --count 2",
    "export_attention.py": "--out {}.json",
    "teacher_forcing.py": "--steps 2 --out {}.json",
}


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_every_benchmark_answers_help(path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [str(path), "--help"])
    with pytest.raises(SystemExit) as left:
        runpy.run_path(str(path), run_name="__main__")
    assert left.value.code in (0, None)
    assert capsys.readouterr().out.startswith("usage: ")


def test_data_that_cannot_be_had_is_one_line(monkeypatch, capsys):
    def offline() -> int:
        raise DataError("no network: name a folder")

    monkeypatch.setattr(sys, "argv", ["benchmarks/page_sentences.py"])
    assert record.exits(offline) == 2
    assert capsys.readouterr().err == "page_sentences.py: error: no network: name a folder\n"
    assert record.exits(lambda: 0) == 0


def test_the_sentences_of_the_page_are_counted_from_one_to_fifty(capsys):
    import page_sentences  # noqa: PLC0415  as its path is the tests' own

    with pytest.raises(SystemExit):
        page_sentences.main(["--count", "0"])
    assert "--count: expected 1 to 50, got 0" in capsys.readouterr().err


def kept() -> str:
    """What of the files that benchmarks write differs from the commit."""
    status = ["git", "-C", str(ROOT), "status", "--porcelain", "benchmarks", "transformer_course"]
    return subprocess.run(status, capture_output=True, text=True, check=True).stdout


@pytest.mark.slow
@NEEDS_CHROMIUM
@pytest.mark.skipif(DATA not in os.environ, reason=f"{DATA} names no folder with the sentences")
@pytest.mark.parametrize(("script", "options"), REMEASURED)
def test_what_make_remeasure_runs_has_a_small_form_that_keeps_nothing(script, options, tmp_path):
    before, small = (
        kept(),
        SMALL[script].replace("{what}", options).replace("{}", str(tmp_path / "out")),
    )
    run = subprocess.run(
        [sys.executable, FOLDER / script, *small.split()], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    assert kept() == before
