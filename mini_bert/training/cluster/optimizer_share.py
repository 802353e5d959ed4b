"""Who updates which weights: every rank all of them, or each its own stretch, which then goes to the others.

An optimizer's step has the same bits for every number of workers (see `Optimizer`), so the workers of all ranks can
share it as those of one do. A rank then needs the moments of its own stretch only: those of the others are pages that
nobody ever touches, and take no memory.
"""

from __future__ import annotations

import numpy as np

from mini_bert.core.arena import Arena
from mini_bert.training.cluster.ranks import Ranks
from mini_bert.training.optimizers import Optimizer
from mini_bert.training.parallel import Team


class OptimizerShare:
    """This rank's part of an optimizer's work: with `sharded` a stretch of the weights, else all of them."""

    def __init__(self, optimizer: Optimizer, team: Team, ranks: Ranks, *, sharded: bool) -> None:
        self.optimizer, self.team, self.ranks, self.sharded = optimizer, team, ranks, sharded
        self.workers = team.size * ranks.size if sharded else team.size
        self.first = team.size * ranks.number if sharded else 0
        whole = slice(0, optimizer.params.flat.size)
        self.stretches = [self.stretch(rank) if sharded else whole for rank in range(ranks.size)]
        self.own = self.stretches[ranks.number]

    def stretch(self, rank: int) -> slice:
        """What the workers of a rank own together. One that owns nothing has its place where the others meet."""
        mine = range(rank * self.team.size, (rank + 1) * self.team.size)
        blocks = [block for worker in mine for block in self.optimizer.share(worker, self.workers)]
        if blocks:
            return slice(blocks[0].at.start, blocks[-1].at.stop)
        return slice(0, 0)

    def update(self, grads: Arena, scale: float) -> None:
        """One step; afterwards all ranks hold all weights."""
        self.optimizer.begin()
        self.team.each(lambda worker: self.optimizer.update(grads, self.first + worker, self.workers, scale))
        if self.sharded:
            self.ranks.complete(self.optimizer.params.flat, self.stretches)

    def update_hessian(self, grads: Arena, batch_tokens: int) -> None:
        self.team.each(
            lambda worker: self.optimizer.update_hessian(
                grads, batch_tokens, self.first + worker, self.workers
            )
        )

    def moments(self) -> dict[str, Arena]:
        """Whole ones for a checkpoint: those of all stretches for the leader, whatever it has for the others."""
        own = self.optimizer.moments()
        if not self.sharded:
            return own
        sizes = [at.stop - at.start for at in self.stretches]
        return {name: self.collected(arena, sizes) for name, arena in own.items()}

    def collected(self, arena: Arena, sizes: list[int]) -> Arena:
        found = self.ranks.collect(arena.flat[self.own], sizes)
        whole = arena.zeros_like()
        if found is not None:
            for at, start in zip(self.stretches, np.cumsum([0, *sizes]), strict=False):
                whole.flat[at] = found[start : start + at.stop - at.start]
        return whole
