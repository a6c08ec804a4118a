"""The two treebanks: from the reader's folder, from a host, and what is told where they fail."""

import functools
import gzip
import hashlib
import http.server
import os
import threading
import zipfile
from itertools import chain, groupby

import pytest

from transformer_course import data
from transformer_course.commands import cli
from transformer_course.data import download, line_of, load_trees, treebanks
from transformer_course.decoding.parsing import OPENS_IN_A_ROW
from transformer_course.errors import DataError

needs_data = pytest.mark.skipif(
    not os.environ.get("TRANSFORMER_COURSE_DATA"),
    reason="TRANSFORMER_COURSE_DATA names no folder with the treebanks",
)
TREE = "( (S (NP-SBJ (NNS {})) (VP (VBP bark))) )\n"
CRAFT_IDS = {"train": ["11", "12"], "dev": ["21"], "test": ["31", "32", "33"]}


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        """Say nothing."""


@pytest.fixture
def publisher(tmp_path, monkeypatch):
    """A folder that is served in the publishers' place, and an empty cache."""
    folder = tmp_path / "served"
    (folder / "treebank").mkdir(parents=True)
    (folder / "craft").mkdir()
    monkeypatch.delenv("TRANSFORMER_COURSE_DATA", raising=False)
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.setattr(download, "cache_folder", lambda name: tmp_path / "cache" / name)
    monkeypatch.setattr(download, "RETRIES", 0)
    handler = functools.partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("TRANSFORMER_COURSE_MIRROR", f"http://127.0.0.1:{server.server_port}")
        yield folder
        server.shutdown()


def publish_penn(folder, monkeypatch, texts: dict[str, str]) -> None:
    path = folder / "treebank" / treebanks.PENN_FILE
    with zipfile.ZipFile(path, "w") as archive:
        for number, text in texts.items():
            archive.writestr(f"treebank/combined/wsj_{number}.mrg", text)
        archive.writestr("treebank/combined/README", "no tree")
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    monkeypatch.setitem(treebanks.PENN.sha256, treebanks.PENN_FILE, sha256)


def publish_craft(folder, without: str = "", tree: str = TREE) -> None:
    with zipfile.ZipFile(folder / "craft" / treebanks.ARCHIVE, "w") as archive:
        for part, ids in CRAFT_IDS.items():
            archive.writestr(f"CRAFT-2abe/articles/ids/craft-ids-{part}.txt", "\n".join(ids))
            for each in ids:
                if each != without:
                    name = f"CRAFT-2abe/structural-annotation/treebank/penn/{each}.tree"
                    archive.writestr(name, tree.format(f"w{each}") * 2)


def firsts(name: str, split: str) -> list[str]:
    return [tree.words()[0] for tree in load_trees(name, split)]


def test_the_last_digit_of_a_file_says_its_split(publisher, monkeypatch):
    publish_penn(
        publisher, monkeypatch, {n: TREE.format(f"w{n}") for n in ("0017", "0018", "0019")}
    )
    assert [firsts("treebank", split) for split in treebanks.SPLITS] == [
        ["w0017"],
        ["w0018"],
        ["w0019"],
    ]


def test_crafts_archive_is_split_by_its_lists_and_of_the_test_every_second_article_is_taken(
    publisher,
):
    publish_craft(publisher)
    assert firsts("craft", "train") == ["w11", "w11", "w12", "w12"]
    assert firsts("craft", "valid") == ["w21", "w21"]
    assert firsts("craft", "test") == ["w31", "w31", "w33", "w33"]


def test_parsing_is_translation_so_a_treebank_gives_pairs(publisher, monkeypatch):
    publish_penn(publisher, monkeypatch, {"0001": TREE.format("Dogs") * 3})
    pair = ("Dogs bark", "(S (NP (NNS Dogs)) (VP (VBP bark)))")
    assert data.load_pairs("treebank:words-tree", "train", 2) == [pair, pair]
    publish_craft(publisher)
    assert data.load_pairs("craft:words-tree", "valid", 1)[0][0] == "w21 bark"


def test_a_word_with_a_space_in_it_is_mended(publisher):
    publish_craft(publisher, tree="( (NP (NN Xpd {})) )\n")
    assert firsts("craft", "valid") == ["Xpd_w21", "Xpd_w21"]


@pytest.mark.parametrize(
    ("name", "terms"),
    [("treebank", "for non-commercial use only"), ("craft", "under CC BY 3.0: name CRAFT")],
)
def test_fetching_a_treebank_says_its_terms(publisher, monkeypatch, capsys, name, terms):
    publish_penn(publisher, monkeypatch, {"0001": TREE.format("Dogs")})
    publish_craft(publisher)
    assert cli.main(["data", "fetch", name]) == 0
    said = capsys.readouterr().out
    assert f"{name}: complete and verified in " in said
    assert terms in said


def test_an_archive_that_lacks_an_articles_trees_says_so(publisher):
    publish_craft(publisher, without="12")
    with pytest.raises(DataError, match=r"expected CRAFT's lists of articles and their trees in"):
        load_trees("craft", "train")


def test_a_host_without_the_file_says_so(publisher):
    with pytest.raises(DataError, match=r"2abe82b\.zip is not cached: 404 Client Error"):
        load_trees("craft", "train")
    with pytest.raises(DataError, match=r"treebank\.zip is not cached: 404 Client Error"):
        load_trees("treebank", "train")


def test_another_zip_than_the_known_sample_is_not_kept(publisher):
    (publisher / "treebank" / treebanks.PENN_FILE).write_bytes(b"another file")
    with pytest.raises(DataError, match=r"is not the file expected: expected sha256 9da92d76"):
        data.fetch("treebank")
    assert list(download.cache_folder("treebank").iterdir()) == []


def test_a_broken_tree_names_its_file_and_line(publisher, monkeypatch):
    publish_penn(publisher, monkeypatch, {"0001": TREE.format("Dogs") + "( (S (NP"})
    with pytest.raises(DataError, match=r"wsj_0001\.mrg, line 2: expected every bracket closed"):
        load_trees("treebank", "train")


def test_files_of_ones_own_must_be_the_known_ones(publisher, tmp_path, monkeypatch):
    own = tmp_path / "own" / "craft"
    own.mkdir(parents=True)
    for name in treebanks.CRAFT_FILES.values():
        (own / name).write_bytes(gzip.compress(b"(NP (NN x))\n"))
    monkeypatch.setenv("TRANSFORMER_COURSE_DATA", str(own.parent))
    with pytest.raises(DataError, match=r"dev\.trees\.gz is damaged or of another version"):
        load_trees("craft", "valid")


def test_an_unknown_treebank_or_split_says_which_there_are():
    with pytest.raises(
        DataError, match="one of treebank, craft and one of train, valid, test, got"
    ):
        load_trees("treebanks", "train")
    with pytest.raises(DataError, match="got 'craft' and 'dev'"):
        load_trees("craft", "dev")


@needs_data
@pytest.mark.slow
def test_the_penn_sample_has_its_sizes_and_opens_no_more_than_the_rule_allows():
    trees = [load_trees("treebank", split) for split in treebanks.SPLITS]
    assert [len(each) for each in trees] == [2936, 555, 423]
    assert trees[0][0].words()[:2] == ["Pierre", "Vinken"]
    opened = [
        len(list(run))
        for tree in chain(*trees)
        for opens, run in groupby(line_of(tree), key=lambda token: token.startswith("("))
        if opens
    ]
    assert max(opened) == OPENS_IN_A_ROW


@needs_data
@pytest.mark.slow
def test_craft_has_its_sizes():
    sizes = [len(load_trees("craft", split)) for split in treebanks.SPLITS]
    assert sizes == [18_951, 2_780, 4_882]
