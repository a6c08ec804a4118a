"""Speculation: its calls against a search that really asks the translator again."""

import pytest
import torch
import traitlets

from transformer_course.carried import translator
from transformer_course.data import BOS_ID, EOS_ID, PAD_ID
from transformer_course.widgets import Speculation
from transformer_course.widgets.speculation import SENTENCES, count_calls, guesses, record


@torch.inference_mode()
def asked_again(sentence: str, most: int) -> tuple[list[int], int]:
    """Speculative decoding by the model itself, with nothing recorded."""
    model, tokenizer = translator("everyday")
    memory = model.encode(torch.tensor([[*tokenizer.encode(sentence), EOS_ID]]))
    ids, calls = [], 0
    while EOS_ID not in ids:
        guess = guesses(ids[-1] if ids else BOS_ID, most)
        logits = model.decode(torch.tensor([[BOS_ID, *ids, *guess]]), memory)[0, len(ids) :]
        logits[:, [PAD_ID, BOS_ID]] = float("-inf")
        own = logits.argmax(-1).tolist()
        right = [a == b for a, b in zip(guess, own, strict=False)]
        ids, calls = ids + own[: [*right, False].index(False) + 1], calls + 1
    return ids[: ids.index(EOS_ID) + 1], calls


@pytest.mark.parametrize("sentence", SENTENCES)
def test_what_was_recorded_is_what_the_model_does(sentence):
    text, tokenizer = record(sentence), translator("everyday")[1]
    written = [text["pieces"][n] for n in text["written"]]
    for most in (0, 1, 3, 8):
        ids, calls = asked_again(sentence, most)
        assert [tokenizer.id_to_piece(piece) for piece in ids] == written
        assert count_calls(text["written"], text["drafts"], most) == calls


def test_without_guesses_there_is_a_call_for_each_token():
    for sentence in SENTENCES:
        text = record(sentence)
        assert count_calls(text["written"], text["drafts"], 0) == len(text["written"])


def test_a_draft_that_knows_all_needs_one_call_for_so_many():
    written = list(range(10))
    drafts = [written[place:] for place in range(10)]
    assert [count_calls(written, drafts, most) for most in (1, 4, 8)] == [5, 2, 2]
    assert count_calls(written, drafts, 20) == 1


def test_some_sentence_gains_and_one_does_not():
    *_, none = Speculation().tables()[0].cells
    first = Speculation().tables()[0].cells[0]
    assert first[3] <= first[0] / 1.5
    assert none[3] == none[0]


def test_what_it_cannot_show_is_refused():
    with pytest.raises(traitlets.TraitError, match="there are 5, counted from 0"):
        Speculation(sentence=5)
    long = "The men ordered a potato for the woman and the men ordered a potato for the man."
    with pytest.raises(traitlets.TraitError, match="at most 16 pieces"):
        Speculation(sentences=[long], sentence=0)


def test_it_opens_at_the_call_that_keeps_the_most_and_most_calls_keep_one_or_none():
    widget = Speculation()
    text, place, kept = widget.texts[widget.sentence], 0, []
    while place < len(text["written"]):
        guess = text["drafts"][place][: widget.most]
        right = [a == b for a, b in zip(guess, text["written"][place:], strict=False)]
        kept.append([*right, False].index(False))
        place += kept[-1] + 1
    assert kept[widget.step] == max(kept) == 3
    assert sum(n <= 1 for n in kept) > len(kept) / 2
