"""The tokenizer: text in, pieces out, the same text back."""

import errno
import itertools
import json
import os
import pathlib
import random
import subprocess
import sys

import pytest

from transformer_course import data
from transformer_course.data import BOS_ID, EOS_ID, PAD_ID, UNK_ID, Tokenizer, tokenizer
from transformer_course.data.tokenizer import normalize
from transformer_course.errors import DataError

TEXTS = [
    "A dog runs across the wet grass.",
    "Ein Hund rennt über das nasse Gras.",
    "It's 5 o'clock, isn't it?",
    'The woman says: "Two dogs are running."',
    "Die Frau sagt: „Zwei Hunde rennen (schnell)!“",
    "A well-known dog.",
] * 3


@pytest.fixture(scope="module")
def tok() -> Tokenizer:
    return Tokenizer.train(TEXTS, vocab_size=120)


@pytest.mark.parametrize("text", [*TEXTS[:6], "(a) 'b' \"c\"", "a-b, c--d ... e!?", "''", "a", ""])
def test_decoding_gives_the_same_text_back(tok, text):
    assert tok.decode(tok.encode(text)) == text


def test_only_white_space_is_normalized(tok):
    text = "\ta  dog\u00a0runs\u2009\r\n ▁the grass "
    assert normalize(text) == "a dog runs the grass"
    assert tok.decode(tok.encode(text)) == normalize(text)


def test_a_letter_typed_as_two_code_points_is_the_same_letter(tok):
    assert tok.encode("u\u0308ber") == tok.encode("über")


def test_any_mixture_of_known_characters_and_spaces_comes_back(tok):
    characters = sorted(set("".join(TEXTS)) | set(" \t\n\u00a0\u3000"))
    rng = random.Random(3)
    for _ in range(500):
        text = "".join(rng.choices(characters, k=rng.randrange(30)))
        assert tok.decode(tok.encode(text)) == normalize(text)


def test_a_character_never_seen_becomes_unk_and_is_shown(tok):
    assert tok.encode("a漢").count(UNK_ID) == 1
    assert tok.pieces("a漢")[-1] == "<unk>"
    assert tok.decode(tok.encode("a dog 漢 runs")) == "a dog � runs"


def test_special_pieces_written_in_the_text_are_plain_text(tok):
    ids = tok.encode("<pad> <s> A dog</s>")
    assert not {PAD_ID, BOS_ID, EOS_ID} & set(ids)


def test_the_special_pieces_have_the_fixed_ids(tok):
    assert [tok.id_to_piece(i) for i in (PAD_ID, BOS_ID, EOS_ID, UNK_ID)] == [
        "<pad>",
        "<s>",
        "</s>",
        "<unk>",
    ]


def test_decoding_drops_padding_and_sentence_marks(tok):
    ids = tok.encode("A dog runs.")
    assert tok.decode([BOS_ID, *ids, EOS_ID, PAD_ID, PAD_ID]) == "A dog runs."


def test_a_frequent_word_is_one_piece_and_a_rare_one_is_several(tok):
    assert "▁dog" in tok.pieces("A dog runs.")
    assert len(tok.pieces("wölfe")) > 1


def test_punctuation_never_joins_a_word(tok):
    assert tok.pieces("dog. dog")[0] == tok.pieces("dog, dog")[0] == tok.pieces("dog")[0]


def test_a_batch_is_encoded_as_its_sentences_are(tok):
    assert tok.encode_batch(TEXTS) == [tok.encode(text) for text in TEXTS]


def test_the_written_steps_alone_give_the_same_pieces(tok):
    for text in [*TEXTS[:6], "  wölfe (wet) dogs' clocks", "über-grass"]:
        assert by_hand(text, tok) == tok.pieces(text)


def by_hand(text: str, tok: Tokenizer) -> list[str]:
    """Repeat the steps of the module's docstring without the `tokenizers` package."""
    rank = {pair: place for place, pair in enumerate(tok.merges)}
    pieces = []
    for word in ("▁" + normalize(text).replace(" ", " ▁")).split(" "):
        part: list[str] = []
        parts = [part]
        for character in word:
            if not (character.isalnum() or character == "▁"):
                parts += [[character], part := []]
            else:
                part.append(character)
        for part in parts:
            while pairs := [p for p in itertools.pairwise(part) if p in rank]:
                best = min(pairs, key=rank.__getitem__)
                at = list(itertools.pairwise(part)).index(best)
                part[at : at + 2] = ["".join(best)]
            pieces += part
    return [piece if piece in tok.vocab else "<unk>" for piece in pieces]


@pytest.mark.slow
def test_equal_texts_give_an_equal_vocabulary_in_every_process(tok):
    script = (
        "import sys, json; from transformer_course.data.tokenizer import Tokenizer;"
        "print(Tokenizer.train(json.load(sys.stdin), vocab_size=120).fingerprint())"
    )
    for hash_seed in "1", "2":
        done = subprocess.run(
            [sys.executable, "-c", script],
            input=json.dumps(TEXTS),
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
        )
        assert done.stdout.strip() == tok.fingerprint()


def test_another_vocabulary_has_another_fingerprint(tok):
    other = Tokenizer.train([*TEXTS, *["Zwei Katzen"] * 9], vocab_size=120)
    assert len(other) == len(tok)
    assert other.fingerprint() != tok.fingerprint()


def test_a_saved_tokenizer_loads_as_the_same(tok, tmp_path):
    tok.save(tmp_path / "tokenizer.json")
    loaded = Tokenizer.load(tmp_path / "tokenizer.json")
    assert loaded.fingerprint() == tok.fingerprint()
    assert loaded.encode(TEXTS[0]) == tok.encode(TEXTS[0])
    assert len(loaded) == len(tok) == 120


def test_a_save_that_fails_leaves_the_old_file_and_nothing_else(tok, tmp_path, monkeypatch):
    path = tmp_path / "tokenizer.json"
    tok.save(path)
    before = path.read_bytes()

    def full_disk(self, *args, **kwargs):
        self.write_bytes(b"{")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(pathlib.Path, "write_text", full_disk)
    with pytest.raises(OSError, match="No space left"):
        Tokenizer.train(TEXTS, vocab_size=100).save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_missing_file_says_so(tmp_path):
    with pytest.raises(
        DataError, match=r"no tokenizer at .*x\.json: No such file.*train one first"
    ):
        Tokenizer.load(tmp_path / "x.json")


def test_a_file_cut_short_says_so(tok, tmp_path):
    path = tmp_path / "tokenizer.json"
    tok.save(path)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(DataError, match=r"tokenizer\.json is damaged: expected JSON"):
        Tokenizer.load(path)


def test_a_file_of_bytes_says_so(tmp_path):
    (tmp_path / "t.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match=r"t\.json is damaged"):
        Tokenizer.load(tmp_path / "t.json")


@pytest.mark.parametrize(
    "content", ["[]", "{}", '{"model": {"vocab": {"a": 0}, "merges": [["x", "y"]]}}']
)
def test_json_of_something_else_says_so(tmp_path, content):
    (tmp_path / "t.json").write_text(content)
    with pytest.raises(DataError, match=r"t\.json is not a byte-pair vocabulary"):
        Tokenizer.load(tmp_path / "t.json")


@pytest.mark.parametrize(
    "change",
    [
        lambda stored: stored.update(normalizer={"type": "Lowercase"}),
        lambda stored: stored["model"]["vocab"].update({"<s>": 2, "</s>": 1}),
        lambda stored: stored["model"]["vocab"].update({"▁Hund": 7_000}),
    ],
    ids=["other steps", "other special ids", "a gap in the ids"],
)
def test_a_tokenizer_that_is_not_ours_says_so(tok, tmp_path, change):
    path = tmp_path / "t.json"
    tok.save(path)
    stored = json.loads(path.read_text(encoding="utf-8"))
    change(stored)
    path.write_text(json.dumps(stored))
    with pytest.raises(DataError, match="other steps or special pieces"):
        Tokenizer.load(path)


def test_a_vocabulary_too_small_for_the_characters_says_what_is_enough(tok):
    with pytest.raises(
        DataError, match=r"vocab_size=9 is too small: .* use at least (\d+)"
    ) as told:
        Tokenizer.train(TEXTS, vocab_size=9)
    enough = int(str(told.value).rsplit(" ", 1)[1])
    assert len(Tokenizer.train(TEXTS, vocab_size=enough)) == enough


@pytest.mark.parametrize("texts", [[], ["", "  "]])
def test_no_text_to_learn_from_says_so(texts):
    with pytest.raises(DataError, match="expected texts to learn a vocabulary from"):
        Tokenizer.train(texts, vocab_size=100)


def test_an_id_outside_the_vocabulary_says_so(tok):
    with pytest.raises(DataError, match=r"expected a piece id from 0 to 119, got 120: .*another"):
        tok.decode([5, 120])


def test_half_a_character_says_so(tok):
    with pytest.raises(DataError, match=r"text 1: character 3 is not valid Unicode .*UTF-8"):
        tok.encode("ab\udcff")


@pytest.mark.skipif(
    not os.environ.get("TRANSFORMER_COURSE_DATA"),
    reason="TRANSFORMER_COURSE_DATA names no folder with the Multi30k files",
)
@pytest.mark.slow
@pytest.mark.parametrize("language", ["de", "fr"])
def test_every_line_of_multi30k_comes_back(language):
    texts = [text for pair in data.load_pairs(f"multi30k:en-{language}", "train") for text in pair]
    tok = Tokenizer.train(texts, vocab_size=6_000)
    assert len(tok) == 6_000
    assert [tok.decode(ids) for ids in tok.encode_batch(texts)] == [normalize(t) for t in texts]


def test_the_punctuation_rule_covers_all_of_ascii():
    marks = [chr(c) for c in range(33, 127) if not chr(c).isalnum()]
    tok = Tokenizer.train(["a".join(marks)] * 5, vocab_size=100)
    assert tok.pieces("a".join(marks)) == ["▁", *"a".join(marks)]
    assert tokenizer.UNK_ID not in tok.encode("".join(marks))


def test_pairs_are_encoded_in_order_however_many_at_once():
    pairs = [(f"a cat {n}", f"zwei Katzen {n} {n}") for n in range(7)]
    tok = Tokenizer.train([text for pair in pairs for text in pair], vocab_size=40)
    expected = [(tok.encode(source), tok.encode(target)) for source, target in pairs]
    for at_once in (1, 3, 7, 100):
        assert list(tok.encode_pairs(pairs, at_once)) == expected
