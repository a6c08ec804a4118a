"""Pages of HTML that need nothing but themselves. Every text in them is escaped where it enters."""

from collections.abc import Iterable
from html import escape
from pathlib import Path

CSS = Path(__file__).with_name("feedback.css")


def page(title: str, parts: Iterable[str]) -> str:
    """A whole page, which asks for nothing outside itself and runs no script."""
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{CSS.read_text()}</style>\n</head>\n<body>\n"
        f"<main>\n<h1>{escape(title)}</h1>\n" + "\n".join(parts) + "\n</main>\n</body>\n</html>\n"
    )


def points(score: float, most: float) -> str:
    """Such as "3 of 4 points"."""
    return f"{score:g} of {most:g} point{'s' if most != 1 else ''}"


def table(heads: Iterable[str], rows: Iterable[tuple[str, ...]]) -> Iterable[str]:
    """A table of cells that are HTML already."""
    yield '<div class="wide"><table>\n<thead><tr>'
    yield "".join(f'<th scope="col">{escape(head)}</th>' for head in heads)
    yield "</tr></thead>\n<tbody>"
    for row in rows:
        yield "<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>"
    yield "</tbody>\n</table></div>"
