"""The picture beside an exercise: shapes that its Python draws from the names of its setup.

The canvas is 300 units wide, as on a phone; y runs downward. What `draw.asked` draws is seen while
the answer is open, what `draw.told` draws once it is known, everything else always.
"""

import json
import math
from collections.abc import Iterable, Sequence
from typing import Any, Self

WIDTH = 300
HUES = ("x", "q", "k", "v", "scores", "weights", "output", "error")
PLAIN = ("ink", "soft", "accent")
KINDS = ("", "solid", "dashed")
SMALLEST = 13  # a telephone of 320 px shows the canvas at five sixths


class Layer:
    """Shapes, each above those drawn before, in units of the canvas.

    `hue` is one of HUES, the colors that say what is what in every widget, or of PLAIN; `kind` is
    one of KINDS, where nothing means a tint. Another one is a ValueError.
    """

    def __init__(self, name: str = ""):
        self.shapes: list[Any] = []
        self.name = name

    def _add(self, tag: str, hue: str, *inside: Any, **attributes: Any) -> Self:
        if hue not in HUES + PLAIN:
            raise ValueError(f"hue: expected one of {', '.join(HUES + PLAIN)}, got {hue!r}")
        if attributes.get("class_", "") not in KINDS:
            raise ValueError(
                f"kind: expected solid, dashed or nothing, got {attributes['class_']!r}"
            )
        color = hue if hue in PLAIN else f"tc-{hue}"
        given = {key.rstrip("_").replace("_", "-"): _short(x) for key, x in attributes.items()}
        given = {key: x for key, x in given.items() if x != ""}
        self.shapes.append([tag, {"style": f"--hue:var(--{color})", **given}, *inside])
        return self

    def text(
        self,
        x: float,
        y: float,
        words: Any,
        hue: str = "ink",
        size: int = 14,
        anchor: str = "middle",
        bold: bool = False,
    ) -> Self:
        """Words on the baseline `y`; `anchor` (start, middle, end) is what lies at `x`."""
        if size < SMALLEST:
            raise ValueError(f"size: expected {SMALLEST} or more, which a phone shows, got {size}")
        if anchor not in ("start", "middle", "end"):
            raise ValueError(f"anchor: expected start, middle or end, got {anchor!r}")
        weight = 700 if bold else ""
        return self._add(
            "text",
            hue,
            str(words),
            x=x,
            y=y,
            font_size=size,
            text_anchor=anchor,
            font_weight=weight,
        )

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        words: Any = "",
        hue: str = "soft",
        kind: str = "",
        size: int = 14,
    ) -> Self:
        """A box with words in its middle."""
        rounded = min(5, width / 4, height / 4)
        self._add("rect", hue, x=x, y=y, width=width, height=height, rx=rounded, class_=kind)
        if words != "":
            self.text(x + width / 2, y + height / 2 + size * 0.36, words, size=size)
            self.shapes[-1][1]["class"] = kind
        return self

    def line(
        self,
        x1: float,
        y1: float,
        x2: float,
        y2: float,
        hue: str = "soft",
        kind: str = "",
        arrow: bool = False,
    ) -> Self:
        """A line, dashed or with an arrow's head at its end."""
        self._add("path", hue, d=_path([(x1, y1), (x2, y2)]), class_=kind)
        if arrow:
            turn = math.atan2(y2 - y1, x2 - x1)
            wings = [
                (x2 - 7 * math.cos(turn + a), y2 - 7 * math.sin(turn + a)) for a in (0.5, -0.5)
            ]
            self._add("path", hue, d=_path([wings[0], (x2, y2), wings[1]]))
        return self

    def curve(self, points: Iterable[Sequence[float]], hue: str = "accent", kind: str = "") -> Self:
        """A line through many points."""
        return self._add("path", hue, d=_path(points), class_=kind)

    def arc(self, x1: float, x2: float, y: float, height: float, hue: str = "soft") -> Self:
        """A bow above (or, with a negative height, below) `y`, from `x1` to `x2`."""
        top = y - height * 4 / 3
        bow = f"M{_short(x1)} {_short(y)}C{_short(x1)} {_short(top)} {_short(x2)} {_short(top)}"
        return self._add("path", hue, d=f"{bow} {_short(x2)} {_short(y)}")

    def cells(
        self,
        x: float,
        y: float,
        words: Sequence[Any],
        hue: str = "soft",
        width: float = 28,
        height: float = 26,
        kind: str = "",
        size: int = 14,
    ) -> Self:
        """A row of boxes side by side, one for each of `words`."""
        for n, word in enumerate(words):
            self.box(x + n * (width + 3), y, width, height, word, hue, kind, size)
        return self

    def bar(
        self,
        y: float,
        name: Any,
        share: float,
        words: Any,
        hue: str = "accent",
        kind: str = "solid",
    ) -> Self:
        """A bar below its name, `share` (0 to 1) of the canvas long; `words` stand at the right."""
        self.text(0, y + 12, name, anchor="start")
        self.text(WIDTH, y + 12, words, anchor="end", bold=True)
        return self.box(0.5, y + 18, max(2, (WIDTH - 1) * share), 16, hue=hue, kind=kind)


class Sketch(Layer):
    """The canvas: set `height`; draw on it, on `asked` and on `told`."""

    def __init__(self) -> None:
        super().__init__()
        self.height = 120
        self.asked, self.told = Layer("tc-asked"), Layer("tc-told")

    def as_json(self) -> str:
        """The picture for the page, in one line: [tag, attributes, what is inside ...]."""
        layers = [["g", {"class": one.name}, *one.shapes] for one in (self.asked, self.told)]
        box = f"0 0 {WIDTH} {_short(self.height)}"
        about = {"class": "tc-sketch", "viewBox": box, "aria-hidden": "true"}
        return json.dumps(["svg", about, *self.shapes, *layers], ensure_ascii=False)


def _short(number: Any) -> Any:
    return number if isinstance(number, str) else f"{number:.2f}".rstrip("0").rstrip(".")


def _path(points: Iterable[Sequence[float]]) -> str:
    return "M" + "L".join(f"{_short(x)} {_short(y)}" for x, y in points)
