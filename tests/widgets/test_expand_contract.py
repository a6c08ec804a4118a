"""ExpandContract: its numbers are the carried model's own, and what it says of units is counted."""

import numpy as np
import pytest
import torch
import traitlets

from transformer_course import decoding
from transformer_course.carried import load
from transformer_course.data import BOS_ID, EOS_ID, grammar
from transformer_course.widgets import ExpandContract
from transformer_course.widgets.expand_contract import ENGLISH, MEANS, STRONGEST


@pytest.fixture(scope="module")
def widget():
    return ExpandContract()


def next_words(model, tokenizer):
    src = torch.tensor([[*tokenizer.encode(ENGLISH), EOS_ID]])
    german = decoding.translate(model, tokenizer, [ENGLISH])[0]
    tgt = torch.tensor([[BOS_ID, *tokenizer.encode(german)]])
    with torch.no_grad():
        found = model(src, tgt)[0].argmax(dim=-1).tolist()
    return [tokenizer.id_to_piece(n).strip("▁").replace("</s>", "(end)") for n in found]


def test_its_sentence_is_new_to_the_model_and_rightly_translated(widget):
    tests = grammar.generate("test", 3000, seed=3, kind="sense")
    right = {each.english: each.german for each in tests}[ENGLISH]
    words = [place["word"] for place in widget.places[1:]]
    assert " ".join(words).replace(" ,", ",").replace(" .", ".") == right
    assert [place["next"] for place in widget.places] == [*words, "(end)"]


def test_each_place_goes_through_the_network_alone(widget):
    network = load("grammar")[0].decoder_layers[-1].feed_forward
    for place in widget.places:
        with torch.no_grad():
            x = torch.tensor(place["x"])
            z = network.expand(x)
            np.testing.assert_allclose(place["z"], z.numpy(), atol=0.05)
            np.testing.assert_allclose(place["y"], network(x).numpy(), atol=0.1)
            np.testing.assert_allclose(place["straight"], network.contract(z).numpy(), atol=0.2)


@pytest.mark.parametrize(("name", "relu"), [("without", False), ("linear", True)])
def test_the_next_words_without_it_are_those_of_a_model_without_it(widget, name, relu):
    model, tokenizer = load("grammar")
    network = model.decoder_layers[-1].feed_forward
    whole = next_words(model, tokenizer)
    german = [place["word"] for place in widget.places]
    if relu:
        network.forward = lambda x: network.contract(network.expand(x))
    else:
        network.forward = torch.zeros_like
    src = torch.tensor([[*tokenizer.encode(ENGLISH), EOS_ID]])
    ids = [BOS_ID, *(tokenizer.vocab.get("▁" + w, tokenizer.vocab.get(w)) for w in german[1:])]
    with torch.no_grad():
        found = model(src, torch.tensor([ids]))[0].argmax(dim=-1).tolist()
    said = [tokenizer.id_to_piece(n).strip("▁").replace("</s>", "(end)") for n in found]
    assert [place[name] for place in widget.places] == said
    assert said != whole


def test_most_places_need_the_relu_and_few_the_network(widget):
    def changed(name):
        return sum(place[name] != place["next"] for place in widget.places)

    assert changed("without") <= 3
    assert changed("linear") >= 8


def test_units_that_end_a_sentence_stand_before_its_end_and_favor_it(widget):
    assert widget.places[-1]["word"] == "."
    strongest = np.argsort(widget.places[-1]["z"])[-2:]
    for unit in strongest:
        about = widget.units[str(unit)]
        assert (about["before"], about["says"][0]) == ("(end)", "(end)")
        assert about["share"] > 95


def test_it_opens_where_the_strongest_units_favor_the_next_word(widget):
    place = widget.places[widget.at]
    for unit in np.argsort(place["z"])[-3:]:
        assert widget.units[str(unit)]["says"][0] == place["next"]
    assert place["linear"] != place["next"]


def test_every_german_word_that_it_shows_has_its_english(widget):
    shown = {place[name] for place in widget.places for name in ("word", "next", "without")}
    shown |= {word for unit in widget.units.values() for word in (unit["before"], *unit["says"])}
    shown |= {place["linear"] for place in widget.places}
    assert {word for word in shown if word.isalpha()} <= set(MEANS)


def test_every_unit_in_the_list_is_known(widget):
    for place in widget.places:
        z = np.array(place["z"])
        for unit in np.argsort(-z)[:STRONGEST]:
            assert z[unit] <= 0 or str(unit) in widget.units


def test_a_place_beyond_the_sentence_is_refused():
    with pytest.raises(traitlets.TraitError, match="a place from 0 to 13"):
        ExpandContract(at=14)


def test_the_network_makes_the_model_surer_of_the_word_that_comes(widget):
    sure = [place["sure"] for place in widget.places]
    assert min(each["next"] for each in sure) >= 60
    assert sum(each["without"] < 50 for each in sure) == len(sure)


def test_a_switched_off_unit_is_missing_from_the_whole_model_too(widget):
    model, tokenizer = load("grammar")
    network = model.decoder_layers[-1].feed_forward
    src = torch.tensor([[*tokenizer.encode(ENGLISH), EOS_ID]])
    german = decoding.translate(model, tokenizer, [ENGLISH])[0]
    tgt = torch.tensor([[BOS_ID, *tokenizer.encode(german)]])
    for at, off in ((9, 0b00111), (9, 0b10001), (13, 0b00011), (0, 0)):
        place = widget.places[at]
        strong = np.argsort(-np.array(place["z"]), kind="stable")[:STRONGEST]
        gone = [int(unit) for n, unit in enumerate(strong) if off >> n & 1]

        def without(_, hidden, gone=gone):
            return hidden.index_fill(-1, torch.tensor(gone, dtype=torch.long), -1)

        hook = network.expand.register_forward_hook(lambda m, _, y, f=without: f(m, y))
        with torch.no_grad():
            chances = model(src, tgt)[0, at].softmax(dim=-1)
        hook.remove()
        token = next(
            n
            for n in chances.argsort(descending=True).tolist()
            if said(tokenizer, n) == place["next"]
        )
        assert place["left"][off] == pytest.approx(100 * float(chances[token]), abs=1)


def said(tokenizer, token):
    return tokenizer.id_to_piece(token).strip("▁").replace("</s>", "(end)")


def test_three_units_carry_the_word_at_which_it_opens_and_either_of_two_ends_the_sentence(widget):
    opening, end = widget.places[widget.at]["left"], widget.places[-1]["left"]
    assert opening[0] > 85
    assert min(opening[1], opening[2], opening[4]) > 75
    assert opening[7] < 20
    assert min(end[0], end[1], end[2]) > 75
    assert end[3] < 10
