"""Where an error arose in a learner's own cells, and what is to be seen there."""

import linecache
import re
import traceback
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import FrameType

from transformer_course.grading.border.failures import Place

MOST = 300  # characters of a line


def place_of(error: BaseException, own: Callable[[str], bool]) -> Place | None:
    """Where it arose in code of the notebook; `own` says which files are the learner's cells.

    The first of them is the one that was asked. The error may have arisen in another one that it
    called, such as the cell of an earlier answer.
    """
    frames = [
        (frame, line)
        for frame, line in traceback.walk_tb(error.__traceback__)
        if frame.f_globals.get("__name__") == "__main__" and own(frame.f_code.co_filename)
    ]
    if not frames:
        return None
    (first, _), (frame, line) = frames[0], frames[-1]
    asked, file = first.f_code.co_filename, frame.f_code.co_filename
    source = linecache.getline(file, line).strip()[:MOST]
    held = kept(error, [frame for frame, _ in frames])
    found = Place(line=line, source=source, kept=held, asked=function(first))
    if asked == file:
        return found
    caller = [line for frame, line in frames if frame.f_code.co_filename == asked][-1]
    return replace(found, function=function(frame), caller=caller)


def function(frame: FrameType) -> str:
    """The function's name, of a method with its class; "" of one that has none."""
    parts = frame.f_code.co_qualname.split(".<locals>.")
    return next((part for part in reversed(parts) if re.fullmatch(r"[\w.]+", part)), "")


def kept(error: BaseException, frames: list[FrameType]) -> str:
    """Of a name that a method misses: its object has it ("self"), or `__init__` got it ("init")."""
    if not isinstance(error, NameError) or isinstance(error, UnboundLocalError):
        return ""
    while len(frames) > 1 and frames[-1].f_code.co_name.startswith("<"):  # a loop in brackets
        frames = frames[:-1]
    me, name = frames[-1].f_locals.get("self"), str(error.name)
    try:
        if me is None or hasattr(me, name):
            return "" if me is None else "self"
        code = type(me).__init__.__code__  # type: ignore[misc]
        given = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    except (Exception, SystemExit):  # it is the learner's object
        return ""
    return "init" if name in given else ""


def in_notebook(error: BaseException, fixed: Mapping[str, str]) -> Place | None:
    """The place in this process. `fixed`: the cells of the set-up by name, which are no answers."""
    cells = {f"<{name}>" for name in fixed}
    texts = {source.strip() for source in fixed.values()}

    def own(file: str) -> bool:
        return file not in cells and "".join(linecache.getlines(file)).strip() not in texts

    return place_of(error, own)


def words(place: Place | None, others: Mapping[str, int] | None = None) -> str:
    """The place for the end of a message. `others`: the question of what other answers make."""
    if place is None:
        return ""
    number = (others or {}).get(place.asked.partition(".")[0])
    answer = f"your answer to question {number}" if number else "your answer"
    if place.caller is None:
        return f" (line {place.line} of {answer})"
    line = f"line {place.line} of"
    within = f"in `{place.function}`, {line} its cell" if place.function else f"{line} another cell"
    return f" ({within}, called from line {place.caller} of {answer})"
