"""Have all submissions of this folder graded by the command line, with canaries around.

PYTHONPATH=tests python -m hostile.run   # keeps the tables in benchmarks/results/hostile.json
"""

import ctypes
import hashlib
import itertools
import json
import os
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hostile import suite

from transformer_course.commands import record
from transformer_course.grading.walls import linux

ROOT = suite.HERE.parents[1]
MARK = "hostile-was-here"
LIMITS = ["--limit-seconds", "1", "--total-seconds", "10", "--memory", "1G"]
EVERY = 8  # after so many, an honest submission; where few are handed in, after half as many
ORDINARY = 1_234_567  # a user without rights and without anything else on the machine


@dataclass(kw_only=True)
class Outcome:
    """What came of a run."""

    results: dict[str, dict[str, Any]]
    expected: dict[str, suite.Submission]
    left: list[str] = field(default_factory=list)  # what was written, reached or left running
    said: str = ""  # on the terminal
    code: int = 0

    def rows(self) -> Iterator[dict[str, Any]]:
        """What each has earned, what it was given, and whether that is right."""
        for name, submission in self.expected.items():
            found = self.results.get(name, {"score": -1, "status": "none", "flags": []})
            equal = found["score"] == submission.earned
            if submission.person:
                equal = any(flag.startswith("forbidden:") for flag in found["flags"])
            yield {
                "name": name,
                "kind": submission.kind,
                "earned": submission.earned,
                "given": found["score"],
                "status": found["status"],
                "flags": found["flags"],
                "right": equal and found["status"] == submission.status,
            }

    def breaches(self) -> list[str]:
        """What attacks say that they reached."""
        return [
            f"{name}: {line}"
            for name, found in self.results.items()
            for line in found["stdout_tail"].splitlines()
            if "BREACH" in line
        ]


class Surroundings:
    """What submissions must not touch: files that anyone may write, ears that hear them."""

    def __init__(self, stack: ExitStack) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="course-", dir="/var/tmp"))
        stack.callback(shutil.rmtree, self.folder, ignore_errors=True)
        self.outside = self.folder / "outside"
        self.outside.mkdir()
        for name in ("notes.txt", "gradebook.db", "results.jsonl"):
            (self.outside / name).write_text(f"{name}, as it was\n")
            (self.outside / name).chmod(0o666)
        for each in (self.folder, self.outside):
            each.chmod(0o777)
        self.source = self.outside / "exercise.md"
        shutil.copyfile(suite.SOURCE, self.source)
        self.ears = [stack.enter_context(each) for each in self.listen()]
        self.before = self.state()
        self.others = children(patience=0.0).keys()  # a test's own

    def listen(self) -> Iterator[socket.socket]:
        """TCP and UDP at one port, and local sockets by file and by name."""
        tcp = socket.create_server(("127.0.0.1", 0))
        self.port = tcp.getsockname()[1]
        yield tcp
        udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        udp.bind(("127.0.0.1", self.port))
        yield udp
        for name in (str(self.outside / "socket"), f"\0{self.folder.name}"):
            local = socket.socket(socket.AF_UNIX)
            local.bind(name)
            local.listen()
            yield local
        (self.outside / "socket").chmod(0o777)

    def places(self) -> dict[str, str]:
        """What stands for @NAMES@ in submissions."""
        return {
            "OUTSIDE": str(self.outside),
            "SOURCE": str(self.source),
            "ROOT": str(ROOT),
            "PORT": str(self.port),
            "ABSTRACT": self.folder.name,
            "PID": str(os.getpid()),
        }

    def state(self) -> dict[str, Any]:
        """The files outside, the segments, the keys and the students' folders there are."""
        files = {
            str(path): (hashlib.sha256(path.read_bytes()).hexdigest(), about(path))
            for path in sorted(self.outside.rglob("*"))
            if path.is_file()
        }
        shared = {
            name: len(Path(name).read_text().splitlines())
            for name in ("/proc/sysvipc/shm", "/proc/sysvipc/sem", "/proc/sysvipc/msg")
        }
        return {"files": files, "shared": shared, "core": [*ROOT.glob("core*")]}

    def left(self) -> list[str]:
        """Whatever was touched, connected, written or left running."""
        found = []
        now = self.state()
        found += [f"changed: {key}" for key in now if now[key] != self.before[key]]
        for ear in self.ears:
            ear.setblocking(False)
            with suppress(BlockingIOError):
                ear.recv(100) if ear.type == socket.SOCK_DGRAM else ear.accept()[0].close()
                found.append(f"reached: {ear.getsockname()!r}")
        homes = {
            Path.home(),
            *(Path(each.pw_dir) for each in pwd.getpwall() if each.pw_uid >= 1000),
        }
        shared = ["/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", "/run", "/", "/etc", "/dev"]
        for place in (*map(Path, shared), *homes, ROOT, self.folder, self.outside):
            found += [f"written: {each}" for each in place.glob(f"{MARK}*")]
        if MARK in Path("/proc/keys").read_text():
            found.append("a key in a keyring")
        return found + [f"running: {each}" for each in children(self.others).values()]


def about(path: Path) -> tuple[int, ...]:
    """A file's mode, owner, time, and how many attributes it has."""
    found = path.stat()
    return found.st_mode, found.st_uid, found.st_mtime_ns, len(os.listxattr(path))


def children(others: Collection[int] = (), patience: float = 3.0) -> dict[int, str]:
    """Processes below this one that do not end within some seconds, adopted ones included."""
    until = time.monotonic() + patience
    while True:
        found = {}
        for each in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):
                text = each.read_text()
                state, parent = text.rpartition(")")[2].split()[:2]
                pid = int(each.parent.name)
                if int(parent) != os.getpid() or (
                    state == "Z" and os.waitpid(pid, os.WNOHANG)[0]  # 0 as long as a thread lives
                ):
                    continue
                if pid not in others:
                    found[pid] = text[:60]
        if not found or time.monotonic() > until:
            return found
        time.sleep(0.1)


def ordinary_user() -> Callable[[], None]:
    """What a child does to become a user without rights who can run this checkout's Python.

    What of it lies in root's own folder is shown there, and nothing else of that folder.
    """
    shut: dict[str, str] = {}  # a place to show: the uppermost folder that hides it
    for place in (Path(sys.base_prefix), Path(sys.prefix), ROOT):
        for parent in place.parents:
            if not parent.stat().st_mode & 1:
                shut[str(place)] = str(parent)

    def become() -> None:
        if shut:
            linux.unshare(linux.NEWNS)
            linux.mount("none", "/", None, linux.REC | linux.PRIVATE)
            opened = {place: os.open(place, os.O_PATH) for place in shut}
            for folder in set(shut.values()):
                linux.mount("none", folder, "tmpfs", 0, "mode=755")
            for place, number in opened.items():
                os.makedirs(place, exist_ok=True)
                linux.mount(f"/proc/self/fd/{number}", place, None, linux.BIND | linux.REC)
            os.chdir(ROOT)
        os.setgroups([])
        os.setresgid(ORDINARY, ORDINARY, ORDINARY)
        os.setresuid(ORDINARY, ORDINARY, ORDINARY)

    return become


def run(
    level: int = 3, ordinary: bool = False, only: Callable[[suite.Submission], bool] = bool
) -> Outcome:
    """Grade everything, or what `only` chooses, in one run of `transformer-course grade`."""
    with ExitStack() as stack:
        around = Surroundings(stack)
        linux.adopt_orphans()
        stack.callback(ctypes.CDLL(None).prctl, 36, 0, 0, 0, 0)
        stack.callback(around.folder.chmod, 0o700)
        handed_in = around.folder / "submitted"
        handed_in.mkdir()
        wanted = [each for each in everything(around.places()) if only(each)]
        every = EVERY if only is bool else EVERY // 2
        expected = {}
        for number, each in enumerate(wanted):
            expected[each.name] = each
            (handed_in / f"{number:03}-{each.name}.ipynb").write_bytes(each.data)
            if number % every == every - 1:
                honest = f"honest-after-{each.name}"
                expected[honest] = suite.Submission(
                    name=honest, kind="between", earned=10, data=HONEST
                )
                (handed_in / f"{number:03}-{each.name}-then-{honest}.ipynb").write_bytes(HONEST)
        out = around.folder / "results.jsonl"
        command = [sys.executable, "-m", "transformer_course", "grade", str(handed_in)]
        command += ["--exercise", str(around.source), "--out", str(out), *LIMITS]
        command += ["--workers", str(min(2, len(wanted) // every + 1))]
        command += ["--isolation", str(level), *(["--allow-unsafe"] if level < 2 else [])]
        become = None
        if ordinary:
            become = ordinary_user()
            for path in (around.folder, handed_in, *handed_in.iterdir()):
                os.chown(path, ORDINARY, ORDINARY)
        home = around.folder if ordinary else Path.home()
        scratch = around.folder / "scratch"
        scratch.mkdir()
        scratch.chmod(0o777)
        done = subprocess.run(
            command,
            preexec_fn=become,
            cwd=ROOT,
            env={**os.environ, **SECRET, "HOME": str(home), "TMPDIR": str(scratch)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=1800,
            check=False,
        )
        lines = out.read_text().splitlines() if out.exists() else []
        found = [json.loads(line) for line in lines]
        results = {each["submission"]["id"].split("-then-")[-1]: each for each in found}
        results = {name[4:] if name[:3].isdigit() else name: r for name, r in results.items()}
        left = around.left() + [f"left: {each}" for each in scratch.rglob("*")]
        if len(results) != len(found):
            left.append(f"{len(found)} lines for {len(results)} submissions")
        return Outcome(
            results=results,
            expected=expected,
            left=left,
            said=done.stdout + done.stderr,
            code=done.returncode,
        )


SECRET = {"HOSTILE_SECRET": "HOSTILE_SECRET"}
HONEST = json.dumps(suite.notebook({})).encode()


def everything(places: dict[str, str]) -> list[suite.Submission]:
    """All submissions."""
    return suite.written(places) + suite.files()


def table(outcome: Outcome) -> dict[str, Any]:
    """What is kept of a run."""
    rows = list(outcome.rows())
    return {
        "isolation": outcome.results["all-right"]["runner"]["isolation"],
        "right": sum(row["right"] for row in rows),
        "reached": outcome.breaches(),
        "left": outcome.left,
        "by_kind": {
            kind: {
                "submissions": sum(row["kind"] == kind for row in rows),
                "right": sum(row["kind"] == kind and row["right"] for row in rows),
            }
            for kind in dict.fromkeys(row["kind"] for row in rows)
        },
        "earned_and_given": {row["name"]: f"{row['earned']:g} {row['given']:g}" for row in rows},
    }


def main() -> int:
    """At each level, as root and as an ordinary user: print what is wrong, keep the tables."""
    tables = {}
    bad = 0
    for level, ordinary in itertools.product((3, 2), (False, True)):
        name = f"level {level}{' for an ordinary user' if ordinary else ''}"
        outcome = run(level, ordinary)
        rows = list(outcome.rows())
        wrong = [row for row in rows if not row["right"]]
        tables[name] = table(outcome)
        bad += len(wrong) + len(outcome.left) + len(outcome.breaches())
        print(*wrong, *outcome.breaches(), *outcome.left, sep="\n")
        print(f"{name}: {len(rows) - len(wrong)} of {len(rows)} right", flush=True)
    record.write(
        "hostile",
        "hostile and broken submissions, and honest ones between: points earned and points given",
        ["PYTHONPATH=tests python -m hostile.run"],
        by_level=tables,
        left_to_a_person=[name for name, each in outcome.expected.items() if each.person],
    )
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
