"""ThenAndNow: what it says of each model follows from the model that the course builds."""

import pytest
import torch
import traitlets

from transformer_course.model import DecoderLayer, EncoderLayer, EncoderOnly
from transformer_course.widgets import ThenAndNow
from transformer_course.widgets.then_and_now import MODELS, PARTS, STATES, choices, compared, layers

EVERY_MODEL = pytest.mark.parametrize("name", MODELS)


@EVERY_MODEL
def test_the_parameters_of_the_parts_are_those_of_a_whole_layer(name):
    kind, config, _ = MODELS[name]
    then, now = layers(name)
    with torch.device("meta"):
        model = kind(config)
        paper = EncoderLayer if kind is EncoderOnly else DecoderLayer
        paper = paper(config.d_model, config.num_heads, 4 * config.d_model)
    whole = [*model.children()]
    layer = next(part for part in whole if isinstance(part, torch.nn.ModuleList))[0]
    assert sum(now) == sum(p.numel() for p in layer.parameters())
    assert sum(then) == sum(p.numel() for p in paper.parameters())


@EVERY_MODEL
def test_every_choice_of_a_model_is_told_of(name):
    _, config, mask = MODELS[name]
    for part, choice in zip(PARTS, choices(config, mask), strict=True):
        told = part["now"][choice]
        assert told["state"] in STATES
        assert all(told[field] for field in ("label", "formula", "code", "who", "why"))


def test_no_text_is_there_for_nothing():
    used = [set() for _ in PARTS]
    for _, config, mask in MODELS.values():
        for seen, choice in zip(used, choices(config, mask), strict=True):
            seen.add(choice)
    assert [set(part["now"]) for part in PARTS] == used


def states(name):
    return {
        part["part"]: row["state"] for part, row in zip(PARTS, compared(name)["rows"], strict=True)
    }


@EVERY_MODEL
def test_the_formula_stayed_and_cross_attention_went_where_there_was_one(name):
    kept, gone = states(name)["attention"], states(name)["cross-attention"]
    assert [kept, gone] == ["kept", "neither" if name.startswith("BERT") else "gone"]


@EVERY_MODEL
def test_the_sum_was_kept_by_all_and_only_the_norm_after_it_went(name):
    became = states(name)
    assert became["sum"] == "kept"
    moved = became["norm before"] == "new"
    assert became["norm after"] == ("gone" if moved else "kept")


def test_bert_is_the_papers_encoder_layer_with_other_positions_and_another_bend():
    became = states("BERT base, 2018")
    changed = [part for part, state in became.items() if state not in ("kept", "neither")]
    assert changed == ["positions", "feed-forward"]


@EVERY_MODEL
def test_what_neither_side_has_weighs_nothing_and_is_told_in_the_same_words(name):
    told = compared(name)
    for before, row in zip(told["then"], told["rows"], strict=True):
        if row["state"] == "neither":
            assert row["weights"] == [0, 0]
            assert [before["label"], before["formula"]] == [row["label"], row["formula"]]


@EVERY_MODEL
def test_what_is_drawn_is_what_the_model_has(name):
    _, config, mask = MODELS[name]
    assert [row["kind"] for row in compared(name)["rows"]] == choices(config, mask)


def test_learned_positions_are_counted_and_rotations_have_none():
    tables = [compared(name)["rows"][0]["once"] for name in MODELS]
    assert tables == [512 * 768, 1024 * 768, 0, 0]


def test_llamas_gate_has_two_thirds_of_the_width_and_mistrals_is_wider():
    told = {name: compared(name)["rows"][-1] for name in MODELS}
    for name, factor, words in (
        ("LLaMA 7B, 2023", 1, "Two thirds"),
        ("Mistral 7B, 2023", 1.31, "3.5 d"),
    ):
        then, now = told[name]["weights"]
        assert now / then == pytest.approx(factor, abs=0.01)
        assert words in told[name]["why"]
    assert MODELS["Mistral 7B, 2023"][1].d_ff == 3.5 * 4096


def test_mistral_shares_keys_and_llama_does_not():
    _, _, llama, mistral = (layers(name) for name in MODELS)
    place = [part["part"] for part in PARTS].index("projections")
    assert llama[1][place] == llama[0][place]
    assert mistral[1][place] < 0.7 * mistral[0][place]


def test_another_model_than_there_is_is_refused():
    with pytest.raises(traitlets.TraitError):
        ThenAndNow(chosen=len(MODELS))
