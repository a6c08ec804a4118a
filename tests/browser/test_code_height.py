"""Code serves the reader: of a page's height it takes a fifth at most, and no line is cut."""

import pytest
from playwright.sync_api import Page

CHAPTERS = [
    "01-introduction",
    "02-background",
    "03-1-encoder-decoder-stacks",
    "03-2-1-scaled-dot-product-attention",
    "03-2-2-multi-head-attention",
    "03-2-3-three-uses-of-attention",
    "03-3-feed-forward",
    "03-4-embeddings-and-softmax",
    "03-5-positional-encoding",
    "03-6-whole-model",
    "04-why-self-attention",
    "05-1-data-and-batches",
    "05-2-loss",
    "05-3-rate-and-run",
    "06-1-decoding",
    "06-1-evaluation",
    "06-1-results",
    "06-2-model-variations",
    "06-3-parsing",
    "07-after-the-paper",
    "07-beyond-the-block",
    "08-attention-visualizations",
]
MOST = 0.2
MEASURE = """() => {
  const page = document.querySelector("article.bd-article");
  const blocks = [...page.querySelectorAll(".cell_input")].filter(
    (each) => each.getClientRects().length && !each.closest("details:not([open]), .toggle-hidden"));
  const height = (node) => node.getBoundingClientRect().height;
  const texts = (kind) => [...page.querySelectorAll(kind)].map((each) => each.textContent);
  const cut = (node) => [...node.querySelectorAll("pre")].some(
    (pre) => pre.scrollWidth > pre.clientWidth + 1);
  return {
    share: blocks.map(height).reduce((a, b) => a + b, 0) / height(page),
    cut: blocks.filter(cut).map((each) => each.innerText.slice(0, 80)),
    plumbing: texts("pre").filter((text) => /^ *glue\\(/m.test(text)).length,
    empty: texts(".cell_input").filter((text) => !text.trim()).length,
  };
}"""


def measure(opened: Page) -> dict:
    """The share of the page's height that is code, and the blocks that are cut at their right."""
    return opened.evaluate(MEASURE)


@pytest.mark.parametrize("name", CHAPTERS)
def test_code_takes_a_fifth_of_the_height_at_most_and_no_line_is_cut(site, page, name):
    found = measure(page(f"{site}/book/{name}.html"))
    assert found["cut"] == []
    assert found["share"] <= MOST
    assert (found["plumbing"], found["empty"]) == (0, 0)


def test_more_code_and_a_long_line_are_seen(page, tmp_path):
    text = "<article class='bd-article'>{}<div style='height: 300px'></div></article>"
    code = (
        "<div class='cell_input'><pre style='height: 100px; width: 99px; overflow: auto'>{}</pre>"
    )
    path = tmp_path / "page.html"
    path.write_text(
        "<style>* { margin: 0 }</style>" + text.format(code.format("x" * 99) + "</div>")
    )
    found = measure(page(path.as_uri()))
    assert found["share"] == pytest.approx(0.25)
    assert found["cut"] == ["x" * 80]
