"""Translator: its examples are the package's, and its engine translates token for token alike."""

import json
import os
import random
import subprocess
import sys
import zlib
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
import traitlets
import translator_page
from carried_model import TARGET, copy_model
from not_run import NEEDS_CHROMIUM, NEEDS_NODE
from torch.testing import assert_close

from transformer_course import data
from transformer_course.carried import FOLDER, translator
from transformer_course.data import EOS_ID, make_batch, pad
from transformer_course.decoding import beam_search, encode_sources, evaluating, greedy, translate
from transformer_course.decoding.translation import attention_map
from transformer_course.model import record_attention
from transformer_course.widgets import Translator
from transformer_course.widgets.translator import FILES, SENTENCES, WEIGHTS, numbers

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "translator_page.py"
SCRIPT = Path(__file__).parents[1] / "js" / "translate.js"
OURS = (  # within what the model knows, at its edge, and beyond
    *SENTENCES,
    "A man.",
    "Dog",
    "two young women in red coats are waiting for a bus in the rain",
    "A child is eating an ice cream cone while sitting on its father's shoulders.",
    "Several cyclists, all wearing helmets, race past a crowd of cheering people.",
    "An old lady feeds the pigeons; a boy watches her.",
    "The goalkeeper jumps to the left to catch the ball.",
    "A chef in a white hat is cutting vegetables in a large kitchen.",
    "Is the girl with the blue hat happy?",
    "He is tired, because he did not sleep.",
    "The bank was closed, so she sat down by the river.",
    "Four score and seven years ago our fathers brought forth a new nation.",
    "The gradient of the loss vanishes.",
    "a a a a a a a a",
    "buffalo buffalo Buffalo buffalo buffalo",
    "...!?!,,;:",
    '<b onclick="alert(1)">bold</b> & <script>',
    "猫 дом 🎉 ß é e\u0301",
    "A\u00a0man\u2003with\ta tab\nand a line",
    "supercalifragilisticexpialidocious " * 3,
    "A man and a woman and a dog and a cat and a bird and a horse and a cow and a child " * 2,
)
STRANGE = [
    "▁",
    " ",
    "\u00a0",
    "\u3000",
    "\t",
    "\n",
    "é",
    "e\u0301",
    "ﬁ",
    "日本",
    "🎉",
    "👩‍👩‍👧",
    "\u200b",
]
STRANGE += [
    "</s>",
    "<unk>",
    "<pad>",
    "don't",
    "–",
    "“",
    "…",
    "¿",
    "$",
    "~",
    "©",
    "İ",
    "ẞ",
    "\ufeff",
]
STRANGE += ["A", "dog", "ing", "the", "Straße", "x", "\x85", "\x00", "Å", "\u212b", "한글", "١٢"]


def in_node(sentences, beam, inside=False):
    """What the page's engine makes of sentences."""
    task = {"folder": str(FOLDER), "sentences": sentences, "beam": beam, "inside": inside}
    run = subprocess.run(
        ["node", SCRIPT], input=json.dumps(task), capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def in_torch(sentences, beam):
    """What the package makes of them: ids of sources and outputs, in batches of like lengths."""
    model, tokenizer = translator()
    sources = encode_sources(sentences, tokenizer, model.config.max_len)
    order = sorted(range(len(sources)), key=lambda place: len(sources[place]))
    outputs = [[] for _ in sources]
    for start in range(0, len(order), 40):
        places = order[start : start + 40]
        src = pad([sources[place] for place in places])
        found = greedy(model, src) if beam == 1 else beam_search(model, src, beam=beam)
        for place, ids in zip(places, found, strict=True):
            outputs[place] = ids
    return sources, outputs


def assert_token_for_token(sentences, beam):
    sources, outputs = in_torch(sentences, beam)
    found = in_node(sentences, beam)["found"]
    assert [one["src"] for one in found] == sources
    assert [one["ids"] for one in found] == outputs
    assert [one["text"] for one in found] == [translator()[1].decode(ids) for ids in outputs]


@NEEDS_NODE
@pytest.mark.parametrize("beam", [1, pytest.param(4, marks=pytest.mark.slow)])
def test_the_engine_equals_pytorch_token_for_token(beam):
    assert_token_for_token(OURS, beam)


@NEEDS_NODE
@pytest.mark.slow
@pytest.mark.skipif("TRANSFORMER_COURSE_DATA" not in os.environ, reason="Multi30k is not here")
@pytest.mark.parametrize(("beam", "number"), [(1, 200), (4, 60)])
def test_on_unseen_sentences_of_multi30k_too(beam, number):
    pairs = data.load_pairs("multi30k:en-de", "test_2016_flickr")[:number]
    assert_token_for_token([source for source, _ in pairs], beam)


@NEEDS_NODE
def test_any_text_has_the_same_pieces():
    shuffle = random.Random(2017)
    texts = ["".join(shuffle.choices(STRANGE, k=shuffle.randint(1, 9))) for _ in range(400)]
    pieces = [[*translator()[1].encode(text), EOS_ID] for text in texts]
    assert [one["src"] for one in in_node(texts, beam=0)["found"]] == pieces


@NEEDS_NODE
def test_the_engine_looked_where_pytorch_looked():
    model, tokenizer = translator()
    [found] = in_node([SENTENCES[0]], 4, inside=True)["traces"]
    src = tokenizer.encode(SENTENCES[0])
    tgt = tokenizer.encode(translate(model, tokenizer, [SENTENCES[0]])[0])
    batch = make_batch([(src, tgt)])
    with evaluating(model), record_attention(model) as recorded:
        logits = model(batch.src, batch.tgt_in)[0]
        logits[:, :2] = float("-inf")
    for look, name in WEIGHTS.items():
        stack = "encoder" if look == "encoder" else "decoder"
        for layer, heads in enumerate(found["weights"][look]):
            exact = recorded[f"{stack}_layers.{layer}.{name}"][0]
            assert_close(torch.tensor(heads).view_as(exact), exact, rtol=0, atol=2e-5)
    shares = torch.tensor([[share for _, share in row] for row in found["candidates"]])
    assert_close(shares, logits.softmax(-1).topk(3).values, rtol=0, atol=2e-5)
    ours = Translator().examples[0]
    for kind in ("alike", "turned"):
        for side, layers in ours[kind].items():
            carried_along = torch.tensor([numbers(layer).tolist() for layer in layers])
            assert_close(carried_along, torch.tensor(found[kind][side]), rtol=0, atol=0.00501)


def test_an_example_is_what_the_package_translates_and_records():
    model, tokenizer = translator()
    for example in Translator().examples:
        assert [example["translation"]] == translate(model, tokenizer, [example["text"]])
        known = attention_map(model, tokenizer, example["text"], example["translation"])
        assert [example[side] for side in ("source", "output")] == [
            known["source"],
            known["output"],
        ]
        for layer in range(4):
            exact = torch.tensor(known["weights"][f"decoder_layers.{layer}.cross_attn"])
            heads = [numbers(head).tolist() for head in example["weights"]["cross"][layer]]
            assert_close(torch.tensor(heads).view_as(exact), exact, rtol=0, atol=0.00506)


def test_the_static_twin_holds_each_example_with_the_chosen_head():
    translator = Translator(layer=3, head=2)
    tables = translator.tables()
    assert [table.title for table in tables] == [
        f"{one['text']} → {one['translation']} (cross-attention, layer 3, head 2)"
        for one in translator.examples
    ]
    for table, example in zip(tables, translator.examples, strict=True):
        chosen = numbers(example["weights"]["cross"][2][1])
        assert table.cells.ravel().tolist() == chosen.tolist()
        assert table.rows[-1] == table.columns[-1] == "</s>"


def test_the_files_are_promised_to_the_byte_and_handed_over_by_python():
    translator = Translator()
    names, contents = translator.read(None, [])
    assert names == list(FILES) == list(translator.files)
    for promised, content in zip(translator.files.values(), contents, strict=True):
        assert (promised["bytes"], promised["crc32"]) == (len(content), zlib.crc32(content))
    kept = json.dumps(translator.get_state(), default=str)
    assert len(kept) < 150_000  # no weights stand in a notebook


@pytest.mark.parametrize(
    ("builder", "exception", "copied"),
    [("html", None, True), ("html", OSError("full"), False), ("latex", None, False)],
)
def test_the_site_gets_the_files_that_the_widget_promises(tmp_path, builder, exception, copied):
    app = SimpleNamespace(builder=SimpleNamespace(name=builder), outdir=tmp_path)
    copy_model(app, exception)
    found = {path.name: path.read_bytes() for path in tmp_path.glob(f"{TARGET}/*")}
    promised = Translator().files.values() if copied else []
    assert {name: (len(content), zlib.crc32(content)) for name, content in found.items()} == {
        one["name"]: (one["bytes"], one["crc32"]) for one in promised
    }


@pytest.mark.parametrize(
    ("trait", "value", "message"),
    [
        (
            "look",
            "sideways",
            "expected any of .'cross', 'encoder', 'decoder', 'source', 'output'., not the str 's",
        ),
        ("layer", 5, "should not be greater than 4"),
        ("head", 0, "should not be less than 1"),
        ("beam", 0, "expected any of .1, 4., not the int 0"),
        ("token", -1, "should not be less than 0"),
        ("limit", "many", "expected an int"),
    ],
)
def test_a_value_that_does_not_fit_is_refused(trait, value, message):
    with pytest.raises(traitlets.TraitError, match=message):
        Translator(**{trait: value})


@pytest.mark.slow
@pytest.mark.skipif("TRANSFORMER_COURSE_DATA" not in os.environ, reason="Multi30k is not here")
@NEEDS_CHROMIUM
def test_the_benchmark_finds_the_same_translations_in_the_page_and_in_pytorch(tmp_path):
    out = tmp_path / "page.json"
    arguments = ["--sentences", "2", "--rounds", "1", "--out", str(out)]
    command = [sys.executable, BENCHMARK, *arguments]  # a second browser needs its own process
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    result = json.loads(out.read_text())
    assert {"commit", "hardware", "commands", "chromium"} <= set(result)
    assert result["bytes"] == sum(one["bytes"] for one in Translator().files.values())
    assert [(row["search"], row["same_outputs"]) for row in result["searches"]] == [
        ("greedy", 2),
        ("beam of 4", 2),
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--sentences", "0"], "expected a whole number from 1 up, got '0'"),
        (["--out", "nowhere/at/all.json"], "there is no folder nowhere/at"),
    ],
)
def test_a_wrong_argument_of_the_benchmark_gets_one_line(capsys, arguments, message):
    with pytest.raises(SystemExit) as stopped:
        translator_page.main(arguments)
    assert stopped.value.code == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
