"""Weights averaged over the steps of training: they lie nearer the middle of the valley than the last ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from mini_bert.core.arena import Arena
from mini_bert.core.array import Array
from mini_bert.training.blocks import Block, even_share
from mini_bert.training.optimizers.optimizer import Optimizer


class EMA:
    """average ← d average + (1 − d) w   with   d = min(decay, (1 + t) / (10 + t))        (Polyak & Juditsky 1992)

    t counts the updates before this one: at first the average forgets fast, so that it does not cling to the
    random weights it starts from. Call `update()` after each step, and evaluate inside `with ema.swapped():`.
    """

    def __init__(self, params: Arena, decay: float = 0.999) -> None:
        if not 0 <= decay < 1:
            raise ValueError(
                f"decay={decay}: the share of the average that is kept; choose from 0 up to, not including, 1"
            )
        self.params, self.decay = params, decay
        self.average = params.copy()
        self.steps = 0

    def moments(self) -> dict[str, Arena]:
        """The arenas of a checkpoint."""
        return {"ema": self.average}

    def state(self) -> dict[str, int | float]:
        """The plain numbers of a checkpoint."""
        return {"steps": self.steps}

    def load_state(self, state: Mapping[str, int | float]) -> None:
        self.steps = int(state["steps"])

    def update(self) -> None:
        """Take in the weights as they are now."""
        kept = min(self.decay, (1 + self.steps) / (10 + self.steps))
        self.steps += 1
        for at in even_share(self.params.flat.size):
            average = self.average.flat[at]
            gap = self.params.flat[at] - average
            gap *= 1 - kept
            average += gap

    @contextmanager
    def swapped(self) -> Iterator[Arena]:
        """Inside, `params` hold the averaged weights, and `average` keeps the others safe. Do not train inside."""
        self.swap()
        try:
            yield self.params
        finally:
            self.swap()

    def swap(self) -> None:
        for at in even_share(self.params.flat.size):
            current, average = self.params.flat[at], self.average.flat[at]
            kept = current.copy()
            current[:] = average
            average[:] = kept


class Lookahead(Optimizer):
    """Every k steps:   slow ← slow + α (w − slow),   w ← slow                          (Zhang et al. 2019)

    It wraps another optimizer, which takes the fast steps, and is used in its place. The moments of the fast
    steps go on undisturbed.
    """

    def __init__(self, optimizer: Optimizer, k: int = 5, alpha: float = 0.5) -> None:
        if k < 1 or not 0 < alpha <= 1:
            raise ValueError(f"k={k}, alpha={alpha}: choose k of 1 or more, and alpha above 0 and at most 1")
        super().__init__(
            optimizer.params, learning_rate=optimizer.learning_rate, weight_decay=optimizer.weight_decay
        )
        self.optimizer, self.k, self.alpha = optimizer, k, alpha
        self.steps, self.blocks = optimizer.steps, optimizer.blocks
        self.slow = optimizer.params.copy()

    def moments(self) -> dict[str, Arena]:
        return {**self.optimizer.moments(), "slow": self.slow}

    def state(self) -> dict[str, int | float]:
        return {**self.optimizer.state(), **super().state()}

    def load_state(self, state: Mapping[str, int | float]) -> None:
        super().load_state(state)
        self.optimizer.load_state(state)

    def begin(self) -> None:
        super().begin()
        self.optimizer.learning_rate = self.learning_rate
        self.optimizer.begin()

    @property
    def hessian_due(self) -> bool:
        return self.optimizer.hessian_due

    def update_hessian(self, grads: Arena, batch_tokens: int, worker: int = 0, workers: int = 1) -> None:
        self.optimizer.update_hessian(grads, batch_tokens, worker, workers)

    def scratch_size(self, share: list[Block]) -> int:
        return self.optimizer.scratch_size(share)

    def update_block(self, block: Block, g: Array, scale: float, scratch: Array) -> None:
        self.optimizer.update_block(block, g, scale, scratch)
        if self.steps % self.k == 0:
            fast, slow = self.params.flat[block.at], self.slow.flat[block.at]
            fast -= slow
            fast *= self.alpha
            slow += fast
            fast[:] = slow
