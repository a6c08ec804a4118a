"""What a page says of itself: reading time, description, and where it lives if that is known."""

from types import SimpleNamespace

import page_facts
import pytest
from docutils import nodes
from sphinx.errors import ConfigError


def configured(monkeypatch, **environment):
    for name in ("COURSE_SITE", "COURSE_REPOSITORY"):
        monkeypatch.delenv(name, raising=False)
    for name, address in environment.items():
        monkeypatch.setenv(name, address)
    config = SimpleNamespace(html_title="Course", html_theme_options={}, html_baseurl="")
    page_facts.read_address(None, config)
    return config


def test_a_copy_of_the_course_points_at_itself(monkeypatch):
    config = configured(
        monkeypatch, COURSE_SITE="https://me.org/c/", COURSE_REPOSITORY="https://github.com/me/c"
    )
    assert config.html_baseurl == config.ogp_site_url == "https://me.org/c/"
    assert config.ogp_social_cards["enable"]
    assert config.html_theme_options["repository_url"] == "https://github.com/me/c"
    assert config.html_theme_options["use_issues_button"]
    assert set(config.html_theme_options["launch_buttons"]) >= {"colab_url", "binderhub_url"}


def test_without_an_address_there_are_no_cards_and_no_buttons(monkeypatch):
    config = configured(monkeypatch)
    assert not config.ogp_social_cards["enable"]
    assert config.html_theme_options == {}
    assert config.html_baseurl == ""


def linked(address):
    options = {"repository_url": "https://github.com/executablebooks/jupyter-book"}
    if address:  # as read_address puts it there
        options |= {"repository_url": address, "use_repository_button": True}
    app = SimpleNamespace(config=SimpleNamespace(html_theme_options=options))
    said = nodes.paragraph("", "Make a clone of the repository of the course, then read.")
    doctree = nodes.section("", said)
    page_facts.link_repository(app, doctree)
    assert said.astext() == "Make a clone of the repository of the course, then read."
    return [link["refuri"] for link in doctree.findall(nodes.reference)]


def test_the_text_leads_to_the_repository_if_its_address_is_known():
    assert linked("https://github.com/me/c") == ["https://github.com/me/c"]
    assert linked("") == []


@pytest.mark.parametrize("name", ["COURSE_SITE", "COURSE_REPOSITORY"])
def test_what_is_not_an_address_is_refused(monkeypatch, name):
    with pytest.raises(ConfigError, match=f"{name}: expected an address such as https://"):
        configured(monkeypatch, **{name: "me/course"})


def page(*texts):
    paragraphs = [nodes.paragraph("", text) for text in texts]
    code = nodes.literal_block("", "x = 1 " * 1000)
    return nodes.section("", nodes.title("", "Title"), *paragraphs, code)


def test_the_reading_time_counts_prose_and_not_code():
    context = {"body": "<h1>Title</h1><p>text</p>", "sourcename": "book/01-x.ipynb"}
    page_facts.describe(None, "book/x", "", context, page("word " * 399))
    assert context["body"] == (
        '<h1>Title</h1>\n<p class="course-reading-time">2 minutes to read</p><p>text</p>'
    )


def test_a_page_of_a_few_words_says_no_time():
    context = {"body": "<h1>Title</h1>", "sourcename": "book/01-x.ipynb"}
    page_facts.describe(None, "book/x", "", context, page("A few words."))
    assert context["body"] == "<h1>Title</h1>"


def test_a_page_that_tells_its_time_gets_no_second_clock():
    context = {"body": "<h1>Title</h1>", "sourcename": "book/01-x.ipynb"}
    page_facts.describe(None, "book/x", "", context, page("Time about 25 minutes", "word " * 399))
    assert context["body"] == "<h1>Title</h1>"


def test_a_page_to_look_things_up_says_no_time():
    context = {"body": "<h1>Title</h1>", "sourcename": "book/api.md"}
    page_facts.describe(None, "book/api", "", context, page("word " * 399))
    assert context["body"] == "<h1>Title</h1>"


def test_the_description_begins_after_the_lines_on_time_and_skipping():
    doctree = page("Time about 45 minutes", "Skip if you can", "Read the cat sat.")
    page_facts.describe(None, "book/x", "", {"body": ""}, doctree)
    assert [text.astext() for text in doctree.findall(nodes.paragraph)] == ["Read the cat sat."]
