"""ArchitectureMap: the counts of its static twin are the model's, and it refuses unknown blocks."""

import pytest
import torch
import traitlets

from transformer_course.carried import translator
from transformer_course.decoding import evaluating
from transformer_course.model import PRESETS, TINY, Transformer, sinusoidal
from transformer_course.widgets import ArchitectureMap
from transformer_course.widgets.architecture_map import (
    ENGLISH,
    GERMAN,
    MODULES,
    count_parameters,
    flow,
)


def test_the_blocks_of_a_real_model_hold_what_the_map_says():
    model, counts = Transformer(TINY), count_parameters(TINY)
    assert counts["model"] == model.num_parameters()
    assert counts["cross_attn"] == sum(
        p.numel() for p in model.decoder_layers[1].cross_attn.parameters()
    )
    assert counts["encoder"] + counts["decoder"] + counts["linear"] == counts["model"]
    assert counts["src_positions"] == counts["softmax"] == counts["tgt_tokens"] == 0


@pytest.mark.parametrize("preset", PRESETS)
def test_the_static_twin_holds_every_block_and_shares_of_the_whole(preset):
    [table] = ArchitectureMap(preset=preset).tables()
    counts = count_parameters(PRESETS[preset])
    assert table.rows == [*MODULES, "model"]
    thousands, shares = torch.from_numpy(table.cells).T
    torch.testing.assert_close(thousands * 1000, torch.tensor([*counts.values()]).double())
    in_stacks = [table.rows.index(name) for name in ("encoder", "decoder", "linear")]
    assert shares[in_stacks].sum().item() == pytest.approx(100)


def test_the_papers_models_have_the_sizes_that_its_text_gives():
    assert count_parameters(PRESETS["base"])["model"] == 63_082_496
    assert count_parameters(PRESETS["big"])["model"] == 214_245_376


@pytest.mark.parametrize(
    ("name", "bad", "wanted"),
    [
        ("block", "attention", "expected any of .*'cross_attn'"),
        ("preset", "huge", "expected any of .*'base'"),
        ("batch", 0, "should not be less than 1"),
        ("src_len", 129, "should not be greater than 128"),
        ("tgt_len", "ten", "expected an int"),
    ],
)
def test_what_is_not_on_the_map_is_refused_with_what_was_expected(name, bad, wanted):
    with pytest.raises(traitlets.TraitError, match=wanted):
        ArchitectureMap(**{name: bad})


def test_the_sentence_in_the_map_is_what_the_layers_one_by_one_make_of_it():
    model, tokenizer = translator()
    values = flow()["values"]
    assert set(values) == set(MODULES) - {"src_tokens", "tgt_tokens", "softmax"}
    with evaluating(model):
        x = model.embedding(torch.tensor([tokenizer.encode(ENGLISH)])) * 128**0.5
        embedded = x + sinusoidal(x.size(1), 128)
        layer = model.encoder_layers[0]
        mixed = layer.self_attn(embedded, embedded, embedded)
        first = layer.norm1(embedded + mixed)
        second = layer.norm2(first + layer.feed_forward(first))
    expected = {
        "src_embedding": x,
        "src_positions": embedded,
        "encoder_self_attn": mixed,
        "encoder_norm1": first,
        "encoder_norm2": second,
    }
    for block, output in expected.items():
        torch.testing.assert_close(
            torch.tensor(values[block]), output[0, :, :24], rtol=0, atol=0.0051
        )
    assert [len(values[block]) for block in ("encoder", "decoder", "linear")] == [4, 5, 5]


def test_the_words_of_the_softmax_are_those_of_the_model():
    model, tokenizer = translator()
    src, tgt = ([tokenizer.encode(text)] for text in (ENGLISH, GERMAN))
    with evaluating(model):
        shares = model(torch.tensor(src), torch.tensor([[1, *tgt[0]]]))[0].softmax(dim=-1)
    for (piece, chance), row in zip(flow()["next"], shares, strict=True):
        assert piece == tokenizer.id_to_piece(int(row.argmax()))
        assert chance == pytest.approx(row.max().item(), abs=1e-4)
