"""Batches of about equally long pairs, filled up to a budget of tokens (section 5.1)."""

from __future__ import annotations

import itertools
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Int64
from torch import Tensor

from transformer_course.data.tokenizer import BOS_ID, EOS_ID, PAD_ID
from transformer_course.errors import DataError


@dataclass(frozen=True)
class Batch:
    """One step's pairs: the decoder reads `tgt_in` and should say `tgt_out`, one place further."""

    src: Int64[Tensor, "batch src_len"]
    tgt_in: Int64[Tensor, "batch tgt_len"]
    tgt_out: Int64[Tensor, "batch tgt_len"]
    num_tokens: int  # target tokens to predict, padding not counted: what the loss averages over

    def to(self, device: torch.device | str) -> Batch:
        """Return the same batch on another device."""
        src, tgt_in, tgt_out = (
            ids.to(device, non_blocking=True) for ids in (self.src, self.tgt_in, self.tgt_out)
        )
        return Batch(src, tgt_in, tgt_out, self.num_tokens)

    def part(self, number: int, parts: int) -> Batch:
        """Return every `parts`-th pair, for one of several processes or passes to work on.

        `num_tokens` stays that of the whole, so the losses of all parts add up to the batch's.
        Neighbors are about equally long, so the parts are too. With fewer pairs than parts, some
        hold a pair without anything to predict.
        """
        if parts == 1:
            return self
        if number >= len(self.src):
            nothing = torch.full_like(self.tgt_out[:1], PAD_ID)
            return Batch(self.src[:1], self.tgt_in[:1], nothing, self.num_tokens)
        src, tgt_in, tgt_out = (ids[number::parts] for ids in (self.src, self.tgt_in, self.tgt_out))
        src_len, tgt_len = ((ids != PAD_ID).sum(1).max() for ids in (src, tgt_out))
        return Batch(src[:, :src_len], tgt_in[:, :tgt_len], tgt_out[:, :tgt_len], self.num_tokens)


def pad(rows: Sequence[Sequence[int]]) -> Int64[Tensor, "batch length"]:
    """Stack rows of unequal length, filled up with PAD at the end."""
    ids = np.full((len(rows), max(map(len, rows), default=0)), PAD_ID, dtype=np.int64)
    for place, row in enumerate(rows):
        ids[place, : len(row)] = row
    return torch.from_numpy(ids)


def by_length(rows: Sequence[Sequence[int]], max_tokens: int) -> Iterator[list[int]]:
    """Yield the places of about equally long rows, longest first, up to `max_tokens` when padded.

    A row that is longer stands alone.
    """
    waiting = sorted(range(len(rows)), key=lambda place: len(rows[place]))
    while waiting:
        size = max(1, max_tokens // max(1, len(rows[waiting[-1]])))
        yield waiting[-size:]
        del waiting[-size:]


def make_batch(pairs: Iterable[tuple[Sequence[int], Sequence[int]]]) -> Batch:
    """Add EOS to the sources, BOS and EOS to the targets, and pad."""
    sources, targets = zip(*pairs, strict=True)
    return Batch(
        src=pad([[*src, EOS_ID] for src in sources]),
        tgt_in=pad([[BOS_ID, *tgt] for tgt in targets]),
        tgt_out=pad([[*tgt, EOS_ID] for tgt in targets]),
        num_tokens=sum(len(tgt) + 1 for tgt in targets),
    )


class EncodedPairs:
    """Pairs of token ids, 4 bytes a token: the paper's 4.5 million pairs fit into a gigabyte."""

    def __init__(self, pairs: Iterable[tuple[Sequence[int], Sequence[int]]]) -> None:
        ids, stops = array("i"), array("q", [0])
        for pair in pairs:
            for side in pair:
                ids.extend(side)
                stops.append(len(ids))
        self._ids = np.frombuffer(ids, np.int32) if ids else np.empty(0, np.int32)
        self._stops = np.frombuffer(stops, np.int64)
        self.lengths = np.diff(self._stops).reshape(-1, 2)

    def __len__(self) -> int:
        return len(self.lengths)

    def __getitem__(self, place: int) -> tuple[list[int], list[int]]:
        if not 0 <= place < len(self):
            raise IndexError(f"expected a pair from 0 to {len(self) - 1}, got {place}")
        start, middle, stop = self._stops[2 * place : 2 * place + 3]
        return self._ids[start:middle].tolist(), self._ids[middle:stop].tolist()


class TokenBatches:
    """An endless sequence of batches that is a pure function of pairs, budget and seed.

    `batches.batch(n)` is batch n, counted over all epochs, whatever was asked before, so a run
    resumes at any batch at no cost. Every epoch holds each pair once. Pairs are sorted by target
    and source length; pairs of equal lengths are shuffled among each other, then the batches are.
    The padded source and the padded target of a batch each hold at most `max_tokens` tokens.
    """

    def __init__(
        self,
        pairs: Iterable[tuple[Sequence[int], Sequence[int]]],
        *,
        max_tokens: int,
        seed: int = 0,
        max_len: int | None = None,
    ) -> None:
        """Plan the epoch; pairs with a side over `max_len` (EOS counted) are dropped and counted.

        Raises:
            DataError: if no pair is left, or a pair alone is over the budget.
        """
        self.pairs = EncodedPairs(pairs)
        self.seed = seed
        # As the model sees them: EOS follows the source, BOS or EOS stands with the target.
        src_lens, tgt_lens = self.pairs.lengths.T + 1
        longest = np.maximum(src_lens, tgt_lens)
        keep = np.flatnonzero(longest <= (max_len or np.inf))
        self.num_dropped = len(self.pairs) - len(keep)
        if not len(keep):
            raise DataError(
                f"no pairs to train on: got {len(self.pairs)}, {self.num_dropped} too long"
            )
        if longest[keep].max() > max_tokens:
            raise DataError(
                f"the longest pair has {longest[keep].max()} tokens, more than max_tokens="
                f"{max_tokens}: raise max_tokens or set max_len to drop such pairs"
            )
        # Source lengths run up, down, up ... from one target length to the next, so that the
        # batch across the border still holds neighbors.
        snake = np.where(tgt_lens % 2 == 0, src_lens, -src_lens)
        self._keys = (snake[keep], tgt_lens[keep])
        self._kept = keep
        order = np.lexsort(self._keys)
        self._starts = _cut(longest[keep][order], max_tokens)
        self._epoch: tuple[int, list[np.ndarray]] | None = None

    @property
    def batches_per_epoch(self) -> int:
        """How many batches show every pair once; the same in each epoch."""
        return len(self._starts)

    def indices(self, number: int) -> np.ndarray:
        """Return the places in `pairs` that batch `number` holds."""
        epoch, place = divmod(number, self.batches_per_epoch)
        if self._epoch is None or self._epoch[0] != epoch:
            self._epoch = epoch, self._shuffle(epoch)
        return self._epoch[1][place]

    def batch(self, number: int) -> Batch:
        """Return batch `number`, counted from 0 over all epochs."""
        return make_batch(self.pairs[place] for place in self.indices(number).tolist())

    def starting_at(self, number: int) -> Iterator[Batch]:
        """Yield batches without end, from batch `number` on."""
        return map(self.batch, itertools.count(number))

    def __iter__(self) -> Iterator[Batch]:
        return self.starting_at(0)

    def _shuffle(self, epoch: int) -> list[np.ndarray]:
        rng = np.random.default_rng([self.seed, epoch])
        ties = rng.random(len(self._kept))
        sorted_places = self._kept[np.lexsort((ties, *self._keys))]
        groups = np.split(sorted_places, self._starts[1:])
        return [groups[i] for i in rng.permutation(len(groups))]


def padding_waste(batches: Iterable[Batch]) -> float:
    """Return the share of all source and target positions that hold only padding."""
    real = positions = 0
    for batch in batches:
        for ids in (batch.src, batch.tgt_out):
            real += int((ids != PAD_ID).sum())
            positions += ids.numel()
    return 1 - real / positions


def _cut(longest: np.ndarray, max_tokens: int) -> list[int]:
    """Fill batch after batch; return where each begins."""
    starts, width = [0], 0
    for place, length in enumerate(longest.tolist()):
        width = max(width, length)
        if width * (place - starts[-1] + 1) > max_tokens:
            starts.append(place)
            width = length
    return starts
