"""KVCache: its bytes and multiply-adds are those of the package's own cache, counted."""

import math

import pytest
import torch
import traitlets
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.testing import assert_close
from torch.utils.flop_counter import FlopCounterMode

from transformer_course import carried
from transformer_course.decoding import evaluating
from transformer_course.decoding.cache import CachedDecoderOnly, CachedSelfAttention
from transformer_course.errors import DataError
from transformer_course.model import DecoderOnly, MultiHeadAttention, TransformerConfig, causal_mask
from transformer_course.training import Run
from transformer_course.widgets import KVCache
from transformer_course.widgets.kv_cache import multiply_adds


@pytest.mark.parametrize("kv_heads", [1, 2, 6])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_the_bytes_are_those_of_the_packages_cache(kv_heads, dtype):
    layers, heads, head_dim, batch, tokens = 3, 6, 8, 5, 17
    config = TransformerConfig(
        vocab_size=11, d_model=48, num_heads=heads, num_kv_heads=kv_heads, d_ff=7, num_layers=layers
    )
    model = DecoderOnly(config).to(dtype)
    with evaluating(model):
        cache = CachedDecoderOnly(model)
        for _ in range(tokens):
            cache.step(torch.ones(batch, dtype=torch.long))
    kept = [each for attend in cache.self_attns for each in (attend.keys, attend.values)]
    counted = sum(each.numel() * each.element_size() for each in kept)
    widget = KVCache(
        **{"layers": layers, "heads": heads, "kv_heads": kv_heads, "head_dim": head_dim},
        **{"batch": batch, "context": tokens, "number_bytes": str(dtype.itemsize)},
    )
    assert widget.num_bytes(kv_heads, tokens) == counted
    per_token, whole = widget.tables()[0].cells[1]
    assert math.isclose(per_token * 2**10 * tokens, counted)
    assert math.isclose(whole * 2**20, counted)


@pytest.mark.parametrize("kv_heads", [1, 2, 6])
def test_the_multiply_adds_are_those_of_the_packages_attention(kv_heads):
    attend = MultiHeadAttention(48, 6, num_kv_heads=kv_heads)
    cached, counted = CachedSelfAttention(attend), []
    with evaluating(attend), sdpa_kernel(SDPBackend.MATH):
        for length in range(1, 6):
            x = torch.randn(1, length, 48)
            with FlopCounterMode(display=False) as one:
                cached(x[:, -1:], x[:, -1:], x[:, -1:], None)
            with FlopCounterMode(display=False) as all_of_them:
                attend(x, x, x, causal_mask(length))
            counted.append([one.get_total_flops() / 2, all_of_them.get_total_flops() / 2])
    expected = torch.from_numpy(multiply_adds(5, 6, kv_heads, 8)).T
    assert_close(torch.tensor(counted, dtype=torch.float64), expected)


def test_the_twin_tells_step_sum_and_whole_context():
    widget = KVCache(layers=2, heads=6, kv_heads=2, head_dim=8, context=16, batch=3, step=5)
    steps = torch.from_numpy(multiply_adds(16, 6, 2, 8)) * 2 * 3 / 1e9
    expected = torch.stack([steps[:, 4], steps[:, :5].sum(1), steps.sum(1)], dim=1)
    assert_close(torch.from_numpy(widget.tables()[1].cells), expected)
    assert widget.tables()[1].columns == ["step 5", "steps 1 to 5", "steps 1 to 16"]


def test_the_shapes_to_choose_from_are_those_of_the_models():
    presets = KVCache().presets
    assert presets["the paper's base model"] == [6, 8, 8, 64]
    assert presets["the paper's big model"] == [6, 16, 16, 64]
    model = Run.open(carried.FOLDER).config.model
    layers, heads, kv_heads, head_dim = presets["this course's translator"]
    assert (layers, heads, kv_heads) == (model.num_layers, model.num_heads, model.num_heads)
    assert heads * head_dim == model.d_model
    start = KVCache()
    shape = [start.layers, start.heads, start.kv_heads, start.head_dim]
    assert shape == presets["Llama 2 70B (Touvron et al. 2023)"] == [80, 64, 8, 128]
    assert start.num_bytes(8, 4096) == 1.25 * 2**30  # of float16


@pytest.mark.parametrize(
    ("traits", "error", "message"),
    [
        ({"heads": 8, "kv_heads": 3}, DataError, "num_heads=8 is not divisible by num_kv_heads=3"),
        ({"layers": 0}, traitlets.TraitError, "should not be less than 1"),
        ({"context": 200_000}, traitlets.TraitError, "should not be greater than 131072"),
        ({"number_bytes": "3"}, traitlets.TraitError, "expected any of"),
        ({"step": 17}, traitlets.TraitError, "should not be greater than 16"),
    ],
    ids=str,
)
def test_a_cache_that_cannot_be_is_refused(traits, error, message):
    with pytest.raises(error, match=message):
        KVCache(**traits)
