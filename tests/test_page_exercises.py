"""Every page exercise: its answer computes, every mistake in a file is one clear line."""

import re
import tomllib
from pathlib import Path

from transformer_course.widgets import practice

FOLDER = Path(__file__).parents[1] / "book" / "practice"


def test_the_examples_of_the_how_to_are_exercises(tmp_path):
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    examples = re.findall(r"```toml\n(.*?)```", text, flags=re.DOTALL)
    (tmp_path / "how-to.toml").write_text("\n".join(examples), encoding="utf-8")
    tables = practice.read(tmp_path / "how-to.toml")
    assert [table["kind"] for table in tables] == list(practice.KINDS)
    assert all(practice.compute(table)["shown"] for table in tables)
    assert tomllib.loads(examples[0])["exercise"][0]["id"] == "weight-of-cat"
