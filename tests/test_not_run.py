"""The end of `make test`: it names what a machine could not run, and CI accepts no gap."""

import os
import re
import subprocess
import sys
from pathlib import Path

import not_run
import pytest

ROOT = Path(__file__).parents[1]
MAKEFILE = (ROOT / "Makefile").read_text()


@pytest.fixture
def machine(monkeypatch, tmp_path):
    """A machine with these programs on its path, and none else; with the engines, too."""

    def with_programs(
        *names: str, ci: bool = False, data: bool = True, engines: bool = True
    ) -> None:
        monkeypatch.setattr(not_run, "other_engines", lambda: engines)
        for name in names:
            (tmp_path / name).write_text("")
            (tmp_path / name).chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path))
        monkeypatch.setenv("CI", "true" if ci else "")
        monkeypatch.setenv(not_run.DATA, "somewhere" if data else "")

    return with_programs


@pytest.mark.parametrize(
    ("here", "missing"),
    [
        ((), "Node npm Chromium"),
        (("node",), "npm Chromium"),
        (("node", "npm"), "Chromium"),
        (("google-chrome", "npm"), "Node"),
    ],
)
def test_what_was_not_run_stands_in_one_block_with_what_to_type(machine, capsys, here, missing):
    machine(*here)
    assert not_run.main([]) == 0
    said = capsys.readouterr().out
    what, how = said.split("To run all of it")
    assert re.findall(r"^  (\w+) ", what, re.MULTILINE) == missing.split()
    assert re.findall(r"^  (\w+) ", how, re.MULTILINE) == list(not_run.INSTALL)
    for commands in not_run.INSTALL.values():
        wanted = {command for name, command in commands.items() if name in missing.split()}
        assert {command for command in commands.values() if command in how} == wanted
    assert said.startswith("---")
    assert said.endswith("---\n")
    assert max(map(len, said.splitlines())) <= 100


@pytest.mark.parametrize("data", [True, False])
def test_in_ci_a_missing_program_is_a_failure_and_missing_sentences_are_not(machine, capsys, data):
    machine("node", "npm", ci=True, data=data)
    assert not_run.main([]) == 1
    machine("chromium", ci=True, data=data)
    assert not_run.main([]) == 0
    assert ("data fetch multi30k" in capsys.readouterr().out) == (not data)


def test_without_the_other_engines_it_says_how_to_get_them(machine, capsys):
    machine("node", "npm", "chromium", engines=False)
    assert not_run.main([]) == 0
    said = capsys.readouterr().out
    assert re.findall(r"^  (\w+) ", said.split("To run all of it")[0], re.MULTILINE) == ["Engines"]
    assert "pip install -r requirements-engines.txt" in said


def test_a_machine_with_everything_is_told_so_in_one_line(machine, capsys):
    machine("node", "npm", "chromium")
    assert not_run.main([]) == 0
    said = capsys.readouterr().out
    assert said == "Nothing was left out: this machine has all it needs.\n"


@pytest.mark.parametrize(("ci", "code"), [(False, 0), (True, 1)])
def test_a_step_that_lacks_its_program_says_so_in_one_line(machine, capsys, ci, code):
    machine("chromium", ci=ci)
    assert not_run.main(["Node"]) == code
    assert capsys.readouterr().out.startswith("No Node here: not run are the JavaScript")
    assert not_run.main(["Node", "npm"]) == code
    assert "No npm here: not run are format and types" in capsys.readouterr().out
    assert not_run.main(["Chromium"]) == 0
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(("ci", "skipped"), [(False, "skip"), (True, "skipif")])
def test_tests_skip_what_is_not_here_but_never_in_ci(machine, ci, skipped):
    machine(ci=ci)
    assert not_run.required("Node", not_run.node()).name == skipped


@pytest.mark.slow
def test_the_tests_that_start_node_pass_or_skip_where_there_is_none():
    starts = re.compile(r"""["']node["'], """)
    others = set(ROOT.glob("tests/**/test_*.py")) - {Path(__file__)}
    files = sorted(path for path in others if starts.search(path.read_text()))
    assert len(files) >= 3
    tests = [sys.executable, "-m", "pytest", "-q", "-m", "not slow", *files]
    nowhere = {name: value for name, value in os.environ.items() if name != "CI"}
    nowhere |= {"PATH": "/nowhere", "PYTEST_ADDOPTS": "-p no:cacheprovider -p no:nbval"}
    run = subprocess.run(tests, cwd=ROOT, env=nowhere, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout
    told = re.findall(r"^SKIPPED .*/(test_\w+\.py).* no Node ", run.stdout, re.MULTILINE)
    assert set(told) == {path.name for path in files}


def test_make_ends_with_it_and_ci_with_it_too():
    recipe = re.search(r"^test: .*\n((?:\t.*\n)+)", MAKEFILE, re.MULTILINE)[1]
    assert recipe.splitlines()[-1] == "\t@$(BIN)/python tests/not_run.py"
    ci = (ROOT / ".ci" / "run").read_text()
    assert "export CI=true" in ci
    assert ci.rstrip().endswith("exec make test")
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
