"""What of `make test` a machine cannot run, and how to get it: one block at the end of `make test`.

The tests that need Node or a Chromium ask here, too. Where CI is set, nothing may be missing.

    python tests/not_run.py         # the block, or one line if all was run
    python tests/not_run.py Node    # one line for Node, or nothing if it is here
"""

import importlib.util
import os
import shutil
import sys
from dataclasses import dataclass

import pytest

from transformer_course.pages.browser import find_chromium

DATA = "TRANSFORMER_COURSE_DATA"
INSTALL = {
    "Debian": {
        "Node": "sudo apt-get install nodejs",
        "npm": "sudo apt-get install npm",
        "Chromium": "sudo apt-get install chromium",
    },
    "Ubuntu": {
        "Node": "sudo apt-get install nodejs",
        "npm": "sudo apt-get install npm",
        "Chromium": "sudo snap install chromium",
    },
    "macOS": {
        "Node": "brew install node",
        "npm": "brew install node",
        "Chromium": "brew install --cask google-chrome",
    },
    "Windows": {
        "Node": "winget install OpenJS.NodeJS.LTS",
        "npm": "winget install OpenJS.NodeJS.LTS",
        "Chromium": "winget install Google.Chrome",
    },
}


@dataclass(frozen=True)
class Need:
    """Something beside Python that tests use, and which tests those are."""

    name: str
    tests: str
    here: bool
    in_ci: bool = True  # whether a run in CI fails without it


def needs() -> list[Need]:
    """What the tests use, as it is on this machine now."""
    browser = "the tests of the built site in a browser (tests/browser)"
    real = f"the tests on real sentences, for which {DATA} names a folder"
    return [
        Need("Node", "the JavaScript of widgets and exercises (tests/js)", bool(node())),
        Need("npm", "format and types of the JavaScript (part of make lint)", bool(npm())),
        Need("Chromium", browser, bool(find_chromium())),
        Need("Engines", "what others make of our models (tests/engines)", bool(other_engines())),
        Need("Multi30k", real, bool(os.environ.get(DATA)), in_ci=False),
    ]


def node() -> str | None:
    """Node, if there is one."""
    return shutil.which("node")


def npm() -> str | None:
    """npm, which brings prettier and TypeScript, if it is here."""
    return shutil.which("npm")


def other_engines() -> bool:
    """Whether CTranslate2 and ONNX are installed, with which `make unit` runs."""
    return all(map(importlib.util.find_spec, ("ctranslate2", "onnx", "onnxruntime")))


def required(name: str, here: object) -> pytest.MarkDecorator:
    """A mark: skipped without this, and said so; in CI it runs, and fails."""
    reason = f"no {name} on this machine: the end of `make test` says how to get one"
    if here or os.environ.get("CI"):
        return pytest.mark.skipif(False, reason=reason)
    return pytest.mark.skip(reason=reason)  # pytest tells these once a file, not once a test


NEEDS_NODE = required("Node", node())
NEEDS_CHROMIUM = required("Chromium", find_chromium())
NEEDS_ENGINES = required("Engines", other_engines())


def block(missing: list[Need]) -> str:
    """What was not run, and what to type."""
    names = [need.name for need in missing]
    lines = ["Not run on this machine:", ""]
    lines += [f"  {need.name:<10}{need.tests}" for need in missing]
    lines += ["", "To run all of it, get what is missing and say `make test` again:", ""]
    for system, commands in INSTALL.items():
        wanted = list(dict.fromkeys(commands[name] for name in commands if name in names))
        lines += [f"  {system:<10}{'; '.join(wanted)}"] if wanted else []
    if "Engines" in names:
        lines += ["  Engines   .venv/bin/python -m pip install -r requirements-engines.txt"]
    if "Multi30k" in names:
        lines += ["  Multi30k  .venv/bin/transformer-course data fetch multi30k"]
        lines += [f"            export {DATA}=FOLDER, where FOLDER/multi30k is what it names"]
    rule = "-" * 88
    return "\n".join([rule, *lines, rule])


def main(arguments: list[str]) -> int:
    """Say what was not run; 1 if CI is set and needs it."""
    missing = [need for need in needs() if not need.here]
    if arguments:
        missing = [need for need in missing if need.name in arguments]
        for need in missing:
            print(f"No {need.name} here: not run are {need.tests}")
    else:
        print(block(missing) if missing else "Nothing was left out: this machine has all it needs.")
    return int(bool(os.environ.get("CI")) and any(need.in_ci for need in missing))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
