"""The script that types the README's commands: no command escapes it, none needs what is not there.

The script itself installs everything twice, and is run by hand.
"""

import re
import shutil
import sys
from pathlib import Path

import pytest
import readme_commands
from readme_commands import ACTIVATE, ANEW, LEFT_OUT, SERVERS, SHORTER, Shell, lines, plan

README = (Path(__file__).parents[1] / "README.md").read_text()
STEPS = plan(README, with_data=True)


def test_every_block_says_what_it_is():
    languages = re.findall(r"^```(\w*)$", README, re.MULTILINE)[::2]
    assert set(languages) == {"sh", "powershell", "text"}
    assert len(readme_commands.blocks(README)) == len(languages)


def test_every_line_of_every_block_is_typed_or_named_among_the_exceptions():
    written = re.findall(r"^```(?:sh|powershell)\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    assert [step.line for step in STEPS] == [line for block in written for line in lines(block)]
    for step in STEPS:
        assert bool(step.typed) != bool(step.why_not)


def test_every_exception_is_in_the_readme():
    for beginning in [*LEFT_OUT, *SERVERS]:
        assert [step for step in STEPS if step.line.startswith(beginning)], beginning
    for heading in ANEW:
        assert [step for step in STEPS if step.heading == heading], heading


def test_every_long_run_is_cut_short_and_nothing_else_is_changed():
    changed = [step for step in STEPS if step.typed and step.typed != step.line]
    assert len(changed) == len(SHORTER)
    for step, (long, short) in zip(changed, SHORTER.items(), strict=True):
        assert step.line.replace(long, short) == step.typed
    assert not [step for step in STEPS if "--minutes" in step.typed]


def test_every_command_comes_after_what_it_needs():
    """In each clone, nothing of the environment is typed before the line that activates it."""
    for anew in (True, False):
        active = False
        for step in STEPS:
            if (step.heading in ANEW) == anew and step.why_not != "no Windows here":
                active |= step.line == ACTIVATE
                needs_none = step.line.startswith(("make ", "export ", "python3 -m venv"))
                assert active or needs_none, step.line
        assert active


def test_without_data_the_lines_that_need_it_are_left_out_and_say_so():
    left = {
        step.line for step in plan(README, with_data=False) if "names no folder" in step.why_not
    }
    assert left == {step.line for step in STEPS if re.search("multi30k|runs/demo", step.line)}
    assert len(left) >= 3


def test_remarks_are_not_typed_and_broken_lines_are_one():
    assert lines("a b   # why\n# alone\nc \\\n    d\n\n") == ["a b", "c d"]


@pytest.fixture
def shell(tmp_path):
    opened = Shell(tmp_path, {"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin"})
    yield opened
    opened.close()


needs_bash = pytest.mark.skipif(not shutil.which("bash"), reason="no bash on this machine")


@needs_bash
def test_a_shell_keeps_what_was_typed_and_tells_how_it_ended(shell):
    assert shell.type("x=seven; cat; false") == (1, "\n")
    assert shell.type("echo $x") == (0, "seven\n\n")


@needs_bash
def test_a_line_that_takes_too_long_is_ended(shell, monkeypatch):
    monkeypatch.setattr(readme_commands, "LIMIT", 0.2)
    code, said = shell.type("sleep 60")
    assert code == 124
    assert "ended after" in said


@pytest.mark.slow
@needs_bash
@pytest.mark.parametrize(("words", "expected"), [("hello", 0), ("other words", 124)])
def test_a_server_is_asked_for_its_page(shell, tmp_path, monkeypatch, words, expected):
    (tmp_path / "index.html").write_text("hello")
    (tmp_path / "serve.py").write_text(
        "import http.server as h\n"
        "server = h.HTTPServer(('localhost', 0), h.SimpleHTTPRequestHandler)\n"
        "print(f'see http://localhost:{server.server_port}/lab/../', flush=True)\n"
        "server.serve_forever()\n"
    )
    (tmp_path / "lab").mkdir()
    monkeypatch.setattr(readme_commands, "LIMIT", 60 if expected == 0 else 3)
    code, said = shell.serve("python serve.py", words, None)
    assert (code, said.startswith("see http")) == (expected, True)


@pytest.mark.slow
@needs_bash
def test_a_server_that_ends_by_itself_has_failed(shell):
    assert shell.serve("echo no; exit 3", "hello", None) == (3, "no\n")
