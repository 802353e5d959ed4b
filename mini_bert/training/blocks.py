"""How an arena is walked: in blocks that stay in the cache, each worker over a stretch of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import NamedTuple

from mini_bert.core.arena import Arena
from mini_bert.errors import unknown

BLOCK = 1 << 17


class Block(NamedTuple):
    """A stretch of `flat` whose weights are treated alike."""

    at: slice
    decays: bool
    rate: float
    """what the learning rate is multiplied by"""
    work: int = 1
    """what an entry costs, beside other blocks"""

    @property
    def size(self) -> int:
        return int(self.at.stop - self.at.start)


def cut(start: int, stop: int) -> Iterator[slice]:
    """start … stop in slices of at most BLOCK entries"""
    return (slice(i, min(i + BLOCK, stop)) for i in range(start, stop, BLOCK))


def even_share(size: int, worker: int = 0, workers: int = 1) -> Iterator[slice]:
    """This worker's blocks of `size` entries that are all treated alike: a contiguous run of whole blocks."""
    assert 0 <= worker < workers
    count = -(-size // BLOCK)
    first, last = (BLOCK * (count * w // workers) for w in (worker, worker + 1))
    return cut(first, min(last, size))


def owns(worker: int, workers: int, at: slice, size: int) -> bool:
    """Whether the middle of a stretch lies in this worker's part of `size` entries."""
    assert 0 <= worker < workers
    return bool((at.start + at.stop) * workers // (2 * size) == worker)


def share_of_work(blocks: list[Block], worker: int, workers: int) -> list[Block]:
    """A contiguous run of blocks, about 1/workers of the work of all."""
    ends = list(accumulate((block.size * block.work for block in blocks), initial=0))
    return [
        block
        for block, start, stop in zip(blocks, ends, ends[1:], strict=False)
        if owns(worker, workers, slice(start, stop), ends[-1])
    ]


def places(arena: Arena) -> dict[str, slice]:
    """Where each weight lies in `flat`, in the order of `flat`."""
    start, width = arena.flat.ctypes.data, arena.flat.itemsize
    firsts = {name: (view.ctypes.data - start) // width for name, view in arena.items() if view.size}
    return {
        name: slice(firsts[name], firsts[name] + arena[name].size)
        for name in sorted(firsts, key=firsts.__getitem__)
    }


def whole_weights(params: Arena, rates: Mapping[str, float] | None = None) -> list[Block]:
    """A block for each weight; a weight that `rates` does not name has the rate 1."""
    rates = rates or {}
    for name in rates:
        if name not in params:
            raise ValueError(f"rates: {unknown('weight', name, list(params))}")
    return [
        Block(at, params.weights[name].decays, rates.get(name, 1.0)) for name, at in places(params).items()
    ]


def cache_sized(weights: list[Block]) -> list[Block]:
    """Neighbours that are treated alike joined, and cut again where a block is full."""
    runs: list[Block] = []
    for weight in weights:
        if runs and runs[-1][1:] == weight[1:]:
            runs[-1] = weight._replace(at=slice(runs[-1].at.start, weight.at.stop))
        else:
            runs.append(weight)
    return [run._replace(at=at) for run in runs for at in cut(run.at.start, run.at.stop)]
