"""What the carried translator, and two that were trained with a bug, make of one sentence.

    python benchmarks/teacher_forcing.py

writes transformer_course/widgets/teacher_forcing.json, which the widget TeacherForcing shows. The
correct model is the carried one. With each bug a new tiny model trains from random weights on
Multi30k for some steps, and a third one without a bug, as the measure for both. Two minutes.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from typing import Any

import torch
from torch import Tensor

from transformer_course import carried, data, training
from transformer_course.commands import record
from transformer_course.data import BOS_ID, EOS_ID, Batch, TokenBatches, Tokenizer, make_batch
from transformer_course.decoding import evaluating
from transformer_course.model import TINY, Transformer, transformer
from transformer_course.training import Run, checkpoint
from transformer_course.widgets.teacher_forcing import BUGS, LESSON

ENGLISH, GERMAN = "The man looks at his dog.", "Der Mann sieht seinen Hund an."
STEPS, LONGEST, SEED = 800, 12, 0


@contextmanager
def bugged(bug: str) -> Iterator[None]:
    """Let every decoder see the future for a while, if that is the bug."""
    right = transformer.causal_mask
    if bug == "mask":
        transformer.causal_mask = lambda length, device=None: torch.ones_like(right(length, device))
    try:
        yield
    finally:
        transformer.causal_mask = right


def fed(batch: Batch, bug: str) -> Batch:
    """The batch as a decoder gets it: without the shift, if that is the bug."""
    return replace(batch, tgt_in=batch.tgt_out) if bug == "shift" else batch


def trained(
    bug: str, tokenizer: Tokenizer, pairs: list[tuple[str, str]], steps: int
) -> Transformer:
    """A tiny model that never knew better."""
    sources, targets = (tokenizer.encode_batch(side) for side in zip(*pairs, strict=True))
    recipe = replace(training.TRAINING_PRESETS["tiny"], seed=SEED)
    ids = list(zip(sources, targets, strict=True))
    batches = TokenBatches(ids, max_tokens=recipe.max_tokens, seed=SEED)
    torch.manual_seed(SEED)
    tiny = Transformer(replace(TINY, vocab_size=len(tokenizer)))
    with bugged(bug):
        for _ in islice(training.train(tiny, (fed(b, bug) for b in batches), recipe), steps):
            pass
    return tiny


def says(network: Transformer, src: Tensor, tgt_in: Tensor, bug: str) -> Tensor:
    """The probabilities at every position, as this code computes them."""
    with bugged(bug), evaluating(network):
        return network(src, tgt_in)[0].softmax(dim=-1)


def watched(network: Transformer, tokenizer: Tokenizer, bug: str) -> dict[str, Any]:
    """With the teacher: the right piece's share, and the first choice. Alone: what it writes."""
    batch = fed(make_batch([tuple(tokenizer.encode_batch([ENGLISH, GERMAN]))]), bug)
    shares = says(network, batch.src, batch.tgt_in, bug)
    right = shares.gather(1, batch.tgt_out[0][:, None])[:, 0]
    written = [BOS_ID]
    alone = []
    while len(alone) < LONGEST and (written[-1] != EOS_ID):
        share, piece = says(network, batch.src, torch.tensor([written]), bug)[-1].max(dim=-1)
        written.append(int(piece))
        alone.append([tokenizer.id_to_piece(int(piece)), round(share.item(), 4)])
    firsts = zip(*shares.max(dim=-1), strict=True)
    return {
        "right": [round(share, 4) for share in right.tolist()],
        "first": [[tokenizer.id_to_piece(int(i)), round(p.item(), 4)] for p, i in firsts],
        "written": alone,
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Train, watch, write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--data", default="multi30k:en-de")
    parser.add_argument("--out", default=str(LESSON))
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    run = Run.open(carried.FOLDER)
    tokenizer = run.tokenizer
    pairs = data.load_pairs(options.data, "train")
    tiny = {bug: trained(bug, tokenizer, pairs, options.steps) for bug in BUGS}
    networks = {**tiny, "none": checkpoint.load(run.weights())}
    lesson = {
        "english": ENGLISH,
        "source": tokenizer.pieces(ENGLISH),
        "target": [*tokenizer.pieces(GERMAN), "</s>"],
        "steps": options.steps,
        "models": {bug: watched(networks[bug], tokenizer, bug) for bug in BUGS},
        "control": watched(tiny["none"], tokenizer, "none")["right"],
    }
    with open(options.out, "w", encoding="utf-8") as file:
        file.write(json.dumps(lesson, ensure_ascii=False, indent=1) + "\n")
    print(f"wrote {options.out}")
    return 0


if __name__ == "__main__":
    sys.exit(record.exits(main))
