"""Each chapter of the landing page's map has a picture, and no picture is left over."""

from xml.etree import ElementTree

import map_pictures
import pytest
from docutils import nodes
from sphinx.addnodes import pending_xref
from test_chapter_map import CHAPTERS

NAMES = sorted(path.stem for path in map_pictures.PICTURES.glob("*.svg"))


def test_there_is_one_for_each_chapter():
    assert sorted(CHAPTERS) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_is_small_and_has_only_the_themes_colors(name):
    drawing = ElementTree.fromstring(map_pictures.picture(name))
    colors = {each.get(part) for each in drawing for part in ("stroke", "fill")} - {None, "none"}
    assert colors
    assert all(color.startswith("var(--course-") for color in colors)
    assert len(map_pictures.picture(name)) < 5000
    assert drawing.get("aria-hidden") == "true"


def test_it_stands_first_in_the_chapters_card_and_in_no_other_list():
    def card() -> nodes.list_item:
        link = pending_xref("", nodes.Text("1"), reftarget="/book/01-introduction")
        return nodes.list_item("", nodes.paragraph("", "", link))

    chapters = nodes.bullet_list("", card(), classes=[map_pictures.MAP])
    plain = nodes.bullet_list("", card())
    map_pictures.draw(None, nodes.section("", chapters, plain))
    assert chapters[0][0].astext() == map_pictures.picture("01-introduction")
    assert len(plain[0].children) == 1
