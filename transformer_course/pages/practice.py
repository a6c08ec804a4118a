"""Page exercises as data: read book/practice/*.toml, check every field, compute every answer.

An author's mistake is one line that names the file, the exercise and the field. The files are
the course's own and hold Python that runs when an exercise is made, as a notebook's cells do.
"""

import ast
import importlib
import math
import random
import re
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import torch

from transformer_course.errors import DataError

FOLDER: Path | None = None  # set it where the search from the working folder finds nothing

KINDS = ("number", "matrix", "mask", "choice", "order", "match")
COMMON = ("id", "kind", "title", "prompt", "points", "difficulty", "minutes", "explanation")
OPTIONAL = ("hints", "setup")
OWN = {  # kind: (fields it must have, fields it may have)
    "number": (("answer",), ("tolerance", "decimals", "unit", "misconceptions")),
    "matrix": (("answer",), ("tolerance", "decimals", "rows", "columns", "axes", "misconceptions")),
    "mask": (("answer",), ("rows", "columns", "axes", "misconceptions")),
    "choice": (("options",), ()),
    "order": (("lines",), ("misconceptions",)),
    "match": (("pairs",), ("others", "misconceptions")),
}
COMPUTED = ("number", "matrix", "mask")
LARGEST = 12  # rows and columns of a grid that still fits a phone
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
BRACES = re.compile(r"\{([A-Za-z_]\w*)(:[^{}]*)?\}")

SAMPLE = {
    "id": "sample/causal-mask",
    "kind": "mask",
    "title": "Who may look at whom",
    "prompt": "Three tokens, and none may look at a later one. Paint the cells that are allowed.",
    "points": 2,
    "difficulty": 1,
    "minutes": 1,
    "hints": ["Row by row: how many tokens are there up to and including this one?"],
    "setup": "from transformer_course.model.masks import causal_mask",
    "answer": "causal_mask(3)",
    "rows": ["the", "cat", "sat"],
    "columns": ["the", "cat", "sat"],
    "misconceptions": [
        {
            "answer": "~causal_mask(3)",
            "message": "This is the complement: in this course True means may attend.",
        },
        {
            "answer": "causal_mask(3).T",
            "message": "Transposed: a row is a query, and it looks back along its row.",
        },
        {
            "answer": "causal_mask(3) & ~torch.eye(3, dtype=torch.bool)",
            "message": "A token may look at itself. Without that, the first row is empty.",
        },
    ],
    "explanation": "Row i holds i + 1 cells: everything up to the token itself.",
}


class PracticeError(DataError):
    """An exercise that cannot be shown: the file, the exercise, the field, and what is wrong."""


# ---- Files ----


def folder(given: Path | str | None = None) -> Path:
    """Where the exercises lie: `given`, FOLDER, or book/practice at or above the working folder."""
    chosen = given or FOLDER
    if chosen:
        if not Path(chosen).is_dir():
            raise PracticeError(
                f"no folder {chosen}: expected the folder with the exercises' TOML files"
            )
        return Path(chosen)
    for place in (here := Path.cwd(), *here.parents):
        for found in (place / "book" / "practice", place / "practice"):
            if found.is_dir() and (found.parent.name == "book"):
                return found
    raise PracticeError(
        f"no book/practice at or above {here}: run inside a checkout of the course, "
        "or name the folder, PageExercise(..., folder=...) or practice.FOLDER = ..."
    )


def read(path: Path) -> list[dict[str, Any]]:
    """The exercises of one file, each with its full id; every field checked, nothing computed."""
    tables = _tables(path, "exercise")
    seen: set[str] = set()
    for number, table in enumerate(tables, start=1):
        name = table.get("id")
        where = f"{path.name}, exercise {name if isinstance(name, str) else f'number {number}'}"
        _check(table, where)
        if name in seen:
            raise PracticeError(f"{where}, id: used twice in this file")
        seen.add(table["id"])
    return [table | {"id": f"{path.stem}/{table['id']}", "file": path.name} for table in tables]


def _tables(path: Path, kind: str) -> list[dict[str, Any]]:
    """The tables of a TOML file that holds one kind of table and nothing else."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise PracticeError(f"{path.name}: not TOML: {error}") from None
    except UnicodeDecodeError:
        raise PracticeError(f"{path.name}: expected text in UTF-8") from None
    tables = content.pop(kind, [])
    if content or not isinstance(tables, list) or not tables:
        extra = f", got {', '.join(content)}" if content else ""
        raise PracticeError(f"{path.name}: expected [[{kind}]] tables and nothing else{extra}")
    return tables


def chapters(given: Path | str | None = None) -> dict[str, list[dict[str, Any]]]:
    """Every chapter's exercises, in the order of the files' names."""
    files = sorted(folder(given).glob("*.toml"))
    return {path.stem: read(path) for path in files if path.stem != "cards"}


def find(name: str, given: Path | str | None = None) -> dict[str, Any]:
    """The exercise called "CHAPTER/name"."""
    chapter, slash, own = name.partition("/")
    if not (slash and chapter and own):
        raise PracticeError(f'exercise {name!r}: expected "CHAPTER/name"')
    place = folder(given)
    path = place / f"{chapter}.toml"
    if not path.is_file():
        known = ", ".join(sorted(file.stem for file in place.glob("*.toml"))) or "none"
        raise PracticeError(f"exercise {name!r}: no {chapter}.toml in {place} (there: {known})")
    tables = read(path)
    for table in tables:
        if table["id"] == name:
            return table
    names = ", ".join(table["id"].partition("/")[2] for table in tables)
    raise PracticeError(f"exercise {name!r}: not in {path.name}, which has {names}")


def cards(given: Path | str | None = None) -> list[dict[str, str]]:
    """The flash cards of cards.toml: id, topic, front, back, their numbers computed."""
    path = folder(given) / "cards.toml"
    if not path.is_file():
        raise PracticeError(f"no {path.name} in {path.parent}: expected [[card]] tables")
    found: dict[str, dict[str, str]] = {}
    for number, table in enumerate(_tables(path, "card"), start=1):
        where = f"{path.name}, card {table.get('id', f'number {number}')}"

        def wrong(field: str, what: str, where: str = where) -> PracticeError:
            return PracticeError(f"{where}, {field}: {what}")

        for field in table.keys() - {"id", "topic", "front", "back", "setup"}:
            raise wrong(field, "unknown; expected among id, topic, front, back, setup")
        for field in ("id", "topic", "front", "back"):
            if not isinstance(table.get(field), str) or not table[field].strip():
                raise wrong(field, f"expected text, got {table.get(field)!r}")
        if not NAME.fullmatch(table["id"]) or table["id"] in found:
            raise wrong("id", "expected words of a-z, 0-9 joined by -, each id once")
        names = _run(table.get("setup", ""), where, wrong)
        texts = {
            field: _fill(table[field], names, lambda what, field=field: wrong(field, what))
            for field in ("front", "back")
        }
        found[table["id"]] = {"id": table["id"], "topic": table["topic"]} | texts
    return list(found.values())


def title(chapter: str, given: Path | str | None = None) -> str:
    """A chapter's heading; where there is no such chapter yet, its name as words."""
    path = folder(given).parent / "text" / f"{chapter}.md"
    if path.is_file():
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("# "):
                return line[2:].strip()
    number, _, words = chapter.partition("-")
    return f"{number.lstrip('0')} {words.replace('-', ' ').capitalize()}"


# ---- Fields ----


def _check(table: dict[str, Any], where: str) -> None:
    """Whether a table has the fields of its kind, of the right types."""

    def wrong(field: str, what: str) -> PracticeError:
        return PracticeError(f"{where}, {field}: {what}")

    kind = table.get("kind")
    if kind not in KINDS:
        raise wrong("kind", f"expected one of {', '.join(KINDS)}, got {kind!r}")
    must, may = OWN[kind]
    for field in (*COMMON, *must):
        if field not in table:
            raise wrong(field, f"missing (a {kind} exercise needs it)")
    known = (*COMMON, *OPTIONAL, *must, *may)
    for field in table:
        if field not in known:
            raise wrong(field, f"unknown for a {kind} exercise; expected among {', '.join(known)}")
    if not isinstance(table["id"], str) or not NAME.fullmatch(table["id"]):
        raise wrong("id", f"expected words of a-z, 0-9 joined by -, got {table['id']!r}")
    for field in (
        "title",
        "prompt",
        "explanation",
        "setup",
        "unit",
        "axes",
        *(must if kind in COMPUTED else ()),
    ):
        if field in table and (not isinstance(table[field], str) or not table[field].strip()):
            raise wrong(field, f"expected text, got {table[field]!r}")
    for field, low, high in (
        ("points", 1, 10),
        ("difficulty", 1, 3),
        ("minutes", 1, 30),
        ("decimals", 0, 6),
    ):
        value = table.get(field, low)
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise wrong(field, f"expected a whole number from {low} to {high}, got {value!r}")
    for field in ("hints", "rows", "columns", "lines", "others"):
        value = table.get(field, [])
        if not isinstance(value, list) or not all(isinstance(x, str) and x.strip() for x in value):
            raise wrong(field, f"expected a list of texts, got {value!r}")
    for field in ("options", "pairs", "misconceptions"):
        value = table.get(field, [])
        if not isinstance(value, list) or not all(isinstance(x, dict) for x in value):
            raise wrong(field, f"expected a list of tables, got {value!r}")
    _tolerance(table, wrong)
    shapes = {"options": {"text", "right", "why"}}
    shapes["misconceptions"] = {"message"} | {
        {"order": "before", "match": "pair"}.get(kind, "answer")
    }
    for field, keys in shapes.items():
        for number, entry in enumerate(table.get(field, []), start=1):
            if set(entry) != keys:
                got = ", ".join(sorted(entry)) or "nothing"
                raise wrong(f"{field} {number}", f"expected {', '.join(sorted(keys))}, got {got}")
            texts = {key: entry[key] for key in keys - {"right", "before", "pair"}}
            for key, value in texts.items():
                if not isinstance(value, str) or not value.strip():
                    raise wrong(f"{field} {number}, {key}", f"expected text, got {value!r}")
    if kind == "choice" and len(table["options"]) < 2:
        raise wrong("options", f"expected two or more, got {len(table['options'])}")
    if kind == "order" and not 3 <= len(set(table["lines"])) == len(table["lines"]):
        raise wrong("lines", "expected three or more, all different")
    if kind == "match":
        for number, pair in enumerate(table["pairs"], start=1):
            if set(pair) not in ({"left", "right"}, {"left", "value"}):
                raise wrong(
                    f"pairs {number}",
                    "expected left and right, or left and value (Python), "
                    f"got {', '.join(sorted(pair)) or 'nothing'}",
                )
            if not all(isinstance(x, str) and x.strip() for x in pair.values()):
                raise wrong(f"pairs {number}", f"expected texts, got {pair!r}")
        if len({pair["left"] for pair in table["pairs"]}) < max(2, len(table["pairs"])):
            raise wrong("pairs", "expected two or more, with different left sides")
    size = {"order": len(table.get("lines", ())), "match": len(table.get("pairs", ()))}.get(kind, 0)
    for number, entry in enumerate(table.get("misconceptions", []) if size else [], start=1):
        key = "before" if kind == "order" else "pair"
        if not _places(entry[key], size, size if key == "before" else None):
            what = "line numbers [a, b]: the reader puts a before b, though b comes first"
            if kind == "match":
                what = (
                    "[left, right]: numbers of two different pairs (others count on after the last)"
                )
            raise wrong(f"misconceptions {number}, {key}", f"expected {what}, got {entry[key]!r}")


def _places(value: Any, size: int, order: int | None) -> bool:
    good = isinstance(value, list) and len(value) == 2 and all(type(x) is int for x in value)
    if not good or min(value) < 1 or value[0] == value[1] or value[0] > size:
        return False
    return order is None or value[0] > value[1]


def _tolerance(table: dict[str, Any], wrong: Any) -> None:
    value = table.get("tolerance", 0)
    if isinstance(value, str):
        good = bool(re.fullmatch(r"\d+(\.\d+)? ?%", value))
    else:
        good = (
            isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < math.inf
        )
    if not good:
        raise wrong(
            "tolerance", f'expected a number like 0.01, or a share like "2%", got {value!r}'
        )


# ---- Answers ----


def compute(table: dict[str, Any]) -> dict[str, Any]:
    """What the page needs to show and grade an exercise, as plain data: its Python is run here.

    Its random numbers are the same each time, and the caller's are left alone.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return _compute(table)


def _compute(table: dict[str, Any]) -> dict[str, Any]:
    source = table.get("file", "practice.py")
    where = f"{source}, exercise {table['id'].partition('/')[2]}"

    def wrong(field: str, what: str) -> PracticeError:
        return PracticeError(f"{where}, {field}: {what}")

    names = _run(table.get("setup", ""), where, wrong)

    def value(field: str, expression: str) -> Any:
        try:
            return eval(compile(expression.strip(), f"<{where}, {field}>", "eval"), dict(names))
        except Exception as error:
            raise wrong(field, f"{type(error).__name__}: {error}") from error

    kind = table["kind"]
    state: dict[str, Any] = {
        field: table[field] for field in ("id", "kind", "points", "difficulty", "minutes")
    }
    state |= KIND_STATE[kind](table, value, wrong)

    def fill(field: str, text: str, more: dict[str, Any] | None = None) -> str:
        unit = state.get("unit")  # the answer brings its own
        once = text.replace(f"{{answer}} {unit}", "{answer}") if unit else text
        return _fill(once, names | (more or {}), lambda what: wrong(field, what))

    after = {"answer": state["shown"]}
    state["title"] = fill("title", table["title"])
    state["prompt"] = fill("prompt", table["prompt"])
    state["hints"] = [fill("hints", hint) for hint in table.get("hints", [])]
    state["explanation"] = fill("explanation", table["explanation"], after)
    for entry in state.get("misconceptions", []):
        entry["message"] = fill("misconceptions", entry["message"], after)
    for entry in state.get("options", []):
        entry["text"], entry["why"] = fill("options", entry["text"]), fill("options", entry["why"])
    for field in ("unit", "lefts", "lines"):
        if isinstance(state.get(field), str):
            state[field] = fill(field, state[field])
        elif field in state:
            state[field] = [fill(field, text) for text in state[field]]
    return state


def _run(setup: str, where: str, wrong: Any) -> dict[str, Any]:
    """The names that a setup makes, beside those that every setup finds."""
    names: dict[str, Any] = {"np": np, "torch": torch, "math": math}
    names["transformer_course"] = importlib.import_module("transformer_course")
    try:
        exec(compile(setup, f"<{where}, setup>", "exec"), names)
    except Exception as error:
        raise wrong("setup", f"{type(error).__name__}: {error}") from error
    return names


def _fill(text: str, names: dict[str, Any], wrong: Any) -> str:
    """Put the values of names in the place of {name} or {name:.2f}."""

    def put(found: re.Match[str]) -> str:
        name, form = found[1], (found[2] or "")[1:]
        if name not in names:
            hint = "belongs in the explanation and in messages only"
            raise wrong(f"{{{name}}} {hint if name == 'answer' else 'is not a name of the setup'}")
        try:
            return format(names[name], form)
        except (TypeError, ValueError) as error:
            raise wrong(f"{found[0]}: {error}") from error

    return BRACES.sub(put, text.strip())


def _typed(expression: str) -> bool:
    """Whether an expression is a bare literal, or a literal in np.array or torch.tensor."""
    node = ast.parse(expression.strip(), mode="eval").body
    while isinstance(node, ast.Call) and len(node.args) == 1:
        if ast.unparse(node.func) not in ("np.array", "torch.tensor", "float", "int", "bool"):
            return False
        node = node.args[0]
    try:
        ast.literal_eval(node)
    except ValueError:
        return False
    return True


def _number_text(x: float, decimals: int) -> str:
    """As a reader would write it: groups of three, and no minus before a zero."""
    if not math.isfinite(x):
        return {math.inf: "inf", -math.inf: "-inf"}.get(x, "nan")
    text = f"{x:,.{decimals}f}"
    return text.lstrip("-") if float(text.replace(",", "")) == 0 else text


def _plain(x: float) -> float | str:
    """A number that JSON holds, with the digits that all machines agree on."""
    if x.is_integer():
        return float(x) + 0.0  # no minus before a zero
    return float(f"{x:.10g}") if math.isfinite(x) else _number_text(x, 0)


def _same(one: np.ndarray, other: np.ndarray, slack: np.ndarray | float) -> bool:
    if one.shape != other.shape:
        return False
    with np.errstate(invalid="ignore"):
        near = np.abs(one - other) <= slack
    return bool(np.all(near | (one == other) | (np.isnan(one) & np.isnan(other))))


def _computed(table: dict[str, Any], value: Any, wrong: Any) -> dict[str, Any]:
    """Number, matrix, mask: the answer, what a reader may be off by, and the known mistakes."""
    kind, expression = table["kind"], table["answer"]
    rank = {"number": 0}.get(kind, 2)
    wanted = {
        "number": "one number",
        "matrix": f"a matrix of numbers of at most {LARGEST} by {LARGEST}",
        "mask": f"a matrix of booleans of at most {LARGEST} by {LARGEST}",
    }[kind]

    def array(field: str, text: str) -> np.ndarray:
        result = value(field, text)
        found = result.detach().numpy() if isinstance(result, torch.Tensor) else np.asarray(result)
        fits = found.ndim == rank and (
            rank == 0 or 1 <= min(found.shape) <= max(found.shape) <= LARGEST
        )
        good = found.dtype == bool if kind == "mask" else found.dtype.kind in "iuf"
        if not fits or not good:
            raise wrong(
                field, f"expected {wanted}, got {type(result).__name__} of shape {found.shape}"
            )
        return found if kind == "mask" else found.astype(np.float64)

    try:
        typed = _typed(expression)
    except SyntaxError as error:
        raise wrong("answer", f"SyntaxError: {error.msg}") from None
    if typed:
        raise wrong("answer", f"expected a computation, got the typed value {expression.strip()}")
    answer = array("answer", expression)
    if kind == "number" and not np.isfinite(answer):
        raise wrong("answer", f"expected a finite number, got {answer}")

    whole = kind != "mask" and bool(np.all(~np.isfinite(answer) | (answer == np.round(answer))))
    decimals = table.get("decimals", 0 if whole or kind == "mask" else 2)
    given = table.get("tolerance", 0 if decimals == 0 and whole else 0.5001 * 10**-decimals)
    if isinstance(given, str):
        slack: Any = (
            np.where(np.isfinite(answer), np.abs(answer), 0) * float(given.rstrip(" %")) / 100
        )
    else:
        slack = np.full(answer.shape, float(given))
    texts = answer
    if kind != "mask":
        texts = np.vectorize(lambda x: _number_text(float(x), decimals), otypes=[object])(answer)
        rounded = np.vectorize(lambda x: float(x.replace(",", "")), otypes=[float])(texts)
        if not _same(rounded, answer, slack):
            raise wrong(
                "tolerance",
                f"{given} is smaller than the rounding to {decimals} decimals; set decimals",
            )

    state: dict[str, Any] = {"misconceptions": []}
    known = [("the answer", answer)]
    for number, entry in enumerate(table.get("misconceptions", []), start=1):
        field = f"misconceptions {number}, answer"
        mistake = array(field, entry["answer"])
        if mistake.shape != answer.shape:
            raise wrong(field, f"expected the answer's shape {answer.shape}, got {mistake.shape}")
        for name, other in known:
            near = slack if kind != "mask" else 0
            if _same(mistake.astype(float), other.astype(float), near):
                raise wrong(field, f"cannot be told from {name} (tolerance {given})")
        known.append((f"misconception {number}", mistake))
        state["misconceptions"].append(
            {"answer": _rows(mistake, kind), "message": entry["message"]}
        )
    state["answer"] = _rows(answer, kind)
    if kind == "number":
        share = given.replace(" ", "").replace("%", " %") if isinstance(given, str) else ""
        asks = "a whole number" if not decimals else f"to {decimals} decimal{'s' * (decimals > 1)}"
        within = (
            f"within {share}"
            if share
            else f"within {given:g}"
            if "tolerance" in table and given
            else ""
        )
        state |= {"asks": within or asks, "unit": table.get("unit", "")}
        state |= {"shown": str(texts), "tolerance": float(slack)}
        if state["unit"]:
            state["shown"] += f" {state['unit']}"
        return state
    for field, length in (("rows", answer.shape[0]), ("columns", answer.shape[1])):
        labels = table.get(field, [str(n) for n in range(length)])
        if len(labels) != length:
            raise wrong(
                field, f"expected {length} labels for the answer's shape, got {len(labels)}"
            )
        state[field] = labels
    state["axes"] = table.get("axes", "row: query, column: key" if kind == "mask" else "")
    if kind == "mask":
        state["shown"] = "; ".join("".join("✓" if x else "·" for x in row) for row in answer)
    else:
        state |= {"tolerance": slack.tolist(), "texts": texts.tolist(), "decimals": decimals}
        state["shown"] = "[" + "; ".join(", ".join(row) for row in texts.tolist()) + "]"
    return state


def _rows(array: np.ndarray, kind: str) -> Any:
    if kind == "mask":
        return array.tolist()
    return _plain(float(array)) if kind == "number" else [[_plain(x) for x in row] for row in array]


def _choice(table: dict[str, Any], value: Any, wrong: Any) -> dict[str, Any]:
    options = []
    for number, option in enumerate(table["options"], start=1):
        right = option["right"]
        if isinstance(right, str):
            right = value(f"options {number}, right", right)
        if not isinstance(right, bool | np.bool_) and not (
            isinstance(right, torch.Tensor) and right.dtype == torch.bool and right.ndim == 0
        ):
            raise wrong(
                f"options {number}, right",
                f"expected true, false or Python that gives a bool, got {right!r}",
            )
        options.append({"text": option["text"], "right": bool(right), "why": option["why"]})
    answer = [n for n, option in enumerate(options) if option["right"]]
    if not answer:
        raise wrong("options", "expected at least one that is right")
    shown = "; ".join(options[n]["text"].strip() for n in answer)
    return {"options": options, "answer": answer, "shown": shown}


def _shuffled(count: int, name: str) -> list[int]:
    """An order that is the same each time, and not the right one."""
    places = list(range(count))
    while places == sorted(places):
        random.Random(f"{name}{places}").shuffle(places)
        name += "."
    return places


def _order(table: dict[str, Any], value: Any, wrong: Any) -> dict[str, Any]:
    lines = table["lines"]
    mistakes = [
        {"before": [x - 1 for x in entry["before"]], "message": entry["message"]}
        for entry in table.get("misconceptions", [])
    ]
    return {
        "lines": lines,
        "start": _shuffled(len(lines), table["id"]),
        "answer": list(range(len(lines))),
        "misconceptions": mistakes,
        "shown": " → ".join(line.strip() for line in lines),
    }


def _match(table: dict[str, Any], value: Any, wrong: Any) -> dict[str, Any]:
    texts = [
        pair["right"] if "right" in pair else str(value(f"pairs {number}, value", pair["value"]))
        for number, pair in enumerate(table["pairs"], start=1)
    ]
    pool = [*texts, *table.get("others", [])]
    different = sorted(set(pool))
    if len(different) < 2:
        raise wrong("pairs", "expected at least two different right sides")
    rights = [different[n] for n in _shuffled(len(different), table["id"])]
    mistakes = []
    for number, entry in enumerate(table.get("misconceptions", []), start=1):
        left, right = entry["pair"]
        if right > len(pool) or pool[right - 1] == texts[left - 1]:
            raise wrong(f"misconceptions {number}, pair", f"{entry['pair']} is no wrong pair")
        mistakes.append(
            {"pair": [left - 1, rights.index(pool[right - 1])], "message": entry["message"]}
        )
    return {
        "lefts": [pair["left"] for pair in table["pairs"]],
        "rights": rights,
        "answer": [rights.index(text) for text in texts],
        "misconceptions": mistakes,
        "shown": "; ".join(
            f"{pair['left']} ↔ {text}" for pair, text in zip(table["pairs"], texts, strict=True)
        ),
    }


KIND_STATE = {
    "number": _computed,
    "matrix": _computed,
    "mask": _computed,
    "choice": _choice,
    "order": _order,
    "match": _match,
}
