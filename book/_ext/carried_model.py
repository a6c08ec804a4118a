"""The carried translator among the site's own files, where the page with the live translator asks.

Two files go to _static/course/model: the weights and the tokenizer. No page loads them by itself.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from sphinx.application import Sphinx

MODEL = Path(__file__).parents[2] / "transformer_course" / "carried" / "everyday-en-de"
FILES = ("tokenizer.json", "averaged/model.safetensors", "words.txt")
TARGET = "_static/course/model"


def copy_model(app: Sphinx, exception: Exception | None) -> None:
    """Called by Sphinx after a build."""
    if exception or app.builder.name not in ("html", "dirhtml"):
        return
    target = Path(app.outdir) / TARGET
    target.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        copied = target / Path(name).name
        shutil.copyfile(MODEL / name, copied)
        copied.chmod(0o644)  # a checkpoint is private where it was written, a site is not
