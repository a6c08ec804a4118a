"""Checks that must fail, so that a green run is known to be able to be red."""

import pytest

from transformer_course.pages import browser as tools

GOOD = """<!doctype html>
<html lang="en"><head><title>t</title><link rel="icon" href="data:,"></head>
<body><main><h1>t</h1>{}</main></body></html>"""


@pytest.fixture
def broken(tmp_path):
    """Serves one page with this content, at an address of its own."""

    def serve(content):
        (tmp_path / "page.html").write_text(GOOD.format(content), encoding="utf-8")
        return tools.serve(tmp_path)

    return serve


def test_a_sound_page_passes_every_check(broken, page, chromium):
    with broken("<p>Nothing is wrong here.</p>") as address:
        opened = page(f"{address}/page.html", width=390)
        assert tools.axe_violations(opened) == []
        assert tools.overflow(opened) <= 0
        with tools.open_page(chromium) as blank:
            assert tools.outside_requests(blank, f"{address}/page.html") == []


def test_an_outside_request_is_seen(broken, chromium):
    with (
        broken('<img alt="" src="http://elsewhere.invalid/x.png">') as address,
        tools.open_page(chromium) as opened,
    ):
        found = tools.outside_requests(opened, f"{address}/page.html")
    assert found == ["http://elsewhere.invalid/x.png"]


def test_an_image_without_words_is_an_axe_violation(broken, page):
    pixel = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
    with broken(f'<img src="{pixel}">') as address:
        found = tools.axe_violations(page(f"{address}/page.html"))
    assert [line.split(":")[0] for line in found] == ["image-alt"]


def test_gray_words_are_an_axe_violation(broken, page):
    with broken('<p>Dark enough. <span style="color: #999">Too light.</span></p>') as address:
        found = tools.axe_violations(page(f"{address}/page.html"))
    assert [line.split(":")[0] for line in found] == ["color-contrast"]


@pytest.mark.parametrize(("own", "other"), [("light", "dark"), ("dark", "light")])
def test_words_that_are_gray_in_the_other_theme_alone_are_seen(broken, page, own, other):
    style = f"@media (prefers-color-scheme: {other}) {{ span {{ color: #777 }} }}"
    style = f"<style>html {{ color-scheme: light dark }} {style}</style>"
    with broken(f"{style}<p>Well. <span>Too near to the ground.</span></p>") as address:
        opened = page(f"{address}/page.html", theme=own)
        assert tools.axe_violations(opened) == []
        [line] = tools.axe_violations_in_both_themes(opened)
        assert line.startswith(f"{other}, color-contrast: ")
        assert opened.evaluate(f"matchMedia('(prefers-color-scheme: {own})').matches")


def test_a_script_that_throws_is_seen(broken, page):
    with broken("<script>throw new Error('on purpose')</script>") as address:
        assert page(f"{address}/page.html").problems == ["on purpose"]


def test_a_page_wider_than_the_window_is_seen(broken, page):
    with broken('<p style="width: 500px">wide</p>') as address:
        assert tools.overflow(page(f"{address}/page.html", width=390)) > 100
