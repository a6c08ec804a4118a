import itertools
from dataclasses import replace

import pytest
import torch
from torch.testing import assert_close

from transformer_course.data import BOS_ID, EOS_ID, PAD_ID
from transformer_course.decoding import (
    CachedDecoder,
    beam_hypotheses,
    beam_search,
    greedy,
    length_penalty,
    pack,
    sample,
)
from transformer_course.decoding.beam import Hypothesis, is_done, likeliest
from transformer_course.errors import DataError
from transformer_course.model import Transformer, TransformerConfig, padding_mask

CONFIG = TransformerConfig(
    vocab_size=23, d_model=12, num_heads=3, d_ff=20, num_layers=2, dropout=0.2, max_len=67
)
SRC = torch.tensor([[4, 5, 6, 7, 8, 9, 2], [14, 15, 16, 2, 0, 0, 0], [17, 2, 0, 0, 0, 0, 0]])


def decisive(config: TransformerConfig = CONFIG) -> Transformer:
    """A model with sharp opinions, so that no two tokens tie."""
    model = Transformer(config)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.4)
    return model.double()


def one_shot_scores(model: Transformer, src: torch.Tensor, tgt: list[int]) -> torch.Tensor:
    """Log-probabilities of the next token after BOS + tgt, by the plain forward pass."""
    model.eval()
    with torch.inference_mode():
        logits = model(src, torch.tensor([[BOS_ID, *tgt]]).expand(len(src), -1))[:, -1]
        logits[:, [PAD_ID, BOS_ID]] = float("-inf")
        return logits.log_softmax(-1)


def test_decoding_with_the_cache_equals_one_shot():
    model = decisive().eval()
    tgt = torch.randint(3, 23, (3, 11))
    mask = padding_mask(SRC)
    memory = model.encode(SRC, mask)
    decoder = CachedDecoder(model, memory, mask)
    steps = torch.stack([decoder.step(column) for column in tgt.T], dim=1)
    assert_close(steps, model.decode(tgt, memory, mask), rtol=0, atol=1e-5)


def test_the_rows_of_a_beam_share_one_memory_and_may_change_places():
    model = decisive().eval()
    mask = padding_mask(SRC)
    decoder = CachedDecoder(model, model.encode(SRC, mask), mask)
    first = torch.tensor([5, 6, 7, 8, 9, 10])  # two rows for each of three sentences
    decoder.step(first)
    decoder.select(torch.tensor([4, 5, 1, 0]))  # drop the middle sentence, swap the first's rows
    decoder.keep(torch.tensor([2, 0]))
    got = decoder.step(torch.tensor([11, 12, 13, 14]))
    rows = [[9, 11], [10, 12], [6, 13], [5, 14]]
    expected = model(SRC[[2, 2, 0, 0]], torch.tensor(rows))[:, -1]
    assert_close(got, expected)


def test_greedy_takes_the_likeliest_token_each_time():
    model = decisive()
    for row, output in enumerate(greedy(model, SRC)):
        for length, token in enumerate([*output, EOS_ID][:50]):
            assert one_shot_scores(model, SRC, output[:length])[row].argmax() == token


def test_a_beam_of_one_without_penalty_is_greedy():
    model = decisive()
    assert beam_search(model, SRC, beam=1, alpha=0.0) == greedy(model, SRC)


def test_a_sentence_is_translated_alike_alone_and_in_a_batch():
    model = decisive()
    alone = [beam_search(model, row[row != PAD_ID][None])[0] for row in SRC]
    assert beam_search(model, SRC) == alone
    assert greedy(model, SRC) == [greedy(model, row[row != PAD_ID][None])[0] for row in SRC]


@pytest.mark.parametrize("alpha", [0.0, 0.6, 2.0])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_wide_beam_finds_the_best_of_all_sentences(alpha, seed):
    """Every sentence of up to three tokens from three words, scored one by one."""
    torch.manual_seed(seed)
    model = decisive(replace(CONFIG, vocab_size=6))
    src = torch.tensor([[4, 3, 5, 2]])
    best = (float("-inf"), [])
    for length in range(4):
        for words in itertools.product([3, 4, 5], repeat=length):
            ids = [*words, EOS_ID]
            total = sum(
                one_shot_scores(model, src, ids[:i])[0, t].item() for i, t in enumerate(ids)
            )
            best = max(best, (total / length_penalty(length + 1, alpha), list(words)))
    found = beam_search(model, src, beam=200, alpha=alpha, max_extra=-1)
    assert found == [best[1]]


def test_every_hypothesis_has_the_score_of_its_own_words():
    model = decisive()
    with torch.no_grad():
        model.embedding.weight[EOS_ID] *= 0.3  # less keen to stop, so that beams grow and cross
    for row, hypotheses in enumerate(beam_hypotheses(model, SRC, beam=5, max_extra=4)):
        assert [h.score for h in hypotheses] == sorted((h.score for h in hypotheses), reverse=True)
        assert len({tuple(h.ids) for h in hypotheses}) == len(hypotheses) == 5
        for score, ids in hypotheses:
            said = [*ids, EOS_ID]
            steps = [one_shot_scores(model, SRC, said[:i])[row, t] for i, t in enumerate(said)]
            expected = sum(step.item() for step in steps) / length_penalty(len(said), 0.6)
            assert abs(score - expected) < 1e-4


def test_a_larger_alpha_never_shortens_the_best_output():
    model = decisive(replace(CONFIG, vocab_size=6))
    lengths = [
        len(beam_search(model, SRC[:1, -4:].clamp(2, 5), beam=50, alpha=a)[0]) for a in (0.0, 2.0)
    ]
    assert lengths[0] <= lengths[1]


def test_the_length_penalty_is_the_one_of_gnmt():
    assert length_penalty(1, 0.6) == 1
    assert length_penalty(7, 1.0) == 2
    assert length_penalty(19, 0.5) == 2


def test_outputs_end_at_the_source_length_plus_the_allowance():
    model = decisive()
    with torch.no_grad():
        model.embedding.weight[EOS_ID] = 0  # never the best choice
    lengths = [len(output) for output in greedy(model, SRC, max_extra=3)]
    assert all(length <= limit for length, limit in zip(lengths, [10, 7, 5], strict=True))
    lengths = [len(output) for output in beam_search(model, SRC, max_extra=3)]
    assert all(length <= limit for length, limit in zip(lengths, [10, 7, 5], strict=True))
    assert len(greedy(model, SRC, max_extra=500)[0]) <= CONFIG.max_len


def test_decoding_leaves_the_model_as_it_was():
    model = decisive().train()
    greedy(model, SRC)
    assert model.training
    assert greedy(model, SRC) == greedy(model.eval(), SRC)
    assert not model.training


def test_an_empty_source_is_refused():
    with pytest.raises(ValueError, match="a source is empty"):
        greedy(decisive(), torch.tensor([[5, 2], [0, 0]]))


def test_a_beam_of_nothing_is_refused():
    with pytest.raises(ValueError, match="beam=0: a search needs at least one"):
        beam_search(decisive(), SRC, beam=0)


@pytest.mark.parametrize(
    ("vocab_size", "count"), [(1, 2), (7, 9), (101, 8), (300, 8), (1000, 1), (3700, 8)]
)
def test_the_likeliest_tokens_are_those_of_topk(vocab_size, count):
    scores = torch.randn(2, 3, vocab_size)
    scores[0, 1] = float("-inf")
    scores[0, 1, 0] = -5.0
    values, tokens = likeliest(scores, count)
    assert_close(values, scores.topk(min(count, vocab_size)).values, rtol=0, atol=0)
    assert_close(scores.gather(-1, tokens), values, rtol=0, atol=0)
    assert all(len(set(row)) == len(row) for row in tokens.flatten(0, 1).tolist())


def test_a_search_goes_on_while_the_longest_output_could_still_win():
    """With a large alpha a long sentence is forgiven much: -10 over 21 tokens becomes -0.53."""
    assert round(-10 / length_penalty(21, 2.0), 2) == -0.53
    for worst, done in ((-1.0, False), (-0.54, False), (-0.53, True)):
        assert is_done([Hypothesis(worst, [5])], -10.0, limit=20, beam=1, alpha=2.0) is done


@pytest.mark.parametrize("search", [greedy, beam_search, sample])
@pytest.mark.parametrize("prepare", [Transformer.eval, pack])
def test_no_sources_have_no_outputs(search, prepare):
    model = prepare(decisive().float())
    assert search(model, SRC[:0]) == search(model, SRC[:0, :0]) == []


@pytest.mark.parametrize("search", [greedy, beam_search, sample])
def test_an_output_without_room_is_empty(search):
    assert search(decisive(), SRC, max_extra=-10) == [[], [], []]


@pytest.mark.parametrize("alpha", [-0.1, float("nan"), float("inf")])
def test_a_length_penalty_that_ranks_nothing_is_refused(alpha):
    with pytest.raises(DataError, match=f"alpha={alpha}: expected a number from 0 on"):
        beam_search(decisive(), SRC, alpha=alpha)


def test_decoding_leaves_each_part_of_a_model_in_its_own_mode():
    model = decisive().train()
    model.encoder_layers[0].eval()
    before = [module.training for module in model.modules()]
    greedy(model, SRC)
    assert [module.training for module in model.modules()] == before
