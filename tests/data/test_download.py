"""The download: a server on this machine stands for the host and fails in every way one can."""

import errno
import hashlib
import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pooch
import pytest

from transformer_course import data
from transformer_course.data import download, sets
from transformer_course.data.multi30k import DOWNLOAD
from transformer_course.errors import DataError

NAME = "train.en.gz"
CONTENT = random.Random(11).randbytes(300_007)
SHA256 = {name: hashlib.sha256(name.encode() + CONTENT).hexdigest() for name in DOWNLOAD.sha256} | {
    NAME: hashlib.sha256(CONTENT).hexdigest()
}


class Host(ThreadingHTTPServer):
    """Answers each request as the next entry of `answers` says, then as "right file"."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.answers: deque[str] = deque()
        self.asked: list[str] = []
        self.both_here = threading.Barrier(2, timeout=20)
        self.closing = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Answer(BaseHTTPRequestHandler):
    server: Host

    def log_message(self, *args) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        answer = self.server.answers.popleft() if self.server.answers else "right file"
        name = self.path.rsplit("/", 1)[1]
        content = CONTENT if name == NAME else name.encode() + CONTENT
        if answer in ("404 Not Found", "503 Service Unavailable"):
            code, reason = answer.split(" ", 1)
            self.send_response(int(code), reason)
            self.end_headers()
            return
        if answer == "wrong file":
            content = content[::-1]
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        half = len(content) // 2
        self.wfile.write(content[:half])
        self.wfile.flush()
        if answer == "cut":
            return
        if answer == "stall":
            self.server.closing.wait(60)
            return
        if answer == "slow":
            time.sleep(0.3)
        if answer == "wait for another":
            self.server.both_here.wait()
        self.wfile.write(content[half:])


@pytest.fixture
def host(monkeypatch, tmp_path):
    """Serve, with an empty cache, and with checksums of what is served."""
    server = Host()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    monkeypatch.setenv("TRANSFORMER_COURSE_MIRROR", server.url)
    monkeypatch.delenv("TRANSFORMER_COURSE_DATA", raising=False)
    monkeypatch.setenv("NO_PROXY", "*")
    for name, sha256 in SHA256.items():
        monkeypatch.setitem(DOWNLOAD.sha256, name, sha256)
    monkeypatch.setattr(download, "cache_folder", lambda name: tmp_path / "cache" / name)
    monkeypatch.setattr(download, "RETRIES", 0)
    yield server
    server.closing.set()
    server.shutdown()
    server.server_close()
    thread.join()


def cached(name: str = NAME) -> bytes:
    return (download.cache_folder("multi30k") / name).read_bytes()


def nothing_is_left() -> bool:
    folder = download.cache_folder("multi30k")
    return not folder.exists() or not list(folder.iterdir())


def test_the_right_file_is_downloaded_once_and_then_kept(host):
    assert download.folder_with(DOWNLOAD, [NAME]) == download.cache_folder("multi30k")
    download.folder_with(DOWNLOAD, [NAME])
    assert cached() == CONTENT
    assert host.asked == [f"/multi30k/{NAME}"]


def test_a_pair_asks_for_its_two_languages_and_the_whole_set_for_three(host):
    data.fetch("multi30k:en-de")
    assert len(host.asked) == 6
    data.fetch("multi30k")
    assert sorted(host.asked) == sorted(f"/multi30k/{name}" for name in SHA256)


def test_the_library_is_silent_unless_asked_for_a_bar(host, capfd):
    download.folder_with(DOWNLOAD, [NAME])
    assert capfd.readouterr() == ("", "")
    download.folder_with(DOWNLOAD, ["val.en.gz"], progress=True)
    assert "100%" in capfd.readouterr().err


def test_a_slow_host_is_waited_for(host):
    host.answers.append("slow")
    download.folder_with(DOWNLOAD, [NAME])
    assert cached() == CONTENT


@pytest.mark.parametrize("fault", ["wrong file", "cut", "503 Service Unavailable"])
def test_a_fault_that_passes_is_tried_again(host, monkeypatch, fault):
    monkeypatch.setattr(download, "RETRIES", 1)
    host.answers.append(fault)
    download.folder_with(DOWNLOAD, [NAME])
    assert cached() == CONTENT
    assert len(host.asked) == 2


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("wrong file", r"is not the file expected: expected sha256 \w{64}, got \w{64}; nothing"),
        ("cut", r"is not cached and http://\S+ gave none: the connection was cut; connect to"),
        ("stall", r"is not cached and http://\S+ gave none: nothing came for 0\.3 s; connect"),
        ("404 Not Found", rf"is not cached: 404 Client Error: Not Found for url: \S+{NAME}; conn"),
        ("503 Service Unavailable", r"503 Server Error: Service Unavailable for url: \S+; conn"),
    ],
)
def test_a_fault_is_told_in_one_line_leaves_nothing_and_is_over_the_next_time(
    host, monkeypatch, fault, told
):
    monkeypatch.setattr(download, "TIMEOUT_SECONDS", 0.3)
    host.answers.append(fault)
    begun = time.monotonic()
    with pytest.raises(DataError, match=told) as error:
        download.folder_with(DOWNLOAD, [NAME])
    assert time.monotonic() - begun < 15
    assert "\n" not in str(error.value)
    assert nothing_is_left()
    download.folder_with(DOWNLOAD, [NAME])
    assert cached() == CONTENT


def test_offline_and_not_cached_says_what_to_do(host, monkeypatch):
    monkeypatch.setenv("TRANSFORMER_COURSE_MIRROR", "http://127.0.0.1:9")
    told = (
        r"train\.en\.gz is not cached and http://127\.0\.0\.1:9/multi30k gave none: no connection; "
        r"connect to the network and try again, or set TRANSFORMER_COURSE_DATA to a folder that "
        r"holds multi30k/train\.en\.gz$"
    )
    with pytest.raises(DataError, match=told):
        data.load_pairs("multi30k:en-de", "train")
    assert nothing_is_left()


def test_offline_and_cached_works(host, monkeypatch):
    download.folder_with(DOWNLOAD, [NAME])
    monkeypatch.setenv("TRANSFORMER_COURSE_MIRROR", "http://127.0.0.1:9")
    assert download.folder_with(DOWNLOAD, [NAME]) == download.cache_folder("multi30k")


def test_a_mirror_that_is_no_url_says_so(host, monkeypatch):
    monkeypatch.setenv("TRANSFORMER_COURSE_MIRROR", "ftp.example")
    with pytest.raises(
        DataError, match=r"ftp\.example/multi30k gave none: Invalid URL .*; connect"
    ):
        download.folder_with(DOWNLOAD, [NAME])


def test_without_a_mirror_the_pinned_commit_is_asked(host, monkeypatch):
    asked = []
    monkeypatch.delenv("TRANSFORMER_COURSE_MIRROR")
    monkeypatch.setattr(
        pooch.HTTPDownloader,
        "__call__",
        lambda self, url, output_file, pooch: (
            asked.append(url),
            Path(output_file).write_bytes(CONTENT),
        ),
    )
    download.folder_with(DOWNLOAD, [NAME])
    assert asked == [f"{DOWNLOAD.url}/{NAME}"]
    assert "/a3d2e0d/" in asked[0]


def test_a_cached_file_that_was_damaged_is_downloaded_again(host):
    download.folder_with(DOWNLOAD, [NAME])
    (download.cache_folder("multi30k") / NAME).write_bytes(CONTENT[:100])
    download.folder_with(DOWNLOAD, [NAME])
    assert cached() == CONTENT


def test_a_full_disk_says_so_and_leaves_nothing(host, monkeypatch):
    def full(self, url, output_file, pooch):
        Path(output_file).write_bytes(CONTENT[:100])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(pooch.HTTPDownloader, "__call__", full)
    with pytest.raises(DataError, match=r"cannot write to .*multi30k: No space left .*; make room"):
        download.folder_with(DOWNLOAD, [NAME])
    assert nothing_is_left()


def test_a_cache_that_is_no_folder_says_so(host, tmp_path):
    (tmp_path / "cache").write_text("a file stands where the folder belongs")
    with pytest.raises(
        DataError, match=r"cannot write to .*multi30k: .*; make it a folder one can"
    ):
        download.folder_with(DOWNLOAD, [NAME])


def test_a_cache_without_permission_says_so(host, monkeypatch):
    def denied(*args, **kwargs):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "makedirs", denied)
    with pytest.raises(
        DataError, match=r"cannot write to .*multi30k: .*; make it a folder one can"
    ):
        download.folder_with(DOWNLOAD, [NAME])


# Another data set: one entry in the table, and a loader.


def load_made_up(pair: str, split: str, count: int | None) -> list[tuple[str, str]]:
    folder = download.folder_with(MADE_UP.download, [f"{split}.tsv"])
    lines = (folder / f"{split}.tsv").read_bytes().hex("\n", 1).splitlines()
    return [(line, line[::-1]) for line in lines[:count]]


MADE_UP = sets.DataSet(
    description="Bytes, and bytes turned round.",
    pairs=("hex-xeh",),
    splits=("train", "test"),
    load=load_made_up,
    download=download.Download(
        name="made_up",
        url="http://127.0.0.1:9/of/its/own",
        sha256={
            name: hashlib.sha256(name.encode() + CONTENT).hexdigest()
            for name in ("train.tsv", "test.tsv", "unused.tsv")
        },
        terms="Do with it what you like.",
        needed=lambda pair, split: [f"{split}.tsv"],
    ),
)


@pytest.fixture
def made_up(host, monkeypatch):
    monkeypatch.setitem(sets.DATASETS, "made_up", MADE_UP)
    return host


def test_another_downloaded_set_is_known_everywhere_by_its_entry(made_up):
    assert "made_up:hex-xeh" in data.names()
    assert [name for name in data.to_fetch() if "made_up" in name] == ["made_up", "made_up:hex-xeh"]
    assert data.describe("made_up:hex-xeh").endswith("turned round. Do with it what you like.")
    assert data.splits("made_up:hex-xeh") == ("train", "test")


def test_another_downloaded_set_is_fetched_kept_and_loaded(made_up, monkeypatch):
    folder = download.cache_folder("made_up")
    assert data.load_pairs("made_up:hex-xeh", "test", count=2) == [("74", "47"), ("65", "56")]
    assert data.fetch("made_up") == data.fetch("made_up:hex-xeh") == folder
    assert made_up.asked == ["/made_up/test.tsv", "/made_up/train.tsv"]  # each once, no others
    assert sorted(path.name for path in folder.iterdir()) == ["test.tsv", "train.tsv"]
    monkeypatch.delenv("TRANSFORMER_COURSE_MIRROR")  # its own address answers nobody
    assert len(data.load_pairs("made_up:hex-xeh", "train")) == len("train.tsv") + len(CONTENT)


def test_what_goes_wrong_with_another_set_names_that_set(made_up, monkeypatch, tmp_path):
    made_up.answers.append("wrong file")
    with pytest.raises(DataError, match=r"/made_up/train\.tsv is not the file expected: expected"):
        data.fetch("made_up")
    monkeypatch.delenv("TRANSFORMER_COURSE_MIRROR")
    told = r"http://127\.0\.0\.1:9/of/its/own gave none: .* a folder that holds made_up/train\.tsv$"
    with pytest.raises(DataError, match=told):
        data.fetch("made_up")
    (tmp_path / "own" / "made_up").mkdir(parents=True)
    (tmp_path / "own" / "made_up" / "train.tsv").write_bytes(b"mine")
    monkeypatch.setenv("TRANSFORMER_COURSE_DATA", str(tmp_path / "own"))
    with pytest.raises(DataError, match=r"made_up.train\.tsv is damaged or of another version"):
        data.load_pairs("made_up:hex-xeh", "train")


# A folder of the reader's own.


@pytest.fixture
def own(host, monkeypatch, tmp_path):
    folder = tmp_path / "own" / "multi30k"
    folder.mkdir(parents=True)
    (folder / NAME).write_bytes(CONTENT)
    monkeypatch.setenv("TRANSFORMER_COURSE_DATA", str(folder.parent))
    return folder


def test_the_readers_folder_comes_first_and_nothing_is_downloaded(host, own):
    assert download.folder_with(DOWNLOAD, [NAME]) == own
    assert host.asked == []


def test_a_wrong_file_in_the_readers_folder_is_named_and_left_alone(host, own):
    (own / NAME).write_bytes(b"mine")
    told = rf"{re.escape(str(own / NAME))} is damaged or of another version: expected sha256 \w+, "
    with pytest.raises(DataError, match=told):
        download.folder_with(DOWNLOAD, [NAME])
    assert (own / NAME).read_bytes() == b"mine"
    assert host.asked == []


def test_a_file_that_cannot_be_read_says_so(host, own, monkeypatch):
    def denied(*args, **kwargs):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(pooch, "file_hash", denied)
    with pytest.raises(DataError, match=rf"cannot read .*{NAME}: Permission denied"):
        download.folder_with(DOWNLOAD, [NAME])


def test_what_the_readers_folder_lacks_is_downloaded(host, own):
    assert download.folder_with(DOWNLOAD, [NAME, "val.en.gz"]) == download.cache_folder("multi30k")
    assert len(host.asked) == 2


def test_offline_with_a_folder_that_lacks_the_file_names_the_folder(host, own, monkeypatch):
    monkeypatch.setenv("TRANSFORMER_COURSE_MIRROR", "http://127.0.0.1:9")
    with pytest.raises(DataError, match=r"TRANSFORMER_COURSE_DATA \(now .*own, which lacks some"):
        download.folder_with(DOWNLOAD, ["val.en.gz"])


# Whole processes.

SCRIPT = """
import json, signal, sys
from pathlib import Path
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored by what a shell's & has started
from transformer_course.data import download
from transformer_course.data.multi30k import DOWNLOAD
DOWNLOAD.sha256.update(json.loads(sys.argv[2]))
download.cache_folder = lambda name: Path(sys.argv[1])
download.folder_with(DOWNLOAD, ["train.en.gz"])
"""


@pytest.fixture
def start(host):
    """Start a process that downloads; end it with the test."""
    started = []

    def start() -> subprocess.Popen:
        command = [
            sys.executable,
            "-c",
            SCRIPT,
            download.cache_folder("multi30k"),
            json.dumps(SHA256),
        ]
        started.append(subprocess.Popen(command, stderr=subprocess.PIPE))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.mark.slow
def test_two_processes_that_download_at_once_both_succeed(host, start):
    host.answers.extend(["wait for another"] * 2)
    both = [start(), start()]
    assert [process.communicate(timeout=60)[1] for process in both] == [b"", b""]
    assert [process.returncode for process in both] == [0, 0]
    assert [path.name for path in download.cache_folder("multi30k").iterdir()] == [NAME]
    assert cached() == CONTENT


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for one process")
@pytest.mark.parametrize("number", ["SIGINT", "SIGKILL"])
def test_a_download_broken_off_leaves_no_file_of_that_name(host, start, number):
    host.answers.append("stall")
    process = start()
    wait_until(lambda: host.asked)
    wait_until(
        lambda: any(path.stat().st_size for path in download.cache_folder("multi30k").iterdir())
    )
    process.send_signal(getattr(signal, number))
    process.communicate(timeout=60)
    assert process.returncode != 0
    assert not (download.cache_folder("multi30k") / NAME).exists()
    assert number == "SIGKILL" or nothing_is_left()
    download.folder_with(DOWNLOAD, [NAME])
    assert cached() == CONTENT


def wait_until(happened) -> None:
    for _ in range(600):
        if happened():
            return
        time.sleep(0.05)
    raise TimeoutError("waited 30 s")


@pytest.mark.skipif(
    not os.environ.get("TRANSFORMER_COURSE_DATA"),
    reason="TRANSFORMER_COURSE_DATA names no folder with the Multi30k files",
)
def test_the_real_files_have_the_checksums_written_down():
    folder = download.folder_with(DOWNLOAD, DOWNLOAD.sha256)
    assert folder == Path(os.environ["TRANSFORMER_COURSE_DATA"]) / "multi30k"
