from dataclasses import replace

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from transformer_course.model import EncoderOnly, TransformerConfig
from transformer_course.model.encoder_only import mask_tokens, masked_token_loss

CONFIG = TransformerConfig(
    vocab_size=23, d_model=12, num_heads=3, d_ff=20, num_layers=2, dropout=0.0, max_len=17
)
MASK = 22


def many(seed: int = 3) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    ids = torch.randint(0, 22, (400, 100), generator=generator)
    return ids, *mask_tokens(ids, mask_id=MASK, vocab_size=23, generator=generator)


def test_fifteen_in_a_hundred_ordinary_tokens_are_chosen():
    ids, _, chosen = many()
    assert abs(chosen[ids > 3].float().mean() - 0.15) < 0.01
    assert not chosen[ids <= 3].any()


def test_of_these_eight_in_ten_are_hidden_one_is_swapped_and_one_stays():
    ids, masked, chosen = many()
    hidden, same = (masked == MASK)[chosen], (masked == ids)[chosen]
    assert abs(hidden.float().mean() - 0.8) < 0.02
    by_chance = 0.1 / 18  # a random token is now and then the true one
    assert abs(same.float().mean() - 0.1 - by_chance) < 0.02
    swapped = masked[chosen][~hidden & ~same]
    assert set(swapped.tolist()) == set(range(4, 22))  # every ordinary token, nothing else


def test_what_is_not_chosen_stays():
    ids, masked, chosen = many()
    assert_close(masked[~chosen], ids[~chosen])


def test_the_same_generator_masks_the_same():
    assert_close(many(5), many(5))
    assert (many(5)[2] != many(6)[2]).any()


def test_the_loss_counts_the_chosen_tokens_and_no_others():
    ids, logits = torch.randint(4, 23, (2, 7)), torch.randn(2, 7, 23)
    chosen = torch.zeros(2, 7, dtype=torch.bool)
    chosen[0, 2] = chosen[1, 5] = True
    each = [-logits[row, place].log_softmax(-1)[ids[row, place]] for row, place in ((0, 2), (1, 5))]
    loss = masked_token_loss(logits, ids, chosen)
    assert_close(loss, (each[0] + each[1]) / 2)
    logits = logits + 100 * torch.randn(2, 7, 1)  # the same for all tokens: no change
    logits[~chosen] = torch.randn(12, 23)
    assert_close(masked_token_loss(logits, ids, chosen), loss, rtol=1e-4, atol=1e-4)


def test_without_a_chosen_token_there_is_nothing_to_learn():
    logits = torch.randn(2, 7, 23, requires_grad=True)
    loss = masked_token_loss(logits, torch.zeros(2, 7).long(), torch.zeros(2, 7).bool())
    loss.backward()
    assert loss.item() == 0
    assert_close(logits.grad, torch.zeros(2, 7, 23))


@pytest.mark.filterwarnings("ignore:enable_nested_tensor")
def test_a_hidden_word_is_learned_from_both_sides():
    """The middle of three is the sum of its neighbors: only who sees both can know it."""
    torch.manual_seed(3)
    model = EncoderOnly(replace(CONFIG, d_model=32, num_heads=4, d_ff=64))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    left, right = torch.randint(0, 8, (2, 64))
    ids = torch.stack([left + 4, (left + right) % 8 + 4, right + 4], dim=1)
    chosen = torch.tensor([[False, True, False]]).expand_as(ids)
    for _ in range(150):
        optimizer.zero_grad()
        loss = masked_token_loss(model(ids.masked_fill(chosen, MASK)), ids, chosen)
        loss.backward()
        optimizer.step()
    found = model.eval()(ids.masked_fill(chosen, MASK))[:, 1].argmax(-1)
    assert_close(found, ids[:, 1])


def test_what_it_makes_of_a_sentence_is_what_its_scores_come_from():
    model, ids = EncoderOnly(CONFIG), torch.tensor([[4, 5, 6], [7, 8, 0]])
    expected = nn.functional.linear(model.encode(ids), model.embedding.weight)
    assert_close(model(ids), expected)
