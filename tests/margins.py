"""How far is each assert of a chapter from its edge, in spreads over seeds?

Where COURSE_MARGINS names a folder, a kernel that starts with tests/reseed.py notes both sides of
each `<`, `<=`, `>` and `>=` inside an assert. `make seeds` plays the seeds, and then asks:

    python tests/margins.py FOLDER [--spreads 3]
"""

import argparse
import ast
import json
import os
from collections import defaultdict
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
SIGNS = {ast.Lt: 1, ast.LtE: 1, ast.Gt: -1, ast.GtE: -1}  # what is positive where a claim holds


class Compared(ast.NodeTransformer):
    """Each comparison of sizes inside an assert also goes to `__margin__`, with the text it had."""

    def visit_Assert(self, node: ast.Assert) -> ast.Assert:
        node.test = Sides().visit(node.test)
        return ast.fix_missing_locations(node)


class Sides(ast.NodeTransformer):
    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        if not all(type(op) in SIGNS for op in node.ops):
            return node
        signs = ast.List([ast.Constant(SIGNS[type(op)]) for op in node.ops], ast.Load())
        sides = ast.List([node.left, *node.comparators], ast.Load())
        left, *right = [ast.Name(f"__side{i}__", ast.Load()) for i in range(len(node.ops) + 1)]
        again = ast.Compare(left, node.ops, right)
        noted = ast.Call(
            ast.Name("__margin__", ast.Load()),
            [ast.Constant(ast.unparse(node)), signs, sides, lambda_of(again, [left, *right])],
            [],
        )
        return ast.copy_location(noted, node)


def lambda_of(body: ast.expr, names: list[ast.Name]) -> ast.Lambda:
    """`lambda __side0__, __side1__: body`: the comparison itself, on sides already there."""
    arguments = [ast.arg(name.id) for name in names]
    return ast.Lambda(ast.arguments([], arguments, None, [], [], None, []), body)


def distance(sign: int, left: object, right: object) -> float | None:
    """How far the sides are apart, by the closest pair of values; None for what is not a number."""
    left, right = (each.detach() if hasattr(each, "detach") else each for each in (left, right))
    try:
        apart = np.asarray(right, dtype=float) - np.asarray(left, dtype=float)
    except (TypeError, ValueError, RuntimeError):
        return None
    return float((sign * apart).min()) if apart.size else None


def watch(folder: Path) -> None:
    """In a kernel: every assert from now on leaves its margins in `folder`."""
    from IPython import get_ipython  # noqa: PLC0415

    shell = get_ipython()
    if shell is None:
        return
    seed, file = int(os.environ.get("COURSE_RESEED", "0")), folder / f"{os.getpid()}.jsonl"

    def margin(text, signs, sides, compare):
        apart = [distance(s, a, b) for s, a, b in zip(signs, sides, sides[1:], strict=False)]
        with file.open("a") as out:
            out.write(json.dumps({"seed": seed, "claim": text, "apart": apart}) + "\n")
        return compare(*sides)

    shell.user_ns["__margin__"] = margin
    shell.ast_transformers.append(Compared())


def chapters() -> dict[str, str]:
    """The chapter that holds each claim, by the claim's text."""
    where = {}
    for path in sorted((ROOT / "book").glob("*.ipynb")):
        for cell in json.loads(path.read_text())["cells"]:
            source = "".join(cell["source"])
            if cell["cell_type"] != "code" or "assert" not in source or source.startswith("%"):
                continue
            for node in ast.walk(ast.parse(source)):
                if isinstance(node, ast.Compare):
                    where[ast.unparse(node)] = path.stem
    return where


def spreads(folder: Path) -> dict[tuple[str, int], tuple[float, float, float, int]]:
    """For each side of each claim: mean, spread and least of its distance, and how many seeds.

    What a claim compares several times, in a loop or in `all(...)`, counts by its closest one.
    """
    closest: dict[tuple[str, int], dict[int, float]] = defaultdict(dict)
    for file in sorted(folder.glob("*.jsonl")):
        for line in file.read_text().splitlines():
            said = json.loads(line)
            for side, apart in enumerate(said["apart"]):
                if apart is not None:
                    seen = closest[said["claim"], side]
                    seen[said["seed"]] = min(apart, seen.get(said["seed"], apart))
    return {
        claim: (
            float(np.mean(values := list(by_seed.values()))),
            float(np.std(values, ddof=1)) if len(values) > 1 else 0.0,
            min(values),
            len(values),
        )
        for claim, by_seed in closest.items()
    }


def main() -> int:
    """List what is near its edge; 1 where anything is."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--spreads", type=float, default=3, help="what is nearer is listed")
    asked = parser.parse_args()
    where, found = chapters(), spreads(asked.folder)
    if not found:
        parser.error(f"{asked.folder} holds no margins: `make seeds` leaves some")
    moving = sum(spread > 0 for _, spread, _, _ in found.values())
    print(f"{len(found)} comparisons, {moving} of them move with the seed")
    near = 0
    for (text, side), (mean, spread, least, seeds) in sorted(found.items()):
        if mean < asked.spreads * spread or least < 0:
            near += 1
            print(f"{where.get(text, '?')}: {text} [{side}]: {mean / (spread or 1):.1f} spreads")
            print(f"    distance {mean:.3g} ± {spread:.2g}, least {least:.3g}, {seeds} seeds")
    print(f"{near} nearer than {asked.spreads:g} spreads")
    return int(near > 0)


if __name__ == "__main__":
    raise SystemExit(main())
