"""Where a page has moved, a small page leads on, and asks no other host for anything."""

import re
from pathlib import Path

import old_addresses

BOOK = Path(__file__).parents[2] / "book"
TITLES = {"new-1.html": "5.1 Data", "new-2.html": "5.4 Loss & more"}
PAGE = old_addresses.page(TITLES, {"train-rate": "new-2.html"})


def test_each_old_page_is_gone_and_each_new_one_is_there():
    for old, new in old_addresses.MOVED.items():
        assert not (BOOK.parent / f"{old}.ipynb").exists()
        assert all((BOOK.parent / f"{docname}.ipynb").exists() for docname in new)


def test_without_scripts_the_browser_goes_to_the_first_and_all_are_named():
    assert '<noscript><meta http-equiv="refresh" content="0; url=new-1.html"></noscript>' in PAGE
    assert re.findall(r'<a href="(.+?)">(.+?)</a>', PAGE) == [
        ("new-1.html", "5.1 Data"),
        ("new-2.html", "5.4 Loss &amp; more"),
    ]


def test_scripts_lead_to_the_page_that_has_the_place():
    assert 'const places = {"train-rate": "new-2.html"};' in PAGE
    assert 'places[location.hash.slice(1)] ?? "new-1.html"' in PAGE


def test_a_place_belongs_to_the_one_page_that_has_it(tmp_path):
    files = [tmp_path / name for name in TITLES]
    for file, place in zip(files, ("rate", "floor"), strict=True):
        file.write_text(f'<h2 id="{place}">x</h2><p id="both" class="y">', encoding="utf-8")
    assert old_addresses.places_of(files) == {"rate": "new-1.html", "floor": "new-2.html"}


def test_a_page_that_gave_its_second_half_away_leads_on_to_its_places_alone(tmp_path):
    first, second = tmp_path / "old.html", tmp_path / "new.html"
    first.write_text('<head></head><h2 id="norm">x</h2><h2 id="wrong">x</h2>', encoding="utf-8")
    places = '<h2 id="the-draft">x</h2><h2 id="wrong">x</h2><p id="id7">'
    second.write_text(places, encoding="utf-8")
    text = old_addresses.onward(first, second)
    assert '(["the-draft"].includes(location.hash.slice(1)))' in text
    assert 'location.replace("new.html" + location.hash)' in text
    assert text.index("</script>") < text.index("</head>") < text.index('id="norm"')


def test_the_packages_page_leads_to_the_page_of_a_names_folder(tmp_path):
    old, model, rest = (tmp_path / f"api{name}.html" for name in ("", "-model", "-engines"))
    old.write_text("<head></head><p>", encoding="utf-8")
    model.write_text('<dt id="transformer_course.model.masks.causal_mask">', encoding="utf-8")
    rest.write_text('<i id="module-transformer_course.errors"><h2 id="x">', encoding="utf-8")
    text = old_addresses.to_rooms(old, [model, rest])
    assert '{"errors": "api-engines.html", "model": "api-model.html"}' in text
    assert text.index("</script>") < text.index("</head>")


def test_both_halves_are_there():
    pages = [name for pair in old_addresses.HALVED.items() for name in pair]
    assert all((BOOK.parent / f"{name}.ipynb").exists() for name in pages)


def test_it_asks_nobody():
    assert "//" not in PAGE


def test_every_label_of_the_old_chapter_that_was_linked_is_in_a_new_one():
    new = [docname for each in old_addresses.MOVED.values() for docname in each]
    texts = "".join((BOOK / "text" / f"{Path(name).name}.md").read_text() for name in new)
    for label in ("it", "shift", "rate", "live", "look", "real", "wrong", "questions"):
        assert f"(train-{label})=" in texts
