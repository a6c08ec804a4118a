"""The site's fonts hold what its pages write, and say whose they are."""

from types import SimpleNamespace

import page_fonts
import pytest
from fontTools.ttLib import TTFont


@pytest.fixture(scope="module")
def fonts(tmp_path_factory):
    """The text font of a site with one page, by file."""
    out = tmp_path_factory.mktemp("site")
    (out / "_static/vendor/fontawesome/webfonts").mkdir(parents=True)
    (out / "index.html").write_text("<p>Łukasz ≥ ▁</p><math><mi>x</mi></math>", encoding="utf-8")
    app = SimpleNamespace(outdir=out, builder=SimpleNamespace(name="html"))
    page_fonts.subset_fonts(app, None)
    folder = out / "_static" / "course"
    found = {name: TTFont(folder / name) for name in page_fonts.TEXT_FONTS.values()}
    yield found
    for font in found.values():
        font.close()


def test_each_face_writes_english_german_and_what_a_page_holds(fonts):
    for font in fonts.values():
        missing = set(map(ord, "The quick fox. Übergrößen, é; 0123 “”≥Ł")) - set(font.getBestCmap())
        assert missing - set(map(ord, "“”")) == set()  # no page here has quotation marks
        assert ord("ж") not in font.getBestCmap()


def test_digits_are_equally_wide_and_small_capitals_are_gone(fonts):
    for font in fonts.values():
        glyphs = [font.getBestCmap()[ord(digit)] for digit in "0123456789"]
        assert len({font["hmtx"][glyph][0] for glyph in glyphs}) == 1
        records = font["GSUB"].table.FeatureList.FeatureRecord
        assert "smcp" not in {each.FeatureTag for each in records}


def test_the_license_goes_along_and_the_reserved_name_does_not(fonts):
    for font in fonts.values():
        names = {entry.nameID: str(entry) for entry in font["name"].names}
        assert "Adobe" in names[0]
        assert "SIL Open Font License" in names[page_fonts.LICENSE]
        assert not any("Source" in text for place, text in names.items() if place not in (0, 13))
