"""BpeMerges: what it accepts, and its static twin, which is the package's tokenizer."""

import pytest
import tokenizers
import traitlets

from transformer_course.data import Tokenizer
from transformer_course.widgets import BpeMerges


def test_the_static_twin_holds_the_packages_merges_and_pieces():
    widget = BpeMerges(done=9)
    (table,) = widget.tables()
    full = Tokenizer.train([widget.text], vocab_size=1000)
    assert table.rows[1:] == [f"{n} {a} + {b}" for n, (a, b) in enumerate(full.merges[:9], 1)]
    assert table.rows[0] == "characters"
    assert table.cells[0].tolist() == [95, 7]  # "▁" before each of 16 words counts
    assert table.cells[:, 0].tolist() == sorted(table.cells[:, 0], reverse=True)
    every = BpeMerges(done=1000)
    last = every.tables()[0].cells[-1].tolist()
    assert last == [len(full.encode(widget.text)), len(full.encode("lowest"))]


def test_its_tokenizer_has_as_many_merges_as_are_done_and_no_piece_beyond_them():
    short = BpeMerges(done=3).tokenizer()
    assert short.merges == Tokenizer.train([BpeMerges().text], vocab_size=1000).merges[:3]
    assert len(short) == 4 + 11 + 3
    assert short.pieces("lowest") == ["▁", "lo", "w", "est"]


def test_the_first_merges_are_those_of_the_library_alone():
    """A trainer without the course's pipeline, on the same words."""
    engine = tokenizers.Tokenizer(tokenizers.models.BPE())
    trainer = tokenizers.trainers.BpeTrainer(min_frequency=2, show_progress=False)
    engine.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace()
    engine.train_from_iterator([BpeMerges().text], trainer)
    pieces = sorted(engine.get_vocab().items(), key=lambda pair: pair[1])
    made = [piece for piece, _ in pieces if len(piece) > 1]
    rows = BpeMerges(done=1000).tables()[0].rows[1:]
    assert [row.split(" ", 1)[1].replace(" + ", "") for row in rows] == made


def test_the_twin_of_many_merges_shows_the_latest():
    (table,) = BpeMerges(text=" ".join(map(str, range(1000, 1400))) * 2, done=60).tables()
    assert len(table.rows) == len(table.cells) == 31
    assert [int(row.split()[0]) for row in table.rows] == [*range(30, 61)]


@pytest.mark.parametrize("text", ["", " \n\t ", "▁▁"])
def test_a_text_without_a_character_has_no_table_and_breaks_nothing(text):
    widget = BpeMerges(text=text)
    assert widget.tables() == []
    assert widget.as_text() == repr(widget) == "BpeMerges(done=4, word='lowest')"


@pytest.mark.parametrize("name", ["text", "word"])
def test_what_is_too_long_is_refused(name):
    with pytest.raises(
        traitlets.TraitError, match=f"{name}: expected at most 20,000 characters, got 20,001"
    ):
        BpeMerges(**{name: "a" * 20_001})


@pytest.mark.parametrize("done", [-1, 20_001])
def test_merges_are_counted_from_zero(done):
    with pytest.raises(traitlets.TraitError, match="should not be (less|greater) than"):
        BpeMerges(done=done)
