from dataclasses import replace

import pytest
import torch
from torch.testing import assert_close

from transformer_course.decoding import CachedDecoder, pack
from transformer_course.decoding.search import start
from transformer_course.decoding.steady import ROOM, SteadyDecoder, SteadySelfAttention
from transformer_course.model import Transformer, TransformerConfig, padding_mask

CONFIG = TransformerConfig(
    vocab_size=23, d_model=12, num_heads=6, d_ff=20, num_layers=2, dropout=0.2, max_len=67
)
SRC = torch.tensor([[4, 5, 6, 7, 8, 9, 2], [14, 15, 16, 2, 0, 0, 0], [17, 2, 0, 0, 0, 0, 0]])
VARIANTS = [
    {},
    {"norm_placement": "pre"},
    {"num_kv_heads": 2},
    {"head_dim": 4, "value_dim": 3},
    {"positions": "rotary"},
    {"positions": "alibi"},
]


def two_decoders(changed, src=SRC):
    torch.manual_seed(0)
    model = Transformer(replace(CONFIG, **changed)).eval()
    mask = padding_mask(src)
    memory = model.encode(src, mask)
    return CachedDecoder(model, memory, mask), SteadyDecoder(pack(model), memory, mask)


@pytest.mark.parametrize("changed", VARIANTS)
@torch.inference_mode()
def test_a_steady_step_scores_as_the_readable_one(changed):
    """Over more tokens than a buffer has room for, with a beam that is reordered and shrinks."""
    decoders = two_decoders(changed)
    rows = torch.arange(6)
    for number in range(2 * ROOM + 3):
        if number % 5 == 3:
            rows = rows.view(-1, 2).flip(1).flatten()
            parents = torch.arange(len(rows)) // 2 * 2 + torch.tensor([1, 1]).repeat(len(rows) // 2)
            for decoder in decoders:
                decoder.select(parents)
        if number == ROOM + 2:
            rows = rows[:4]
            for decoder in decoders:
                decoder.select(torch.tensor([0, 1, 4, 5]))
                decoder.keep(torch.tensor([0, 2]))
        ids = torch.randint(3, 23, (len(rows),))
        expected, found = (decoder.step(ids) for decoder in decoders)
        assert_close(found, expected)


@torch.inference_mode()
def test_a_prompt_is_read_token_by_token():
    expected, found = (each.extend(torch.randint(3, 23, (3, 5))) for each in seeded(two_decoders))
    assert_close(found, expected)


def seeded(make):
    for decoder in make({}):
        torch.manual_seed(1)
        yield decoder


@torch.inference_mode()
def test_buffers_stay_where_they_are():
    _, decoder = two_decoders({})
    attend = decoder.self_attns[0]
    assert isinstance(attend, SteadySelfAttention)
    places = set()
    for _ in range(ROOM):
        decoder.step(torch.tensor([3, 4, 5]))
        places.add(attend.kept[0].data_ptr())
    assert len(places) == 1


@torch.inference_mode()
def test_a_packed_model_decodes_so_and_a_plain_one_as_it_reads():
    model = Transformer(CONFIG).eval()
    assert type(start(model, SRC, 5)[0]) is CachedDecoder
    assert type(start(pack(model), SRC, 5)[0]) is SteadyDecoder
