"""How much longer honest work takes while a hostile submission is graded beside it.

PYTHONPATH=tests python -m hostile.neighbors   # benchmarks/results/neighbors.json
"""

import json
import statistics
import sys
import tempfile
import threading
from pathlib import Path

from hostile import suite

from transformer_course.commands import record
from transformer_course.grading.border.asking import Limits, Student
from transformer_course.grading.grader.catalog import Catalog
from transformer_course.grading.grader.collecting import collect
from transformer_course.grading.processes.warm_process import Zygote

LIMITS = Limits(seconds=1.0, total_seconds=6.0, memory=1 << 30)
WORK = """\
import time
began = time.perf_counter()
sum(i * i for i in range(4_000_000))
took = time.perf_counter() - began
"""
ALL_CORES = """\
import os
for _ in range(24):
    if os.fork() == 0:
        try:
            os.setsid()  # a session has a share of the processor
        except OSError:
            pass
        while True:
            pass
"""
ALONE = 3  # times before each, and after it
NOBODY = {"OUTSIDE": "/nowhere", "SOURCE": "/nowhere", "ROOT": "/nowhere"} | {
    "PORT": "9",
    "ABSTRACT": "nobody",
    "PID": "1",
}


def seconds(neighbor: Student) -> float:
    """What the same work takes now."""
    neighbor.execute(WORK, "cell")
    return float(neighbor.values({"took"})["took"])


def beside(neighbor: Student, grading: threading.Thread) -> list[float]:
    """What it takes again and again, until the other submission is graded."""
    grading.start()
    found = []
    while grading.is_alive():
        found.append(seconds(neighbor))
    grading.join()
    return found or [seconds(neighbor)]


def main() -> int:
    """Measure beside each submission that wants more of the machine than its share."""
    ratios = {}
    folder = Path(tempfile.mkdtemp())
    catalog = Catalog([suite.EXERCISE])
    every = suite.written(NOBODY)
    chosen = [each for each in every if each.kind in ("processes", "memory")]
    data = {each.name: each.data for each in (every[0], *chosen)}
    data["takes-all-cores"] = json.dumps(suite.notebook({"softmax": ALL_CORES})).encode()
    long = Limits(seconds=60.0, total_seconds=3600.0)
    with Zygote() as ours, Zygote() as theirs, ours.student(long) as neighbor:
        for name, notebook in data.items():
            path = folder / f"{name}.ipynb"
            path.write_bytes(notebook)
            (found,) = collect([path])
            grading = threading.Thread(target=catalog.grade, args=(found, theirs, LIMITS))
            before = [seconds(neighbor) for _ in range(ALONE)]
            during = beside(neighbor, grading)
            alone = statistics.median(before + [seconds(neighbor) for _ in range(ALONE)])
            ratios[name] = round(statistics.fmean(during) / alone, 2)
            print(f"{ratios[name]:5.2f}  {name}", flush=True)
        isolation = ours.isolation.level
    path = record.write(
        "neighbors",
        "time of honest work beside a submission that is graded in another process, as a multiple "
        "of its time alone, taken before and after each; the first is honest",
        ["PYTHONPATH=tests python -m hostile.neighbors"],
        isolation=isolation,
        worst=max(ratios.values()),
        ratios=ratios,
    )
    print(f"at most {max(ratios.values())}: {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
