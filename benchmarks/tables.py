"""The README's tables of speed, drawn from the result files.

python benchmarks/tables.py
"""

import json
from typing import Any

from record import RESULTS

SETTINGS = {(1, 1): "greedy, 1", (1, 4): "beam 4, 1", (32, 1): "greedy, 32", (32, 4): "beam 4, 32"}


def load(name: str) -> dict[str, Any]:
    return json.loads((RESULTS / f"{name}.json").read_text())


def table(head: list[str], body: list[list[str]]) -> str:
    return "\n".join("| " + " | ".join(line) + " |" for line in [head, ["---"] * len(head), *body])


def training() -> str:
    """Processor time of a step as a multiple of ours: same loss in fp32, and each at its best."""
    columns, times = [], {}
    for size in load("train-speed-cpu")["sizes"]:
        for kind, title in (("same loss", "fp32"), ("best", "best mode")):
            rows = [row for row in size["rows"] if row["kind"] == kind]
            if rows:
                columns.append(f"{size['size']}, {title}")
            for row in rows:
                times.setdefault(row["name"], []).append(f"{row['times_ours']['median']:.2f}")
    return table(["a training step", *columns], [[name, *each] for name, each in times.items()])


def decoding() -> str:
    """Processor time as a multiple of ours in fp32, for one sentence and for 32."""
    found: dict[str, list[str]] = {}
    for setting in load("decode-speed-cpu")["settings"]:
        for row in setting["rows"]:
            median = row["times"]["ours, fp32"]["median"]
            found.setdefault(row["name"], []).append(f"{median:.2f}")
    return table(["decoding", *SETTINGS.values()], [[name, *each] for name, each in found.items()])


if __name__ == "__main__":
    print(f"{training()}\n\n{decoding()}")
