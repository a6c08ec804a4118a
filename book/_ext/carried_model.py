"""The carried models among the site's own files, where the pages with a live one ask.

The translator's go to _static/course/model, the parser's to _static/course/parser: the weights, and
the tokens or the tokenizer. No page loads them by itself.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from sphinx.application import Sphinx

CARRIED = Path(__file__).parents[2] / "transformer_course" / "carried"
WEIGHTS = "averaged/model.safetensors"
FILES = {
    "model": ("everyday-en-de", ("tokenizer.json", WEIGHTS, "words.txt")),
    "parser": ("parser-en", ("tokens.json", WEIGHTS)),
}
TARGET = "_static/course"


def copy_models(app: Sphinx, exception: Exception | None) -> None:
    """Called by Sphinx after a build."""
    if exception or app.builder.name not in ("html", "dirhtml"):
        return
    for place, (folder, names) in FILES.items():
        target = Path(app.outdir) / TARGET / place
        target.mkdir(parents=True, exist_ok=True)
        for name in names:
            copied = target / Path(name).name
            shutil.copyfile(CARRIED / folder / name, copied)
            copied.chmod(0o644)  # a checkpoint is private where it was written, a site is not
