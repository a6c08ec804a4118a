from dataclasses import replace

import pytest
import torch
from model.test_layers import copy_layer, shake
from torch import nn
from torch.testing import assert_close

from transformer_course.data import BOS_ID, EOS_ID, PAD_ID
from transformer_course.decoding.generation import generate
from transformer_course.errors import DataError
from transformer_course.model import DecoderOnly, TransformerConfig, causal_mask

CONFIG = TransformerConfig(
    vocab_size=23, d_model=12, num_heads=3, d_ff=20, num_layers=2, dropout=0.2, max_len=17
)
GPT = replace(CONFIG, norm_placement="pre", positions="learned", activation="gelu")
LLAMA = replace(
    CONFIG,
    norm_placement="pre",
    norm="rms",
    positions="rotary",
    activation="swiglu",
    num_kv_heads=1,
)
PROMPTS = torch.tensor([[1, 5, 6, 7, 8], [1, 9, 0, 0, 0], [1, 10, 11, 0, 0]])
each_kind = pytest.mark.parametrize("config", [CONFIG, GPT, LLAMA], ids=["paper", "gpt", "llama"])


def talkative(config: TransformerConfig) -> DecoderOnly:
    """Sharp opinions, and never an end."""
    model = shake(DecoderOnly(config))
    with torch.no_grad():
        model.embedding.weight[EOS_ID] = 0
    return model


def next_logits(model: DecoderOnly, ids: list[int]) -> torch.Tensor:
    """By the plain forward pass, without padding or cache."""
    logits = model(torch.tensor([ids]))[0, -1].detach()
    logits[[PAD_ID, BOS_ID]] = float("-inf")
    return logits


@pytest.mark.filterwarnings("ignore:enable_nested_tensor")
def test_a_decoder_alone_is_torchs_encoder_under_a_causal_mask():
    model = shake(DecoderOnly(replace(GPT, dropout=0.0)))
    layer = nn.TransformerEncoderLayer(
        12,
        3,
        20,
        dropout=0.0,
        activation="gelu",
        norm_first=True,
        batch_first=True,
        dtype=torch.float64,
    )
    theirs = nn.TransformerEncoder(layer, 2, norm=nn.LayerNorm(12, dtype=torch.float64))
    for ours, other in zip(model.decoder_layers, theirs.layers, strict=True):
        copy_layer(ours, other)
    theirs.norm.load_state_dict(model.decoder_norm.state_dict())
    words = model.embedding.weight[PROMPTS] * 12**0.5 + model.positions.table[:5]
    hidden = theirs(words, mask=~causal_mask(5), src_key_padding_mask=PROMPTS == 0)
    assert_close(model(PROMPTS), hidden @ model.embedding.weight.T)


@each_kind
def test_greedy_takes_the_likeliest_token_after_each_prompt_and_what_it_wrote(config):
    model = talkative(config)
    outputs = generate(model, PROMPTS, max_new=6)
    model.eval()
    for prompt, output in zip(PROMPTS, outputs, strict=True):
        text = prompt[prompt != PAD_ID].tolist()
        assert len(output) == 6
        for token in output:
            assert next_logits(model, text).argmax() == token
            text.append(token)


@each_kind
def test_a_prompt_is_continued_alike_alone_and_in_a_batch(config):
    model = talkative(config)
    alone = [generate(model, row[row != PAD_ID][None], max_new=6)[0] for row in PROMPTS]
    assert generate(model, PROMPTS, max_new=6) == alone


def test_writing_stops_at_the_end_mark():
    model = talkative(GPT).eval()
    endless = generate(model, PROMPTS)
    with torch.no_grad():  # the end becomes a little likelier than what the first row says third
        model.embedding.weight[EOS_ID] = model.embedding.weight[endless[0][2]] * 1.001
    for prompt, output in zip(PROMPTS, generate(model, PROMPTS), strict=True):
        assert EOS_ID not in output
        text = [*prompt[prompt != PAD_ID].tolist(), *output]
        assert len(text) == CONFIG.max_len or next_logits(model, text).argmax() == EOS_ID
    assert generate(model, PROMPTS)[0] == endless[0][: endless[0].index(endless[0][2])]


def test_writing_stops_at_max_len_and_at_max_new():
    model = talkative(CONFIG)
    assert [len(output) for output in generate(model, PROMPTS)] == [17 - 5, 17 - 2, 17 - 3]
    assert [len(output) for output in generate(model, PROMPTS, max_new=1)] == [1, 1, 1]
    assert generate(model, PROMPTS, max_new=0) == [[], [], []]


def test_tokens_are_drawn_as_often_as_the_model_says():
    model = talkative(CONFIG).eval()
    with torch.no_grad():
        model.embedding.weight *= 0.3
    prompt = torch.tensor([[1, 5, 6]]).expand(4000, -1)
    generator = torch.Generator().manual_seed(3)
    for temperature in (0.7, 1.0):
        drawn = generate(model, prompt, max_new=1, temperature=temperature, generator=generator)
        first = torch.tensor([(output or [EOS_ID])[0] for output in drawn])
        counts = first.bincount(minlength=23).double() / 4000
        expected = (next_logits(model, [1, 5, 6]) / temperature).softmax(-1)
        assert_close(counts, expected, rtol=0, atol=0.03)
        assert expected.max() < 0.9  # there was something to draw


def test_the_same_generator_writes_the_same_and_near_zero_it_is_greedy():
    model = talkative(CONFIG)
    first, second = (
        generate(model, PROMPTS, temperature=1.0, generator=torch.Generator().manual_seed(3))
        for _ in range(2)
    )
    assert first == second
    assert generate(model, PROMPTS, temperature=1e-4) == generate(model, PROMPTS)


def test_generating_leaves_the_model_as_it_was():
    model = talkative(CONFIG).train()
    outputs = generate(model, PROMPTS)
    assert model.training
    assert generate(model.eval(), PROMPTS) == outputs


@pytest.mark.parametrize(
    ("prompts", "message"),
    [
        ([[1, 5], [0, 0]], "a prompt is empty: give every one at least its start mark, bos_id"),
        ([[1, 5], [0, 1]], "a prompt has padding before a word: pad prompts on the right"),
        ([[1] + [5] * 17], "a prompt of 18 tokens is longer than max_len=17: shorten it"),
    ],
)
def test_a_prompt_that_cannot_be_continued_is_refused(prompts, message):
    with pytest.raises(ValueError, match=message):
        generate(talkative(CONFIG), torch.tensor(prompts))


def test_a_temperature_below_zero_is_refused():
    with pytest.raises(ValueError, match="temperature=-1.0: expected 0 for greedy"):
        generate(talkative(CONFIG), PROMPTS, temperature=-1.0)


def test_what_is_cut_off_is_never_drawn():
    model = talkative(CONFIG).eval()
    with torch.no_grad():
        model.embedding.weight *= 0.3
    prompt = torch.tensor([[1, 5, 6]]).expand(500, -1)
    ranked = next_logits(model, [1, 5, 6]).softmax(-1).sort(descending=True)
    within = int((ranked.values.cumsum(0) - ranked.values < 0.5).sum())
    for options, count in (({"top_k": 3}, 3), ({"top_p": 0.5}, within)):
        drawn = generate(model, prompt, max_new=1, temperature=1.0, **options)
        tokens = {(output or [EOS_ID])[0] for output in drawn}
        assert 1 < len(tokens) <= count < 20
        assert tokens <= set(ranked.indices[:count].tolist())
    assert generate(model, PROMPTS, temperature=1.0, top_k=1) == generate(model, PROMPTS)


@pytest.mark.parametrize("options", [{"top_k": 0}, {"top_p": 0.0}, {"top_p": 1.5}])
def test_nothing_to_draw_from_is_refused(options):
    with pytest.raises(ValueError, match="expected a"):
        generate(talkative(CONFIG), PROMPTS, temperature=1.0, **options)


def test_no_prompts_have_no_outputs():
    assert generate(talkative(CONFIG), PROMPTS[:0]) == []


@pytest.mark.parametrize("temperature", [1e-39, 1e39, float("inf"), float("nan")])
def test_a_temperature_that_leaves_no_numbers_is_refused(temperature):
    with pytest.raises(DataError, match="expected 0 for greedy, or a number from"):
        generate(talkative(CONFIG), PROMPTS, temperature=temperature)
