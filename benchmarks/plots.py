"""Draw a result file as bars: python benchmarks/plots.py train-speed-avx2 > speed.svg

Any file will do whose `sizes` hold rows with a `name`, a `kind` and `times_ours`, or whose
`machines` hold rows with shares of limits: python benchmarks/plots.py roof-cpu > roof.svg
"""

import json
import sys
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

ROW, LABEL, WIDTH, HEAD = 18, 190, 640, 30  # in pixels


def bars(result: dict[str, Any], kind: str = "best") -> str:
    """An SVG of one panel a size, one bar a library: how many times as long as ours it takes.

    It takes its text color from the page, so that it reads on light and on dark.
    """
    panels = [
        (size["size"], [row for row in size["rows"] if row["kind"] == kind])
        for size in result["sizes"]
    ]
    longest = max(row["times_ours"]["high"] for _, rows in panels for row in rows)
    scale, y, parts = (WIDTH - LABEL - 60) / longest, 0, []
    for name, rows in panels:
        y += HEAD
        parts.append(f'<text x="0" y="{y - 10}" font-weight="bold">{escape(name)}</text>')
        for row in rows:
            ratio, ours = row["times_ours"], row["name"] == "ours"
            end = LABEL + scale * ratio["median"]
            low, high = (LABEL + scale * ratio[edge] for edge in ("low", "high"))
            middle = y + ROW / 2
            parts += [
                f'<text x="{LABEL - 8}" y="{middle + 4}" text-anchor="end">'
                f"{escape(row['name'])}</text>",
                f'<rect x="{LABEL}" y="{y + 2}" width="{end - LABEL:.1f}" height="{ROW - 4}" '
                f'fill="{"#3b82c4" if ours else "currentColor"}" '
                f'fill-opacity="{1 if ours else 0.35}"/>',
                f'<line x1="{low:.1f}" x2="{high:.1f}" y1="{middle}" y2="{middle}" '
                'stroke="currentColor"/>',
                f'<text x="{max(end, high) + 6:.1f}" y="{middle + 4}">{ratio["median"]:.2f}</text>',
            ]
            y += ROW
    title = f"{result['what']}. {kind}: times as long as ours, with the lowest and highest round."
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y + 8}" role="img" '
        f'font-family="sans-serif" font-size="12" fill="currentColor">'
        f"<title>{escape(title)}</title>{''.join(parts)}</svg>\n"
    )


LIMITS = {"share_of_product": "#3b82c4", "share_of_reading": "#c4803b"}
DARK = "svg { color: #222 } @media (prefers-color-scheme: dark) { svg { color: #ddd } }"


def shares(result: dict[str, Any]) -> str:
    """An SVG of one panel a machine: what share of its limits each row reaches, up to all of it.

    It follows the reader's light or dark by itself, as a picture beside a text does.
    """
    scale, y, parts = WIDTH - LABEL - 100, 0, [f"<style>{DARK}</style>"]
    for machine in result["machines"]:
        y += HEAD
        title = f"{machine['cpu']}, {machine['capability']}"
        parts.append(f'<text x="0" y="{y - 10}" font-weight="bold">{escape(title)}</text>')
        for row in machine["rows"]:
            limits = [name for name in LIMITS if row[name]]
            parts.append(
                f'<text x="{LABEL - 8}" y="{y + ROW / 2 + 4}" text-anchor="end">'
                f"{escape(row['name'])}</text>"
            )
            for n, name in enumerate(limits):
                share, height = row[name]["median"], (ROW - 4) / len(limits)
                parts.append(
                    f'<rect x="{LABEL}" y="{y + 2 + n * height}" width="{scale * share:.1f}" '
                    f'height="{height}" fill="{LIMITS[name]}"/>'
                )
            said = " and ".join(f"{row[name]['median']:.0%}" for name in limits)
            parts.append(f'<text x="{LABEL + scale + 6}" y="{y + ROW / 2 + 4}">{said}</text>')
            y += ROW
        parts.append(
            f'<line x1="{LABEL + scale}" x2="{LABEL + scale}" y1="{y - ROW * len(machine["rows"])}"'
            f' y2="{y}" stroke="currentColor"/>'
        )
    said = f"{result['what']}. Blue: of the matrix product; orange: of reading."
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y + 8}" role="img" '
        f'font-family="sans-serif" font-size="12" fill="currentColor">'
        f"<title>{escape(said)}</title>{''.join(parts)}</svg>\n"
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Print the SVG of a result file."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments in (["--help"], ["-h"]):
        print(f"usage: plots.py RESULT [SIZE]\n\n{__doc__}")
        return 0
    folder = Path(__file__).parent / "results"
    known = sorted(path.stem for path in folder.glob("*.json"))
    if not arguments or arguments[0] not in known or len(arguments) > 2:
        print(f"plots.py: error: expected a result of {', '.join(known)}", file=sys.stderr)
        return 2
    result = json.loads((folder / f"{arguments[0]}.json").read_text())
    if "machines" in result and len(arguments) == 1:
        sys.stdout.write(shares(result))
        return 0
    if "sizes" not in result:
        print(f"plots.py: error: {arguments[0]} holds no sizes to draw", file=sys.stderr)
        return 2
    sys.stdout.write(bars(result, *arguments[1:]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
