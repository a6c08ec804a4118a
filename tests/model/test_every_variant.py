"""What must hold whatever a model is made of: each property, for each variant, in each family."""

from dataclasses import replace

import pytest
import torch
from model.test_layers import shake
from torch import nn
from torch.nn.functional import pad
from torch.testing import assert_close

from transformer_course.data import BOS_ID, EOS_ID, PAD_ID
from transformer_course.decoding import CachedDecoder, beam_search, greedy
from transformer_course.decoding.cache import CachedDecoderOnly
from transformer_course.model import (
    DecoderOnly,
    EncoderOnly,
    MultiHeadAttention,
    Transformer,
    TransformerConfig,
    causal_mask,
    padding_mask,
    parts,
    record_attention,
)

PAPER = TransformerConfig(
    vocab_size=23, d_model=24, num_heads=6, d_ff=20, num_layers=2, dropout=0.0, max_len=47
)
VARIANTS = {
    "paper": {},
    "narrow keys": {"head_dim": 2},
    "wide values": {"value_dim": 7},
    "one head": {"num_heads": 1},
    "grouped queries": {"num_kv_heads": 2},
    "multi-query": {"num_kv_heads": 1},
    "pre-norm": {"norm_placement": "pre"},
    "rms": {"norm": "rms"},
    "learned": {"positions": "learned"},
    "rotary": {"positions": "rotary"},
    "alibi": {"positions": "alibi"},
    "no positions": {"positions": "none"},
    "gelu": {"activation": "gelu"},
    "swiglu": {"activation": "swiglu"},
    "geglu": {"activation": "geglu"},
    "as llama": {
        "norm_placement": "pre",
        "norm": "rms",
        "positions": "rotary",
        "activation": "swiglu",
        "num_kv_heads": 2,
    },
    "all other ways": {
        "norm_placement": "pre",
        "positions": "alibi",
        "activation": "geglu",
        "num_kv_heads": 3,
        "head_dim": 5,
        "value_dim": 3,
    },
}
CONFIGS = [pytest.param(replace(PAPER, **options), id=name) for name, options in VARIANTS.items()]
every_variant = pytest.mark.parametrize("config", CONFIGS)
SRC = torch.tensor([[4, 5, 6, 7, 8, 9, 2], [14, 15, 16, 2, 0, 0, 0]])
TGT = torch.tensor([[1, 10, 11, 12, 13], [1, 17, 18, 0, 0]])


def sharp(kind: type[nn.Module], config: TransformerConfig) -> nn.Module:
    """Large random weights in double precision, so that nothing drowns in rounding."""
    return shake(kind(config)).eval()


@every_variant
@pytest.mark.parametrize("training", [False, True])
def test_no_logit_depends_on_a_later_token(config, training):
    config = replace(config, dropout=0.3)
    for model in (Transformer(config).train(training), DecoderOnly(config).train(training)):

        def run(tgt, model=model):
            torch.manual_seed(3)  # the same dropout both times
            return model(SRC, tgt) if isinstance(model, Transformer) else model(tgt)

        changed = TGT.clone()
        changed[0, 3:] = torch.tensor([20, 21])
        assert_close(run(TGT)[0, :3], run(changed)[0, :3])
        assert (run(TGT)[0, 3:] - run(changed)[0, 3:]).abs().max() > 1e-3


@every_variant
def test_the_past_and_in_an_encoder_the_future_do_matter(config):
    changed = TGT.clone()
    changed[0, 1] = 20
    decoder, encoder = sharp(DecoderOnly, config), sharp(EncoderOnly, config)
    assert ((decoder(TGT) - decoder(changed))[0, 1:].abs().amax(-1) > 1e-6).all()
    assert ((encoder(TGT) - encoder(changed))[0].abs().amax(-1) > 1e-6).all()


@every_variant
def test_padding_on_the_right_is_invisible(config):
    model, decoder, encoder = (sharp(k, config) for k in (Transformer, DecoderOnly, EncoderOnly))
    assert_close(model(SRC, TGT)[1:, :3], model(SRC[1:, :4], TGT[1:, :3]))
    assert_close(model(pad(SRC, (0, 4)), pad(TGT, (0, 3)))[:, :5], model(SRC, TGT))
    assert_close(decoder(TGT)[1:, :3], decoder(TGT[1:, :3]))
    assert_close(encoder(SRC)[1:, :4], encoder(SRC[1:, :4]))


@every_variant
@pytest.mark.parametrize("training", [False, True])
def test_padding_on_the_left_is_invisible_to_the_layers(config, training):
    """Below them, the positions that are added to embeddings do count from the left."""
    layer = shake(parts.decoder_layer(config)).train(training)
    x, memory = torch.randn(2, 5, 24).double(), torch.randn(2, 7, 24).double()
    seen = torch.tensor([[0, 0, 5, 5, 5], [5, 5, 5, 5, 5]])
    both = causal_mask(5) & padding_mask(seen)
    src_mask = padding_mask(torch.tensor([[0, 0, 0, 5, 5, 5, 5], [5] * 7]))
    alone = layer(x[:1, 2:], memory[:1, 3:], causal_mask(3))
    near = {"rtol": 0, "atol": 1e-4}  # angles come from a table in single precision
    assert_close(layer(x, memory, both, src_mask)[:1, 2:], alone, **near)
    assert layer(x, memory, both, src_mask).isfinite().all()  # rows that see nothing included
    encode = shake(parts.encoder_layer(config)).train(training)
    assert_close(encode(x, padding_mask(seen))[:1, 2:], encode(x[:1, 2:]), **near)


@pytest.mark.parametrize("positions", ["rotary", "alibi", "none"])
def test_where_only_distances_count_padding_on_the_left_is_invisible_to_the_model(positions):
    config = replace(PAPER, positions=positions)
    model, decoder = sharp(Transformer, config), sharp(DecoderOnly, config)
    moved = model(pad(SRC, (3, 0)), pad(TGT, (2, 0)))[:, 2:]
    assert_close(moved, model(SRC, TGT), rtol=0, atol=1e-4)
    assert_close(decoder(pad(TGT, (2, 0)))[:, 2:], decoder(TGT), rtol=0, atol=1e-4)


@every_variant
def test_a_sentence_gives_the_same_alone_and_in_a_batch(config):
    model, decoder, encoder = (sharp(k, config) for k in (Transformer, DecoderOnly, EncoderOnly))
    for row in (0, 1):
        one = slice(row, row + 1)
        assert_close(model(SRC, TGT)[one], model(SRC[one], TGT[one]))
        assert_close(decoder(TGT)[one], decoder(TGT[one]))
        assert_close(encoder(SRC)[one], encoder(SRC[one]))


@every_variant
def test_recorded_weights_are_those_that_the_heads_used(config):
    model = sharp(Transformer, config)
    seen = {}
    hooks = [
        module.register_forward_hook(
            lambda m, args, out, name=name: seen.update({name: (args, out)})
        )
        for name, module in model.named_modules()
        if isinstance(module, MultiHeadAttention)
    ]
    with record_attention(model) as weights:
        model(SRC, TGT)
    assert len(hooks) == len(weights) == 3 * config.num_layers
    for name, found in weights.items():
        attend, (args, output) = model.get_submodule(name), seen[name]
        assert_close(found.sum(-1), torch.ones_like(found[..., 0]))
        values = attend.split_heads(attend.value_proj(args[2]), attend.num_kv_heads)
        each = [
            values[:, head * attend.num_kv_heads // config.num_heads]
            for head in range(config.num_heads)
        ]
        mixed = found @ torch.stack(each, dim=1)
        assert_close(attend.out_proj(mixed.transpose(1, 2).flatten(2)), output)


@every_variant
def test_without_positions_the_order_does_not_matter(config):
    encoder = sharp(EncoderOnly, replace(config, positions="none"))
    order = torch.tensor([3, 0, 4, 1, 6, 5, 2])
    assert_close(encoder(SRC[:1])[:, order], encoder(SRC[:1, order]))


@pytest.mark.parametrize("positions", ["sinusoidal", "learned", "rotary", "alibi"])
def test_with_positions_the_order_does_matter(positions):
    encoder = sharp(EncoderOnly, replace(PAPER, positions=positions))
    moved = encoder(SRC[:1].flip(1)).flip(1)
    assert (moved - encoder(SRC[:1])).abs().max() > 1e-3


@every_variant
def test_with_the_cache_as_without_and_as_in_one_shot(config):
    model, decoder = sharp(Transformer, config), sharp(DecoderOnly, config)
    ids, mask = torch.randint(3, 23, (2, 11)), padding_mask(SRC)
    memory = model.encode(SRC, mask)
    for expected, fresh in (
        (model.decode(ids, memory, mask), lambda: CachedDecoder(model, memory, mask)),
        (decoder(ids), lambda: CachedDecoderOnly(decoder)),
    ):
        by_token, at_once = fresh(), fresh()
        steps = torch.stack([by_token.step(column) for column in ids.T], dim=1)
        assert_close(steps, expected)
        assert_close(at_once.extend(ids), expected[:, -1])
        in_parts = fresh()
        for start, stop in ((0, 4), (4, 5), (5, 11)):
            assert_close(in_parts.extend(ids[:, start:stop]), expected[:, stop - 1])
            in_parts.select(torch.tensor([0, 1]))


@every_variant
def test_both_searches_agree_with_the_plain_forward_pass(config):
    model = sharp(Transformer, config)
    found = greedy(model, SRC, max_extra=1)
    for row, output in enumerate(found):
        for length, token in enumerate([*output, EOS_ID][: int((SRC[row] != PAD_ID).sum()) + 1]):
            logits = model(SRC[row : row + 1], torch.tensor([[BOS_ID, *output[:length]]]))[0, -1]
            logits[[PAD_ID, BOS_ID]] = float("-inf")
            assert logits.argmax() == token
    assert beam_search(model, SRC, beam=1, alpha=0.0, max_extra=1)[0] == found[0]
    alone = [beam_search(model, row[row != PAD_ID][None], max_extra=1)[0] for row in SRC]
    assert beam_search(model, SRC, max_extra=1) == alone


@every_variant
@pytest.mark.parametrize("kind", [Transformer, DecoderOnly, EncoderOnly])
def test_every_parameter_gets_a_gradient_and_every_output_is_finite(config, kind):
    model = kind(config)
    logits = model(SRC, TGT) if kind is Transformer else model(TGT)
    assert logits.isfinite().all()
    nn.functional.cross_entropy(logits.flatten(0, 1), torch.arange(10)).backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad.isfinite().all(), name
        assert name.endswith("key_proj.bias") or parameter.grad.abs().max() > 0, name
