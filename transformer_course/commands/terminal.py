"""What a person in front of a terminal needs while a model trains: a way to stop, and a bar."""

import signal
import sys
import time

from tqdm import tqdm

from transformer_course.training import RunTraining, Step


class StopSignal:
    """The first Ctrl-C ends training after the step under way; the second ends it at once."""

    asked = False

    def __enter__(self) -> "StopSignal":
        self.before = {s: signal.signal(s, self.ask) for s in (signal.SIGINT, signal.SIGTERM)}
        return self

    def ask(self, signum: int, frame: object) -> None:
        """What Ctrl-C does meanwhile."""
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True

    def __exit__(self, *exc: object) -> None:
        for signum, handler in self.before.items():
            signal.signal(signum, handler)


class ProgressBar:
    """How far the run is, in minutes or in steps, with a smoothed loss and the speed."""

    def __init__(self, minutes: float | None, steps: int | None, hidden: bool = False):
        self.minutes, self.steps = minutes, steps
        total = round(minutes * 60) if minutes else steps
        self.bar = tqdm(total=total, unit="s" if minutes else "step", disable=hidden or None)
        self.loss: float | None = None
        self.tokens, self.since = 0, time.perf_counter()

    def __enter__(self) -> "ProgressBar":
        return self

    def is_over(self, training: RunTraining) -> bool:
        """Whether the time is up, or the last step taken."""
        by_time = self.minutes is not None and training.seconds >= self.minutes * 60
        return by_time or (self.steps is not None and training.step >= self.steps)

    def show(self, training: RunTraining, step: Step) -> None:
        """Move on by a step; every twentieth is drawn."""
        self.tokens += step.num_tokens
        if step.number % 20:
            return
        self.loss = step.loss if self.loss is None else 0.7 * self.loss + 0.3 * step.loss
        speed = self.tokens / (time.perf_counter() - self.since)
        self.tokens, self.since = 0, time.perf_counter()
        self.bar.set_postfix_str(
            f"step {step.number}, loss {self.loss:.3f}, {speed:,.0f} tokens/s", refresh=False
        )
        done = training.seconds if self.minutes else training.step
        self.bar.update(min(done, self.bar.total or done) - self.bar.n)

    def say(self, text: str) -> None:
        """Print a text above the bar."""
        self.bar.write(text)
        sys.stdout.flush()

    def __exit__(self, *exc: object) -> None:
        self.bar.close()
