"""CONTRIBUTING: the files, verbs and tests that it names are there."""

import re
import subprocess
from pathlib import Path

import test_mutations

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text()


def test_every_file_it_names_is_there():
    tracked = ["git", "-C", str(ROOT), "ls-files"]
    files = subprocess.run(tracked, capture_output=True, text=True, check=True).stdout.split()
    named = {name for name in re.findall(r"`([\w./-]+\.\w+)`", TEXT) if "NAME" not in name.upper()}
    named -= {"multi30k/train.en.gz"}  # it is downloaded
    assert len(named) > 15
    assert [name for name in named if not [f for f in files if f"/{f}".endswith(f"/{name}")]] == []


def test_every_verb_it_names_is_one_of_make():
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    verbs = {verb for each in re.findall(r"`make ([a-z ]+)", TEXT) for verb in each.split()}
    assert {"lint", "check", "unit", "notebooks", "browser", "test", "book"} <= verbs <= {*targets}


def test_the_single_test_it_runs_exists():
    file, name = re.search(r"pytest -q (\S+) -k (\w+)", TEXT).groups()
    assert f"{name}(" in (ROOT / file).read_text()


def test_the_example_of_a_mutation_is_one():
    asked = re.search(r'`-k "([\w ]+)"` runs it alone', TEXT)[1]
    words = asked.split(" and ")  # so pytest reads it: two words side by side are an error
    assert all(" " not in word for word in words)
    [(module, before, *_)] = [
        mutation
        for key, mutation in test_mutations.MUTATIONS.items()
        if all(word in key for word in words)
    ]
    said = re.search(r'"([\w/]+)\.py no longer holds\s+\'(.+?)\.\.\.', TEXT).groups()
    assert said == (module, before.removeprefix("return "))


def test_what_to_copy_for_a_widget_is_complete():
    name = re.search(r"`(\w+)` is one to copy", TEXT)[1]
    for part in ("{}.py", "{}.js", "test_{}.py", "{}.test.js", "test_{}_page.py"):
        assert part.format("name") in TEXT
        assert [*ROOT.glob(f"t*/**/{part.format(name)}")], part
