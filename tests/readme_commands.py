"""Type the README's commands one by one, as a newcomer would: in a fresh clone in an empty folder.

    python tests/readme_commands.py             # all of them; it installs everything twice
    python tests/readme_commands.py --list      # what is typed, what is not, and why
    python tests/readme_commands.py --record    # and write benchmarks/results/first-start.json
    python tests/readme_commands.py --only "make book" --record    # that line alone

It clones what is committed here. Downloads of data come from the folder that
TRANSFORMER_COURSE_DATA names; without one, the lines that need them are left out.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
import uuid
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

ROOT = Path(__file__).parents[1]
DATA = "TRANSFORMER_COURSE_DATA"
ACTIVATE = "source .venv/bin/activate"
ANEW = ["Without make"]  # what stands below these headings is typed in a clone of its own
SHORTER = {  # what takes minutes on the page, and what is typed in its place
    "--minutes 1": "--steps 20",
    "--minutes 5": "--steps 40",
    "--minutes 30": "--steps 10",
}
SERVERS = {  # what runs until it is stopped: words of its page, and its port, or none if it says it
    "make serve": ("url=book/index.html", 8000),
    "make lab": ("JupyterLab", None),
    "jupyter lab": ("JupyterLab", None),
}
LEFT_OUT = {  # lines that are not typed, and why
    "make test": "it is long, and has this script's own tests in it",
    "python -m pytest": "the same tests",
    "export PIP_EXTRA_INDEX_URL": "packages come from where this machine's pip looks",
}
NEED_DATA = ["multi30k", "runs/demo"]
LIMIT = 1800.0  # seconds for one line, on a busy machine


@dataclass(frozen=True)
class Step:
    """A line of the README, and what becomes of it."""

    heading: str
    line: str
    typed: str = ""
    server: str = ""
    why_not: str = ""


def blocks(text: str) -> list[tuple[str, str, str]]:
    """Each fenced block: the heading that it stands under, its language, what it holds."""
    found, heading = [], ""
    for match in re.finditer(
        r"^(?:#+ ([^\n]+)|```(\w*)\n(.*?)^```)$", text, re.MULTILINE | re.DOTALL
    ):
        if match[1]:
            heading = match[1]
        else:
            found.append((heading, match[2], match[3]))
    return found


def lines(block: str) -> list[str]:
    """The commands of a block, without the remarks behind them."""
    joined = re.sub(r"\s*\\\n\s*", " ", block)
    bare = (re.sub(r"(^|\s+)# .*", "", line).rstrip() for line in joined.splitlines())
    return [line for line in bare if line]


def plan(text: str, with_data: bool) -> list[Step]:
    """What becomes of every command in the README."""
    steps = []
    for heading, language, block in blocks(text):
        if language == "powershell":
            steps += [Step(heading, line, why_not="no Windows here") for line in lines(block)]
        if language == "sh":
            steps += [_step(heading, line, with_data) for line in lines(block)]
    return steps


def _step(heading: str, line: str, with_data: bool) -> Step:
    for beginning, why in LEFT_OUT.items():
        if line.startswith(beginning):
            return Step(heading, line, why_not=why)
    if not with_data and any(word in line for word in NEED_DATA):
        return Step(heading, line, why_not=f"{DATA} names no folder with the data")
    typed = line
    for long, short in SHORTER.items():
        typed = re.sub(rf"{long}(?!\S)", short, typed)
    server = next((name for name in SERVERS if line.startswith(name)), "")
    return Step(heading, line, typed, server)


class Shell:
    """A bash that is open all the time, as a terminal is."""

    def __init__(self, folder: Path, env: dict[str, str]) -> None:
        self.folder, self.env, self.active = folder, env, False
        self.process = subprocess.Popen(
            ["bash", "--noprofile", "--norc"],
            cwd=folder,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def type(self, line: str) -> tuple[int, str]:
        """Type a line, wait for its end; its exit code, and what it printed."""
        end = uuid.uuid4().hex
        self.process.stdin.write(f"{{\n{line}\n}} </dev/null\nprintf '\\n{end} %s\\n' $?\n")
        self.process.stdin.flush()
        said, timer = [], threading.Timer(LIMIT, self.kill)
        timer.start()
        try:
            for text in self.process.stdout:
                if text.startswith(end):
                    self.active |= line == ACTIVATE
                    return int(text.split()[1]), "".join(said)
                said.append(text)
        finally:
            timer.cancel()
        return 124, "".join(said) + f"\nended after {LIMIT:.0f} seconds, or the shell died"

    def serve(self, line: str, words: str, port: int | None) -> tuple[int, str]:
        """Start a server, ask it for a page until it answers, and stop it."""
        with socket.socket() as probe:
            if port and not probe.connect_ex(("localhost", port)):
                return 1, f"port {port} is in use: stop what uses it, and try again"
        script = f"{ACTIVATE}\n{line}" if self.active else line
        with tempfile.TemporaryFile("w+") as log:
            server = subprocess.Popen(
                ["bash", "--noprofile", "--norc", "-c", script],
                cwd=self.folder,
                env=self.env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                code = _answers(server, log, words, port)
            finally:
                if server.poll() is None:
                    os.killpg(server.pid, signal.SIGTERM)
                server.wait(timeout=60)
            log.seek(0)
            return code, log.read()

    def kill(self) -> None:
        """End it, and what it has started."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)

    def close(self) -> None:
        """End it, and its pipes."""
        self.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


def _answers(server: subprocess.Popen, log: TextIO, words: str, port: int | None) -> int:
    """0 once a server has shown a page with these words, on this port or where its log says."""
    start = time.monotonic()
    while server.poll() is None and time.monotonic() < start + LIMIT:
        time.sleep(1)
        log.seek(0)
        found = re.search(r"http://localhost:\d+/lab\S*", log.read())
        address = f"http://localhost:{port}/" if port else found and found[0]
        try:
            with urllib.request.urlopen(address, timeout=10) if address else nullcontext() as page:
                if page and words in page.read().decode():
                    return 0
        except OSError:
            continue
    return server.poll() or 124


@contextmanager
def clone(folder: Path):
    """A shell in a fresh clone, with the environment of a newcomer."""
    home = folder / "jupyter"
    home.mkdir(parents=True)
    if not os.getuid():  # Jupyter asks root for a confirmation that a newcomer need not give
        (home / "jupyter_server_config.py").write_text("c.ServerApp.allow_root = True\n")
    subprocess.run(["git", "clone", "--quiet", ROOT, folder / "course"], check=True)
    ours = str(ROOT / ".venv" / "bin")
    path = [each for each in os.environ["PATH"].split(os.pathsep) if each != ours]
    env = {name: value for name, value in os.environ.items() if not name.startswith("VIRTUAL_")}
    env |= {"PATH": os.pathsep.join(path), "BROWSER": "true", "JUPYTER_CONFIG_DIR": str(home)}
    shell = Shell(folder / "course", env)
    try:
        yield shell
    finally:
        shell.close()


def type_all(steps: list[Step], folder: Path) -> tuple[list[dict], bool]:
    """Type what is to be typed in one clone; what each line took, and whether all went well."""
    took: list[dict] = []
    with clone(folder) as shell:
        for step in steps:
            if step.why_not:
                print(f"  not typed: {step.line}\n             {step.why_not}")
                continue
            print(f"$ {step.typed}", flush=True)
            start, load = time.monotonic(), round(os.getloadavg()[0], 1)
            how = shell.serve if step.server else shell.type
            code, said = how(step.typed, *SERVERS.get(step.server, ()))
            seconds = round(time.monotonic() - start, 1)
            print(f"  {seconds} s, exit code {code}", flush=True)
            took.append({"line": step.line, "typed": step.typed, "seconds": seconds, "code": code})
            took[-1]["load_before"] = load  # processes that wanted a core before it began
            if code:
                print(said)
                return took, False
            print("".join(f"  | {text}\n" for text in said.strip().splitlines()[-3:]), end="")
    return took, True


def megabytes(folder: Path) -> int:
    """What a folder holds, in units of 10^6 bytes."""
    files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return round(sum(path.stat().st_size for path in files) / 1e6)


def downloaded(requirements: Path) -> int:
    """How large the packages are that pip fetches."""
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-cache-dir"]
        subprocess.run([*pip, "--dest", folder, "-r", requirements], check=True)
        return megabytes(Path(folder))


def record_as(name: str, took: list[dict], course: Path) -> None:
    """Write benchmarks/results/NAME.json."""
    from transformer_course.commands import record  # noqa: PLC0415 (it loads torch)

    weights = {
        "downloaded": downloaded(course / "requirements.txt"),
        "environment": megabytes(course / ".venv"),
        "site": megabytes(course / "_build"),
    }
    what = "the README's commands, typed one by one in a fresh clone"
    command = [shlex.join(["python", "tests/readme_commands.py", *sys.argv[1:]])]
    print(record.write(name, what, command, typed=took, megabytes=weights))


def main() -> int:
    """All of it, in a folder that is removed at the end."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--list", action="store_true", help="type nothing")
    parser.add_argument("--record", action="store_true", help="write first-start.json")
    parser.add_argument("--only", metavar="WORDS", default="", help="only lines with these words")
    args = parser.parse_args()
    show = ["git", "-C", str(ROOT), "show", "HEAD:README.md"]
    readme = subprocess.run(show, capture_output=True, text=True, check=True).stdout
    if readme != (ROOT / "README.md").read_text():
        print("README.md has changes that are not committed: they are not typed", file=sys.stderr)
    steps = plan(readme, bool(os.environ.get(DATA)))
    steps = [step for step in steps if args.only in step.line]
    if args.list:
        for step in steps:
            print(f"{step.line}\n    {step.why_not or 'typed as ' + step.typed}")
        return 0
    anew = [step for step in steps if step.heading in ANEW]
    with tempfile.TemporaryDirectory(prefix="newcomer-") as folder:
        took, fine = type_all([step for step in steps if step not in anew], Path(folder, "make"))
        if fine and args.record:
            record_as("first-start", took, Path(folder, "make", "course"))
        fine = fine and (not anew or type_all(anew, Path(folder, "plain"))[1])
    print("Every command does what the README says." if fine else "The README is wrong.")
    return int(not fine)


if __name__ == "__main__":
    sys.exit(main())
