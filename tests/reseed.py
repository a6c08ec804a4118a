"""Other random numbers than those a chapter or a test was written with: what still holds?

A claim that hangs on one draw of weights also hangs on the processor that rounds them.

    COURSE_RESEED=1 PYTHONPATH=tests python -m pytest -p reseed tests/grading/test_exercises.py
    COURSE_RESEED=1 PYTHONSTARTUP=tests/reseed.py python -m pytest --nbval-lax NOTEBOOKS

`make seeds` does so for twenty numbers; tests/margins.py says how near its edge each claim came.
"""

import os
from pathlib import Path

import numpy as np
import torch


def shift(offset: int) -> None:
    """Let each seed from now on stand for another one; equal seeds stay equal."""
    more = 100_003 * offset
    manual_seed, default_rng = torch.manual_seed, np.random.default_rng
    generator, sequence = torch.Generator, np.random.SeedSequence

    class Generator(generator):
        def manual_seed(self, seed: int) -> torch.Generator:
            return super().manual_seed(seed + more)

    def entropy(seed: int | list[int] | None) -> list[int] | None:
        return None if seed is None else [*np.atleast_1d(seed).tolist(), more]

    torch.Generator = Generator
    torch.manual_seed = lambda seed: manual_seed(seed + more)
    np.random.default_rng = lambda seed=None: default_rng(entropy(seed))
    np.random.SeedSequence = lambda seed=None: sequence(entropy(seed))


if int(os.environ.get("COURSE_RESEED", "0")):
    shift(int(os.environ["COURSE_RESEED"]))
if os.environ.get("COURSE_MARGINS"):
    import margins

    margins.watch(Path(os.environ["COURSE_MARGINS"]))
