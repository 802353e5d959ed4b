"""A second task: some runs of three tokens are put into another order, and the model tells which (cf. StructBERT).

    task = TokenOrder(masking.ordinary)
    shuffled = task(ids, draws)                    # ids with runs reordered, and the question about them

The task needs no label from outside and no second passage: only what order words come in.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from typing import NamedTuple

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.heads import TOKEN_ORDERS
from mini_bert.training.draws import RowDraws

RUN = 3
ORDERS = np.array(list(permutations(range(RUN))))
SHARE = 0.15


class Shuffled(NamedTuple):
    """Reordered ids (B, T); where the model is asked (B, m), the middle of each run; the number of its order (B, m);
    whether there is a run at all (B, m); and which tokens (B, T) belong to one."""

    ids: Array
    positions: Array
    orders: Array
    asked: Array
    touched: Array


@dataclass(frozen=True, eq=False)
class TokenOrder:
    """`share` of the tokens are in a run. `ordinary` (V,) says which ids are words: special tokens stay."""

    ordinary: Array
    share: float = SHARE

    def __call__(self, ids: Array, draws: RowDraws) -> Shuffled:
        B, T = ids.shape
        blocks = T // RUN
        m = max(1, round(self.share * blocks))
        runs = ids[:, : blocks * RUN].reshape(B, blocks, RUN)
        lots = draws.random((B, blocks)) + ~self.usable(runs)
        chosen = np.sort(np.argsort(lots, axis=1, kind="stable")[:, :m], axis=1)
        asked = np.take_along_axis(lots, chosen, 1) < 1
        orders = np.where(asked, draws.integers(0, TOKEN_ORDERS, (B, m)), 0)
        taken = np.take_along_axis(runs, chosen[..., None], 1)
        shuffled = ids.copy()
        new_runs = shuffled[:, : blocks * RUN].reshape(B, blocks, RUN)
        np.put_along_axis(new_runs, chosen[..., None], np.take_along_axis(taken, ORDERS[orders], 2), 1)
        shuffled[:, : blocks * RUN] = new_runs.reshape(B, blocks * RUN)
        touched = np.zeros((B, T), bool)
        in_blocks = np.zeros((B, blocks), bool)
        np.put_along_axis(in_blocks, chosen, asked, 1)
        touched[:, : blocks * RUN] = np.repeat(in_blocks, RUN, axis=1)
        return Shuffled(shuffled, chosen * RUN + RUN // 2, orders, asked, touched)

    def usable(self, runs: Array) -> Array:
        """Runs (B, n) of three different words: others look the same in several orders."""
        a, b, c = np.moveaxis(runs, -1, 0)
        usable: Array = self.ordinary[runs].all(-1) & (a != b) & (b != c) & (a != c)
        return usable
