"""The book as one PDF: bookmarks in the words of its headings, links that stay in the book."""

import unicodedata

import pdf
import pytest
import yaml
from pypdf import PdfReader

from transformer_course.pages import browser as tools

PAGES = ["book/index.html", "book/03-2-1-scaled-dot-product-attention.html"]


@pytest.fixture(scope="module")
def parts(site, chromium):
    """Two pages of the site, printed."""
    printed = {}
    with tools.open_page(chromium) as page:
        for name in PAGES:
            before = sum(len(part.sheets.pages) for part in printed.values())
            printed[name] = pdf.print_page(page, f"{site}/{name}", before)
    return printed


@pytest.fixture(scope="module")
def bound(parts, site, tmp_path_factory):
    target = tmp_path_factory.mktemp("pdf") / "book.pdf"
    pdf.bind(parts, site).write(target)
    return PdfReader(target)


@pytest.fixture(scope="module")
def words(bound) -> list[str]:
    """The text of each sheet."""
    return [sheet.extract_text() for sheet in bound.pages]


def test_the_book_holds_every_page_of_the_table_of_contents_in_its_order():
    toc = yaml.safe_load((pdf.ROOT / "_toc.yml").read_text(encoding="utf-8"))
    listed = [chapter["file"] for part in toc["parts"] for chapter in part["chapters"]]
    assert pdf.contents() == [f"{name}.html" for name in [toc["root"], *listed]]
    assert all((tools.SITE / name).exists() for name in pdf.contents())


def test_the_bookmarks_are_the_headings_and_lead_to_them(parts, bound, words):
    marks = [mark for _, mark in pdf._flat(bound.outline)]
    headings = [heading for part in parts.values() for heading in part.headings]
    assert [mark.title for mark in marks] == headings
    for mark in marks:
        sheet = words[bound.get_destination_page_number(mark)]
        sheet = unicodedata.normalize("NFKC", sheet)  # "fi" may be one character
        assert "".join(mark.title.split())[:20] in "".join(sheet.split())


def test_a_link_to_another_page_leads_into_the_book_and_none_to_the_server(parts, bound):
    notes = [
        annotation.get_object()
        for sheet in bound.pages[: len(parts[PAGES[0]].sheets.pages)]
        for annotation in sheet.get("/Annots", [])
    ]
    assert not [note for note in notes if "127.0.0.1" in str(note.get("/A"))]
    chapter = bound.pages[len(parts[PAGES[0]].sheets.pages)]
    inside = [note["/Dest"] for note in notes if isinstance(note.get("/Dest"), list)]
    leads = [place[0].get_object() for place in inside]
    assert chapter.indirect_reference.get_object() in leads


def test_sheets_are_numbered_through_and_answers_stand_unfolded_at_the_end(parts, words):
    assert str(len(words)) in words[-1].splitlines()
    chapter = " ".join("".join(words[len(parts[PAGES[0]].sheets.pages) :]).split())
    answer = "A score of 0 does not mean a weight of 0"
    last = unicodedata.normalize("NFKC", parts[PAGES[1]].headings[-1])
    assert chapter.count(answer) == 1
    assert chapter.index(answer) > chapter.index(" Answers ") > chapter.rindex(last)


def test_headings_that_do_not_fit_their_bookmarks_are_refused(parts):
    part = parts[PAGES[0]]
    with pytest.raises(ValueError, match="bookmarks for the 0 headings of a page"):
        pdf.add_outline(pdf.PdfWriter(), part._replace(headings=[]), 0)
