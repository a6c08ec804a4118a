"""BeamTree: it records what the package's searches look at, and its twin is their result."""

import pytest
import torch
import traitlets
from torch.testing import assert_close

from transformer_course import decoding
from transformer_course.data import BOS_ID, EOS_ID
from transformer_course.decoding import encode_sources
from transformer_course.errors import DataError
from transformer_course.widgets import BeamTree
from transformer_course.widgets.beam_tree import MAX_BEAM, MAX_EXTRA, SENTENCES, record, translator


def source(text: str) -> torch.Tensor:
    model, tokenizer = translator()
    return torch.tensor(encode_sources([text], tokenizer, model.config.max_len))


def prefixes(recorded: dict) -> list[tuple[int, ...]]:
    """The token ids of each node."""
    _, tokenizer = translator()
    found: list[tuple[int, ...]] = [()]
    for parent, piece in zip(recorded["parent"][1:], recorded["piece"][1:], strict=True):
        found.append((*found[parent], tokenizer.vocab[recorded["pieces"][piece]]))
    return found


@pytest.mark.parametrize("text", SENTENCES)
def test_every_recorded_number_is_the_models_log_probability(text):
    model, _ = translator()
    recorded = record(text)
    nodes = prefixes(recorded)
    assert recorded["source"] == text
    assert len(set(nodes)) == len(nodes)
    for node in range(1, len(nodes), 7):
        tgt = torch.tensor([[BOS_ID, *nodes[node][:-1]]])
        with decoding.evaluating(model):
            logits = model(source(text), tgt)[0, -1].clone()
            logits[:EOS_ID] = float("-inf")
        expected = logits.log_softmax(-1)[nodes[node][-1]]
        got = torch.tensor(recorded["log_prob"][node] / 10_000, dtype=expected.dtype)
        assert_close(got, expected, rtol=0, atol=5.1e-5)


@pytest.mark.parametrize("beam", range(1, MAX_BEAM + 1))
def test_whatever_the_package_keeps_was_recorded(beam):
    for text in SENTENCES:
        nodes = set(prefixes(record(text)))
        for alpha in (0, 0.6, 1):
            [found] = decoding.beam_hypotheses(
                *(translator()[0], source(text)), beam=beam, alpha=alpha, max_extra=MAX_EXTRA
            )
            assert found
            assert nodes >= {(*each.ids, EOS_ID) for each in found}


def test_the_twin_holds_what_the_packages_search_finds():
    tree = BeamTree(sentence=1, beam=3, alpha=1.0)
    model, tokenizer = translator()
    [found] = decoding.beam_hypotheses(
        model, source(SENTENCES[1]), beam=3, alpha=1.0, max_extra=MAX_EXTRA
    )
    [table] = tree.tables()
    assert table.rows == [tokenizer.decode(each.ids) for each in found]
    log_prob, tokens, penalty, score = table.cells.T
    assert tokens.tolist() == [len(each.ids) + 1 for each in found]
    assert_close(torch.tensor(penalty), (5 + torch.tensor(tokens)) / 6)
    assert_close(torch.tensor(log_prob / penalty), torch.tensor(score))
    [greedy] = decoding.greedy(model, source(SENTENCES[1]), max_extra=MAX_EXTRA)
    assert table.title.endswith(f"greedy: {tokenizer.decode(greedy)}")


def test_the_sentences_show_what_they_are_there_for():
    model, tokenizer = translator()

    def best(text: str, beam: int, alpha: float) -> str:
        [ids] = decoding.beam_search(
            model, source(text), beam=beam, alpha=alpha, max_extra=MAX_EXTRA
        )
        return tokenizer.decode(ids)

    def greedy(text: str) -> str:
        return tokenizer.decode(decoding.greedy(model, source(text), max_extra=MAX_EXTRA)[0])

    performs, jump, working, team, looks = SENTENCES
    assert len({greedy(performs), best(performs, 2, 0.6), best(performs, 4, 0.6)}) == 3
    assert len({best(jump, 4, alpha) for alpha in (0, 0.6, 1)}) == 3
    assert greedy(working) == best(working, 4, 1) != best(working, 4, 0.6)
    assert greedy(team) != best(team, 2, 0.6)
    assert greedy(looks) == best(looks, 4, 0) != best(looks, 4, 0.6)


def test_a_reader_in_jupyter_can_bring_a_sentence():
    tree = BeamTree(sentences=["Two dogs play."], beam=2)
    assert [search["source"] for search in tree.searches] == ["Two dogs play."]
    assert tree.tables()[0].title.startswith("Two dogs play. Beam 2")


@pytest.mark.parametrize(
    ("traits", "error", "message"),
    [
        ({"beam": 0}, traitlets.TraitError, "should not be less than 1"),
        ({"beam": 6}, traitlets.TraitError, "should not be greater than 5"),
        ({"alpha": 1.1}, traitlets.TraitError, "should not be greater than 1"),
        ({"sentence": 5}, traitlets.TraitError, "^sentence=5: there are 5, counted from 0"),
        ({"sentences": []}, traitlets.TraitError, "must be of length 1 <= L <= 6"),
        ({"sentences": [""]}, DataError, "^sentence 1 is empty: expected at least one word"),
        (
            {"sentences": ["a " * 13]},
            traitlets.TraitError,
            "^sentences: expected at most 12 words each, got 13 in ",
        ),
    ],
    ids=str,
)
def test_what_does_not_fit_is_refused_with_what_was_expected(traits, error, message):
    with pytest.raises(error, match=message):
        BeamTree(**traits)
