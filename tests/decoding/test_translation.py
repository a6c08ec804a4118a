import pytest
import torch

from transformer_course import decoding
from transformer_course.data import EOS_ID, Tokenizer, pad
from transformer_course.decoding import SEARCHES, beam_search, pack, translation
from transformer_course.errors import DataError
from transformer_course.model import Transformer, TransformerConfig

SENTENCES = ["a b c", "c b", "a a a b", "c"]


@pytest.fixture
def model_and_tokenizer():
    tokenizer = Tokenizer.train(SENTENCES, vocab_size=20)
    config = TransformerConfig(
        vocab_size=len(tokenizer), d_model=16, num_heads=2, d_ff=32, num_layers=1, max_len=60
    )
    model = Transformer(config)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    return model, tokenizer


@pytest.mark.parametrize(
    "options",
    [{"beam": 1}, {"beam": 4}, {"search": "greedy"}, {"search": "sample", "seed": 3, "top_p": 0.9}],
    ids=str,
)
def test_the_order_and_the_batches_do_not_change_a_translation(model_and_tokenizer, options):
    together = decoding.translate(*model_and_tokenizer, SENTENCES, **options)
    alone = [decoding.translate(*model_and_tokenizer, [s], **options)[0] for s in SENTENCES]
    assert together == alone
    assert decoding.translate(*model_and_tokenizer, SENTENCES, **options, max_tokens=6) == alone


@pytest.mark.parametrize("name", SEARCHES)
def test_a_search_is_chosen_by_its_name(model_and_tokenizer, name):
    model, tokenizer = model_and_tokenizer
    src = pad([[*ids, EOS_ID] for ids in tokenizer.encode_batch(SENTENCES)])
    expected = [tokenizer.decode(ids) for ids in SEARCHES[name](model, src)]
    assert decoding.translate(model, tokenizer, SENTENCES, search=name) == expected


def test_a_search_of_ones_own_takes_part_under_its_name(model_and_tokenizer, monkeypatch):
    def repeat(model, src, *, times=2, max_extra=50):
        return [row[:1].tolist() * times for row in src]

    monkeypatch.setitem(SEARCHES, "repeat", repeat)
    found = decoding.translate(*model_and_tokenizer, ["a b", "c"], search="repeat", times=3)
    assert found == ["a a a", "c c c"]
    assert decoding.search_options("repeat", {}) == {"times": 2}


def test_a_beam_of_one_is_greedy_search(model_and_tokenizer):
    by_beam = decoding.translate(*model_and_tokenizer, SENTENCES, beam=1)
    assert by_beam == decoding.translate(*model_and_tokenizer, SENTENCES, search="greedy")


def test_the_options_of_a_search_have_its_defaults():
    assert decoding.search_options("beam", {"alpha": 1.0}) == {"beam": 4, "alpha": 1.0}
    assert decoding.search_options("greedy", {}) == {}
    sampling = {"temperature": 1.0, "top_k": 40, "top_p": 1.0, "seed": 0}
    assert decoding.search_options("sample", {"top_k": 40}) == sampling


@pytest.mark.parametrize(
    ("search", "given", "message"),
    [
        ("beams", {}, f"expected a search of {', '.join(SEARCHES)}, got 'beams'"),
        ("greedy", {"beam": 4}, "search greedy: expected no options, got beam=4; use search beam"),
        (
            "beam",
            {"temperature": 0.7},
            "search beam: expected beam or alpha, got temperature=0.7; use search sample or leave",
        ),
        ("sample", {"alpha": 0.6}, "search sample: expected temperature or top_k or top_p or seed"),
        ("beam", {"width": 3}, "search beam: expected beam or alpha, got width=3$"),
        ("greedy", {"max_extra": 3}, "search greedy: expected no options, got max_extra=3$"),
    ],
)
def test_an_option_of_another_search_is_refused(model_and_tokenizer, search, given, message):
    with pytest.raises(DataError, match=message):
        decoding.translate(*model_and_tokenizer, SENTENCES, search=search, **given)


def test_no_sentences_have_no_translations(model_and_tokenizer):
    assert decoding.translate(*model_and_tokenizer, []) == []


def test_an_empty_sentence_is_refused_by_its_number(model_and_tokenizer):
    with pytest.raises(DataError, match="sentence 2 is empty"):
        decoding.translate(*model_and_tokenizer, ["a", " "])


def test_a_sentence_that_is_too_long_is_refused_by_its_number(model_and_tokenizer):
    with pytest.raises(DataError, match="sentence 1 has 71 tokens.*max_len=60"):
        decoding.translate(*model_and_tokenizer, ["a " * 70])


def test_a_perfect_translation_scores_100_and_a_foreign_one_0():
    references = ["Ein Hund läuft über die Wiese .", "Zwei Männer stehen am Herd ."]
    perfect = decoding.score(references, references)
    assert (perfect["bleu"], perfect["chrf"], perfect["exact_match"]) == (100, 100, 1)
    assert decoding.score(["x y z w v", "x y z w v"], references)["bleu"] == 0


def test_scores_are_cased_and_carry_the_signature():
    lower = decoding.score(["ein hund läuft schnell davon"], ["Ein Hund läuft schnell davon"])
    assert lower["bleu"] < 100
    assert lower["signature"].startswith("nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:")


def test_a_wide_model_is_packed_and_translates_as_its_own_search_does(monkeypatch):
    tokenizer = Tokenizer.train(SENTENCES, vocab_size=20)
    config = TransformerConfig(
        vocab_size=len(tokenizer), d_model=128, num_heads=2, d_ff=32, num_layers=1, max_len=60
    )
    torch.manual_seed(1)
    model, packed = Transformer(config), []
    monkeypatch.setattr(translation, "pack", lambda model: packed.append(pack(model)) or packed[-1])
    src = pad([[*ids, EOS_ID] for ids in tokenizer.encode_batch(SENTENCES)])
    expected = [tokenizer.decode(ids) for ids in beam_search(model, src)]
    assert decoding.translate(model, tokenizer, SENTENCES) == expected
    assert len(packed) == 1
    assert model.training


def test_what_the_heads_looked_at_does_not_depend_on_dropout(model_and_tokenizer):
    model, tokenizer = model_and_tokenizer
    model.train()
    first, second = (decoding.attention_map(model, tokenizer, "a b c", "c b") for _ in range(2))
    assert first == second
    assert model.training
