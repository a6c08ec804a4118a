"""KVCache in a real browser: its bytes and counts are Python's, by mouse and by keyboard."""

import itertools

import pytest
from conftest import check_page, opens
from playwright.sync_api import Locator, expect

from transformer_course.widgets import KVCache

UNITS = {"million": 1e6, "billion": 1e9, "trillion": 1e12, "quadrillion": 1e15, "quintillion": 1e18}


cache = opens(KVCache, ".tc-kv")


def number(text: str) -> float:
    """1,234 or 60.5 trillion."""
    digits, _, unit = text.partition(" ")
    return float(digits.replace(",", "")) * UNITS.get(unit, 1)


def agree(widget: Locator, twin: KVCache) -> None:
    """All counts equal the twin's to the three digits on display, the bytes exactly."""
    kept, counts = (table.cells for table in twin.tables())
    rows = widget.locator("tbody tr")
    for place in range(2):
        shown = [number(text) for text in rows.nth(place).locator("td").all_text_contents()]
        assert shown == pytest.approx(counts[place][[0, 2]] * 1e9, rel=0.006)
    exact = f"= {round(kept[1][1] * 2**20):,} bytes"
    expect(widget.locator("code")).to_contain_text(exact)
    units = ["bytes", "KiB", "MiB", "GiB", "TiB"]
    for place, text in enumerate(widget.locator(".tc-bytes b").all_text_contents()):
        if place == 1 and twin.kv_heads in (1, twin.heads):
            continue  # chosen stands beside it already: here is what a group would keep
        digits, unit, word = text.split()
        assert word == "each"
        bytes_ = float(digits.replace(",", "")) * 1024 ** units.index(unit)
        one_text = kept[place][1] * 2**20 / twin.batch
        assert bytes_ == pytest.approx(one_text, rel=0.006)
        fits = widget.locator(".tc-bytes strong").nth(place)
        expect(fits).to_have_text(f"{int(80 * 2**30 // one_text):,}")


def memory(widget: Locator) -> Locator:
    """The second figure, with all of its sizes in sight."""
    widget.get_by_role("button", name="It costs memory").click()
    if not widget.locator("details[open]").count():  # the picture comes first
        widget.locator("summary").click()
    return widget


def test_every_slider_moves_the_numbers_as_python_does(cache):
    widget = memory(cache())
    twin = KVCache()
    agree(widget, twin)
    for label, value, trait, becomes in [
        ("Layers", "12", "layers", 12),
        ("Heads of queries", "24", "heads", 24),
        ("Heads of keys", "2", "kv_heads", 3),  # the third divisor of 24
        ("Width of a head", "64", "head_dim", 64),
        ("Tokens in a text", "10", "context", 1024),
        ("Sequences at once", "3", "batch", 8),
    ]:
        widget.get_by_label(label, exact=True).fill(value)
        setattr(twin, trait, becomes)
        agree(widget, twin)
    widget.get_by_label("Number format").select_option("1")
    twin.number_bytes = "1"
    agree(widget, twin)
    expect(widget.get_by_label("Model")).to_have_value("")


def test_a_shape_is_chosen_and_its_name_found_again(cache):
    widget = memory(cache())
    shape = widget.get_by_label("Model")
    shape.select_option(label="the paper's base model")
    twin = KVCache(layers=6, heads=8, kv_heads=8, head_dim=64)
    agree(widget, twin)
    expect(widget.locator("p[role=status]")).to_contain_text(
        "Every head keeps its own keys and values"
    )
    groups = widget.get_by_label("Heads of keys", exact=True)
    groups.press("Home")
    twin.kv_heads = 1
    agree(widget, twin)
    expect(widget.locator(".tc-chosen")).to_contain_text("Multi-query")
    groups.press("End")
    expect(shape.locator("option:checked")).to_have_text("the paper's base model")


def test_fewer_heads_take_the_largest_number_of_groups_that_fits(cache):
    widget = memory(cache())
    widget.get_by_label("Heads of queries", exact=True).fill("61")
    agree(widget, KVCache(heads=61, kv_heads=1))
    drawn = widget.locator(".tc-chosen .tc-share path").evaluate_all(
        "paths => paths.map(path => path.getAttribute('d').split('M').length - 1)"
    )
    assert drawn == [61, 61, 1]  # lines, heads of queries, heads of keys and values


def test_a_tile_is_drawn_for_each_text_that_fits(cache):
    widget = memory(cache())
    tiles = "paths => paths.map(path => path.getAttribute('d').split('M').length - 1)"
    assert widget.locator(".tc-texts path").evaluate_all(tiles) == [8, 64, 512]
    expect(widget.locator(".tc-legend")).to_contain_text("80 GiB; a tile is the cache of one text.")
    widget.get_by_label("Model").select_option(label="the paper's base model")
    assert widget.locator(".tc-texts path").evaluate_all(tiles) == [170, 682, 1365]
    expect(widget.locator(".tc-legend")).to_contain_text("a tile is the cache of 10 texts.")


def test_the_cache_grows_by_one_token_a_step_and_without_it_all_is_computed(cache):
    widget = cache(KVCache(layers=2, heads=4, kv_heads=4, step=1))
    cells = widget.locator(".tc-strips i")
    kept, new = (widget.locator(f".tc-strips [data-cell={each}]").count for each in ("kept", "new"))
    assert (cells.count(), kept(), new()) == (64, 0, 4)
    row = widget.locator(".tc-work > :first-child")
    expect(row).to_have_text("with a cache")
    expect(widget.locator(".tc-ratio")).to_contain_text("less in a text of 4,096 tokens")
    widget.get_by_role("button", name="Next").click()
    widget.get_by_role("button", name="Next").press("Enter")
    assert (kept(), new()) == (8, 4)
    agree(widget, KVCache(layers=2, heads=4, kv_heads=4, step=3))
    widget.get_by_label("Keep a cache").press("Space")
    assert (kept(), new()) == (0, 12)
    expect(row).to_have_text("one token")
    expect(widget.locator("[aria-live]").first).to_contain_text(
        "Step 3: without a cache the 2 tokens before “sat” must be computed again"
    )
    widget.get_by_role("button", name="Next").press("End")
    assert new() == 64
    expect(widget.get_by_role("button", name="Next")).to_have_attribute("aria-disabled", "true")


@pytest.mark.parametrize("width", [1280, 390])
def test_all_rows_of_the_work_are_in_sight_under_the_models_name(cache, width):
    widget = cache(KVCache(layers=6, heads=8, kv_heads=8, head_dim=64), width=width)
    expect(widget.get_by_text("self-attention in the paper's base model")).to_be_visible()
    table = widget.locator(".tc-op")
    names = table.locator("tr:visible th[scope=row]").all_inner_texts()
    assert names == ["with a cache", "without"]
    expect(widget.locator(".tc-times")).to_have_text("6 ×less work at step 6")
    inside = "box => [box.scrollWidth - box.clientWidth, box.scrollHeight - box.clientHeight]"
    assert max(table.evaluate(inside)) <= 0


STEMS = """path => {
  const box = path.ownerSVGElement.getBoundingClientRect();
  const columns = [...path.closest(".tc-ways").nextSibling.firstChild.querySelectorAll("i")];
  const at = columns.map(i => i.getBoundingClientRect()).map(b => b.left + b.width / 2);
  const place = x => box.left + x / 320 * box.width;
  const near = x => at.findIndex(middle => Math.abs(middle - place(x)) < 3);
  const parts = [...(path.getAttribute("d") || "").matchAll(/M([\\d.]+) ([\\d.]+)([A-Z])/g)];
  return parts.filter(([, , y, next]) => y === "36" && next === "V").map(([, x]) => near(+x));
}"""


@pytest.mark.parametrize("step", [1, 2, 6, 16])
def test_each_kept_column_has_a_thread_to_the_step_that_reads_it(cache, window, step):
    widget = cache(KVCache(step=step), **window)
    made, keys, values = widget.locator(".tc-ways path").all()
    said = widget.locator(".tc-ways p")
    expect(said).to_have_text(f"{step - 1} read1 computed")
    for each in (keys, values):
        assert each.evaluate(STEMS) == list(range(step - 1))
    assert made.evaluate(STEMS) == []
    now = widget.locator(".tc-columns .tc-with.tc-now").bounding_box()
    for each in (made, keys) if step > 1 else (made,):  # both reach the block of this step
        box = each.bounding_box()
        assert now["x"] <= box["x"] + box["width"] <= now["x"] + now["width"] + 2
        assert abs(box["y"] - now["y"] - now["height"]) < 6
    widget.get_by_label("Keep a cache").press("Space")
    expect(said).to_have_text(f"{step} computed")
    assert keys.evaluate(STEMS) == values.evaluate(STEMS) == []
    assert made.evaluate(STEMS) == list(range(step - 1))


def test_two_views_stay_together(show):
    first, second = show(KVCache(), views=[0, 0]).locator(".tc-kv").all()
    memory(second)
    expect(first.get_by_label("Tokens in a text", exact=True)).to_be_visible()
    second.get_by_label("Layers", exact=True).fill("7")
    second.get_by_label("Tokens in a text", exact=True).press("End")
    agree(first, KVCache(layers=7, context=131_072))
    ids = first.page.locator(".tc-kv [id]").evaluate_all("nodes => nodes.map(node => node.id)")
    assert len(ids) == len(set(ids))


def test_it_is_accessible_and_fits_its_window(cache, window):
    largest = KVCache(
        layers=128, heads=128, kv_heads=128, head_dim=256, context=131_072, batch=256, step=16
    )
    for widget in (KVCache(), largest):
        opened = cache(widget, **window)
        check_page(opened.page)
        check_page(memory(opened).page)


def test_print_shows_the_numbers_and_no_controls(cache):
    widget = cache()
    widget.page.emulate_media(media="print")
    assert widget.locator("table:visible, .tc-chart:visible, .tc-bytes:visible").count() == 3
    assert widget.locator(".tc-stepbar:visible, input[type=range]:visible").count() == 0


def test_the_columns_are_as_high_as_the_multiply_adds_of_their_steps(cache):
    widget = cache()
    for kind, cached in (("with", 0), ("without", 1)):
        heights = widget.locator(f"rect.tc-{kind}").evaluate_all(
            "bars => bars.map(bar => Number(bar.getAttribute('height')))"
        )
        for step in (1, 6, 16):
            counts = KVCache(step=step).tables()[1].cells
            most = KVCache(step=16).tables()[1].cells[1][0]
            assert heights[step - 1] / 188 == pytest.approx(counts[cached][0] / most, abs=0.001)


def test_it_plays_and_neither_steps_nor_figures_change_its_height(cache, window):
    widget = cache(KVCache(step=14), **window)
    heights = {widget.bounding_box()["height"]}
    widget.get_by_role("button", name="Play").click()
    expect(widget.locator(".tc-place")).to_have_text("16 of 16", timeout=5000)
    expect(widget.get_by_role("button", name="Play")).to_be_visible()
    for name in ("Keep a cache", "It costs memory", "It saves work"):
        widget.get_by_text(name, exact=True).click()
        heights.add(widget.bounding_box()["height"])
    assert len(heights) == 1


def test_in_the_systems_own_colors_what_is_chosen_and_kept_is_still_seen(cache):
    widget = cache()
    widget.page.emulate_media(forced_colors="active")
    pressed, other = (
        widget.get_by_role("button", name=name) for name in ("It saves work", "It costs memory")
    )
    expect(pressed).to_have_css("outline-style", "solid")
    expect(other).to_have_css("outline-style", "none")
    kept = widget.locator(".tc-strips i")
    assert (
        len(set(kept.evaluate_all("all => all.map(i => getComputedStyle(i).backgroundColor)"))) > 2
    )


def test_on_a_phone_all_words_are_named_and_nothing_runs_into_another(cache):
    words = cache(width=390).locator(".tc-words span:visible")
    boxes = [word.bounding_box() for word in words.all() if word.text_content()]
    assert len(boxes) == 16
    for left, right in itertools.pairwise(boxes):
        assert left["x"] + left["width"] <= right["x"] + 1
