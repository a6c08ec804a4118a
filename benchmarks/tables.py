"""The tables of speed in benchmarks/README.md, and the README's sentence, from the result files.

python benchmarks/tables.py
"""

import json
from typing import Any

from transformer_course.commands.record import RESULTS, no_options

CAPABILITIES = ("AVX512", "AVX2")  # of one machine: it plays the second
SETTINGS = {(1, 1): "greedy, 1", (1, 4): "beam 4, 1", (32, 1): "greedy, 32", (32, 4): "beam 4, 32"}


def load(name: str) -> dict[str, Any]:
    return json.loads((RESULTS / f"{name}.json").read_text())


def table(head: list[str], body: list[list[str]]) -> str:
    return "\n".join("| " + " | ".join(line) + " |" for line in [head, ["---"] * len(head), *body])


def training() -> str:
    """Processor time of a step as a multiple of ours, in fp32 and each in its best mode, a table
    for each kind of instructions."""
    tables, same_loss = [], []
    for capability in CAPABILITIES:
        columns, times = [], {}
        for size, rows in steps(capability).items():
            for kind, title in (("fp32", "fp32"), ("best", "best mode")):
                columns.append(f"{size}, {title}")
                for row in (row for row in rows if row["kind"] == kind):
                    times.setdefault(row["name"], []).append(f"{row['times_ours']['median']:.2f}")
            others = (r for r in rows if r["kind"] == "same loss" and r["name"] != "ours")
            same_loss += [row["times_ours"]["median"] for row in others]
        head = [f"a training step, {capability}", *columns]
        tables.append(table(head, [[name, *each] for name, each in times.items()]))
    low, high = min(same_loss), max(same_loss)
    same = f"With PyTorch's own loss in ours, too, these take {low:.2f} to {high:.2f} times as long"
    return "\n\n".join([*tables, f"{same} in fp32."])


def steps(capability: str) -> dict[str, list[dict[str, Any]]]:
    """What was measured of a training step, by size."""
    sizes = load(f"train-speed-{capability.lower()}")["sizes"]
    return {size["size"]: size["rows"] for size in sizes}


def decoding() -> str:
    """Processor time as a multiple of ours in fp32, for one sentence and for 32, a table for each
    kind of instructions."""
    tables = []
    for capability in CAPABILITIES:
        found: dict[str, list[str]] = {}
        for setting in load(f"decode-speed-{capability.lower()}")["settings"]:
            for row in setting["rows"]:
                median = row["times"]["ours, fp32"]["median"]
                found.setdefault(row["name"], []).append(f"{median:.2f}")
        head = [f"decoding, {capability}", *SETTINGS.values()]
        tables.append(table(head, [[name, *each] for name, each in found.items()]))
    return "\n\n".join(tables)


def profile() -> str:
    """Where a step of decoding goes, in milliseconds of processor time, a table for each kind of
    instructions."""
    tables = []
    for capability in CAPABILITIES:
        settings = load(f"step-profile-{capability.lower()}")["settings"]
        rows = [(setting, row) for setting in settings for row in setting["rows"]]
        head = [f"milliseconds of a step, {capability}"]
        head += [
            f"{SETTINGS[each['sentences'], each['beam']]}: {row['name']}" for each, row in rows
        ]
        body = [["all", *(f"{row['cpu_milliseconds_a_step']:.1f}" for _, row in rows)]]
        for kind in rows[0][1]["shares"]:
            parts = (row["shares"][kind] * row["cpu_milliseconds_a_step"] for _, row in rows)
            body.append([kind, *(f"{part:.1f}" for part in parts)])
        body.append(["operations", *(f"{row['operations_a_step']:,}" for _, row in rows)])
        tables.append(table(head, body))
    return "\n\n".join(tables)


def gpu() -> str:
    """Steps on a GPU, for each size, and what share of the card's products they keep busy."""
    return "\n\n".join(map(gpu_table, ("gpu", "gpu-recorded")))


def gpu_table(name: str) -> str:
    """One file of them."""
    found = load(name)
    sizes = {size["size"]: {row["variant"]: row for row in size["rows"]} for size in found["sizes"]}
    variants = dict.fromkeys(each for rows in sizes.values() for each in rows)
    body = []
    for variant in variants:
        line = [variant]
        for rows in sizes.values():
            row = rows.get(variant)
            line.append(
                f"{row['milliseconds']['median']:.0f} ms, {row['share_of_bf16_peak']:.0%}"
                if row
                else ""
            )
        body.append(line)
    return table([f"a training step, {found['hardware']['gpu']}", *sizes], body)


def sentence() -> str:
    """What the README says of all this: the two that a reader is likeliest to know, in fp32."""
    trained = [
        row["times_ours"]["median"]
        for capability in CAPABILITIES
        for rows in steps(capability).values()
        for row in rows
        if (row["name"], row["kind"]) == ("torch.nn.Transformer", "fp32")
    ]
    decoded = [
        {row["name"]: row["times"]["ours, fp32"]["median"] for row in setting["rows"]}
        for capability in CAPABILITIES
        for setting in load(f"decode-speed-{capability.lower()}")["settings"]
    ]
    others = [times["CTranslate2, fp32"] for times in decoded]
    ahead = sum(times["CTranslate2, int8"] < times["ours, int8"] for times in decoded)
    return (
        "On one thread of a CPU, in fp32, a training step of `torch.nn.Transformer` takes "
        f"{min(trained):.2f} to {max(trained):.2f} times as long as ours, and CTranslate2 "
        f"{min(others):.2f} to {max(others):.2f} times as long to decode; in int8 "
        f"it is ahead of ours in {ahead} settings of {len(decoded)}, with AVX-512 and with AVX2"
    )


if __name__ == "__main__":
    no_options(__doc__)
    print(f"{training()}\n\n{decoding()}\n\n{gpu()}\n\n{profile()}")
