"""What the carried translator loses without one head, without many, and without a sub-layer.

    TRANSFORMER_COURSE_DATA=... python benchmarks/ablations.py heads        # about 15 minutes
    TRANSFORMER_COURSE_DATA=... python benchmarks/ablations.py sublayers    # about 2 minutes

Losses are cross-entropies in nats a token, with teacher forcing and without label smoothing. What
is chosen (the order in which heads go, the one that stays) is chosen on the validation set, and
told of the test set.
"""

import argparse
import copy
import random
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from transformer_course import data, decoding
from transformer_course.commands import record
from transformer_course.data import PAD_ID, Batch, TokenBatches
from transformer_course.model import FeedForward, MultiHeadAttention, Transformer
from transformer_course.training import Run, checkpoint

RUN = Path("transformer_course/carried/multi30k-en-de")
DATA, CHOICE, TEST = "multi30k:en-de", "valid", "test_2016_flickr"
ORDERS = 10  # random orders to compare with
EVERY = 4  # heads between two points of a random order, or two BLEU scores
Head = tuple[str, int]


def batches_of(run: Run, split: str, count: int | None = None) -> list[Batch]:
    """Every pair of a split once, about equally long ones together."""
    pairs = run.tokenizer.encode_pairs(data.load_pairs(DATA, split, count))
    batches = TokenBatches(pairs, max_tokens=3000)
    return [batches.batch(number) for number in range(batches.batches_per_epoch)]


@torch.inference_mode()
def loss(model: Transformer, batches: Sequence[Batch]) -> float:
    """Nats a target token."""
    total = sum(
        F.cross_entropy(
            model(batch.src, batch.tgt_in).flatten(0, 1),
            batch.tgt_out.flatten(),
            ignore_index=PAD_ID,
            reduction="sum",
        ).item()
        for batch in batches
    )
    return total / sum(batch.num_tokens for batch in batches)


def attentions(model: Transformer) -> dict[str, MultiHeadAttention]:
    """Every attention of a model by name, the encoder's first."""
    return {n: m for n, m in model.named_modules() if isinstance(m, MultiHeadAttention)}


def without_heads(model: Transformer, heads: Iterable[Head]) -> Transformer:
    """A copy whose output projections ignore the slices of some heads."""
    pruned = copy.deepcopy(model)
    for name, head in heads:
        attend = pruned.get_submodule(name)
        width = attend.value_dim
        with torch.no_grad():
            attend.out_proj.weight[:, head * width : (head + 1) * width] = 0
    return pruned


def with_means(model: Transformer, heads: Iterable[Head], means: dict[str, Tensor]) -> Transformer:
    """A copy whose heads give the same to every word: what they give on average."""
    fixed = without_heads(model, heads)
    for name, head in heads:
        attend = fixed.get_submodule(name)
        part = slice(head * attend.value_dim, (head + 1) * attend.value_dim)
        weight = model.get_submodule(name).out_proj.weight[:, part]
        with torch.no_grad():
            attend.out_proj.bias += weight @ means[name][part]
    return fixed


def without_sublayers(model: Transformer, names: Iterable[str]) -> Transformer:
    """A copy in which some sub-layers add zero, so that only the residual path is left."""
    pruned = copy.deepcopy(model)
    for name in names:
        part = pruned.get_submodule(name)
        last = part.contract if isinstance(part, FeedForward) else part.out_proj
        with torch.no_grad():
            last.weight.zero_()
            last.bias.zero_()
    return pruned


def prune_heads(run: Run, model: Transformer, count: int | None, orders: int) -> dict[str, Any]:
    """Each head alone, all but one in a layer, and more and more of them in three orders."""
    choice, test = batches_of(run, CHOICE, count), batches_of(run, TEST, count)
    sources, references = zip(*data.load_pairs(DATA, TEST, count), strict=True)

    def bleu(pruned: Transformer) -> float:
        found = decoding.translate(pruned, run.tokenizer, sources, beam=1)
        return decoding.score(found, references)["bleu"]

    parts = attentions(model)
    every = [(name, head) for name, part in parts.items() for head in range(part.num_heads)]
    whole = {"choice": loss(model, choice), "test": loss(model, test), "bleu": bleu(model)}
    alone = {}
    for head in every:
        pruned = without_heads(model, [head])
        alone[head] = loss(pruned, choice), loss(pruned, test)
        print(*head, f"{alone[head][1] - whole['test']:+.4f}", flush=True)

    kept = []
    for name in parts:
        others = [[head for head in every if head[0] == name and head != one] for one in every]
        tried = {
            one: loss(without_heads(model, rest), choice)
            for one, rest in zip(every, others, strict=True)
            if one[0] == name
        }
        best = min(tried, key=tried.__getitem__)
        rest = [head for head in every if head[0] == name and head != best]
        kept.append(
            {"attention": name, "head": best[1], "loss": loss(without_heads(model, rest), test)}
        )

    order = sorted(every, key=lambda head: alone[head][0])
    pruning = [
        {
            "pruned": number,
            "loss": loss(pruned, test),
            **({"bleu": bleu(pruned)} if number % EVERY == 0 else {}),
        }
        for number in range(len(every) + 1)
        for pruned in [without_heads(model, order[:number])]
    ]
    shuffled = []
    for seed in range(orders):
        heads = random.Random(seed).sample(every, len(every))
        steps = range(0, len(every) + 1, EVERY)
        shuffled.append([loss(without_heads(model, heads[:number]), test) for number in steps])
    return {
        "whole": whole,
        "heads": [
            {"attention": name, "head": head, "choice": both[0], "test": both[1]}
            for (name, head), both in alone.items()
        ],
        "one_kept": kept,
        "order": order,
        "pruning": pruning,
        "random_orders": {"every": EVERY, "losses": shuffled},
    }


def remove_sublayers(run: Run, model: Transformer, count: int | None) -> dict[str, Any]:
    """Each sub-layer alone, then all of a kind."""
    test = batches_of(run, TEST, count)
    kinds = {"self_attn": "self-attention", "cross_attn": "cross-attention"}
    sublayers = {
        name: kinds.get(name.rpartition(".")[2], "feed-forward")
        for name, module in model.named_modules()
        if isinstance(module, MultiHeadAttention | FeedForward)
    }
    groups = {
        f"all {kind} of the {stack}": [
            name for name, its in sublayers.items() if its == kind and name.startswith(stack)
        ]
        for stack in ("encoder", "decoder")
        for kind in dict.fromkeys(sublayers.values())
        if stack == "decoder" or kind != "cross-attention"
    }
    groups["all attention of the decoder"] = [
        name for name, its in sublayers.items() if name.startswith("decoder") and "att" in its
    ]
    return {
        "whole": loss(model, test),
        "sublayers": [
            {"name": name, "kind": kind, "loss": loss(without_sublayers(model, [name]), test)}
            for name, kind in sublayers.items()
        ],
        "groups": [
            {"name": name, "loss": loss(without_sublayers(model, members), test)}
            for name, members in groups.items()
        ],
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and write the result file."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=["heads", "sublayers"])
    parser.add_argument("--count", type=int, help="of sentence pairs, for a trial that is not kept")
    arguments = list(sys.argv[1:] if argv is None else argv)
    args = parser.parse_args(arguments)
    run = Run.open(record.ROOT / RUN)
    model = checkpoint.load(run.weights()).eval()
    about = {"run": str(RUN), "data": DATA, "chosen_on": CHOICE, "split": TEST}
    if args.what == "heads":
        results = prune_heads(run, model, args.count, orders=1 if args.count else ORDERS)
        name, what = "head-pruning", "the loss and BLEU of a trained model without some heads"
    else:
        results = remove_sublayers(run, model, args.count)
        name, what = "sublayer-removal", "the loss of a trained model without some sub-layers"
    if args.count:
        print(results)
    else:
        print(
            record.write(
                name, what, [f"python benchmarks/ablations.py {args.what}"], **about, **results
            )
        )
    return 0


if __name__ == "__main__":
    sys.exit(record.exits(main))
