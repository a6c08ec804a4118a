"""Data sets by name, files of one's own, and what wrong names and files are told."""

import gzip
import itertools
import os
from pathlib import Path

import pytest

from transformer_course import data
from transformer_course.data import load_pairs, load_text_pairs
from transformer_course.errors import DataError

needs_multi30k = pytest.mark.skipif(
    not os.environ.get("TRANSFORMER_COURSE_DATA"),
    reason="TRANSFORMER_COURSE_DATA names no folder with the Multi30k files",
)
GENERATED = [
    pytest.param(name, marks=needs_multi30k if name.startswith("mixture:") else ())
    for name in data.names()
    if name not in data.to_fetch() and not name.startswith("files:")
]


@pytest.mark.parametrize("name", [name for name in data.names() if name.startswith("toy:")])
def test_every_toy_task_loads_in_every_split(name):
    for split in data.splits(name):
        assert len(load_pairs(name, split, count=7)) == 7


@pytest.mark.slow
@pytest.mark.parametrize("name", GENERATED)
def test_no_sentence_of_a_generated_set_stands_in_two_splits(name):
    seen = [{src for src, _ in load_pairs(name, split, 1_000)} for split in data.splits(name)]
    assert all(not one & other for one, other in itertools.combinations(seen, 2))


def test_a_generated_set_has_its_usual_size():
    assert len(load_pairs("toy:reverse", "valid")) == 1_000


def test_the_phrasebook_loads_in_both_directions():
    forward = load_pairs("phrasebook:en-de", "valid")
    assert len(forward) == len(set(forward)) == 1_000
    assert any(en.startswith("The ") and de.startswith(("Der ", "Die ")) for en, de in forward)
    assert load_pairs("phrasebook:de-en", "valid", count=5) == [(de, en) for en, de in forward[:5]]


@pytest.mark.slow
def test_no_phrase_to_learn_from_is_a_phrase_to_be_tested_on():
    seen = load_pairs("phrasebook:en-de", "train", count=20_000)
    for split in ("valid", "test"):
        for side in (0, 1):
            unseen = {pair[side] for pair in load_pairs("phrasebook:en-de", split)}
            assert unseen.isdisjoint(pair[side] for pair in seen)


def test_more_phrases_than_the_grammar_makes_says_so():
    with pytest.raises(DataError, match=r"count=1000000000 phrases of 'test': ask for 1 to"):
        load_pairs("phrasebook:en-de", "test", count=1_000_000_000)


@needs_multi30k
@pytest.mark.parametrize("pair", ["en-de", "en-fr"])
def test_multi30k_has_its_published_sizes(pair):
    sizes = [len(load_pairs(f"multi30k:{pair}", split)) for split in data.splits("multi30k:en-de")]
    assert sizes == [29_000, 1_014, 1_000]


@needs_multi30k
def test_the_reverse_pair_is_the_pair_reversed():
    forward = load_pairs("multi30k:en-de", "valid", count=3)
    assert load_pairs("multi30k:de-en", "valid", count=3) == [(de, en) for en, de in forward]
    assert forward[0][0].startswith("A group of men")


def test_every_name_is_described_and_has_splits():
    for name in data.names():
        if not name.startswith("files:"):
            assert data.describe(name).endswith(".")
            assert data.splits(name)[:2] == ("train", "valid")


def test_multi30k_says_what_it_may_be_used_for():
    assert "for research and teaching" in data.describe("multi30k:en-de")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("multi3k:en-de", r"unknown data set: expected one of toy, .*did you mean multi30k\?"),
        ("wikipedia", r"unknown data set: .* got 'wikipedia'$"),
        ("", r"unknown data set: expected one of .* got none"),
        ("multi30k:en-dd", r"unknown pair: expected one of en-de.*'multi30k:en-dd'; did you mean"),
        ("multi30k:en-ru", r"unknown pair: expected one of en-de, de-en, en-fr, fr-en, got"),
        ("multi30k", r"unknown pair: .* got none in 'multi30k:'"),
        ("toy:revers", r"unknown pair: .*did you mean toy:reverse\?"),
    ],
)
def test_an_unknown_name_is_told_the_known_ones(name, told):
    with pytest.raises(DataError, match=told):
        load_pairs(name, "train")


@pytest.mark.parametrize(
    ("split", "told"),
    [
        ("test", r"unknown split of multi30k:en-de: expected one of train, .* got 'test'; did you"),
        ("val", r"unknown split .*did you mean valid\?"),
        ("dev", r"unknown split .* got 'dev'$"),
    ],
)
def test_an_unknown_split_is_told_the_known_ones(split, told):
    with pytest.raises(DataError, match=told):
        load_pairs("multi30k:en-de", split)


def test_a_count_below_one_says_so():
    with pytest.raises(DataError, match="expected a count of at least 1, got 0"):
        load_pairs("toy:copy", "train", count=0)


def test_what_is_generated_needs_no_fetching():
    with pytest.raises(DataError, match="nothing to fetch: toy is made on this machine"):
        data.fetch("toy")


def test_fetching_an_unknown_set_says_so():
    with pytest.raises(DataError, match=r"unknown data set: .*'multi30'; did you mean multi30k"):
        data.fetch("multi30")


def test_fetching_an_unknown_pair_says_so():
    with pytest.raises(DataError, match=r"unknown pair: .*'multi30k:en-xx'"):
        data.fetch("multi30k:en-xx")


# Files of one's own.


@pytest.fixture
def write(tmp_path):
    def write(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def test_two_text_files_are_read_line_by_line(write):
    src, tgt = write("a", "A dog.\nTwo.\n"), write("b", "Ein Hund.\r\nZwei.\u2028Drei.")
    assert load_text_pairs(src, tgt) == [("A dog.", "Ein Hund."), ("Two.", "Zwei.\u2028Drei.")]


def test_a_gzipped_file_and_a_byte_order_mark_are_read(write):
    src, tgt = write("a.gz", gzip.compress(b"A dog.\n")), write("b", "\ufeffEin Hund.\n")
    assert load_text_pairs(src, tgt) == [("A dog.", "Ein Hund.")]


def test_an_empty_line_in_the_middle_stays_in_its_place(write):
    assert load_text_pairs(write("a", "x\n\ny\n"), write("b", "1\n2\n3\n"))[1] == ("", "2")


def test_files_of_ones_own_train_under_a_name(write):
    lines = "".join(f"line {i}\n" for i in range(500))
    name = f"files:{write('a', lines)},{write('b', lines.upper())}"
    train, valid = load_pairs(name, "train"), load_pairs(name, "valid")
    assert len(train) + len(valid) == 500
    assert 1 <= len(valid) <= 25
    assert set(train).isdisjoint(valid)
    assert train[0] == ("line 0", "LINE 0")


def test_one_path_where_two_belong_says_so():
    with pytest.raises(DataError, match="expected files:SRC,TGT with two paths, got 'files:a'"):
        load_pairs("files:a", "train")


def test_too_few_lines_to_hold_any_out_says_so(write):
    name = f"files:{write('a', 'A dog.')},{write('b', 'Ein Hund.')}"
    with pytest.raises(DataError, match="expected some pairs for the split valid, got none"):
        load_pairs(name, "valid")


def test_files_of_unequal_length_say_both_counts(write):
    with pytest.raises(DataError, match=r"got 2 lines in .*a and 1 in .*b: align them first"):
        load_text_pairs(write("a", "x\ny\n"), write("b", "x\n"))


def test_bytes_that_are_not_utf8_are_located(write):
    path = write("a", "gut\nschön\n".encode("latin-1"))
    with pytest.raises(DataError, match=r"UTF-8 in .*a, got not UTF-8: line 2, byte 7 .* is 0xf6;"):
        load_text_pairs(path, path)


def test_utf16_is_recognized(write):
    path = write("a", "schön\n".encode("utf-16"))
    with pytest.raises(DataError, match="got UTF-16, by its first bytes: line 1, byte 0"):
        load_text_pairs(path, path)


@pytest.mark.parametrize("content", ["", "\n\n", " \n"])
def test_an_empty_file_says_so(write, content):
    path = write("a", content)
    with pytest.raises(DataError, match=r"expected one sentence a line in .*a, got an empty file"):
        load_text_pairs(path, path)


def test_a_missing_file_says_so(tmp_path):
    with pytest.raises(DataError, match=r"cannot read .*nowhere: No such file"):
        load_text_pairs(tmp_path / "nowhere", tmp_path / "nowhere")


def test_a_folder_in_place_of_a_file_says_so(tmp_path):
    with pytest.raises(DataError, match=r"cannot read .*: Is a directory"):
        load_text_pairs(tmp_path, tmp_path)


@pytest.mark.parametrize("damage", [lambda z: z[:-9], lambda z: b"x" + z, lambda z: z[:15]])
def test_a_damaged_gzip_file_says_so(write, damage):
    path = write("a.gz", damage(gzip.compress(b"A dog runs.\n" * 50)))
    with pytest.raises(DataError, match=r"a\.gz is a damaged gzip file"):
        load_text_pairs(path, path)
