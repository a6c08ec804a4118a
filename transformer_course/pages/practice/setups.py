"""The Python of an exercise or a card: its setup, what it computes, the texts that show it.

The files are the course's own; their Python runs as a notebook's cells do.
"""

import importlib
import math
import re
from typing import Any

import numpy as np
import torch

from transformer_course.pages.practice.sketches import Sketch
from transformer_course.pages.practice.tables import PracticeError

BRACES = re.compile(r"\{([A-Za-z_]\w*)(:[^{}]*)?\}")


class Setup:
    """The names that a setup makes, beside those that every setup finds."""

    def __init__(self, code: str):
        self.names: dict[str, Any] = {"np": np, "torch": torch, "math": math}
        self.names["transformer_course"] = importlib.import_module("transformer_course")
        try:
            exec(compile(code, "<setup>", "exec"), self.names)
        except Exception as error:
            raise PracticeError(f"setup: {type(error).__name__}: {error}") from error

    def value(self, field: str, expression: str) -> Any:
        """What a field's Python gives."""
        try:
            return eval(compile(expression.strip(), f"<{field}>", "eval"), dict(self.names))
        except Exception as error:
            raise PracticeError(f"{field}: {type(error).__name__}: {error}") from error

    def sketch(self, code: str, **more: Any) -> str:
        """What a picture's Python draws, for the page."""
        names = self.names | more | {"draw": (draw := Sketch())}
        try:
            exec(compile(code, "<picture>", "exec"), names)
        except Exception as error:
            raise PracticeError(f"picture: {type(error).__name__}: {error}") from error
        return draw.as_json()

    def fill(self, field: str, text: str, **more: Any) -> str:
        """Put the values of names in the place of {name} or {name:.2f}."""
        names = self.names | more

        def put(found: re.Match[str]) -> str:
            name, form = found[1], (found[2] or "")[1:]
            if name not in names:
                hint = "belongs in the explanation and in messages only"
                hint = hint if name == "answer" else "is not a name of the setup"
                raise PracticeError(f"{field}: {{{name}}} {hint}")
            try:
                return format(names[name], form)
            except (TypeError, ValueError) as error:
                raise PracticeError(f"{field}: {found[0]}: {error}") from error

        return BRACES.sub(put, text.strip())
