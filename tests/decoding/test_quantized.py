import os
import subprocess
import sys
from dataclasses import replace

import pytest
import torch
from torch.testing import assert_close

from transformer_course.decoding import beam_search, greedy, pack, packed, quantize, quantized
from transformer_course.decoding.packed import PackedLinear
from transformer_course.decoding.quantized import Int8Linear, to_int8
from transformer_course.model import Transformer, TransformerConfig, padding_mask

CONFIG = TransformerConfig(
    vocab_size=23, d_model=12, num_heads=3, d_ff=20, num_layers=2, dropout=0.2, max_len=67
)
SRC = torch.tensor([[4, 5, 6, 7, 8, 9, 2], [14, 15, 16, 2, 0, 0, 0], [17, 2, 0, 0, 0, 0, 0]])


def decisive(config: TransformerConfig = CONFIG) -> Transformer:
    """A model with sharp opinions, so that no two tokens tie."""
    torch.manual_seed(1)
    model = Transformer(config)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.4)
    return model.eval()


def test_rounding_to_int8_moves_a_number_by_half_a_unit_of_its_row_at_most():
    rows = torch.randn(7, 11) * torch.logspace(-3, 3, 7)[:, None]
    whole, scale = to_int8(rows)
    assert whole.dtype == torch.int8
    assert whole.abs().amax(-1).tolist() == [127] * 7
    assert ((whole * scale - rows).abs() <= scale / 2 * 1.001).all()


def test_a_row_of_zeros_stays_one():
    whole, scale = to_int8(torch.zeros(2, 3))
    assert_close(whole * scale, torch.zeros(2, 3), rtol=0, atol=0)


@pytest.mark.parametrize("largest", [127, 63, 0])
@pytest.mark.parametrize("rows", [1, 5])
@pytest.mark.parametrize("bias", [None, torch.randn(13)])
def test_an_int8_map_multiplies_the_rounded_numbers_exactly(rows, bias, largest, monkeypatch):
    """With inputs up to 127, up to 63, and by the product that torch has everywhere."""
    if largest > quantized.largest_input():
        pytest.skip("this processor cannot add up such large products")
    monkeypatch.setattr(quantized, "largest_input", lambda: largest)
    weight, x = torch.randn(13, 19), torch.randn(rows, 19)
    whole_weight, weight_scale = to_int8(weight)
    x_scale = x.abs().amax(-1, keepdim=True) / (largest or 127)
    product = (x / x_scale).round().double() @ whole_weight.double().T
    expected = product * x_scale.double() * weight_scale.flatten().double()
    expected = expected if bias is None else expected + bias
    assert_close(Int8Linear(weight, bias)(x), expected.float(), rtol=1e-6, atol=1e-6)


def test_the_largest_numbers_do_not_overflow():
    """Two products of them are more than 16 bits hold, where a processor adds up in these."""
    found = Int8Linear(torch.full((13, 64), 3.0), None)(torch.full((5, 64), 2.0))
    assert_close(found, torch.full((5, 13), 64 * 6.0), rtol=1e-6, atol=0)


@pytest.mark.skipif(quantized.largest_input() != 127, reason="no processor with sums in 32 bits")
def test_an_older_processor_gets_inputs_half_as_large_and_no_bfloat16():
    code = (
        "from transformer_course.decoding import packed, quantized\n"
        "print(quantized.largest_input(), packed.packs_bfloat16())"
    )
    limits = {"FBGEMM_ENABLE_INSTRUCTIONS": "AVX2", "ONEDNN_MAX_CPU_ISA": "AVX2"}
    older = {**os.environ, **limits}
    done = subprocess.run([sys.executable, "-c", code], env=older, capture_output=True, text=True)
    assert done.stdout.strip() == "63 False"


def test_an_engine_that_is_not_there_is_not_asked(monkeypatch):
    monkeypatch.setattr(quantized, "engines", lambda: ["qnnpack"])
    assert quantized.largest_input.__wrapped__() == 0


def test_what_cannot_be_read_in_bfloat16_is_packed_in_float32(monkeypatch):
    monkeypatch.setattr(packed, "packs_bfloat16", lambda: False)
    linear, x = torch.nn.Linear(19, 13), torch.randn(5, 19)
    with torch.inference_mode():
        assert_close(PackedLinear(linear.weight, linear.bias, torch.bfloat16)(x), linear(x))


def test_what_a_row_becomes_does_not_depend_on_its_neighbors():
    attend, x = Int8Linear(torch.randn(13, 19), torch.randn(13)), torch.randn(3, 19)
    louder = torch.cat([x[:1], 1000 * x[1:]])
    assert_close(attend(louder)[0], attend(x)[0], rtol=0, atol=0)


def test_a_packed_map_is_the_linear_map():
    linear, x = torch.nn.Linear(19, 13), torch.randn(2, 5, 19)
    with torch.inference_mode():
        assert_close(PackedLinear(linear.weight, linear.bias)(x), linear(x))
        assert_close(PackedLinear(linear.weight, None)(x[0]), linear(x[0]) - linear.bias)
        half = PackedLinear(linear.weight, linear.bias, torch.bfloat16)(x)
        assert_close(half, linear(x), rtol=0, atol=0.02)


def test_a_packed_model_translates_alike():
    model = decisive()
    assert beam_search(pack(model), SRC) == beam_search(model, SRC)
    assert greedy(pack(model), SRC) == greedy(model, SRC)


@pytest.mark.parametrize(
    "changed", [{"positions": "rotary"}, {"num_kv_heads": 1}, {"norm_placement": "pre"}]
)
def test_variants_are_packed_too(changed):
    model = decisive(replace(CONFIG, **changed))
    assert beam_search(pack(model), SRC) == beam_search(model, SRC)


def test_queries_keys_and_values_of_one_input_are_computed_at_once():
    attend, x = decisive().encoder_layers[0].self_attn, torch.randn(2, 5, 12)
    expected = [m(x) for m in (attend.query_proj, attend.key_proj, attend.value_proj)]
    other = torch.randn(2, 5, 12)
    of_other = attend.key_proj(other)
    calls = []

    def make(weight, bias):
        made = PackedLinear(weight, bias)
        made.register_forward_hook(lambda *_: calls.append(weight.shape))
        return made

    with torch.inference_mode():
        packed.join_projections(attend, make)
        assert_close(
            [m(x) for m in (attend.query_proj, attend.key_proj, attend.value_proj)], expected
        )
        assert calls == [(36, 12)]
        assert_close(attend.key_proj(other), of_other)
        assert_close(attend.query_proj(x), expected[0])


@pytest.mark.parametrize("make", [quantize, lambda model: pack(model, torch.bfloat16)])
def test_rounded_weights_score_nearly_alike(make):
    model, tgt = decisive(), torch.randint(3, 23, (3, 11))
    with torch.inference_mode():
        expected, got = (each(SRC, tgt).log_softmax(-1) for each in (model, make(model)))
    assert (got - expected).norm() / expected.norm() < 0.05
    with_less = make is quantize or packed.packs_bfloat16()
    assert ((got - expected).abs().max().item() > 1e-4) is with_less


def test_a_quantized_model_translates_a_sentence_alike_alone_and_in_a_batch():
    model = quantize(decisive())
    alone = [beam_search(model, row[row != 0][None])[0] for row in SRC]
    assert beam_search(model, SRC) == alone


def test_no_float_matrix_is_left_to_multiply():
    model = decisive()
    kinds = {type(module) for module in quantize(model).modules()}
    assert Int8Linear in kinds
    assert torch.nn.Linear not in kinds
    assert torch.nn.Linear in {type(module) for module in model.modules()}


def test_the_copies_share_what_they_do_not_change():
    model = decisive()
    for copied in (pack(model), quantize(model)):
        assert copied.embedding.weight is model.embedding.weight
        mask = padding_mask(SRC)
        assert copied.encode(SRC, mask).shape == model.encode(SRC, mask).shape


def test_what_cannot_be_packed_is_returned_as_it_is(monkeypatch):
    double = decisive().double()
    assert pack(double) is double
    model = decisive()
    monkeypatch.setattr(packed, "has_onednn", lambda: False)
    assert pack(model) is model


@pytest.mark.parametrize("other", [torch.float64, torch.bfloat16])
def test_quantizing_another_type_is_refused(other):
    model = decisive().to(other)
    with pytest.raises(
        ValueError, match=rf"int8 needs a model in float32 on a CPU, .* got {other}"
    ):
        quantize(model)


def test_quantizing_a_model_on_another_device_is_refused():
    model = decisive().to("meta")
    with pytest.raises(ValueError, match=r"int8 needs .* on a CPU, .* got torch.float32 on meta"):
        quantize(model)


@pytest.mark.parametrize("make", [pack, quantize])
def test_what_is_packed_stays_as_it_is_and_is_not_quantized_again(make):
    made = make(decisive())
    assert pack(made) is made
    with pytest.raises(ValueError, match="not packed or quantized yet"):
        quantize(made)
