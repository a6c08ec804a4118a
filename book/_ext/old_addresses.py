"""Pages that have moved: at the old address stands a small page that leads on.

A link from elsewhere may name a place of the old page (05-training.html#train-rate). Scripts lead
to the page that has this place now; without them the browser goes to the first of the new ones,
and the page names them all. Where a page has kept its address and given its second half to a new
one, it leads on those who ask for a place of that half; and the package's page, those who ask for
a name, to the page of its folder.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from html import escape
from pathlib import Path

from sphinx.application import Sphinx

MOVED = {
    "book/05-training": ("book/05-1-data-and-batches", "book/05-2-loss", "book/05-3-rate-and-run")
}
HALVED = {
    "book/06-1-decoding": "book/06-1-evaluation",
    "book/07-after-the-paper": "book/07-beyond-the-block",
}
ROOMS = {"book/api": "book/api-"}  # book/api-model and more
TO_ROOM = """<script>
const rooms = {rooms}, asked = /^#(?:module-)?transformer_course\\.(\\w+)/.exec(location.hash);
const room = asked && rooms[asked[1]];
if (room) location.replace(room + location.hash);
</script>
"""
ONWARD = """<script>
if ({places}.includes(location.hash.slice(1))) location.replace("{to}" + location.hash);
</script>
"""
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Moved: {title}</title>
<meta name="robots" content="noindex">
<link rel="canonical" href="{first}">
<script>
const places = {places};
location.replace((places[location.hash.slice(1)] ?? "{first}") + location.hash);
</script>
<noscript><meta http-equiv="refresh" content="0; url={first}"></noscript>
</head>
<body>
<p>This chapter has become:</p>
<ul>
{links}
</ul>
</body>
</html>
"""


def page(titles: dict[str, str], places: dict[str, str]) -> str:
    """What stands at an old address, for new addresses beside it: their titles, whose each place
    is."""
    items = [f'<li><a href="{to}">{escape(title)}</a></li>' for to, title in titles.items()]
    first = next(iter(titles))
    return PAGE.format(
        title=escape(titles[first]),
        first=first,
        places=in_script(places),
        links="\n".join(items),
    )


def lead_on(app: Sphinx, exception: Exception | None) -> None:
    """Called by Sphinx once all pages are written."""
    if exception or app.builder.format != "html":
        return
    for old, new in MOVED.items():
        if set(new) <= app.env.found_docs:
            files = {docname: Path(app.outdir, f"{docname}.html") for docname in new}
            titles = {
                file.name: app.env.titles[docname].astext() for docname, file in files.items()
            }
            target = Path(app.outdir, f"{old}.html")
            target.write_text(page(titles, places_of(list(files.values()))), encoding="utf-8")
    for old, new in HALVED.items():
        if {old, new} <= app.env.found_docs:
            target, half = (Path(app.outdir, f"{name}.html") for name in (old, new))
            target.write_text(onward(target, half), encoding="utf-8")
    for old, start in ROOMS.items():
        files = [
            Path(app.outdir, f"{name}.html")
            for name in app.env.found_docs
            if name.startswith(start)
        ]
        if files:
            target = Path(app.outdir, f"{old}.html")
            target.write_text(to_rooms(target, files), encoding="utf-8")


def to_rooms(target: Path, files: list[Path]) -> str:
    """The package's page, which leads those who ask for a name on to its folder's."""
    script = TO_ROOM.replace("{rooms}", in_script(rooms_of(files)))
    return target.read_text(encoding="utf-8").replace("</head>", f"{script}</head>", 1)


def rooms_of(files: list[Path]) -> dict[str, str]:
    """Which page has the names of each folder of the package."""
    names = re.compile(r'\bid="(?:module-)?transformer_course\.(\w+)')
    return {room: file.name for file in files for room in names.findall(file.read_text("utf-8"))}


def onward(target: Path, half: Path) -> str:
    """A page that leads on those who ask for a place which its second half alone has.

    Places are what a link may name: later-aged, and no number that was counted, such as id31.
    """
    found = places_of([target, half]).items()
    moved = {place for place, name in found if name == half.name and re.search(r"^[^/]+-", place)}
    script = ONWARD.format(places=in_script(sorted(moved)), to=half.name)
    return target.read_text(encoding="utf-8").replace("</head>", f"{script}</head>", 1)


def in_script(content: object) -> str:
    """As a script may hold it."""
    return json.dumps(content, sort_keys=True).replace("<", "\\u003c")


def places_of(files: list[Path]) -> dict[str, str]:
    """Which of these pages has a place, for all that one of them has and no other."""
    ids = {file.name: set(re.findall(r'\bid="([^"]+)"', file.read_text("utf-8"))) for file in files}
    times = Counter(place for each in ids.values() for place in each)
    return {place: name for name, each in ids.items() for place in each if times[place] == 1}
