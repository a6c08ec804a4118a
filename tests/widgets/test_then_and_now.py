"""ThenAndNow: what it says of each model follows from the model that the course builds."""

import pytest
import torch
import traitlets

from transformer_course.model import DecoderLayer
from transformer_course.widgets import ThenAndNow
from transformer_course.widgets.then_and_now import MODELS, PARTS, STATES, choices, compared, layers

EVERY_MODEL = pytest.mark.parametrize("name", MODELS)


@EVERY_MODEL
def test_the_parameters_of_the_parts_are_those_of_a_whole_layer(name):
    kind, config, _ = MODELS[name]
    then, now = layers(name)
    with torch.device("meta"):
        model = kind(config)
        paper = DecoderLayer(config.d_model, config.num_heads, 4 * config.d_model)
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


def test_the_formula_stayed_and_cross_attention_went_in_all_of_them():
    for name in MODELS:
        became = {
            part["part"]: row["state"]
            for part, row in zip(PARTS, compared(name)["rows"], strict=True)
        }
        assert became["attention"] == "kept"
        assert became["cross-attention"] == "gone"


def test_mistral_shares_keys_and_llama_does_not():
    _, _, llama, mistral = (layers(name) for name in MODELS)
    place = [part["part"] for part in PARTS].index("projections")
    assert llama[1][place] == llama[0][place]
    assert mistral[1][place] < 0.7 * mistral[0][place]


def test_another_model_than_there_is_is_refused():
    with pytest.raises(traitlets.TraitError):
        ThenAndNow(chosen=len(MODELS))
