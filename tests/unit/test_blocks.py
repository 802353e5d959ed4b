"""How the walk over an arena is shared among workers."""

from __future__ import annotations

from itertools import pairwise

import pytest

from mini_bert.training.blocks import Block, share_of_work


def blocks_of(*sizes_and_work: tuple[int, int]) -> list[Block]:
    ends = [0]
    for size, _ in sizes_and_work:
        ends.append(ends[-1] + size)
    return [
        Block(slice(start, stop), True, 1.0, work)
        for (start, stop), (_, work) in zip(pairwise(ends), sizes_and_work, strict=True)
    ]


def work_of(share: list[Block]) -> int:
    return sum(block.size * block.work for block in share)


def test_workers_share_work_and_not_entries() -> None:
    """100 entries at 9 each cost what 900 at 1 do: a fair half is a tenth of the entries."""
    blocks = blocks_of(*[(10, 9)] * 10, *[(100, 1)] * 9)
    first, second = (share_of_work(blocks, worker, 2) for worker in range(2))
    assert (work_of(first), work_of(second)) == (900, 900)
    assert sum(block.size for block in first) == 100


@pytest.mark.parametrize("workers", [1, 2, 3, 5, 16])
def test_every_block_has_one_worker_and_none_has_much_more_than_a_share(workers: int) -> None:
    blocks = blocks_of((40, 1), (7, 24), (7, 24), (3, 1), (50, 2), (1, 90), (20, 5), (60, 1))
    shares = [share_of_work(blocks, worker, workers) for worker in range(workers)]
    assert [block for share in shares for block in share] == blocks
    largest = max(block.size * block.work for block in blocks)
    assert max(map(work_of, shares)) <= work_of(blocks) / workers + largest


def test_nothing_to_do_is_shared_too() -> None:
    assert share_of_work([], 0, 2) == []
