"""The verdicts that hang on arithmetic, as every kind of processor here would give them.

    python tests/machines.py              the package, the exercises, the chapters, on every leg,
                                          and 20 files of each exercise's right answers
    python tests/machines.py --cheapest   the exercises, on one leg that is not this machine's own

A leg is the widest instructions that torch, oneDNN and MKL may use, and a number of threads.
"""

import argparse
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

import torch

ROOT = Path(__file__).parents[1]
LEGS = {  # what torch, oneDNN and MKL call the same thing
    "default": ("SSE41", "SSE4_2"),
    "avx2": ("AVX2", "AVX2"),
    "avx512": ("AVX512_CORE", "AVX512"),
}
WITHOUT = ["-p", "no:nbval"]  # it takes a second to load
MODEL = [*WITHOUT, "@tests/model.txt"]
EXERCISES = [
    *WITHOUT,
    "tests/grading/test_exercises.py",
    "tests/grading/test_clinic.py",
    "tests/pages/test_page_exercises.py",
]
SOLUTIONS = [*WITHOUT, "tests/grading/test_solutions.py"]
FILES = "20"  # of each exercise: hidden checks ask each of them something else
CHAPTERS = ["-p", "local_kernels", "--nbval", "--nbval-sanitize-with", "tests/nbval_sanitize.cfg"]


def capability() -> str:
    """What torch uses on this machine: the last of the legs that it can play."""
    return torch.backends.cpu.get_cpu_capability().lower()


def legs(own: str) -> list[tuple[str, int]]:
    """All that this machine can play; on other processors than x86 there is only its own."""
    if own not in LEGS:
        return [(own, 1), (own, 2)]
    names = list(LEGS)[: list(LEGS).index(own) + 1]
    return [(name, threads) for name in names for threads in (1, 2)]


def cheapest(own: str) -> tuple[str, int]:
    """The nearest leg that differs from the machine's own, with as many threads as tests have."""
    names = list(LEGS)
    if own not in LEGS or own == "default":
        return own, 2
    return names[names.index(own) - 1], 1


def environment(name: str, threads: int) -> dict[str, str]:
    """What makes torch and the libraries below it take this leg."""
    paths = [str(ROOT / "tests"), os.environ.get("PYTHONPATH", "")]
    leg = {
        "OMP_NUM_THREADS": str(threads),
        "COURSE_THREADS": str(threads),  # as tests/conftest.py sets them
        "OMP_WAIT_POLICY": "passive",
        "COURSE_FILES": FILES,
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
    }
    if name in LEGS:
        onednn, mkl = LEGS[name]
        leg |= {
            "ATEN_CPU_CAPABILITY": name,
            "ONEDNN_MAX_CPU_ISA": onednn,
            "MKL_ENABLE_INSTRUCTIONS": mkl,
        }
    return {**os.environ, **leg}


def main() -> int:
    """Run the legs one after another; 1 if one is red."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cheapest", action="store_true", help="one leg, the exercises alone")
    parser.add_argument("--leg", help="one leg, such as avx2:2")
    arguments = parser.parse_args()

    own = capability()
    chosen = [cheapest(own)] if arguments.cheapest else legs(own)
    if arguments.leg:
        chosen = [leg for leg in chosen if arguments.leg == f"{leg[0]}:{leg[1]}"]
        if not chosen:
            known = ", ".join(f"{name}:{threads}" for name, threads in legs(own))
            parser.error(f"{arguments.leg!r}: expected one of {known}")
    stages = {"exercises": EXERCISES}
    if not arguments.cheapest:
        stages["solutions"] = SOLUTIONS
        stages["package"] = MODEL
        chapters = [str(path) for path in sorted((ROOT / "book").glob("*.ipynb"))]
        stages["chapters"] = [*CHAPTERS, *chapters]
    print(f"{platform.machine()}, its own capability: {own}", flush=True)
    red = False
    for name, threads in chosen:
        for stage, what in stages.items():
            if stage == "solutions" and threads > 1:
                continue  # the process that answers has one thread on every leg
            start = time.perf_counter()
            at_once = ["-n", str(max(1, (os.cpu_count() or 1) // threads)), "--dist", "loadscope"]
            command = [sys.executable, "-m", "pytest", "-q", *at_once, *what]
            done = subprocess.run(command, cwd=ROOT, env=environment(name, threads), check=False)
            verdict = "red" if done.returncode else "green"
            seconds = time.perf_counter() - start
            print(f"{stage}, {name}, threads: {threads}: {verdict}, {seconds:.0f} s", flush=True)
            red |= bool(done.returncode)
    return int(red)


if __name__ == "__main__":
    sys.exit(main())
