"""ArchitectureMap: the counts of its static twin are the model's, and it refuses unknown blocks."""

import pytest
import torch
import traitlets

from transformer_course.model import PRESETS, TINY, Transformer
from transformer_course.widgets import ArchitectureMap
from transformer_course.widgets.architecture_map import MODULES, count_parameters


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
