"""Figures that follow the page's light or dark theme, and say in words what they show.

Importing this module sets matplotlib to the book's style.
"""

import base64
import html
import io
import re
from collections.abc import Sequence
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.colors import LinearSegmentedColormap, to_rgb
from matplotlib.figure import Figure

# Each color of the light theme stands for a CSS variable (course.css has the dark theme's).
# In both themes all of them but the grid's have a contrast of 3:1 or more against the page.
VARIABLES = {
    "#1b2430": "ink",
    "#6d7683": "faint",
    "#c9ced6": "grid",
    "#1a6bb8": "blue",
    "#c4490f": "orange",
    "#0e7a5a": "green",
    "#8e3fae": "purple",
    "#8f6400": "gold",
    "#b8336a": "pink",
}
INK, FAINT, GRID, BLUE, ORANGE, GREEN, PURPLE, GOLD, PINK = VARIABLES
CYCLE = (BLUE, ORANGE, GREEN, PURPLE, GOLD, PINK)
# What each color means where attention is drawn, in figures as in the widgets.
QUERIES, KEYS, VALUES, WEIGHTS, OUTPUTS = BLUE, ORANGE, PURPLE, GREEN, GOLD

STYLE: Any = {
    "figure.figsize": (5.8, 3.3),
    "figure.constrained_layout.use": True,
    "figure.facecolor": "none",
    "savefig.facecolor": "none",
    "svg.fonttype": "none",
    "svg.hashsalt": "transformer-course",
    "font.size": 11,
    "text.color": INK,
    "axes.facecolor": "none",
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "axes.labelpad": 7,  # room for numbers that grow on a phone
    "axes.titlecolor": INK,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.prop_cycle": cycler(color=CYCLE),
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "xtick.color": FAINT,
    "ytick.color": FAINT,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "lines.linewidth": 2,
    "legend.frameon": False,
}
mpl.rcParams.update(STYLE)


def _fading(name: str, *stops: tuple[float, str, float]) -> LinearSegmentedColormap:
    """A color map whose colors fade into the page, whatever the page's own color is."""
    points = [(place, (*to_rgb(color), alpha)) for place, color, alpha in stops]
    return LinearSegmentedColormap.from_list(name, points)


def sequential(color: str = BLUE) -> LinearSegmentedColormap:
    """From the page's own color to this one."""
    return _fading("course_sequential", (0, color, 0.0), (1, color, 0.75))


DIVERGING = _fading(
    "course_diverging", (0, FAINT, 0.9), (0.5, FAINT, 0.0), (0.5, BLUE, 0.0), (1, BLUE, 0.75)
)


# Plain text may grow where the page is narrow, a formula may not: its letters have their places.
_PLAIN = re.compile(r"font-size: ([\d.]+px); font-family: ('DejaVu Sans',[^;\"]*)")
_FAMILY = re.compile(r"font-family: 'DejaVu Sans'[^;\"]*")
_PHONE = 358  # pixels of a figure on a screen of 390
_LEGIBLE = 11  # pixels of its smallest letters there


class ThemedFigure:
    """A figure as the notebook shows it: inline SVG for the page, PNG for print, words for all."""

    def __init__(self, fig: Figure, alt: str) -> None:
        self.fig, self.alt = fig, alt
        plt.close(fig)

    def __repr__(self) -> str:
        return f"Figure: {self.alt}"

    def svg(self) -> str:
        """The figure as SVG whose colors are CSS variables and whose text is the page's font."""
        buffer = io.StringIO()
        self.fig.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
        svg = buffer.getvalue()
        svg = svg[svg.index("<svg") :]
        svg = re.sub(r"<metadata>.*?</metadata>|<style.*?</style>", "", svg, flags=re.DOTALL)
        svg = re.sub(r'<g id="[^"]*"', "<g", svg)  # matplotlib numbers them anew in each figure
        for color, name in VARIABLES.items():
            svg = svg.replace(color, f"var(--course-{name}, {color})")
        sizes = [float(size.removesuffix("px")) for size, _ in _PLAIN.findall(svg)]
        narrow = min(4 / 3, _PHONE / (72 * self.fig.get_figwidth()))  # pixels of a point
        grow = max(1.2, _LEGIBLE / (narrow * min(sizes, default=_LEGIBLE)))
        svg = _PLAIN.sub(r"font-size: calc(\1 * var(--course-zoom, 1)); font-family: \2", svg)
        svg = _FAMILY.sub("font-family: var(--course-font)", svg)
        described = f'class="course-figure" role="img" aria-label="{html.escape(self.alt)}"'
        described += f' style="--course-phone: {grow:.2f}"'
        return re.sub(r"\n\s*", "\n", svg).replace("<svg ", f"<svg {described} ", 1).strip()

    def png(self) -> bytes:
        """The figure in the light theme's colors, for a page that is printed."""
        buffer = io.BytesIO()
        white: dict[str, Any] = {"facecolor": "white", "metadata": {"Software": None}}
        self.fig.savefig(buffer, format="png", dpi=110, **white)
        return buffer.getvalue()

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {
            "text/html": self.svg(),
            "image/png": base64.b64encode(self.png()).decode(),
            "text/plain": repr(self),
        }


def subplots(*args: Any, **kwargs: Any) -> tuple[Figure, Any]:
    """`matplotlib.pyplot.subplots` in the book's style."""
    return plt.subplots(*args, **kwargs)


def show(fig: Figure, *, alt: str) -> ThemedFigure:
    """The figure to end a cell with. `alt` says what a reader would see, and what it means.

    Raises:
        ValueError: if `alt` is empty.
    """
    if not alt.strip():
        raise ValueError(
            "alt is empty: expected one or two sentences that say what the figure shows, "
            "for readers who do not see it"
        )
    return ThemedFigure(fig, " ".join(alt.split()))


def heatmap(
    ax: Axes,
    values: Any,
    *,
    rows: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    form: str | None = None,
    diverging: bool = False,
    limit: float | None = None,
    color: str = BLUE,
) -> QuadMesh:
    """Draw a matrix, first row on top; `form` (such as ".2f") also writes each number.

    `color` grows from 0 to `limit` (the largest size by default); if `diverging`, two colors part
    at 0, from -limit.
    """
    matrix = np.asarray(values, dtype=float)
    limit = float(np.abs(matrix).max()) if limit is None else limit
    lowest, colors = (-limit, DIVERGING) if diverging else (0.0, sequential(color))
    mesh = ax.pcolormesh(matrix, cmap=colors, vmin=lowest, vmax=limit)
    ax.set(xlim=(0, matrix.shape[1]), ylim=(matrix.shape[0], 0))
    ax.grid(False)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    if columns is not None:
        ax.set_xticks(np.arange(len(columns)) + 0.5, columns)
    if rows is not None:
        ax.set_yticks(np.arange(len(rows)) + 0.5, rows)
    if form is not None:
        for (row, column), value in np.ndenumerate(matrix):
            ax.text(column + 0.5, row + 0.5, f"{value:{form}}", ha="center", va="center")
    return mesh
