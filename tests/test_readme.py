"""The README: its commands exist, its links lead somewhere, its figures were measured."""

import importlib
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from transformer_course.cli import build_parser

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
COMMANDS = re.findall(r"^(transformer-course .+?)(?:\s{2,}#.*)?$", README, re.MULTILINE)


def result(name: str) -> dict:
    return json.loads((ROOT / "benchmarks" / "results" / f"{name}.json").read_text())


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_understood(command):
    args = build_parser().parse_args(shlex.split(command)[1:])
    assert callable(args.run_verb)


def test_there_are_commands_to_understand():
    assert len(COMMANDS) >= 5


def test_every_verb_of_make_exists():
    verbs = set(re.findall(r"`?make ([a-z]+)\b", README)) - {"lists"}
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert {"book", "test", "serve", "lab"} <= verbs <= targets


def test_every_link_to_a_file_leads_to_one():
    links = re.findall(r"\]\((?!https?:)([^)#]+)", README)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_there_are_as_many_exercises_as_it_says():
    assert len(list((ROOT / "exercises").glob("*.ipynb"))) == 17
    assert "Seventeen notebooks" in README


def test_the_figures_are_those_of_the_result_files():
    shares = [run["exact_match"] for run in result("phrasebook-first-translator")["runs"]]
    low, high = min(shares), max(shares)
    assert f"{100 * low:.1f} to {100 * high:.1f} % exact translations" in README
    multi30k = result("multi30k-en-de-small")
    assert f"half hour on Multi30k gives {multi30k['test'][0]['bleu']:.1f} BLEU" in README
    assert round(multi30k["minutes"]) == 30
    longer, french = result("multi30k-en-de-24000"), result("multi30k-en-fr")
    assert f"and an hour {longer['test'][0]['bleu']:.1f}; " in README
    assert 55 <= longer["minutes"] <= 60
    minutes = f"{french['minutes']:.0f} minutes"
    assert f"French gets to {french['test'][0]['bleu']:.1f} in {minutes}" in README
    seconds = [run["seconds_of_training"] for run in result("phrasebook-first-translator")["runs"]]
    between = f"after {min(seconds):.0f} to {max(seconds):.0f} seconds"
    assert between in README.replace("\n", " ")
    size = result("carried-multi30k-en-de")["bytes"] / 1e6
    assert f"{size:.1f} MB, comes with it" in README


def test_the_first_translator_is_trained_by_the_command_that_was_measured(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    changes = importlib.import_module("first_translator").CHANGES
    steps = {run["steps"] for run in result("phrasebook-first-translator")["runs"]}
    assert len(steps) == 1
    wanted = {name: str(value) for name, value in changes.items()}
    wanted["last_step"] = str(steps.pop())
    command = README[README.index("torchrun --nproc-per-node 2") :].split("```")[0]
    said = dict(setting.split("=") for setting in re.findall(r"--set (\S+)", command))
    assert said == wanted
    assert f"--steps {wanted['last_step']} " in command


def test_the_tables_of_speed_are_drawn_from_the_result_files():
    command = [sys.executable, ROOT / "benchmarks" / "tables.py"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    for table in printed.split("\n\n"):
        assert table in README


def test_the_plain_commands_are_those_of_the_makefile():
    makefile = (ROOT / "Makefile").read_text().replace("$(BIN)", ".venv/bin")
    makefile = makefile.replace(" --quiet", "").replace(" -q ", " ")
    for line in (
        ".venv/bin/python -m pip install -r requirements.txt",
        ".venv/bin/python -m pip install --no-deps -e .",
        ".venv/bin/jupyter-book build . --all -W -n --keep-going",
        ".venv/bin/jupyter lab book",
    ):
        assert line in README
        assert line in makefile


def test_the_plan_for_full_size_is_what_its_arithmetic_gives():
    command = [sys.executable, ROOT / "benchmarks" / "plan.py"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    assert printed in (ROOT / "benchmarks" / "SCALING.md").read_text()


def test_all_tests_can_run_in_one_process():
    """Two files of one name cannot: `python -m pytest` would end before the first test."""
    names = [path.stem for path in (ROOT / "tests").rglob("test_*.py")]
    assert len(names) > 100
    assert sorted(names) == sorted(set(names))
