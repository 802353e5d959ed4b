"""Gradients that are summed over ranks while the backward pass goes on: the top layers' travel, the lower are computed.

    sums = EarlySums(grads, ranks)
    sums.begin(unwritten)                # before the last micro-batch's backward pass,
    trace.arrived = sums.arrived         # which tells of each gradient that has come
    sums.finish()                        # the gradients are those of all ranks

A weight may be used in several places and then collects several gradients. How many is counted in the first pass,
which sums at its end; from the second on a bucket of weights is sent as soon as all of its gradients have come. The
buckets are the same in all of them: MPI may add in another order where a message is of another size, and the first step
of a resumed run is to have the bits of any other.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from mini_bert.core.arena import Arena
from mini_bert.training.blocks import places
from mini_bert.training.cluster.ranks import Ranks, Sum

BUCKET = 1 << 19
"""Entries, 2 MiB in float32: enough that latency hardly counts, and few enough that there are several."""


@dataclass
class Bucket:
    """Neighbouring weights, and how many gradients are still to come for them."""

    at: slice
    names: list[str]
    awaited: int = 0


class EarlySums:
    """The sums of one arena. Ranks begin them in the same order: that in which buckets filled up in the first pass."""

    def __init__(self, grads: Arena, ranks: Ranks) -> None:
        self.grads, self.ranks = grads, ranks
        self.visits: Counter[str] = Counter()
        self.last_visit: dict[str, int] = {}
        self.order: list[Bucket] = []
        self.bucket_of: dict[str, Bucket] = {}
        self.waiting: deque[Bucket] = deque()
        self.going_on: deque[Sum] = deque()

    def begin(self, unwritten: Collection[str]) -> None:
        """The last backward pass begins; weights that nothing reads have no gradient, and are blank from now on."""
        for bucket in self.order:
            bucket.awaited = sum(self.visits[name] for name in bucket.names)
        for name in unwritten:
            if self.order and not self.visits[name]:
                self.grads[name][...] = 0
        self.waiting = deque(self.order)

    def arrived(self, name: str) -> None:
        """A gradient of this weight has come."""
        if not self.order:
            self.visits[name] += 1
            self.last_visit[name] = self.visits.total()
            return
        bucket = self.bucket_of[name]
        bucket.awaited -= 1
        if bucket.awaited < 0:
            raise RuntimeError(f"{name} has more gradients than in the first pass; set cluster.overlap=false")
        self.send_full()
        if self.going_on and self.going_on[0].is_done():
            self.going_on.popleft()

    def send_full(self) -> None:
        while self.waiting and not self.waiting[0].awaited:
            for at in pieces(self.waiting.popleft().at):
                self.going_on.append(self.ranks.start_sum(self.grads.flat[at]))

    def finish(self) -> None:
        """Wait until all sums are there."""
        if not self.order:
            self.order = self.learned_order()
            self.bucket_of = {name: bucket for bucket in self.order for name in bucket.names}
            self.waiting = deque(self.order)
        self.send_full()
        if self.waiting:
            raise RuntimeError("fewer gradients than in the first pass; set cluster.overlap=false")
        while self.going_on:
            self.going_on.popleft().wait()

    @property
    def knows_order(self) -> bool:
        """Whether sums begin early: what they write must then not be touched."""
        return bool(self.order)

    def learned_order(self) -> list[Bucket]:
        buckets: list[Bucket] = []
        for name, at in places(self.grads).items():
            if buckets and buckets[-1].at.stop - buckets[-1].at.start < BUCKET:
                buckets[-1].at = slice(buckets[-1].at.start, at.stop)
                buckets[-1].names.append(name)
            else:
                buckets.append(Bucket(at, [name]))
        return sorted(buckets, key=lambda bucket: max(self.last_visit.get(name, 0) for name in bucket.names))


def pieces(at: slice) -> Iterator[slice]:
    """A large weight goes in pieces, as a bucket of small ones would."""
    return (slice(start, min(start + BUCKET, at.stop)) for start in range(at.start, at.stop, BUCKET))
