"""The toy tasks: right answers, no answer shared between the splits."""

from datetime import date, datetime

import pytest

from transformer_course.data import toy
from transformer_course.errors import DataError


def test_copy_repeats_reverse_turns_round_and_sort_sorts():
    for task, answer in [("copy", list), ("reverse", lambda s: s[::-1]), ("sort", sorted)]:
        for src, tgt in toy.generate(task, "train", 200):
            assert tgt.split(" ") == answer(src.split(" "))


def test_sequences_have_every_length_and_symbol():
    sources = [src.split(" ") for src, _ in toy.generate("copy", "train", 1_000)]
    assert {len(source) for source in sources} == set(range(toy.SHORTEST, toy.LONGEST + 1))
    assert {symbol for source in sources for symbol in source} == set(toy.SYMBOLS)


def test_a_date_is_written_in_several_notations():
    assert [notation(date(2021, 5, 3)) for notation in toy._NOTATIONS] == [
        "the 3rd of May 2021",
        "May 3rd, 2021",
        "May 3, 2021",
        "3 May 2021",
        "Monday, 3 May 2021",
        "3 May 2021",
        "3.5.2021",
        "2021/5/3",
    ]


def test_ordinals_follow_english_spelling():
    written = "1st 2nd 3rd 4th 10th 11th 12th 13th 14th 20th 21st 22nd 23rd 24th 30th 31st"
    for word in written.split():
        assert toy.ordinal(int(word[:-2])) == word


def test_python_reads_the_dates_as_the_targets_say():
    pairs = toy.generate("dates", "train", 2_000)
    formats = ["%B %d, %Y", "%d %B %Y", "%A, %d %B %Y", "%d %b %Y", "%d.%m.%Y", "%Y/%m/%d"]
    read = 0
    for src, tgt in pairs:
        for form in formats:
            try:
                parsed = datetime.strptime(src, form)
            except ValueError:
                continue
            assert parsed.date().isoformat() == tgt
            read += 1
            break
    assert read > 1_200  # six of the eight notations; Python knows no "3rd"


@pytest.mark.parametrize("task", toy.TASKS)
def test_no_answer_stands_in_two_splits(task):
    answers = [{tgt for _, tgt in toy.generate(task, split, 1_000)} for split in toy.COUNTS]
    assert answers[0].isdisjoint(answers[1])
    assert answers[0].isdisjoint(answers[2])
    assert answers[1].isdisjoint(answers[2])


@pytest.mark.parametrize("task", toy.TASKS)
def test_pairs_are_distinct_and_as_many_as_asked(task):
    pairs = toy.generate(task, "valid", 500)
    assert len(pairs) == len(set(pairs)) == 500


def test_a_seed_gives_the_same_pairs_and_more_of_them_begin_alike():
    assert toy.generate("dates", "test", 30) == toy.generate("dates", "test", 50)[:30]
    assert toy.generate("dates", "test", 30) != toy.generate("dates", "test", 30, seed=1)


def test_more_than_there_are_says_so(monkeypatch):
    monkeypatch.setattr(toy, "LAST_DAY", date(1900, 3, 1))
    with pytest.raises(DataError, match=r"at most about \d+ pairs from toy:dates test, got count="):
        toy.generate("dates", "test", 10_000)
