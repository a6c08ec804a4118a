"""The graph of chapters, the landing page and each chapter's first line say the same."""

import ast
import re
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

TEXT = Path(__file__).parents[2] / "book" / "text"
CHAPTERS = {path.stem: path.read_text(encoding="utf-8") for path in sorted(TEXT.glob("0*.md"))}
NAMES = {"03-6-whole-model": "3.6", "05-2-loss": "5.4", "06-1-results": "6.1 Results"}
NAMES |= {"06-1-evaluation": "6.1 BLEU", "07-beyond-the-block": "7 Beyond"}
FACTS = r"\*\*Time\*\* about (\d+) minutes.*?\*\*Difficulty\*\* ([●○]+) · \*\*You need\*\* (.+)"


def name(stem: str) -> str:
    """What the graph calls a chapter: 3.2.1 for 03-2-1-scaled-dot-product-attention."""
    section = re.match(r"0(\d(?:-\d)*)-", stem)[1].replace("-", ".")
    return NAMES.get(stem, section)


def linked(line: str) -> set[str]:
    """The chapters that a line's links lead to; what only helps is not needed."""
    line = re.sub(r"chapter \{doc\}`[^`]*` helps", "", line)
    labels = {
        label: stem
        for stem, text in CHAPTERS.items()
        for label in re.findall(r"^\(([\w-]+)\)=$", text, flags=re.MULTILINE)
    }
    targets = re.findall(r"\{(?:ref|doc)\}`[^`]*<([^>]+)>`", line)
    found = {name(labels.get(target, target)) for target in targets}
    if "the chapters of section 3" in line:
        found |= {name(stem) for stem in CHAPTERS if stem.startswith("03") and "03-6" not in stem}
    return found


def closure(needs: dict[str, set[str]]) -> dict[str, set[str]]:
    """All that must come before each chapter."""
    whole: dict[str, set[str]] = {}
    for chapter in TopologicalSorter(needs).static_order():
        whole[chapter] = needs[chapter].union(*(whole[each] for each in needs[chapter]))
    return whole


def graph() -> dict[str, set[str]]:
    """The graph that chapter 1 draws."""
    written = re.search(r"^needs = (\{.*?^\})", CHAPTERS["01-introduction"], flags=re.S | re.M)[1]
    return {chapter: set(before) for chapter, before in ast.literal_eval(written).items()}


def test_the_graph_leads_through_all_that_a_chapter_says_it_needs_and_nothing_else():
    lines = {name(stem): linked(re.search(FACTS, text)[3]) for stem, text in CHAPTERS.items()}
    assert closure(graph()) == closure(lines)


def test_no_arrow_of_the_graph_is_said_by_others():
    needs = graph()
    whole = closure(needs)
    for chapter, before in needs.items():
        for each in before:
            assert not any(each in whole[other] for other in before - {each}), (chapter, each)


@pytest.mark.parametrize("stem", CHAPTERS)
def test_the_landing_page_gives_a_chapters_own_time_and_difficulty(stem):
    index = (TEXT / "index.md").read_text(encoding="utf-8")
    minutes, dots = re.search(rf"<{stem}>` .*\*(\d+) min ([●○]+)\*", index).groups()
    assert re.search(FACTS, CHAPTERS[stem]).groups()[:2] == (minutes, dots)
