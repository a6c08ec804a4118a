"""Tatoeba: from the reader's folder or from an export that grows; what is set aside stays aside."""

import functools
import gzip
import http.server
import os
import threading
import zipfile

import pytest

from transformer_course import data
from transformer_course.data import download, tatoeba
from transformer_course.data.likeness import likeness
from transformer_course.errors import DataError

HERE = os.environ.get("TRANSFORMER_COURSE_DATA")
needs_data = pytest.mark.skipif(
    not HERE, reason="TRANSFORMER_COURSE_DATA names no folder with Tatoeba's sentences"
)
ROWS = "".join(
    f"Sentence {n}.\tSatz {n}.\tCC-BY 2.0 (France) Attribution: tatoeba.org #{n}\n"
    for n in range(400)
)
LONG = "This one has more than twenty-four characters.\tDer hier ist zu lang.\tCC-BY\n"


class Quiet(http.server.SimpleHTTPRequestHandler):
    cut = False

    def log_message(self, *arguments):
        """Say nothing."""

    def copyfile(self, source, outputfile):
        content = source.read()
        outputfile.write(content[: len(content) // 2] if self.cut else content)


@pytest.fixture
def publisher(tmp_path, monkeypatch):
    """A folder that is served in the publisher's place, and an empty cache."""
    folder = tmp_path / "served" / "tatoeba"
    folder.mkdir(parents=True)
    monkeypatch.delenv("TRANSFORMER_COURSE_DATA", raising=False)
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.setattr(download, "cache_folder", lambda name: tmp_path / "cache" / name)
    monkeypatch.setattr(download, "RETRIES", 0)
    monkeypatch.setattr(Quiet, "cut", False)
    handler = functools.partial(Quiet, directory=str(folder.parent))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("TRANSFORMER_COURSE_MIRROR", f"http://127.0.0.1:{server.server_port}")
        yield folder
        server.shutdown()


def publish(folder, text=ROWS + LONG, member="deu.txt"):
    with zipfile.ZipFile(folder / tatoeba.EXPORT, "w") as archive:
        archive.writestr(member, text)


def test_the_short_pairs_of_an_export_are_read_in_both_directions(publisher):
    publish(publisher)
    found = {
        split: data.load_pairs("tatoeba:en-de", split) for split in data.splits("tatoeba:en-de")
    }
    assert sum(map(len, found.values())) == 400
    assert ("Sentence 7.", "Satz 7.") in found[tatoeba.split_of("Sentence 7.")]
    assert 5 < len(found["test"]) < 40
    assert data.load_pairs("tatoeba:de-en", "valid", 1) == [found["valid"][0][::-1]]
    assert data.fetch("tatoeba").name == "tatoeba"


def test_what_is_set_aside_is_in_no_other_split_and_neither_is_its_german(publisher):
    publish(publisher, ROWS + ROWS.replace("Sentence", "Another sentence"))  # the same German
    aside = [*data.load_pairs("tatoeba:en-de", "valid"), *data.load_pairs("tatoeba:en-de", "test")]
    train = data.load_pairs("tatoeba:en-de", "train")
    assert not {likeness(en) for en, _ in aside} & {likeness(en) for en, _ in train}
    assert not {likeness(de) for _, de in aside} & {likeness(de) for _, de in train}
    assert 0 < len(train) < 800 - len(aside)


def test_an_export_that_came_once_may_not_change_unnoticed(publisher):
    publish(publisher)
    data.fetch("tatoeba")
    kept = download.cache_folder("tatoeba") / tatoeba.EXPORT
    kept.write_bytes(kept.read_bytes() + b"more")
    with pytest.raises(DataError, match=r"has changed since it was downloaded: expected sha256"):
        data.fetch("tatoeba")


@pytest.mark.parametrize("what", ["page", "nothing", "cut"])
def test_what_is_no_export_is_not_kept(publisher, what, monkeypatch):
    if what == "page":
        (publisher / tatoeba.EXPORT).write_text("<h1>Come back later</h1>")
    if what == "cut":
        publish(publisher)
        monkeypatch.setattr(Quiet, "cut", True)
    told = {"page": "gave no zip file", "nothing": "404", "cut": "the connection was cut"}[what]
    with pytest.raises(DataError, match=told):
        data.fetch("tatoeba")
    folder = download.cache_folder("tatoeba")
    assert not folder.exists() or list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "member", "told"),
    [
        (ROWS, "fra.txt", "expected deu.txt in "),
        (LONG, "deu.txt", "expected lines with an English and a German sentence in "),
        ("one column alone\n", "deu.txt", "expected lines with an English and a German"),
        ("", "deu.txt", "expected one sentence a line in "),
    ],
)
def test_an_export_without_pairs_says_so(publisher, text, member, told):
    publish(publisher, text, member)
    with pytest.raises(DataError, match=told):
        data.load_pairs("tatoeba:en-de", "train")


def test_files_of_ones_own_must_be_the_known_ones(publisher, tmp_path, monkeypatch):
    own = tmp_path / "own" / "tatoeba"
    own.mkdir(parents=True)
    for name in tatoeba.SHORT:
        (own / name).write_bytes(gzip.compress(b"Hi.\n"))
    monkeypatch.setenv("TRANSFORMER_COURSE_DATA", str(own.parent))
    with pytest.raises(DataError, match=r"short\.en\.gz is damaged or of another version"):
        data.load_pairs("tatoeba:en-de", "train")


@needs_data
def test_the_everyday_sentences_have_their_sizes():
    sizes = [len(data.load_pairs("tatoeba:en-de", split)) for split in tatoeba.SPLITS]
    assert sizes == [43_261, 1_159, 2_342]


@needs_data
@pytest.mark.slow
def test_the_mixture_holds_nothing_like_what_any_of_the_three_sets_aside():
    tests = [("multi30k", "test_2016_flickr"), ("tatoeba", "test"), ("phrasebook", "test")]
    aside = [pair for name, split in tests for pair in data.load_pairs(f"{name}:en-de", split)]
    aside += data.load_pairs("mixture:en-de", "valid")
    train = data.load_pairs("mixture:en-de", "train")
    assert len(train) == 92_247
    for side in (0, 1):
        kept = {likeness(pair[side]) for pair in aside}
        assert not kept & {likeness(pair[side]) for pair in train}
    first = data.load_pairs("mixture:de-en", "valid", 3)
    assert [tatoeba.split_of(en) for _, en in first][1] == "valid"  # a pair of each, in turn
