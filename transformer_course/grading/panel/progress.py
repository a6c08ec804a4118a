"""What a learner has done, in progress.json beside the notebook.

The file is the book's own (widgets/store.js reads it, and this module reads what a page saved):
`done` holds points, `cards` the flash cards; `panels` adds what a question's panel remembers.
"""

import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

try:
    import fcntl
except ImportError:  # Windows: the last of two notebooks that write in the same instant wins
    fcntl = None  # type: ignore[assignment]

Data = dict[str, Any]
LIMIT = 1_000_000  # characters of a file to read


def _whole(found: Any, low: int, high: int) -> bool:
    number = isinstance(found, int | float) and not isinstance(found, bool)
    return number and low <= found <= high and found == int(found)


def _dated(found: Any) -> bool:
    return isinstance(found, str) and bool(re.match(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", found))


GOOD: dict[str, Callable[[Data], bool]] = {
    "done": lambda x: (
        _whole(x.get("points"), 0, 10) and _whole(x.get("tries"), 0, 10_000) and _dated(x["when"])
    ),
    "cards": lambda x: _whole(x.get("box"), 0, 5) and _dated(x["due"]) and _dated(x["since"]),
    "panels": lambda x: (
        _whole(x.get("tries", 0), 0, 10_000)
        and _whole(x.get("hints", 0), 0, 100)
        and isinstance(x.get("shown", False), bool)
        and isinstance(x.get("answer", ""), str)
    ),
}


def blank() -> Data:
    """Nothing done yet."""
    return {"version": 1, "done": {}, "cards": {}, "panels": {}}


def readable(text: str) -> tuple[Data | None, str]:
    """The progress in a file's text, and what of it cannot be read; None if nothing can."""
    try:
        found: Any = json.loads(text) if len(text) <= LIMIT else None
    except (ValueError, RecursionError):
        return None, "it is not JSON"
    version = found.get("version") if isinstance(found, dict) else None
    if isinstance(version, bool) or version != 1:
        return None, f"expected version 1, got {str(version)[:20]}"
    progress, dropped = blank(), 0
    for part, is_good in GOOD.items():
        entries = found.get(part, {})
        pairs: list[tuple[str, Any]] = [("", None)]  # one that is dropped
        for name, entry in entries.items() if isinstance(entries, dict) else pairs:
            good = False
            with suppress(KeyError, AttributeError, ValueError, OverflowError):
                good = is_good(entry)
            if good and re.fullmatch(r"(?!__)\w[\w./-]{0,120}", name, flags=re.ASCII):
                progress[part][name] = entry
            else:
                dropped += 1
    return progress, f"entries that cannot be read: {dropped}" if dropped else ""


def merge(mine: Data, other: Data) -> None:
    """Add another's progress: of each question the better result, of each card the later date."""
    for name, entry in other["done"].items():
        if name not in mine["done"] or mine["done"][name]["points"] < entry["points"]:
            mine["done"][name] = entry
    for name, entry in other["cards"].items():
        if name not in mine["cards"] or mine["cards"][name]["due"] < entry["due"]:
            mine["cards"][name] = entry
    for name, entry in other["panels"].items():
        own = mine["panels"].get(name, {})
        both = {**entry, **own}
        for count in ("tries", "hints"):
            both[count] = max(entry.get(count, 0), own.get(count, 0))
        both["shown"] = bool(entry.get("shown") or own.get("shown"))
        mine["panels"][name] = both


class Progress:
    """The file, read afresh each time, so that notebooks open at once keep each other's entries.

    `note` says in words what went wrong, for the learner; "" if nothing did.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.note = ""
        self._memory: Data | None = None

    def read(self) -> Data:
        """What is known. A file that cannot be read counts as empty."""
        return self._read()[0]

    def _read(self) -> tuple[Data, str]:
        if self._memory is not None:
            return self._memory, ""
        try:
            text = self.path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return blank(), ""
        except UnicodeDecodeError:
            return blank(), "it is not text in UTF-8"
        except OSError as error:
            return blank(), f"it cannot be read ({error.strerror})"
        progress, problem = readable(text)
        return progress or blank(), problem

    def change(self, edit: Callable[[Data], None]) -> None:
        """Change the progress and keep it; of a file that was not all readable a copy is kept."""
        self.note = ""
        progress: Data | None = None
        try:
            with self._alone():
                progress, problem = self._read()
                edit(progress)
                if problem:
                    self.note = f"{self.path.name}: {problem}. It is kept as {self._set_aside()}."
                self._write(text_of(progress))
            self._memory = None
        except OSError as error:
            if progress is None:
                progress = self.read()
                edit(progress)
            self._memory = progress
            self.note = (
                f"Your progress cannot be kept in {self.path} ({error.strerror}): it lasts until "
                "the kernel stops. Save it with the link of the summary."
            )

    def _set_aside(self) -> str:
        taken = sum(1 for _ in self.path.parent.glob(f"{self.path.stem}-aside-*.json"))
        aside = self.path.with_name(f"{self.path.stem}-aside-{taken + 1}.json")
        shutil.copyfile(self.path, aside)
        return aside.name

    def _write(self, text: str) -> None:
        handle, name = tempfile.mkstemp(dir=self.path.parent, prefix=f".{self.path.name}-")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            os.replace(name, self.path)
        except BaseException:
            with suppress(OSError):
                os.unlink(name)
            raise

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """No other notebook writes in this folder meanwhile, where the system can promise it."""
        if fcntl is None:
            yield
            return
        folder = os.open(self.path.parent, os.O_RDONLY)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            yield
        finally:
            os.close(folder)


def text_of(progress: Data) -> str:
    """The file's text, as the page writes it too."""
    return json.dumps(progress, indent=1, ensure_ascii=False) + "\n"


def today() -> str:
    """The learner's day."""
    return datetime.now(UTC).astimezone().date().isoformat()
