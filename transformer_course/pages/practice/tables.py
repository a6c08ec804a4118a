"""What an author may write: cards and each kind of exercise, field by field, as msgspec structs.

A mistake is one line: the field, what was expected, what came.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, ClassVar, TypeVar, get_args, get_type_hints

from msgspec import Meta, Struct, ValidationError, convert

from transformer_course.errors import DataError

Name = Annotated[
    str,
    Meta(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*\Z", description="words of a-z, 0-9 joined by -"),
]
Text = Annotated[str, Meta(pattern=r"\S", description="text")]
Texts = Annotated[list[Text], Meta(description="a list of texts")]
Amount = Annotated[float, Meta(ge=0, le=1e300)]
Share = Annotated[str, Meta(pattern=r"^\d+(\.\d+)? ?%\Z")]
Tolerance = Annotated[
    Amount | Share | None, Meta(description='a number like 0.01, or a share like "2%"')
]
TABLES = Meta(description="a list of tables")
BEFORE = "line numbers [a, b]: the reader puts a before b, though b comes first"
NEEDED = "line numbers [a, b]: line a needs line b, which comes first"
Needs = Annotated[
    list[Annotated[list[int], Meta(min_length=2, max_length=2)]],
    Meta(description=f"a list of {NEEDED}"),
]
PAIR = "[left, right]: numbers of two different pairs (others count on after the last)"

T = TypeVar("T", bound=Struct)


class PracticeError(DataError):
    """An exercise that cannot be shown: the file, the exercise, the field, and what is wrong."""


def whole(low: int, high: int) -> Meta:
    """A whole number, and the words for it."""
    return Meta(ge=low, le=high, description=f"a whole number from {low} to {high}")


@contextmanager
def naming(where: str) -> Iterator[None]:
    """Put `where` before what is wrong inside."""
    try:
        yield
    except PracticeError as error:
        raise PracticeError(f"{where}, {error}") from error


class Table(Struct, kw_only=True, forbid_unknown_fields=True):
    """A table of a TOML file, with the fields that are named and no others."""


class Card(Table, kw_only=True):
    id: Name
    topic: Text
    front: Text
    back: Text
    setup: Text = ""


class Mistake(Table, kw_only=True):
    answer: Text
    message: Text


class Swap(Table, kw_only=True):  # two lines in the wrong order, counted from 1
    before: Annotated[list[int], Meta(min_length=2, max_length=2, description=BEFORE)]
    message: Text


class WrongPair(Table, kw_only=True):  # counted from 1; right goes on into others
    pair: Annotated[list[int], Meta(min_length=2, max_length=2, description=PAIR)]
    message: Text


class Option(Table, kw_only=True):
    text: Text
    right: Annotated[bool | Text, Meta(description="true, false or Python that gives a bool")]
    why: Text


class Pair(Table, kw_only=True):
    WANTED: ClassVar[str] = "left and right, or left and value (Python)"

    left: str | None = None
    right: str | None = None
    value: str | None = None

    def __post_init__(self) -> None:
        every = {"left": self.left, "right": self.right, "value": self.value}
        given = {name: text for name, text in every.items() if text is not None}
        if len(given) != 2 or self.left is None:
            raise ValueError(f"expected {self.WANTED}, got {', '.join(sorted(given)) or 'nothing'}")
        if not all(text.strip() for text in given.values()):
            raise ValueError(f"expected texts, got {given!r}")


class Exercise(Table, kw_only=True):
    """What every exercise has."""

    id: Name
    kind: str
    title: Text
    prompt: Text
    points: Annotated[int, whole(1, 10)]
    difficulty: Annotated[int, whole(1, 3)]
    minutes: Annotated[int, whole(1, 30)]
    explanation: Text
    hints: Texts = []
    setup: Text = ""
    picture: Text = ""


class Number(Exercise, kw_only=True):
    answer: Text
    tolerance: Tolerance = None
    decimals: Annotated[int, whole(0, 6)] | None = None
    unit: Text = ""
    misconceptions: Annotated[list[Mistake], TABLES] = []


class Mask(Exercise, kw_only=True):
    answer: Text
    rows: Texts = []
    columns: Texts = []
    axes: Text = "row: query, column: key"
    misconceptions: Annotated[list[Mistake], TABLES] = []


class Matrix(Mask, kw_only=True):
    tolerance: Tolerance = None
    decimals: Annotated[int, whole(0, 6)] | None = None
    axes: Text = ""


class Choice(Exercise, kw_only=True):
    options: Annotated[list[Option], TABLES]

    def __post_init__(self) -> None:
        if len(self.options) < 2:
            raise ValueError(f"options: expected two or more, got {len(self.options)}")


class Order(Exercise, kw_only=True):
    lines: Texts
    needs: Needs = []
    misconceptions: Annotated[list[Swap], TABLES] = []

    def __post_init__(self) -> None:
        if not 3 <= len(set(self.lines)) == len(self.lines):
            raise ValueError("lines: expected three or more, all different")
        for number, pair in enumerate(self.needs, start=1):
            if not 1 <= pair[1] < pair[0] <= len(self.lines):
                raise ValueError(f"needs {number}: expected {NEEDED}, got {pair!r}")
        for number, swap in enumerate(self.misconceptions, start=1):
            first, second = swap.before
            if not 1 <= second < first <= len(self.lines):
                got = f"expected {BEFORE}, got {swap.before!r}"
                raise ValueError(f"misconceptions {number}, before: {got}")


class Match(Exercise, kw_only=True):
    pairs: Annotated[list[Pair], TABLES]
    others: Texts = []
    misconceptions: Annotated[list[WrongPair], TABLES] = []

    def __post_init__(self) -> None:
        if len({pair.left for pair in self.pairs}) < max(2, len(self.pairs)):
            raise ValueError("pairs: expected two or more, with different left sides")
        for number, wrong in enumerate(self.misconceptions, start=1):
            left, right = wrong.pair
            if not 1 <= left <= len(self.pairs) or right < 1 or left == right:
                got = f"expected {PAIR}, got {wrong.pair!r}"
                raise ValueError(f"misconceptions {number}, pair: {got}")


KINDS: dict[str, type[Exercise]] = {
    "number": Number,
    "matrix": Matrix,
    "mask": Mask,
    "choice": Choice,
    "order": Order,
    "match": Match,
}


def exercise(table: dict[str, Any]) -> Exercise:
    """A table of a TOML file as an exercise of its kind."""
    kind = table.get("kind")
    if kind not in KINDS:
        raise PracticeError(f"kind: expected one of {', '.join(KINDS)}, got {kind!r}")
    return checked(KINDS[kind], table, f"{kind} exercise")


def checked(struct: type[T], table: dict[str, Any], noun: str = "") -> T:
    """A table of a TOML file as a struct; what is wrong with it, in our words."""
    try:
        return convert(table, struct)
    except ValidationError as error:
        raise PracticeError(_in_our_words(error, struct, table, noun)) from None


# What msgspec says of a mistake and of its place, such as `$.options[0].why`.
SAID = re.compile(r"(.*?)(?: - at `\$\.(\w+)(?:\[(\d+)\])?(?:\.(\w+))?.*`)?", flags=re.DOTALL)


def _in_our_words(
    error: ValidationError, struct: type[Struct], table: dict[str, Any], noun: str
) -> str:
    what, field, index, part = SAID.fullmatch(str(error)).groups()  # type: ignore[union-attr]
    place = f"{field} {int(index) + 1}" if index else field
    if isinstance(error.__cause__, ValueError):  # one of our own, above
        return f"{place}: {what}" if place else what
    about_fields = what.startswith("Object ")  # one is missing, or one too many
    if field is None:
        name = what.split("`")[1]
        if "missing" in what:
            return f"{name}: missing" + (f" (a {noun} needs it)" if noun else "")
        known = ", ".join(struct.__struct_fields__)
        return f"{name}: unknown{f' for a {noun}' if noun else ''}; expected among {known}"
    wanted, inner = _wanted(struct, field)
    value = table[field]
    if index and (part or about_fields):
        value = value[int(index)]
        if about_fields:
            names = getattr(inner, "WANTED", ", ".join(sorted(inner.__struct_fields__)))
            return f"{place}: expected {names}, got {', '.join(sorted(value)) or 'nothing'}"
        place, wanted, value = f"{place}, {part}", _wanted(inner, part)[0], value[part]
    else:
        place = field
    return f"{place}: expected {wanted}, got {value!r}"


def _wanted(struct: type[Struct], field: str) -> tuple[str, Any]:
    """What a field has to be, in words; and if it is a list, of what."""
    hint = get_type_hints(struct, include_extras=True)[field]
    parts = [hint, *get_args(hint)]
    said = [meta.description for part in parts for meta in getattr(part, "__metadata__", ())]
    return next(iter(said), "text"), next(iter(get_args(parts[1])), None) if len(
        parts
    ) > 1 else None
