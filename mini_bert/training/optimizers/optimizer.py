"""What every optimizer shares: it walks the arena in blocks, so that each number is fetched once a step."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

import numpy as np

from mini_bert.core.arena import Arena
from mini_bert.core.array import Array
from mini_bert.training.blocks import Block, cache_sized, share_of_work, whole_weights


class Optimizer(ABC):
    """Changes `params` against their gradients: `step(grads)`, or `begin()` and then an `update` by each worker.

    Set `learning_rate` before a step. `rates` multiplies it for the weights it names, the others have 1.
    `weight_decay` pulls on matrices and tables only; gains and biases do not decay.

    A team of threads calls `begin()` once, then `update(grads, 0, n)` … `update(grads, n - 1, n)` at the same
    time: each changes its own stretch of the arena, and the result has the same bits for every n.

    A checkpoint holds the arenas of `moments()` and the numbers of `state()`; an optimizer with both put back
    goes on as if it had never stopped.
    """

    def __init__(
        self,
        params: Arena,
        *,
        learning_rate: float,
        weight_decay: float = 0.0,
        rates: Mapping[str, float] | None = None,
    ) -> None:
        if learning_rate < 0 or weight_decay < 0:
            raise ValueError(
                f"learning_rate={learning_rate}, weight_decay={weight_decay}: choose 0 or more for both"
            )
        self.params, self.learning_rate, self.weight_decay = params, learning_rate, weight_decay
        self.steps = 0
        self.blocks = self.partition(whole_weights(params, rates))

    @abstractmethod
    def moments(self) -> dict[str, Arena]:
        """What it remembers about each weight, by name: the arenas themselves, to be saved or written into."""

    @abstractmethod
    def update_block(self, block: Block, g: Array, scale: float, scratch: Array) -> None:
        """Change the weights and moments of one block, given its gradients and an array of the same size."""

    @property
    def hessian_due(self) -> bool:
        """Whether the step to come wants a new estimate of the curvature; most optimizers never do."""
        return False

    def update_hessian(self, grads: Arena, batch_tokens: int, worker: int = 0, workers: int = 1) -> None:
        """Take in this worker's share of the estimate that `hessian_due` has asked for; see SophiaG."""
        assert self.hessian_due, f"{type(self).__name__} never asks for the curvature"

    def partition(self, weights: list[Block]) -> list[Block]:
        """The blocks that are updated one at a time."""
        return cache_sized(weights)

    def scratch_size(self, share: list[Block]) -> int:
        return max((block.size for block in share), default=0)

    def state(self) -> dict[str, int | float]:
        """The plain numbers of a checkpoint."""
        return {"steps": self.steps, "learning_rate": self.learning_rate}

    def load_state(self, state: Mapping[str, int | float]) -> None:
        self.steps, self.learning_rate = int(state["steps"]), float(state["learning_rate"])

    def step(self, grads: Arena, scale: float = 1.0) -> None:
        """One update of every weight with gradients `scale` · `grads`."""
        self.begin()
        self.update(grads, scale=scale)

    def begin(self) -> None:
        """Count the step that the next updates belong to."""
        self.steps += 1

    def update(self, grads: Arena, worker: int = 0, workers: int = 1, scale: float = 1.0) -> None:
        """This worker's share of the step. Clipping is a `scale` < 1: it needs no pass over the gradients."""
        share = self.share(worker, workers)
        scratch = np.empty(self.scratch_size(share), self.params.flat.dtype)
        for block in share:
            self.update_block(block, grads.flat[block.at], scale, scratch[: block.size])

    def share(self, worker: int, workers: int) -> list[Block]:
        """This worker's blocks."""
        return share_of_work(self.blocks, worker, workers)

    def decay(self, block: Block, w: Array) -> None:
        """w ← w − η λ w, where the block decays"""
        if block.decays and self.weight_decay:
            w *= 1 - self.learning_rate * block.rate * self.weight_decay


def checked_betas(betas: tuple[float, float]) -> tuple[float, float]:
    if not all(0 <= beta < 1 for beta in betas):
        raise ValueError(
            f"betas={betas}: each says how much of the past is kept; choose from 0 up to, not including, 1"
        )
    return betas
