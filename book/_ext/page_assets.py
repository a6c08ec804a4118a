"""One style sheet and one script for all pages, with what the pages of this book use.

Jupyter Book, its theme and its extensions write ten sheets and as many scripts on every page. Here
they become two files, which a reader's browser asks for once. The theme's rules for thousands of
classes and icons that stand on no page and in no script stay out. So does the part of its script
that measures every region that might scroll, which lays out the whole page: scrolling.js does it.
"""

from __future__ import annotations

import hashlib
import posixpath
import re
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from screen_readers import mend_page
from small_scripts import small
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from used_css import used_rules

# Below _static, in the order of the pages. The theme's own come from its template, which ours
# replaces; the rest is taken out of the pages' lists.
PARTS = {
    "site.css": (
        "basic.css",
        "styles/pydata-sphinx-theme.css",
        "pygments.css",
        "styles/sphinx-book-theme.css",
        "togglebutton.css",
        "copybutton.css",
        "mystnb.*.css",
        "exercise.css",
        "proof.css",
        "course/course.css",
        "course/landing.css",
    ),
    "site.js": (
        "documentation_options.js",
        "doctools.js",
        "sphinx_highlight.js",
        "clipboard.min.js",
        "copybutton.js",
        "scripts/sphinx-book-theme.js",
        "togglebutton.js",
        "course/widgets-host.js",
        "course/present.js",
        "course/scrolling.js",
        "course/contents.js",
        "course/sidebars.js",
        "course/printing.js",
        "course/answers.js",
        "scripts/bootstrap.js",
        "scripts/pydata-sphinx-theme.js",
    ),
}
THEME = "scripts/pydata-sphinx-theme.js"
MEASURE_ALL = re.compile(
    r',"complete"===document\.readyState\?(\w+)\(\):window\.addEventListener\("load",\1\)'
)
SOURCE_MAP = re.compile(r"^//# sourceMappingURL=.*$", flags=re.MULTILINE)
ADDRESS = re.compile(r"""url\((["']?)(?!data:|#|\w+://)([^"')]+)\1\)""")
BUILT_IN_SCRIPTS = {"bs-tooltip-auto"}  # a name that stands in none in one piece


def leave_out(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Take the parts out of a page's lists, since its template asks for the whole."""
    parts = [part for names in PARTS.values() for part in names]
    for kind in ("script_files", "css_files"):
        context[kind][:] = [
            asset
            for asset in context.get(kind, [])
            if not any(fnmatch(_below_static(asset), part) for part in parts)
        ]


def _below_static(asset: Any) -> str:
    return str(getattr(asset, "filename", asset) or "").removeprefix("_static/")


def put_together(app: Sphinx, exception: Exception | None) -> None:
    """Write the two files of a finished HTML build, and their versions on its pages."""
    if exception or app.builder.name not in ("html", "dirhtml"):
        return
    out = Path(app.outdir)
    static = out / "_static"
    pages = [path for path in out.rglob("*.html") if static not in path.parents]
    texts = {page: mend_page(page.read_text(encoding="utf-8")) for page in pages}
    script = "\n;\n".join(text for _, text in _read(static, "site.js"))
    script, found = MEASURE_ALL.subn("", script)
    if found != 1:
        raise ExtensionError(f"{THEME}: expected one call that measures what scrolls, got {found}")
    script = small(script, "text/javascript")
    searching = [*static.glob("*.js"), *static.glob("course/search.js")]
    others = [path.read_text(encoding="utf-8") for path in searching]
    words = re.findall(r"[\w-]+", "\n".join([*texts.values(), script, *others]))
    known = {*words, *BUILT_IN_SCRIPTS}
    sheet = "\n".join(
        _moved(used_rules(text, known), posixpath.dirname(name))
        for name, text in _read(static, "site.css")
    )
    for name, text in (("site.css", sheet), ("site.js", script)):
        (static / name).write_text(text, encoding="utf-8")
        version = hashlib.sha256(text.encode()).hexdigest()[:8]
        for page in texts:
            # A page that this build left alone names the version before.
            asked = re.compile(rf'(?<=_static/{re.escape(name)})(\?v=\w+)?"')
            texts[page] = asked.sub(f'?v={version}"', texts[page])
    for page, text in texts.items():
        # Those of the search page use what stands in the site's script.
        page.write_text(text.replace('<script src="', '<script defer src="'), encoding="utf-8")


def _read(static: Path, whole: str) -> list[tuple[str, str]]:
    """The names and texts of the files that make up a whole."""
    read = []
    for part in PARTS[whole]:
        found = list(static.glob(part))
        if len(found) != 1:
            raise ExtensionError(f"{whole}: expected one _static/{part}, found {len(found)}")
        text = SOURCE_MAP.sub("", found[0].read_text(encoding="utf-8"))
        read.append((part, text))
    return read


def _moved(sheet: str, folder: str) -> str:
    """The sheet with the addresses that it names, as seen from the folder above."""
    return ADDRESS.sub(
        lambda found: f"url({posixpath.normpath(posixpath.join(folder, found[2]))})", sheet
    )
