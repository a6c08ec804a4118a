import torch
from torch.testing import assert_close

from transformer_course.model import causal_mask, padding_mask


def test_position_i_sees_itself_and_what_came_before():
    expected = [[True, False, False], [True, True, False], [True, True, True]]
    assert_close(causal_mask(3), torch.tensor(expected))


def test_padding_is_hidden_from_every_head_and_query():
    mask = padding_mask(torch.tensor([[4, 5, 0], [6, 0, 0]]))
    expected = torch.tensor([[True, True, False], [True, False, False]])
    assert mask.shape == (2, 1, 1, 3)
    assert_close(mask.expand(2, 7, 11, 3), expected[:, None, None].expand(2, 7, 11, 3))


def test_the_pad_id_can_be_another():
    assert padding_mask(torch.tensor([[0, 9]]), pad_id=9).flatten().tolist() == [True, False]


def test_causal_and_padding_masks_combine():
    both = causal_mask(3) & padding_mask(torch.tensor([[7, 8, 0]]))
    assert both[0, 0].tolist() == [[True, False, False], [True, True, False], [True, True, False]]
