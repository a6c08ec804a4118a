import pytest
import torch

from transformer_course import decoding
from transformer_course.data import EOS_ID, Tokenizer, pad
from transformer_course.decoding import beam_search, pack
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


@pytest.mark.parametrize("beam", [1, 4])
def test_the_order_and_the_batches_do_not_change_a_translation(model_and_tokenizer, beam):
    together = decoding.translate(*model_and_tokenizer, SENTENCES, beam=beam)
    alone = [decoding.translate(*model_and_tokenizer, [s], beam=beam)[0] for s in SENTENCES]
    assert together == alone
    assert decoding.translate(*model_and_tokenizer, SENTENCES, beam=beam, max_tokens=6) == alone


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
    monkeypatch.setattr(evaluation, "pack", lambda model: packed.append(pack(model)) or packed[-1])
    src = pad([[*ids, EOS_ID] for ids in tokenizer.encode_batch(SENTENCES)])
    expected = [tokenizer.decode(ids) for ids in beam_search(model, src)]
    assert decoding.translate(model, tokenizer, SENTENCES) == expected
    assert len(packed) == 1
    assert model.training
