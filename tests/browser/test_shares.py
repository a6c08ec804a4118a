"""Of a page's height each kind has its share, and what is folded has none."""

import re

import pytest
import shares

from transformer_course.pages import browser as tools

CHAPTERS = sorted(path.stem for path in (tools.SITE.parents[1] / "book").glob("0*.ipynb"))
MOST = 20

PAGE = """<article class="bd-article"><style>* {{ margin: 0 }}</style>
<p style="height: 300px">{words}</p>
<div class="cell"><div class="cell_input" style="height: 100px"></div></div>
<div class="cell"><div class="tc" style="height: 80px"><p>not read</p></div></div>
<details><summary style="height: 20px"></summary><p style="height: 900px">not read</p></details>
<svg class="course-figure" style="display: block; height: 100px"></svg></article>"""


def test_each_kind_has_its_share_and_what_is_folded_has_none(page, tmp_path):
    path = tmp_path / "page.html"
    path.write_text(PAGE.format(words="word " * 400), encoding="utf-8")
    found = page(path.as_uri()).evaluate(shares.MEASURE)
    assert found["words"] == 400
    assert found["height"] == pytest.approx(600)
    assert [found[kind] for kind in ("moving", "still", "code")] == [80, 100, 100]
    assert shares.row("name", found).split()[1:] == ["53%", "13%", "17%", "17%", "2"]


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_chapter_is_read_in_twenty_minutes_and_its_first_line_says_in_how_many(site, page, name):
    opened = page(f"{site}/book/{name}.html")
    minutes = opened.evaluate(shares.MEASURE)["words"] / shares.WORDS_A_MINUTE
    told = re.search(
        r"Time about (\d+) minutes, (\d+) of them to read", opened.inner_text("article")
    )
    assert told, "the first line tells no minutes to read"
    assert minutes <= MOST
    assert abs(minutes - int(told[2])) <= 1
    assert int(told[2]) < int(told[1])
