import pytest
import torch
from torch import nn
from torch.testing import assert_close

from transformer_course.model import (
    DecoderLayer,
    EncoderLayer,
    FeedForward,
    MultiHeadAttention,
    causal_mask,
    padding_mask,
)

SRC = torch.tensor([[4, 5, 6, 7, 8, 9, 3], [4, 5, 6, 7, 0, 0, 0]])


def copy_attention(mine: MultiHeadAttention, theirs: nn.MultiheadAttention) -> None:
    parts = [mine.query_proj, mine.key_proj, mine.value_proj]
    theirs.in_proj_weight.data = torch.cat([part.weight for part in parts]).data
    theirs.in_proj_bias.data = torch.cat([part.bias for part in parts]).data
    theirs.out_proj.load_state_dict(mine.out_proj.state_dict())


def copy_layer(mine: EncoderLayer | DecoderLayer, theirs: nn.Module) -> None:
    copy_attention(mine.self_attn, theirs.self_attn)
    if isinstance(mine, DecoderLayer):
        copy_attention(mine.cross_attn, theirs.multihead_attn)
        theirs.norm3.load_state_dict(mine.norm3.state_dict())
    theirs.linear1.load_state_dict(mine.feed_forward.expand.state_dict())
    theirs.linear2.load_state_dict(mine.feed_forward.contract.state_dict())
    theirs.norm1.load_state_dict(mine.norm1.state_dict())
    theirs.norm2.load_state_dict(mine.norm2.state_dict())


def shake(module: nn.Module) -> nn.Module:
    """Random weights everywhere, so that no two norms or biases are alike."""
    for parameter in module.parameters():
        nn.init.normal_(parameter, std=0.5)
    return module.double()


def test_feed_forward_treats_every_position_alike():
    feed_forward, x = FeedForward(6, 22), torch.randn(2, 5, 6)
    order = torch.tensor([4, 2, 0, 1, 3])
    assert_close(feed_forward(x)[:, order], feed_forward(x[:, order]))


def test_feed_forward_is_two_linear_maps_and_a_relu():
    feed_forward, x = FeedForward(6, 22), torch.randn(2, 6)
    theirs = nn.Sequential(feed_forward.expand, nn.ReLU(), feed_forward.contract)
    assert_close(feed_forward(x), theirs(x))


def test_an_encoder_layer_agrees_with_torch():
    mine = shake(EncoderLayer(12, 3, 20, dropout=0.0))
    theirs = nn.TransformerEncoderLayer(
        12, 3, 20, dropout=0.0, batch_first=True, dtype=torch.float64
    )
    copy_layer(mine, theirs)
    x = torch.randn(2, 7, 12).double()
    hidden = SRC == 0  # torch: True hides
    assert_close(mine(x, padding_mask(SRC)), theirs(x, src_key_padding_mask=hidden))


def test_a_decoder_layer_agrees_with_torch():
    mine = shake(DecoderLayer(12, 3, 20, dropout=0.0))
    theirs = nn.TransformerDecoderLayer(
        12, 3, 20, dropout=0.0, batch_first=True, dtype=torch.float64
    )
    copy_layer(mine, theirs)
    x, memory = torch.randn(2, 5, 12).double(), torch.randn(2, 7, 12).double()
    expected = theirs(x, memory, tgt_mask=~causal_mask(5), memory_key_padding_mask=SRC == 0)
    assert_close(mine(x, memory, causal_mask(5), padding_mask(SRC)), expected)


def test_without_positions_an_encoder_layer_does_not_see_the_order():
    layer, x = EncoderLayer(12, 3, 20, dropout=0.0), torch.randn(2, 5, 12)
    order = torch.tensor([4, 2, 0, 1, 3])
    assert_close(layer(x)[:, order], layer(x[:, order]))


@pytest.mark.parametrize("training", [False, True])
def test_a_decoder_layer_cannot_see_the_future(training):
    layer = DecoderLayer(12, 3, 20, dropout=0.3).train(training)
    x, memory = torch.randn(2, 5, 12), torch.randn(2, 7, 12)
    changed = torch.cat([x[:, :3], torch.randn(2, 2, 12)], dim=1)

    def run(each):
        torch.manual_seed(3)  # the same dropout both times
        return layer(each, memory, causal_mask(5), padding_mask(SRC))

    assert_close(run(x)[:, :3], run(changed)[:, :3])


def test_a_decoder_layer_cannot_see_padded_source_words():
    layer = DecoderLayer(12, 3, 20, dropout=0.0)
    x, memory = torch.randn(2, 5, 12), torch.randn(2, 7, 12)
    changed = memory.clone()
    changed[1, 4:] = torch.randn(3, 12)
    args = (causal_mask(5), padding_mask(SRC))
    assert_close(layer(x, memory, *args), layer(x, changed, *args))


def test_every_position_leaves_a_layer_normalized():
    x = EncoderLayer(12, 3, 20)(torch.randn(2, 5, 12))
    assert_close(x.mean(-1), torch.zeros(2, 5), rtol=0, atol=1e-6)
    assert_close(x.var(-1, unbiased=False), torch.ones(2, 5), rtol=0, atol=1e-3)


def test_dropout_falls_on_each_sublayers_output_and_on_nothing_else():
    """With everything dropped, only the residual path is left (section 5.4)."""
    x, memory = torch.randn(2, 5, 12), torch.randn(2, 7, 12)
    encoder, decoder = EncoderLayer(12, 3, 20, dropout=1.0), DecoderLayer(12, 3, 20, dropout=1.0)
    normalized = nn.functional.layer_norm(x, (12,))
    assert_close(encoder(x), nn.functional.layer_norm(normalized, (12,)))
    assert_close(decoder(x, memory, causal_mask(5)), encoder(x), rtol=0, atol=1e-4)
    half = EncoderLayer(12, 3, 20, dropout=0.5)
    assert not any(isinstance(m, nn.Dropout) for m in half.self_attn.modules())
    assert not any(isinstance(m, nn.Dropout) for m in half.feed_forward.modules())


@pytest.mark.parametrize("layer", [EncoderLayer(12, 3, 20), DecoderLayer(12, 3, 20)])
def test_every_parameter_of_a_layer_gets_a_gradient(layer):
    x, memory = torch.randn(2, 5, 12), torch.randn(2, 7, 12)
    args = (x, memory, causal_mask(5)) if isinstance(layer, DecoderLayer) else (x,)
    (layer(*args) * torch.randn(2, 5, 12)).sum().backward()
    for name, parameter in layer.named_parameters():
        assert parameter.grad is not None, name
        assert name.endswith("key_proj.bias") or parameter.grad.abs().max() > 1e-5, name
