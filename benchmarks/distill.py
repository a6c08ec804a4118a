"""Teach the small translator of the page by larger ones, on a GPU.

    python benchmarks/distill.py runs/distilled

1. Teachers learn the pairs of mixture:en-de; another one learns them turned around.
2. Each writes German for the captions and everyday sentences that it learned, or English for their
   German (Kim and Rush 2016; Nguyen et al. 2020). What is like a sentence set aside is left out.
3. Students learn all of it. A part of what they should say is what stands there, smoothed; the rest
   is the mean of the teachers' distributions at that place (Hinton et al. 2015).

Called again with the same options, it goes on after the last stage that it ended. Each student is a
run like others.
"""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import chain
from multiprocessing import get_context
from pathlib import Path

import torch
from recorded import Plan, Recorded, plan_steps, table
from torch import Tensor

from transformer_course import carried, decoding
from transformer_course.data import PAD_ID, Tokenizer
from transformer_course.data.mixture import parts, unlike_set_aside
from transformer_course.errors import DataError
from transformer_course.model import SMALL, Transformer, TransformerConfig
from transformer_course.training import (
    Run,
    RunConfig,
    TrainingConfig,
    checkpoint,
    choose_device,
    learning_rate,
)
from transformer_course.training.loop import PartLoss

DATA = "mixture:en-de"
LONGEST = 63  # tokens of a side, the mark included
LIKELIEST = 16  # tokens of the teachers' mean that are kept
SHARE = 0.7  # of the loss, from the teachers
CHECKED = 1000  # validation sentences of each set
MAX_TOKENS = 4096  # of a batch
PARTS = 4  # of the sentences, each written in a process
BACKWARD = "backward"  # the teacher that turns German into English
WIDTHS = (512, 768)  # of the students' feed-forward layers: the page's, and a wider one
TRIED = 400  # steps to see how fast they are
AFTER = 60  # seconds to plan, to write down and to translate

Text = tuple[str, str]
Pairs = Sequence[tuple[list[int], list[int]]]
Soft = tuple[Tensor, Tensor]  # of every pair and place: likeliest tokens, their shares


@dataclass(frozen=True)
class Learner:
    """A model to teach, and how."""

    name: str
    model: TransformerConfig
    training: TrainingConfig


def teacher(name: str, seed: int, steps: int, vocab_size: int) -> Learner:
    """The paper's width, fewer and narrower layers, much dropout: the pairs are few."""
    model = TransformerConfig(
        vocab_size=vocab_size,
        d_model=512,
        num_heads=8,
        d_ff=1024,
        num_layers=5,
        dropout=0.3,
        norm_placement="pre",
    )
    training = TrainingConfig(
        max_tokens=MAX_TOKENS,
        warmup=steps // 4,
        label_smoothing=0.05,
        seed=seed,
        precision="bf16",
        last_step=steps,
    )
    return Learner(name, model, training)


def student(name: str, d_ff: int, steps: int, vocab_size: int) -> Learner:
    """The shape of the translator that the page has, or a wider one."""
    training = TrainingConfig(
        max_tokens=MAX_TOKENS, warmup=max(1, steps // 12), precision="bf16", last_step=steps
    )
    return Learner(name, replace(SMALL, vocab_size=vocab_size, d_ff=d_ff), training)


def encode(tokenizer: Tokenizer, pairs: Sequence[Text]) -> list[tuple[list[int], list[int]]]:
    """The pairs as ids, without those too long."""
    ids = tokenizer.encode_pairs(pairs)
    return [pair for pair in ids if min(map(len, pair)) > 0 and max(map(len, pair)) < LONGEST]


class _TaughtLoss(torch.autograd.Function):
    """Loss and both gradients at once, while the logits are at hand: softmax less the target."""

    @staticmethod
    def forward(ctx, states, weight, tgt_out, likely, shares, smoothing):  # type: ignore[override]
        with torch.autocast(states.device.type, enabled=False):
            matrix = weight.to(states.dtype)
            logits = (states @ matrix.T).float()
            real, true = tgt_out != PAD_ID, tgt_out[:, None]
            even = (1 - SHARE) * smoothing / len(weight)
            stands = torch.full_like(true, (1 - SHARE) * (1 - smoothing), dtype=torch.float32)
            expects = SHARE * shares
            at_true, at_likely = logits.gather(1, true), logits.gather(1, likely)
            top = logits.amax(1, keepdim=True)
            p = logits.softmax(1)
            log_sum = top - p.amax(1, keepdim=True).log()
            wanted = (stands * at_true).sum(1) + (expects * at_likely).sum(1)
            wanted = wanted + even * logits.sum(1)
            loss = ((log_sum[:, 0] - wanted) * real).sum()
            p.sub_(even).scatter_add_(1, true, -stands).scatter_add_(1, likely, -expects)
            by_logits = p.to(states.dtype).mul_(real[:, None])
            ctx.save_for_backward(by_logits @ matrix, (by_logits.T @ states).to(weight.dtype))
        return loss

    @staticmethod
    def backward(ctx, by_loss):  # type: ignore[override]
        by_states, by_weight = ctx.saved_tensors
        return by_states * by_loss, by_weight * by_loss, None, None, None, None


def taught_loss(
    states: Tensor, weight: Tensor, tgt_out: Tensor, soft: Soft, smoothing: float
) -> Tensor:
    """The sum over all tokens of cross-entropy against what stands there and what is expected.

    `states` holds (batch, tgt_len, d_model), `soft` the likeliest tokens and their shares, each
    (batch, tgt_len, LIKELIEST).
    """
    likely, shares = (each.flatten(0, 1) for each in soft)
    if torch.is_autocast_enabled(states.device.type):
        states = states.to(torch.get_autocast_dtype(states.device.type))
    return _TaughtLoss.apply(
        states.flatten(0, 1), weight, tgt_out.flatten(), likely.long(), shares.float(), smoothing
    )


class Taught(Recorded):
    """The training of one learner: on what stands in the pairs, or on what teachers expect too."""

    def __init__(
        self, learner: Learner, rows_of: tuple[Tensor, ...], plan: Plan, soft: Soft | None = None
    ):
        self.learner, training = learner, learner.training
        torch.manual_seed(training.seed)
        model = Transformer(learner.model).to(rows_of[0].device)
        part = PartLoss(model, training.label_smoothing)

        def loss(rows: Tensor, width: int) -> Tensor:
            src, tgt_in, tgt_out = (each[rows, :width] for each in rows_of)
            if soft is None:
                return part(src, tgt_in, tgt_out, 1)
            states, weight = model.states(src, tgt_in), model.embedding.weight
            here = soft[0][rows, :width], soft[1][rows, :width]
            return taught_loss(states, weight, tgt_out, here, training.label_smoothing)

        super().__init__(model, loss, plan, seed=training.seed, precision=training.precision)


def teach(several: Sequence[Taught]) -> float:
    """Take all steps of all, in turn; how many seconds that took.

    Raises:
        FloatingPointError: if a loss is not finite.
    """
    begun, steps = time.perf_counter(), len(several[0].plan.rows)
    for number in range(1, steps + 1):
        for each in several:
            each.take(learning_rate(number, each.learner.model.d_model, each.learner.training))
        if number % max(1, steps // 10) == 0 or number == steps:
            for each in several:
                each.wait()
            seconds = time.perf_counter() - begun
            losses = [x.losses[max(0, number - 100) : number].mean().item() for x in several]
            say(f"step {number}, {seconds:.0f} s: " + ", ".join(f"{x:.3f}" for x in losses))
    for each in several:
        if not each.losses.isfinite().all():
            raise FloatingPointError(f"{each.learner.name}: a loss is not a finite number")
    return seconds


def say(text: str) -> None:
    """One line, at once."""
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)


def write(folder: Path, sentences: Sequence[str], beam: int, device: str) -> list[str]:
    """In a process of its own: what a model makes of sentences."""
    torch.set_num_threads(1)
    torch.set_float32_matmul_precision("high")
    model = checkpoint.load(folder).to(choose_device(device))
    tokenizer = carried.load("everyday")[1]
    found = decoding.translate(model, tokenizer, sentences, beam=beam, max_tokens=6000)
    torch.cuda.empty_cache()  # several such processes share the card
    return found


def write_all(
    pool: Executor, folder: Path, texts: Sequence[str], beam: int, device: str
) -> list[Future]:
    """Begin to translate by a model; every PARTS-th sentence in one process."""
    return [pool.submit(write, folder, texts[part::PARTS], beam, device) for part in range(PARTS)]


def read_all(jobs: Sequence[Future], count: int) -> list[str]:
    """What was written, in the order of the sentences."""
    found = [""] * count
    for part, job in enumerate(jobs):
        found[part::PARTS] = job.result()
    return found


def soften(teachers: Sequence[Transformer], rows_of: tuple[Tensor, ...]) -> Soft:
    """The teachers' mean distribution at every place: its likeliest tokens, and their shares."""
    src, tgt_in, _ = rows_of
    device = src.device
    likely = torch.zeros(*tgt_in.shape, LIKELIEST, dtype=torch.int16, device=device)
    shares = torch.zeros(*tgt_in.shape, LIKELIEST, dtype=torch.float16, device=device)
    lengths = torch.maximum((src != PAD_ID).sum(1), (tgt_in != PAD_ID).sum(1)).cpu()
    for rows in lengths.argsort().split(512):
        width, rows = int(lengths[rows].max()), rows.to(device)
        with torch.inference_mode(), torch.autocast(device.type, torch.bfloat16):
            logits = [each(src[rows, :width], tgt_in[rows, :width]) for each in teachers]
        mean = sum(each.float().softmax(-1) for each in logits)
        values, places = mean.topk(LIKELIEST)
        likely[rows, :width] = places.to(torch.int16)
        shares[rows, :width] = (values / values.sum(-1, keepdim=True)).half()
    return likely, shares


class Distillation:
    """The three stages, in one folder on one device."""

    def __init__(self, args: argparse.Namespace, pool: Executor):
        self.args, self.pool, self.begun = args, pool, time.monotonic()
        self.device = choose_device(args.device)
        self.tokenizer = carried.load("everyday")[1]
        sets = [unlike_set_aside(part[: args.sentences]) for part in parts("train")]
        self.pairs, self.written_for = [*chain(*sets)], [*chain(*sets[:2])]
        self.checks = [part[: args.sentences or CHECKED] for part in parts("valid")]
        self.names = [f"teacher-{number}" for number in range(args.teachers)]
        args.out.mkdir(parents=True, exist_ok=True)
        say(f"{len(self.pairs):,} pairs")

    def learn_teachers(self) -> None:
        """Stage 1, all at once."""
        steps, ids, learning = self.args.teacher_steps, encode(self.tokenizer, self.pairs), []
        turned = [(tgt, src) for src, tgt in ids]
        tables = {each: table(turned if each else ids, self.device) for each in (False, True)}
        for seed, name in enumerate([*self.names, BACKWARD]):
            if not (self.args.out / name).exists():
                turn = name == BACKWARD
                plan = plan_steps(turned if turn else ids, steps, MAX_TOKENS, seed)
                learner = teacher(name, seed, steps, len(self.tokenizer))
                learning.append(Taught(learner, tables[turn], plan))
        if learning:
            teach(learning)
        for each in learning:
            checkpoint.save(self.args.out / each.learner.name, each.model)

    def write_pairs(self) -> list[Text]:
        """Stage 2: what the teachers write, in processes side by side."""
        path = self.args.out / "written.json"
        if path.exists():
            return [(en, de) for en, de in json.loads(path.read_text(encoding="utf-8"))]
        jobs, device, out = {}, self.args.device, self.args.out
        for name in [*self.names, BACKWARD]:
            texts = sorted({pair[name == BACKWARD] for pair in self.written_for}, key=len)
            jobs[name] = texts, write_all(self.pool, out / name, texts, 4, device)
        checking = self.check({name: out / name for name in self.names}, beam=1)
        new: set[Text] = set()
        for name, (texts, running) in jobs.items():
            found = zip(texts, read_all(running, len(texts)), strict=True)
            new |= {pair[::-1] if name == BACKWARD else pair for pair in found}
            say(f"{name} wrote")
        new = {pair for pair in new if all(pair)} - set(self.pairs)
        more = unlike_set_aside(sorted(new))
        say(f"{len(more):,} pairs more; {len(new) - len(more):,} left out, like one set aside")
        path.write_text(json.dumps(more, ensure_ascii=False), encoding="utf-8")
        self.tell(checking)
        return more

    def learn_students(self, more: Sequence[Text]) -> None:
        """Stage 3: two sizes at once, for as many steps as there is time.

        Raises:
            DataError: if there is no time left.
        """
        if all((self.args.out / f"student-{d_ff}").exists() for d_ff in WIDTHS):
            return
        teachers = [checkpoint.load(self.args.out / name).to(self.device) for name in self.names]
        ids = encode(self.tokenizer, [*self.pairs, *more])
        rows_of = table(ids, self.device)
        soft = soften([each.eval() for each in teachers], rows_of)
        say(f"softened {len(ids):,} pairs")

        def begin(steps: int) -> list[Taught]:
            plan, size = plan_steps(ids, steps, MAX_TOKENS, 0), len(self.tokenizer)
            learners = [student(f"student-{d_ff}", d_ff, steps, size) for d_ff in WIDTHS]
            return [Taught(learner, rows_of, plan, soft) for learner in learners]

        if not (steps := self.args.student_steps):
            each = teach(begin(TRIED)) / TRIED
            left = self.args.seconds - AFTER - (time.monotonic() - self.begun)
            steps = int(left / each)
            if steps < TRIED:
                raise DataError(f"--seconds {self.args.seconds:g}: too few for students, give more")
        students = begin(steps)
        say(f"students begin, {steps:,} steps")
        seconds = teach(students)
        for each in students:
            keep(each, self.args.out / each.learner.name, self.tokenizer, seconds)
        names = [each.learner.name for each in students]
        folders = {name: self.args.out / name / f"step-{steps:06d}" for name in names}
        self.tell(self.check(folders, beam=4))

    def check(self, folders: dict[str, Path], beam: int) -> dict[str, list[list[Future]]]:
        """Begin to translate the validation sentences by some models."""
        return {
            name: [
                write_all(self.pool, folder, [en for en, _ in part], beam, self.args.device)
                for part in self.checks
            ]
            for name, folder in folders.items()
        }

    def tell(self, checking: dict[str, list[list[Future]]]) -> None:
        """BLEU of each model on captions, everyday sentences and phrases."""
        for name, sets in checking.items():
            scores = []
            for part, jobs in zip(self.checks, sets, strict=True):
                found = read_all(jobs, len(part))
                scores.append(decoding.score(found, [de for _, de in part])["bleu"])
            say(f"{name}: BLEU {scores}")


def keep(taught: Taught, folder: Path, tokenizer: Tokenizer, seconds: float) -> None:
    """Write a student down as a run."""
    config = RunConfig(data=DATA, model=taught.learner.model, training=taught.learner.training)
    run = Run.create(folder, config, tokenizer)
    losses = taught.losses.tolist()
    lines = [
        {"step": step, "loss": loss, "tokens": tokens, "seconds": seconds * step / len(losses)}
        for step, (loss, tokens) in enumerate(zip(losses, taught.plan.tokens, strict=True), start=1)
    ]
    run.append("log.jsonl", *lines)
    checkpoint.save(folder / f"step-{taught.step:06d}", taught.model)


def main(arguments: Sequence[str] | None = None) -> int:
    """Teach teachers, have them write, teach students."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("out", type=Path, help="folder for the runs")
    parser.add_argument("--teachers", type=int, default=2, help="that turn English into German")
    parser.add_argument("--teacher-steps", type=int, default=6500)
    parser.add_argument("--student-steps", type=int, help="default: as many as --seconds allows")
    parser.add_argument("--seconds", type=float, default=560, help="when to be done; default: 560")
    parser.add_argument("--workers", type=int, default=6, help="processes that write; default: 6")
    parser.add_argument("--sentences", type=int, help="for a trial: so few of each set")
    parser.add_argument("--device", default="cuda")
    args = parser.parse_args(arguments)
    torch.set_float32_matmul_precision("high")
    try:
        with ProcessPoolExecutor(args.workers, mp_context=get_context("spawn")) as pool:
            stages = Distillation(args, pool)
            stages.learn_teachers()
            torch.cuda.empty_cache()
            stages.learn_students(stages.write_pairs())
    except DataError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
