"""Parser: its examples are the package's, and its engine writes the same trees token for token."""

import json
import math
import random
import re
import subprocess
import zlib
from pathlib import Path
from types import SimpleNamespace

import pytest
import traitlets
from carried_model import TARGET, copy_models
from not_run import NEEDS_NODE

from transformer_course import carried, data
from transformer_course.data import line_of, tree_words
from transformer_course.decoding import parse
from transformer_course.widgets import Parser
from transformer_course.widgets.parser import FILES, SENTENCES, chance, flawed, look_at, rival_of
from transformer_course.widgets.sources import HERE

SCRIPT = Path(__file__).parents[1] / "js" / "parse.js"
OURS = [
    *SENTENCES,
    "Dogs",
    "A boy in a red shirt is throwing a ball to his dog.",
    "Is the girl with the blue hat happy?",
    "Two young women in red coats are waiting for a bus in the rain.",
    "The expression of the gene in these cells was not changed.",
    "Mice of both strains were examined at three, six and nine months of age.",
    "We don't know whether it's the dog's ball (or the cat's).",
    'She said "no" to 1,000 well-known zyzzyvas...',
    "Because the samples were small, we repeated the analysis with more animals.",
    "a a a a a a a a a a",
    "Four score and seven years ago our fathers brought forth a new nation.",
]
STRANGE = [
    "don't",
    "cannot",
    "CANNOT",
    "n't",
    "'s",
    "’ll",
    "“",
    "”",
    '"',
    "(",
    ")",
    "()",
    "p.m.",
    "Mr.",
]
STRANGE += [
    "1,000",
    "3.5",
    "1.5Mr.",
    ".",
    "...",
    "..",
    "-",
    "well-known",
    "_",
    "x_y",
    " ",
    "\u00a0",
]
STRANGE += [
    "\t",
    "\n",
    "\x85",
    "\x1c",
    "\ufeff",
    "\u200b",
    "é",
    "e\u0301",
    "日本",
    "🎉",
    "½",
    "Ⅷ",
    "١٢",
]
STRANGE += ["A", "dog", "Straße", "İ", "ǅ", "ß", "ing", "H2O", "%", "é'É", "d'½", "ſ", "'ſ", "K"]


def in_node(**task):
    """What the page's engine makes of sentences."""
    given = json.dumps({"folder": str(carried.PARSER), **task})
    run = subprocess.run(["node", SCRIPT], input=given, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def assert_token_for_token(sentences, beam):
    model, tokens = carried.parser()
    found = in_node(sentences=sentences, beam=beam)["found"]
    trees = [each.tree for each in parse(model, tokens, sentences, beam=beam)]
    assert [one["src"] for one in found] == [tokens.encode_words(words) for words in sentences]
    for one, tree, words in zip(found, trees, sentences, strict=True):
        assert tokens.decode(one["ids"], words) == tree
        assert one["line"] == [tokens.tokens[each] for each in one["ids"]]


@NEEDS_NODE
@pytest.mark.parametrize("beam", [1, 4])
def test_the_engine_equals_pytorch_token_for_token(beam):
    everyday = [src for src, _ in data.load_pairs("phrasebook:en-de", "test")[:40]]
    sentences = [tree_words(text) for text in [*OURS, *everyday]]
    assert len(sentences) > 50
    assert_token_for_token(sentences, beam)


@NEEDS_NODE
def test_without_the_compiled_kernel_it_writes_the_same():
    few = [tree_words(text) for text in OURS[:4]]
    plain = in_node(sentences=few, beam=2, simd=False)["found"]
    assert plain == in_node(sentences=few, beam=2)["found"]


@NEEDS_NODE
def test_any_text_has_the_same_words_and_any_word_the_same_id():
    shuffle = random.Random(2017)
    texts = ["".join(shuffle.choices(STRANGE, k=shuffle.randint(1, 9))) for _ in range(500)]
    texts += [*OURS, *STRANGE, " ".join(STRANGE)]
    words = [tree_words(text) for text in texts]
    found = in_node(texts=texts, sentences=[each for each in words if each], beam=0)
    assert found["words"] == words
    _, tokens = carried.parser()
    ids = [tokens.encode_words(each) for each in words if each]
    assert [one["src"] for one in found["found"]] == ids


def test_an_example_is_what_the_package_parses():
    model, tokens = carried.parser()
    for example in Parser().examples:
        words = tree_words(example["text"])
        [found] = parse(model, tokens, [words])
        assert example["words"] == words
        assert example["line"] == line_of(found.tree)
        assert example["unknown"] == tokens.unknown(words)


DOUBTFUL = [
    *OURS[:6],
    "We found the mice with two copies of the gene.",
    "He gave the girl flowers for her birthday.",
    "We examined the expression of genes in mice.",
]
BY_VERB = "(S (NP I )NP (VP saw (NP the man )NP (PP with (NP it )NP )PP )VP )S"
BY_NOUN = "(S (NP I )NP (VP saw (NP (NP the man )NP (PP with (NP it )NP )PP )NP )VP )S"
NO_OBJECT = "(S (NP (NP dogs )NP (PP of it )PP )NP (VP bark )VP )S"


def test_the_other_tree_has_the_phrase_at_the_object_or_at_the_verb():
    assert rival_of(BY_VERB.split()) == BY_NOUN.split()
    assert rival_of(BY_NOUN.split()) == BY_VERB.split()
    assert rival_of(NO_OBJECT.split()) is None


def test_hardly_any_tree_of_a_treebank_is_called_broken_but_what_this_parser_writes_often_is():
    assert sum(flawed(line_of(tree)) for tree in data.load_trees("treebank", "train", 1000)) <= 5
    broken = (
        "(S (NP he )NP (VP who (NP lives )NP (PP near it )PP )VP . )S",
        "(S (NP he )NP (VP saw (NP it )NP )VP saw it . )S",
        "(S (NP he )NP (VP saw (NP it )NP (PP . )PP )VP )S",
    )
    assert all(flawed(line.split()) for line in broken)
    assert not any(flawed(line.split()) for line in (BY_VERB, BY_NOUN, NO_OBJECT))


def test_the_chance_of_a_tree_is_what_the_search_scored():
    model, tokens = carried.parser()
    for text in SENTENCES:
        words = tree_words(text)
        [found] = parse(model, tokens, [words])
        assert found.tree is not None
        line = line_of(found.tree)
        score = chance(model, tokens, words, line) / ((5 + len(line) + 1) / 6) ** 0.3
        assert score == pytest.approx(found.score, abs=1e-4)


@NEEDS_NODE
def test_the_page_weighs_a_tree_against_the_other_one_as_python_does():
    model, tokens = carried.parser()
    sentences = [tree_words(text) for text in DOUBTFUL]
    doubts = sure = 0
    ours = in_node(sentences=sentences)
    for one, weighed, words in zip(ours["found"], ours["weighed"], sentences, strict=True):
        line = line_of(tokens.decode(one["ids"], words))
        rival = rival_of(line)
        assert set(weighed) == {"least" if rival is None else "share"}
        if rival is None:
            sure += 1
            assert weighed["least"] == pytest.approx(look_at(" ".join(words))["least"], abs=1e-4)
        if rival:
            doubts += 1
            less = chance(model, tokens, words, rival) - chance(model, tokens, words, line)
            assert weighed["share"] == pytest.approx(1 / (1 + math.exp(less)), abs=1e-4)
    assert (doubts >= 4, sure >= 2) == (True, True)


def test_only_where_a_reader_is_sure_a_tree_is_called_wrong():
    beard, microscope = (look_at(f"I see the man with the {it}.") for it in ("beard", "microscope"))
    assert [one["line"].index("(PP") for one in (beard, microscope)] == [10, 10]  # below the verb
    assert [one["wrong"] for one in (beard, microscope)] == [True, False]


def test_every_label_that_it_can_write_is_explained():
    _, tokens = carried.parser()
    text = (HERE / "parser_words.js").read_text(encoding="utf-8")
    table = text[text.index("LABELS = {") : text.index("};")]
    explained = set(re.findall(r"^  (\w+): \"", table, flags=re.MULTILINE))
    assert {tokens.tokens[place][1:] for place in tokens.opening} == explained


def test_the_static_twin_lists_every_constituent_with_its_words():
    widget = Parser(["A dog <runs>."])
    [table] = widget.tables()
    [example] = widget.examples
    assert table.title == "A dog <runs>."
    assert table.rows == [token[1:] for token in example["line"] if token[0] == "("]
    assert table.cells[0][0] == "A dog < runs > ."
    assert "&lt; runs &gt;" in widget.as_html()


def test_the_files_are_promised_to_the_byte_small_and_handed_over_by_python():
    widget = Parser()
    names, contents = widget.read(None, [])
    assert names == list(FILES) == list(widget.files)
    for promised, content in zip(widget.files.values(), contents, strict=True):
        assert (promised["bytes"], promised["crc32"]) == (len(content), zlib.crc32(content))
    assert sum(map(len, contents)) < 1_300_000
    assert len(json.dumps(widget.get_state(), default=str)) < 75_000  # no weights in a notebook


def test_the_site_gets_the_files_that_the_widget_promises(tmp_path):
    app = SimpleNamespace(builder=SimpleNamespace(name="html"), outdir=tmp_path)
    copy_models(app, None)
    found = {path.name: path.read_bytes() for path in tmp_path.glob(f"{TARGET}/parser/*")}
    assert {name: (len(content), zlib.crc32(content)) for name, content in found.items()} == {
        one["name"]: (one["bytes"], one["crc32"]) for one in Parser().files.values()
    }


@pytest.mark.parametrize(
    ("trait", "value", "message"),
    [
        ("beam", 3, "expected any of .1, 2, 4., not the int 3"),
        ("limit", 0, "should not be less than 1"),
        ("limit", 101, "should not be greater than 100"),
    ],
)
def test_a_value_that_does_not_fit_is_refused(trait, value, message):
    with pytest.raises(traitlets.TraitError, match=message):
        Parser(**{trait: value})
