"""What a step of decoding is made of: kinds of operations, and the profile on file."""

import json

import pytest
import step_profile
import torch
from decode_engines import ours, tireless
from decode_speed import SMOKE, sources

from transformer_course.commands.record import RESULTS
from transformer_course.model import Transformer


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        ("aten::addmm", "products with weights"),
        ("quantized::linear_with_input_q_dq_qweight_dq_output_fp32", "products with weights"),
        ("aten::baddbmm", "products in attention"),
        ("aten::_softmax", "softmax and norms"),
        ("aten::addcmul", "units and biases of int8"),
        ("aten::copy_", "copies"),
        ("aten::relu", "other operations"),
    ],
)
def test_an_operation_has_its_kind(operation, expected):
    assert step_profile.kind(operation) == expected


def test_the_shares_of_a_step_are_all_of_it():
    torch.manual_seed(0)
    model, src = tireless(Transformer(SMOKE)), sources(SMOKE, 2, 7)
    shares, operations = step_profile.one_round(lambda: ours(model)(src, 1, 7), 7)
    assert sum(shares.values()) == pytest.approx(1, abs=0.02)
    assert shares["products with weights"] > 0
    assert shares["units and biases of int8"] < 0.1
    assert operations > 20


@pytest.mark.parametrize("capability", ["avx512", "avx2"])
def test_the_profile_on_file_has_every_engine_in_each_setting(capability):
    result = json.loads((RESULTS / f"step-profile-{capability}.json").read_text())
    found = [(each["sentences"], each["beam"]) for each in result["settings"]]
    assert found == list(step_profile.SETTINGS)
    for each in result["settings"]:
        assert [row["name"] for row in each["rows"]] == list(step_profile.ENGINES)
        for row in each["rows"]:
            assert sum(row["shares"].values()) == pytest.approx(1, abs=0.05)
