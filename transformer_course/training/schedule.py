"""How long and how fast a model is taught: its configuration and learning rates (section 5.3)."""

import math
from dataclasses import dataclass

from transformer_course.errors import DataError

PRECISIONS = ("fp32", "bf16")
LARGEST = 2**63 - 1  # as a seed, torch takes no more


@dataclass(frozen=True, kw_only=True)
class TrainingConfig:
    """How weights are trained. The defaults are the paper's (sections 5.1 to 5.4).

    Raises:
        DataError: if no training can be run so; the message says which entry and why.
    """

    max_tokens: int = 25_000  # padded tokens of a batch, on each side
    warmup: int = 4000  # steps until the rate peaks
    rate_factor: float = 1.0
    label_smoothing: float = 0.1
    seed: int = 0
    precision: str = "fp32"
    last_step: int = 0  # if set, the rate falls in a straight line to zero there (see linear_rate)

    def __post_init__(self) -> None:
        for name, least in (("max_tokens", 1), ("warmup", 1), ("seed", 0), ("last_step", 0)):
            value = getattr(self, name)
            if type(value) is not int or value < least:
                raise DataError(f"{name}={value!r}: expected a whole number from {least} on")
            if value > LARGEST:
                raise DataError(f"{name}={value}: expected a whole number up to {LARGEST}")
        factor, smoothing = self.rate_factor, self.label_smoothing
        if not isinstance(factor, int | float) or not 0 < factor < math.inf:
            raise DataError(f"rate_factor={factor!r}: expected a number above 0")
        if not isinstance(smoothing, int | float) or not 0 <= smoothing < 1:
            raise DataError(f"label_smoothing={smoothing!r}: expected a share from 0 to below 1")
        if self.precision not in PRECISIONS:
            known = ", ".join(PRECISIONS)
            raise DataError(f"precision={self.precision!r}: expected one of {known}")
        if self.last_step and self.last_step <= self.warmup:
            raise DataError(
                f"last_step={self.last_step}: expected more than warmup={self.warmup}, or the rate "
                "would have to fall before it has climbed"
            )


TRAINING_PRESETS = {
    "tiny": TrainingConfig(max_tokens=512, warmup=400, rate_factor=0.7),
    "small": TrainingConfig(max_tokens=1000, warmup=1000),
    "base": TrainingConfig(),
    "big": TrainingConfig(),
}


def noam_rate(step: int, d_model: int, warmup: int = 4000, factor: float = 1.0) -> float:
    """Learning rate of a step, counted from 1: a straight climb, then a slow fall (equation 3)."""
    if step < 1:
        raise DataError(f"step={step}: steps are counted from 1")
    return factor * d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)


def linear_rate(step: int, d_model: int, warmup: int, last_step: int, factor: float = 1.0) -> float:
    """The same climb to the same peak, then a straight line to zero at `last_step`.

    Not the paper's: for a training whose length is known, it ends nearer to the optimum.
    """
    if step <= warmup:
        return noam_rate(step, d_model, warmup, factor)
    peak = noam_rate(warmup, d_model, warmup, factor)
    return peak * max(0.0, (last_step - step) / (last_step - warmup))


def learning_rate(step: int, d_model: int, config: TrainingConfig) -> float:
    """The rate of a step under a configuration."""
    if config.last_step:
        return linear_rate(step, d_model, config.warmup, config.last_step, config.rate_factor)
    return noam_rate(step, d_model, config.warmup, config.rate_factor)
