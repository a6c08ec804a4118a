"""An old address in a real browser: it leads on, to the place that was asked for."""

import re

import old_addresses
import pytest
from playwright.sync_api import expect

OLD = [*old_addresses.MOVED]
PLACES = {"": "05-1-data-and-batches.html", "#train-rate": "05-3-rate-and-run.html#train-rate"}
PLACES["#thm-floor"] = "05-2-loss.html#thm-floor"


@pytest.mark.parametrize("place", PLACES)
def test_an_old_address_leads_to_the_page_that_has_the_place(site, page, place):
    opened = page("about:blank")
    opened.goto(f"{site}/book/05-training.html{place}")
    expect(opened).to_have_url(f"{site}/book/{PLACES[place]}")


SEARCH, BLEU = "06-1-decoding.html", "06-1-evaluation.html"
HERE, THERE = "07-after-the-paper.html", "07-beyond-the-block.html"
HALVES = [
    (SEARCH, "#decoding-cache", SEARCH),
    (SEARCH, "#decoding-bleu", BLEU),
    (SEARCH, "#what-variety-costs", BLEU),
    (HERE, "#later-norm", HERE),
    (HERE, "#predict", HERE),
    (HERE, "#later-speculative", THERE),
    (HERE, "#less-one-after-the-other-speculative-decoding", THERE),
]


@pytest.mark.parametrize(("old", "place", "now"), HALVES)
def test_a_place_of_the_half_that_moved_is_found_from_the_old_page(site, page, old, place, now):
    opened = page("about:blank")
    opened.goto(f"{site}/book/{old}{place}")
    expect(opened).to_have_url(f"{site}/book/{now}{place}")
    expect(opened.locator(place).first).to_be_attached()


@pytest.mark.parametrize(
    ("room", "place"),
    [
        ("model", "transformer_course.model.masks.causal_mask"),
        ("engines", "module-transformer_course.carried"),
        ("engines", "transformer_course.errors.DataError"),
        ("widgets", "transformer_course.pages.plotting.show"),
    ],
)
def test_a_name_of_the_package_is_found_from_its_old_page(site, page, room, place):
    opened = page("about:blank")
    opened.goto(f"{site}/book/api.html#{place}")
    expect(opened).to_have_url(f"{site}/book/api-{room}.html#{place}")
    expect(opened.locator(f'[id="{place}"]')).to_be_attached()


@pytest.mark.parametrize("old", OLD)
def test_without_scripts_it_leads_to_the_first_page(site, chromium, old):
    context = chromium.new_context(java_script_enabled=False)
    opened = context.new_page()
    opened.goto(f"{site}/{old}.html")
    expect(opened).to_have_url(re.compile(re.escape(old_addresses.MOVED[old][0])))
    context.close()
