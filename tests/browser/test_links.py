"""Every link inside the built site leads somewhere."""

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from transformer_course.pages import browser as tools


class Links(HTMLParser):
    """The addresses a page points at, and the anchors it has."""

    def __init__(self, page: Path):
        super().__init__()
        self.targets: set[str] = set()
        self.anchors: set[str] = set()
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.targets.add(value)
            elif name == "id" or (name == "name" and tag == "a"):
                self.anchors.add(value)


def broken_links(site: Path) -> list[str]:
    """Links from the site's pages to files or anchors that are not there."""
    pages = {path: Links(path) for path in site.rglob("*.html") if "_static" not in path.parts}
    broken = []
    for page, links in pages.items():
        for target in sorted(links.targets):
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            path = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            anchors = pages[path].anchors if path in pages else set()
            missing = parts.fragment and unquote(parts.fragment) not in anchors
            if not path.exists() or (path.suffix == ".html" and missing):
                broken.append(f"{page.relative_to(site)} -> {target}")
    return broken


def test_every_link_inside_the_site_leads_somewhere():
    assert broken_links(tools.SITE.resolve()) == []


@pytest.mark.parametrize("target", ["absent.html", "#absent", "page.html#absent"])
def test_a_link_to_nowhere_is_seen(tmp_path, target):
    (tmp_path / "page.html").write_text(f'<a href="{target}">x</a>', encoding="utf-8")
    assert broken_links(tmp_path) == [f"page.html -> {target}"]
