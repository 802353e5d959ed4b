"""A checkpoint that the leader reads, for all ranks: they need not see its disk."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mini_bert.core.arena import Arena
from mini_bert.core.array import Array
from mini_bert.models.mini import MiniBERT
from mini_bert.training.checkpoints import Checkpoint
from mini_bert.training.cluster.ranks import Ranks
from mini_bert.training.saving import read_checkpoint

AT_ONCE = 1 << 20


def read_for_all(
    ranks: Ranks,
    checkpoint: Checkpoint,
    model: MiniBERT,
    moments: Mapping[str, Arena],
    stretches: Mapping[str, slice],
) -> dict[str, Any]:
    """Fill the weights everywhere, and of each moment the stretch that this rank needs, all if none is named."""
    if ranks.size == 1:
        return read_checkpoint(checkpoint, model, moments)
    whole = {name: arena.zeros_like() for name, arena in moments.items()}
    state = ranks.first(ranks.lead(lambda: read_checkpoint(checkpoint, model, whole)))
    ranks.spread(model.arena.flat)
    for name, arena in moments.items():
        copy_stretch(ranks, whole[name].flat, arena.flat, stretches.get(name, slice(0, arena.flat.size)))
    assert state is not None
    return state


def copy_stretch(ranks: Ranks, whole: Array, own: Array, needed: slice) -> None:
    """own ← the leader's `whole`, where it is needed; not more than a piece of the rest is held at a time."""
    for start in range(0, whole.size, AT_ONCE):
        stop = min(start + AT_ONCE, whole.size)
        piece = whole[start:stop] if ranks.leads else np.empty(stop - start, whole.dtype)
        ranks.spread(piece)
        first, last = max(start, needed.start), min(stop, needed.stop)
        if first < last:
            own[first:last] = piece[first - start : last - start]
