"""EncoderTrip: a layer whose every number is the package's, and the script that trains it."""

import json

import encoder_trip as script
import numpy as np
import pytest
import torch
import traitlets
from torch.testing import assert_close

from transformer_course.model import EncoderLayer
from transformer_course.widgets import EncoderTrip
from transformer_course.widgets.encoder_trip import SLOTS, TRAINED, read_out, trip

OTHER = ["a", "child", "hears", "the", "man"]


def layer() -> EncoderLayer:
    """The package's layer, with the weights of the widget."""
    made = EncoderLayer(8, 2, 16, dropout=0.0).double()
    weights = {
        name.removeprefix("layer."): torch.tensor(x, dtype=torch.float64)
        for name, x in TRAINED["weights"].items()
        if name.startswith("layer.")
    }
    made.load_state_dict(weights)
    return made


@pytest.mark.parametrize("sentence", [EncoderTrip().sentence, OTHER], ids=" ".join)
def test_the_trip_ends_where_the_packages_layer_ends(sentence):
    run = {name: torch.from_numpy(rows) for name, rows in trip(sentence).items()}
    made, x = layer(), run["x"][None]
    assert_close(run["norm2"], made(x)[0].detach(), rtol=0, atol=1e-12)
    weights = torch.stack([run["weights1"], run["weights2"]])
    assert_close(weights, made.self_attn.weights(x, x, x)[0].detach(), rtol=0, atol=1e-12)
    assert_close(run["attended"], made.self_attn(x, x, x)[0].detach(), rtol=0, atol=1e-12)


def test_every_sentence_is_translated_rightly_though_a_fifth_were_never_seen():
    wrong = [
        words for words in script.SENTENCES if read_out(list(words)) != script.translate(words)
    ]
    assert wrong == []
    assert len(script.SENTENCES) == 2 * 5 * 3 * 2 * 5


@pytest.mark.parametrize(
    ("english", "german"),
    [
        ("the dog sees a man", "der Hund sieht einen Mann"),
        ("a cat loves the dog", "eine Katze liebt den Hund"),
        ("the child hears the woman", "das Kind hört die Frau"),
    ],
)
def test_german_wants_gender_and_case(english, german):
    assert " ".join(script.translate(tuple(english.split()))) == german


def test_an_article_without_its_noun_cannot_be_right():
    """The trained weights look at the noun: other values there give another article."""
    said = {noun: read_out(["the", noun, "sees", "a", "dog"])[0] for noun in SLOTS[1]}
    assert said == {"dog": "der", "man": "der", "cat": "die", "woman": "die", "child": "das"}


def test_the_script_writes_what_the_widget_reads(tmp_path, capsys):
    out = tmp_path / "small.json"
    script.main([str(out), "--steps", "5"])
    written = json.loads(out.read_text(encoding="utf-8"))
    assert {name: np.shape(x) for name, x in written["weights"].items()} == {
        name: np.shape(x) for name, x in TRAINED["weights"].items()
    }
    assert {name: written[name] for name in ("slots", "english", "german")} == {
        name: TRAINED[name] for name in ("slots", "english", "german")
    }
    assert 0 < written["right"]["unseen"] < 1
    assert f"{written['right']['unseen']:.1%} of the words" in capsys.readouterr().out
    assert TRAINED["right"] == {"seen": 1, "unseen": 1}


def test_the_static_twin_holds_every_matrix_with_its_shape():
    tables = EncoderTrip(sentence=OTHER).tables()
    run = trip(OTHER)
    assert [table.title for table in tables] == [f"{n} {rows.shape}" for n, rows in run.items()]
    for table, rows in zip(tables, run.values(), strict=True):
        np.testing.assert_array_equal(table.cells, rows)
    assert len(tables) == 2 + 2 * 6 + 8
    assert "weights1 (5, 5)" in EncoderTrip().as_text()


@pytest.mark.parametrize(
    "bad", [["the", "cat", "sees"], ["cat", "the", "sees", "a", "dog"]], ids=" ".join
)
def test_other_sentences_are_refused_with_what_was_expected(bad):
    with pytest.raises(
        traitlets.TraitError, match="^sentence: expected article, noun, verb, article"
    ):
        EncoderTrip(sentence=bad)


@pytest.mark.parametrize(("name", "bad"), [("step", 16), ("head", 0)])
def test_there_are_sixteen_steps_and_two_heads(name, bad):
    with pytest.raises(traitlets.TraitError, match="should not be (less|greater) than"):
        EncoderTrip(**{name: bad})
