"""The gradients of a training step, by a team: each worker has rows of its own and an arena of its own.

Derived in docs/mathematical_background/training_step.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from math import fsum, sqrt
from typing import NamedTuple

import numpy as np

from mini_bert.core.arena import Arena
from mini_bert.core.functions.dropout import Noise
from mini_bert.core.network import Network
from mini_bert.core.trace import Trace
from mini_bert.training.blocks import even_share
from mini_bert.training.clipping import exact_sum, squared_norms
from mini_bert.training.cluster.early_sums import EarlySums
from mini_bert.training.cluster.ranks import Alone, Ranks
from mini_bert.training.objectives import MaskedBatch, MaskedWords, Objective
from mini_bert.training.parallel import Team, keep_freed_memory

Rows = tuple[int, int]


Relabel = Callable[[MaskedBatch, Trace, int], MaskedBatch]
"""A micro-batch, what the model thinks of it, and the number of its first row → the batch to learn from instead."""


class Gradients(NamedTuple):
    """The loss, the share of words that were found, and the gradients: valid until the next ones are asked for.

    With something asked beside the words, `second` are its loss and the share of right answers.
    """

    loss: float
    accuracy: float
    grads: Arena
    second: tuple[float, float] | None = None


class TrainingStep:
    """Gradients of a logical batch that is cut into micro-batches, and those dealt out to a team.

    With the same number of workers the result is the same to the bit. With another number the same terms are added
    in another order: the loss and the gradients differ by rounding. Dropout does not differ, for its noise belongs
    to the row (see `Noise`). Of several `ranks` each has rows of its own, and all get the sum.
    """

    def __init__(
        self,
        network: Network,
        params: Arena,
        team: Team,
        objective: Objective | None = None,
        ranks: Ranks | None = None,
        *,
        overlap: bool = False,
    ) -> None:
        self.network, self.params, self.team = network, params, team
        self.ranks = ranks or Alone()
        self.objective = objective or MaskedWords()
        self.arenas = [params.zeros_like() for _ in range(team.size)]
        can_overlap = overlap and team.size == 1 and self.ranks.size > 1 and self.ranks.can_sum_early
        self.early = EarlySums(self.arenas[0], self.ranks) if can_overlap else None
        self.norm = 0.0
        """‖g‖ of the last gradients"""
        keep_freed_memory()

    def gradients(
        self,
        batch: MaskedBatch,
        micro_batch: int,
        noise: Noise | None = None,
        relabel: Relabel | None = None,
        first_row: int = 0,
    ) -> Gradients:
        """Of `batch`, at most `micro_batch` sequences at a time in each worker.

        `first_row` is the number of its first row, where the batch is a rank's share of a larger one.
        """
        if micro_batch < 1:
            raise ValueError(f"micro_batch={micro_batch}: choose 1 sequence or more")
        hands = deal(len(batch.ids), micro_batch, self.team.size)
        scores = self.team.each(
            lambda worker: self.accumulate(worker, hands[worker], batch, noise, relabel, first_row)
        )
        at_work = [arena for arena, hand in zip(self.arenas, hands, strict=True) if hand]
        squares = self.summed(at_work)
        columns = zip(*(score for share in scores for score in share), strict=True)
        square = exact_sum(square for share in squares for square in share)
        square, loss, accuracy, *second = self.ranks.totals(square, *(fsum(column) for column in columns))
        self.norm = sqrt(square)
        return Gradients(loss, accuracy, at_work[0], (second[0], second[1]) if second else None)

    def summed(self, at_work: list[Arena]) -> list[list[float]]:
        """Add up all gradients, in the first arena; returns Σ g² of the blocks that are this rank's to look at."""
        grads, squares = at_work[0], []
        if self.ranks.size == 1 or len(at_work) > 1:
            squares = self.team.each(lambda worker: add_arenas(at_work, worker, self.team.size))
        if self.ranks.size == 1:
            return squares
        if self.early:
            self.early.finish()
        else:
            self.ranks.sum(grads.flat)
        first, workers = self.ranks.number * self.team.size, self.ranks.size * self.team.size
        return self.team.each(lambda worker: squared_norms(grads, first + worker, workers))

    @np.errstate(
        over="ignore", invalid="ignore"
    )  # the loss and the norm say so, and the trainer looks at them
    def accumulate(
        self,
        worker: int,
        hand: list[Rows],
        batch: MaskedBatch,
        noise: Noise | None,
        relabel: Relabel | None,
        first_row: int = 0,
    ) -> list[tuple[float, ...]]:
        """Loss and accuracy of each micro-batch; their gradients, summed, are in this worker's arena."""
        grads, scores = self.arenas[worker], []
        unwritten = set(grads)
        for start, stop in hand:
            rows = batch.rows(start, stop)
            own_noise = noise and replace(noise, first_row=noise.first_row + first_row + start)
            losses, t = self.objective.loss(self.network, self.params, rows, own_noise)
            scores.append(self.objective.scores(losses, rows, t))
            if relabel:
                rows = relabel(rows, t, first_row + start)
            t.unwritten = unwritten
            if self.early and (start, stop) == hand[-1]:
                self.early.begin(unwritten)
                t.arrived = self.early.arrived
            self.objective.backward(self.network, rows, t, grads)
            del t  # or it would live until the next micro-batch has made its own
        if not (self.early and self.early.knows_order):
            for name in unwritten:
                grads[name][...] = 0
        return scores


def deal(rows: int, micro_batch: int, workers: int) -> list[list[Rows]]:
    """The micro-batches of each worker: whole ones in turn, and what is left over split evenly between all."""
    hands: list[list[Rows]] = [[] for _ in range(workers)]
    whole_rounds = rows // (micro_batch * workers)
    for start in range(0, whole_rounds * workers * micro_batch, micro_batch):
        hands[start // micro_batch % workers].append((start, start + micro_batch))
    first = whole_rounds * workers * micro_batch
    for hand, (start, stop) in zip(hands, split_evenly(first, rows, workers), strict=True):
        if start < stop:
            hand.append((start, stop))
    return hands


def split_evenly(first: int, last: int, parts: int) -> Iterator[Rows]:
    """first … last in so many parts, which differ by at most one; the larger ones come first."""
    size, larger = divmod(last - first, parts)
    for part in range(parts):
        stop = first + size + (part < larger)
        yield first, stop
        first = stop


def add_arenas(arenas: list[Arena], worker: int, workers: int) -> list[float]:
    """Add all arenas to the first, in this worker's share of them; returns Σ g² of each block of the sum."""
    first, *others = (arena.flat for arena in arenas)
    squares = []
    for at in even_share(first.size, worker, workers):
        g = first[at]
        for other in others:
            g += other[at]
        with np.errstate(over="ignore"):  # the sum says so itself: it is inf
            squares.append(float(np.dot(g, g)))
    return squares
