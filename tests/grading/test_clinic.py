"""The patients of the exercise "find the bug": each has its own symptoms, and no other's."""

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from transformer_course.grading.exercises.clinic import ILLNESSES, SOUND, Patient, patient

SRC = torch.tensor([[5, 6, 7, 8, 9, 10], [11, 12, 5, 14, 15, 16]])
TGT = torch.tensor([[1, 17, 18, 19, 20], [1, 21, 22, 23, 24]])
LATER = torch.cat([TGT[:, :3], TGT[:, 3:] + 4], dim=1)
PADDED = torch.cat([SRC, torch.zeros(2, 3, dtype=torch.long)], dim=1)
HEADLESS = {"softmax over queries", "mask after softmax"}  # whose weights are wrong in any case
LEAKS = {"no causal mask", "mask one too wide", "norm over tokens", *HEADLESS}


def differs(one: Tensor, other: Tensor) -> bool:
    gap = (one - other).abs().max().item()
    assert gap < 1e-5 or gap > 1e-3, "a difference that a probe could take for rounding"
    return gap > 1e-3


@pytest.fixture(params=[(name, seed) for name in (SOUND, *ILLNESSES) for seed in (0, 4)])
def case(request) -> tuple[str, Patient]:
    name, seed = request.param
    return name, Patient(name, seed).eval()


def test_only_those_with_a_leak_show_the_future(case):
    name, ill = case
    if name != "dropout never off":
        assert differs(ill(SRC, TGT)[:, :3], ill(SRC, LATER)[:, :3]) == (name in LEAKS)


def test_padding_is_seen_by_those_who_do_not_hide_it(case):
    name, ill = case
    if name != "dropout never off":
        seen = {"padding is read", "norm over tokens", *HEADLESS}
        assert differs(ill(SRC, TGT), ill(PADDED, TGT)) == (name in seen)


def test_order_matters_but_without_positions_or_source(case):
    name, ill = case
    if name != "dropout never off":
        blind = name in ("no positions", "source ignored")
        assert differs(ill(SRC, TGT), ill(SRC.flip(1), TGT)) == (not blind)


def test_only_one_is_loud_in_evaluation(case):
    name, ill = case
    assert differs(ill(SRC, TGT), ill(SRC, TGT)) == (name == "dropout never off")
    assert differs(ill.train()(SRC, TGT), ill(SRC, TGT))


def test_rows_of_attention_sum_to_one_but_for_two(case):
    name, ill = case
    sums = [weights.sum(-1) for weights in ill.attention(SRC, TGT).values()]
    assert all(not differs(s, torch.ones_like(s)) for s in sums) == (name not in HEADLESS)


def test_the_deaf_parts_are_those_of_the_encoder(case):
    name, ill = case
    sizes = {k: v for k, v in ill.gradients(SRC, TGT).items() if "key_proj.bias" not in k}
    part = {"memory of layer 0": "encoder_layers.1.", "source ignored": "encoder_layers."}
    expected = {key for key in sizes if key.startswith(part.get(name, "nothing"))}
    assert {key for key, size in sizes.items() if size == 0} == expected


def test_a_question_over_a_line_gets_the_same_answer():
    ill = Patient("no positions")
    assert_close(ill.answer("logits", "eval", SRC, TGT), ill.eval()(SRC, TGT))
    assert ill.answer("gradients", "eval", SRC, TGT).keys() == ill.gradients(SRC, TGT).keys()
    assert ill.answer("attention", "eval", SRC, TGT)["decoder_layers.1.cross_attn"].shape == (
        2,
        2,
        5,
        6,
    )


def test_the_ward_holds_each_illness_once():
    names = {patient(letter)._model.illness for letter in "ABCDEFGHIJ"}
    assert names == set(ILLNESSES)


@pytest.mark.parametrize(
    ("src", "message"),
    [
        (torch.zeros(2, 2000, dtype=torch.long), "src: expected a tensor .* at most 1000 whole"),
        (torch.zeros(2, 3), "src: expected a tensor .* whole numbers"),
        (torch.full((2, 3), 29), "src: expected ids from 0 .padding. to 28"),
        (torch.ones(1, 3, dtype=torch.long), "src has 1 rows and tgt 2: one target for each"),
    ],
)
def test_a_question_that_is_no_batch_of_ids_is_refused(src, message):
    with pytest.raises(ValueError, match=message):
        Patient(SOUND)(src, TGT)


def test_unknown_illnesses_and_letters_are_refused():
    with pytest.raises(ValueError, match="'flu': expected sound or one of no causal mask"):
        Patient("flu")
    with pytest.raises(ValueError, match="'K': the patients are the letters from A to J"):
        patient("K")


def test_a_patient_that_is_asked_for_what_it_lacks_says_what_it_has():
    with pytest.raises(AttributeError, match=r"has no `encode`. It can be called, as in `model"):
        patient("A").encode(SRC)
