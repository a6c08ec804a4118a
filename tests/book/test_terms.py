"""A term is explained before it is used: the glossary's terms in the order of reading."""

import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
TEXT = ROOT / "book" / "text"
# Words that also mean something plain, so that their first use says nothing.
PLAIN = {"alignment", "attention", "head", "hypothesis", "key", "mask", "memory", "padding"}
PLAIN |= {"permutation", "query", "sampling", "seed", "token", "value", "vocabulary"}
LINKED = re.compile(r"\{term\}`([^`<]*?)(?: <([^>]*)>)?`")


def terms() -> list[str]:
    body = (ROOT / "book" / "glossary.md").read_text(encoding="utf-8").split("```{glossary}")[1]
    return [each for each in re.findall(r"^(\S.*)\n  ", body, flags=re.M) if each not in PLAIN]


def chapters() -> list[str]:
    """The chapters in the order in which they are read."""
    parts = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))["parts"]
    files = [Path(each["file"]) for part in parts for each in part["chapters"]]
    return [file.name for file in files if re.match(r"0\d", file.name)]


def sentences(text: str) -> list[str]:
    """What a reader of the main text reads: no code, headings, tables, and no list of aims."""
    text = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.S)
    text = re.sub(r"^(`{3,})\{code-cell\}.*?^\1\n", "\n", text, flags=re.M | re.S)
    text = re.sub(r"^(\*\*Time\*\*|\*\*Skip if\*\*|#|\(|:|```|\|).*$", "", text, flags=re.M)
    text = re.sub(r"At the end of the chapter you can.*?\n\n(?!-)", "\n\n", text, flags=re.S)
    text = LINKED.sub(r"{term} \2 \1", re.sub(r"\$[^$]*\$", "x", text))
    paragraphs = re.split(r"\n\s*\n", text)
    return [each for part in paragraphs for each in re.split(r"(?<=[.!?:])\s+", part.strip())]


def first_use(term: str, texts: dict[str, str]) -> tuple[str, str] | None:
    """The chapter and the sentence in which a term is read first."""
    used = re.compile(rf"(?<![\w`/-]){re.escape(term)}(?:s|es)?(?![\w-])", flags=re.I)
    for name, text in texts.items():
        for sentence in sentences(text):
            if used.search(sentence):
                return name, sentence
    return None


def explained(term: str, sentence: str) -> bool:
    """Whether a sentence sets the term off, as one that explains it does, or links to where."""
    set_off = rf"\*[^*]*{re.escape(term)}[^*]*\*"
    return bool(re.search(rf"{set_off}|\{{(term|ref|doc)\}}", sentence, flags=re.I))


TEXTS = {name: (TEXT / f"{name}.md").read_text(encoding="utf-8") for name in chapters()}


@pytest.mark.parametrize("term", terms())
def test_a_term_is_explained_or_linked_where_it_is_first_read(term):
    found = first_use(term, TEXTS)
    assert found is None or explained(term, found[1]), found


def test_the_fields_terms_are_used_where_private_words_were():
    folders = ("book/text", "exercises/sources", "transformer_course/widgets")
    files = [file for name in folders for file in sorted((ROOT / name).glob("*.[mj][ds]"))]
    private = re.compile(r"\bsteps that wait\b|\bfore(told|tell)\b|\bdear(er|est|ly)?\b")
    assert len(files) > 100
    assert [file.name for file in files if private.search(file.read_text(encoding="utf-8"))] == []


def test_bleu_is_explained_in_chapter_1_and_counted_in_6_1():
    told = [name for name, text in TEXTS.items() if re.search(r"BLEU[^.]*(0|up) to 100\b", text)]
    counted = [name for name, text in TEXTS.items() if r"\mathrm{BLEU} =" in text]
    assert told == ["01-introduction"]
    assert counted == ["06-1-evaluation"]


def test_a_term_before_its_explanation_is_seen():
    texts = {"a": "# A logit\n\nThe logits are large.", "b": "A score is a *logit*."}
    assert first_use("logit", texts) == ("a", "The logits are large.")
    assert not explained("logit", "The logits are large.")
    assert explained("logit", sentences("A {term}`logit` is large.")[0])
    assert first_use("logit", {"c": "```{code-cell}\nlogit\n```\n\nSee `logit`."}) is None
