"""The verb `train`: a run in a folder, begun or gone on with, by one process or several."""

import argparse
from dataclasses import fields, replace
from typing import Any, TypeVar, get_args

import torch

from transformer_course import data, decoding
from transformer_course.commands.terminal import ProgressBar, StopSignal
from transformer_course.data import Tokenizer
from transformer_course.errors import DataError
from transformer_course.model import PRESETS, Transformer, TransformerConfig
from transformer_course.training import (
    TRAINING_PRESETS,
    Run,
    RunConfig,
    RunTraining,
    TrainingConfig,
    checkpoint,
    choose_device,
    choose_precision,
    distributed,
    measure_precision,
)

VALID_SENTENCES = 200  # translated greedily while training, to see how far it is


def train(args: argparse.Namespace) -> None:
    """Start a run or go on with one, show how it goes, and average its last checkpoints."""
    distributed.check_spread(args.fsdp, args.compile)
    with distributed.joined(), distributed.only_first_prints():
        train_together(args)


def train_together(args: argparse.Namespace) -> None:
    """Train in this process, and in those beside it if `torchrun` started several."""
    device = choose_device(args.device)
    first = distributed.rank() == 0
    begins = first and not args.resume
    if begins:
        create_run(args, device)
    distributed.wait_for_all()
    run = resume_run(args) if args.resume else Run.open(args.out)
    if device.type == "cpu" and run.config.model.d_model < 128:
        torch.set_num_threads(1)  # so small a model makes a second thread wait, not work
    options = {"compile": args.compile, "accumulate": args.accumulate, "fsdp": args.fsdp}
    try:
        training = RunTraining(run, device, **options)
        held_out = data.load_pairs(run.config.data, "valid", VALID_SENTENCES)
    except Exception as error:
        if begins:  # so that the corrected command finds its folder free
            checkpoint.remove(run.folder)
        if too_large(error):
            size = run.config.model
            raise DataError(
                f"a model of d_model={size.d_model}, d_ff={size.d_ff} and {size.num_layers} "
                f"layers does not fit into the memory of {device}: choose a smaller --preset, or "
                "smaller numbers in --set"
            ) from None
        raise
    valid_every = args.valid_every or 2 * run.config.save_every
    processes = f"{distributed.world_size()} processes on " if distributed.world_size() > 1 else ""
    dropped, left_out = training.batches.num_dropped, ""
    if dropped:
        left_out = f"{dropped:,} of them left out as longer than {training.longest} tokens, "
    print(
        f"{run.folder}: {training.model.num_parameters():,} parameters, "
        f"{len(training.batches.pairs):,} pairs, {left_out}"
        f"{training.batches.batches_per_epoch} batches an epoch, on {processes}{device}, "
        + (f"from step {training.step}" if training.step else "from scratch")
    )
    steps = args.steps or run.config.training.last_step or None  # after it the rate is zero
    with StopSignal() as stop, ProgressBar(args.minutes, steps, hidden=not first) as bar:
        try:
            while not distributed.any_of_them(stop.asked or bar.is_over(training)):
                step = next(training)
                bar.show(training, step)
                if step.number % valid_every == 0 and (first or training.fsdp):
                    model = distributed.gathered(training.model)
                    if first:
                        bar.say(validate(training, model, held_out))
        except RuntimeError:  # such as another process that died: what is here is whole
            if not training.fsdp:
                training.save()
            raise
    training.save()
    if not first:
        return
    made = ""
    # A rate that ended at zero left nothing to average.
    if not run.config.training.last_step and (averaged := run.average_end()):
        made = f"; averaged {averaged[0].name} to {averaged[-1].name}"
    print(
        f"stopped at step {training.step} after {training.seconds / 60:.1f} minutes{made}\n"
        f"next: transformer-course evaluate --run {run.folder} --data {run.config.data} --split "
        f"{data.splits(run.config.data)[-1]}"
    )


def too_large(error: Exception) -> bool:
    """Whether memory ran out, or a size is beyond what can be counted."""
    said = str(error).lower()
    known = "allocate memory" in said or "out of memory" in said or "overflow" in said
    return isinstance(error, MemoryError) or (known and not isinstance(error, DataError))


def create_run(args: argparse.Namespace, device: torch.device) -> Run:
    """Learn the vocabulary and lay out a new run."""
    if args.out.exists():  # say so before minutes of work, not after
        raise DataError(f"{args.out} exists already: resume it with --resume, or choose another")
    config = changed(PRESETS[args.preset or "small"], args)
    training = changed(TRAINING_PRESETS[args.preset or "small"], args)
    pairs = data.load_pairs(args.data or "phrasebook:en-de", "train")
    texts = (text for pair in pairs for text in pair)
    tokenizer = Tokenizer.train(texts, vocab_size=config.vocab_size)
    run_config = RunConfig(
        data=args.data or "phrasebook:en-de",
        model=replace(config, vocab_size=len(tokenizer)),
        training=replace(training, precision=named_or_measured(args, device, config, training)),
        save_every=args.save_every or RunConfig.save_every,
    )
    return Run.create(args.out, run_config, tokenizer)


def named_or_measured(
    args: argparse.Namespace,
    device: torch.device,
    config: TransformerConfig,
    training: TrainingConfig,
) -> str:
    """The precision that was asked for, or the faster one here, which the run then keeps."""
    if args.precision != "auto" or any(each.startswith("precision=") for each in args.set or ()):
        return training.precision
    if device.type != "cpu":
        return choose_precision(device, config.d_model)
    chosen, said = measure_precision(config, training)
    print(said)
    return chosen


def resume_run(args: argparse.Namespace) -> Run:
    """Open a run, and make sure that the options given are those it was started with."""
    run = Run.open(args.out)
    old = run.config
    training = changed(old.training, args)
    model = (
        replace(PRESETS[args.preset], vocab_size=old.model.vocab_size) if args.preset else old.model
    )
    model = changed(model, args)
    run.check_same(
        replace(
            old,
            data=args.data or old.data,
            model=model,
            training=training,
            save_every=args.save_every or old.save_every,
        )
    )
    return run


C = TypeVar("C", TransformerConfig, TrainingConfig)


def changed(config: C, args: argparse.Namespace) -> C:
    """The configuration with what the command line says of it, by `--set` or an option."""
    given = {"seed": args.seed, "max_tokens": args.max_tokens}
    if args.precision != "auto":
        given["precision"] = args.precision
    types = {field.name: field.type for field in fields(config)}
    named = {name: value for name, value in given.items() if name in types and value is not None}
    everything = {f.name for kind in (TransformerConfig, TrainingConfig) for f in fields(kind)}
    for setting in args.set or []:
        name, _, text = setting.partition("=")
        if name not in everything:
            known = ", ".join(sorted(everything))
            raise DataError(f"--set {setting}: expected NAME=VALUE, with NAME one of {known}")
        if name in types:
            named[name] = parse_value(setting, text, types[name])
    return replace(config, **named)


def parse_value(setting: str, text: str, kind: Any) -> Any:
    """Read what stands behind the equals sign of `--set` as the type of that entry."""
    kind = next(iter(get_args(kind)), kind)  # int | None is read as int
    try:
        return kind(text)
    except ValueError as error:
        raise DataError(f"--set {setting}: expected {kind.__name__}, got {text!r}") from error


def validate(training: RunTraining, model: Transformer, held_out: list[tuple[str, str]]) -> str:
    """Translate some of the validation set greedily; write the score down and show samples."""
    sources, references = zip(*held_out, strict=True)
    found = decoding.translate(model, training.run.tokenizer, sources, beam=1)
    scores = decoding.score(found, references)
    samples = [list(each) for each in zip(sources, found, references, strict=True)][:3]
    line = {"step": training.step, "seconds": round(training.seconds, 1), **scores}
    training.run.append("valid.jsonl", {**line, "samples": samples})
    shown = "\n".join(f"  {source}\n    -> {output}" for source, output, _ in samples)
    return (
        f"step {training.step}: BLEU {scores['bleu']:.1f}, greedy, on {len(sources)} sentences "
        f"of the validation set\n{shown}"
    )
