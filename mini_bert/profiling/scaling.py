"""What a step costs on many ranks: its arithmetic, the sum of gradients over a network, and the optimizer.

    near = fitted(measured, ranks=2)                 # between ranks of this machine: [(bytes, seconds), ...]
    cluster = Cluster(near, Link(20e-6, 1.25e9), per_machine=2, cores=2)
    [cluster.step(plan, parts, ranks) for ranks in (1, 2, 4, 1024)]      # parts: the seconds of a step of one rank

A sum over N ranks is taken to be bandwidth-optimal (Rabenseifner 2004): every rank sends and receives its array about
twice, in 2 log₂ N rounds for each piece of it. Ranks of a machine add up first, then the machines among each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, log2

import numpy as np

from mini_bert.profiling.forecast import ITEMSIZE, Machine, Plan
from mini_bert.profiling.overheads import Walks, core_share, measure_calls, measure_handover, measure_walks
from mini_bert.profiling.rates import measure, seconds_of
from mini_bert.training.cluster import mpi
from mini_bert.training.parallel import Team

SMALL_SUMS, SMALL_BYTES = 4, 40
"""Beside gradients, ranks tell each other how many words they ask for, their loss, the time, and whether to stop."""
PIECE = ITEMSIZE * mpi.PIECE
COPIED = 1 << 22
ASSUMED_LATENCY = 5e-6
UPDATING = "optimizer"


@dataclass(frozen=True)
class Link:
    """What lies between two ranks: seconds until a message begins to arrive, and bytes per second from then on."""

    latency: float
    bandwidth: float

    def sum_seconds(self, ranks: int, nbytes: float) -> float:
        """pieces · 2 ⌈log₂ N⌉ latency + 2 (N − 1)/N · bytes / bandwidth"""
        if ranks == 1:
            return 0.0
        rounds = ceil(nbytes / PIECE) * 2 * ceil(log2(ranks))
        return rounds * self.latency + 2 * (ranks - 1) / ranks * nbytes / self.bandwidth


def fitted(points: Sequence[tuple[float, float]], ranks: int) -> Link:
    """The link that explains these (bytes, seconds) of sums over so many ranks, each as good as any in proportion."""
    nbytes, seconds = (np.array(column, np.float64) for column in zip(*points, strict=True))
    rounds, share = 2 * ceil(log2(ranks)), 2 * (ranks - 1) / ranks
    slope, intercept = np.polyfit(nbytes, seconds, 1, w=1 / seconds)
    least = float(seconds.min())
    return Link(max(float(intercept), least / 10) / rounds, share / max(float(slope), 1e-15))


def memory_link() -> Link:
    """Without MPI: as fast as this machine adds up arrays in memory, with a latency that is assumed."""
    a, b = (np.ones(COPIED, np.float32) for _ in range(2))
    return Link(ASSUMED_LATENCY, a.nbytes / seconds_of(lambda: np.add(a, b, out=a)))


@dataclass(frozen=True)
class ScaledStep:
    """Seconds of a step on so many ranks, of which each has `plan.rows` sequences."""

    ranks: int
    plan: Plan
    compute: float
    reduce: float
    update: float

    @property
    def seconds(self) -> float:
        return self.compute + self.reduce + self.update

    @property
    def tokens_per_second(self) -> float:
        return self.ranks * self.plan.tokens / self.seconds

    def seconds_to(self, tokens: int) -> float:
        return -(-tokens // (self.ranks * self.plan.tokens)) * self.seconds


@dataclass(frozen=True)
class Cluster:
    """Machines like this one with `per_machine` ranks each; `near` links those, and `far` the machines."""

    near: Link
    far: Link
    per_machine: int
    cores: int
    sharded: bool = False

    def crowding(self, ranks: int, workers: int) -> float:
        """How many threads share a core."""
        return max(1.0, min(ranks, self.per_machine) * workers / self.cores)

    def sum_seconds(self, ranks: int, nbytes: float, crowding: float = 1.0) -> float:
        beside, machines = min(ranks, self.per_machine), ceil(ranks / self.per_machine)
        return crowding * self.near.sum_seconds(beside, nbytes) + self.far.sum_seconds(machines, nbytes)

    def step(self, plan: Plan, parts: Mapping[str, float], ranks: int) -> ScaledStep:
        """What one rank was foretold, by its parts (see `Forecast`), on so many."""
        update = parts[UPDATING]
        return self.scaled(plan, sum(parts.values()) - update, update, ranks)

    def scaled(self, plan: Plan, compute: float, update: float, ranks: int) -> ScaledStep:
        """The same from the seconds that one rank needs for its rows, and to update all weights."""
        crowding, nbytes = self.crowding(ranks, plan.workers), ITEMSIZE * plan.weights
        reduce = self.sum_seconds(ranks, nbytes, crowding)
        reduce += SMALL_SUMS * self.sum_seconds(ranks, SMALL_BYTES, crowding)
        if self.sharded:  # every rank updates its part, and half of what a sum does brings it to the others
            update /= ranks
            reduce += self.sum_seconds(ranks, nbytes, crowding) / 2
        return ScaledStep(ranks, plan, crowding * compute, reduce, crowding * update)


def inspect_busy_machine(wanted: Plan, busy: int) -> Machine:
    """What the machine does for one of several ranks: rates with `busy` threads at work, calls as within one rank."""
    with Team(busy) as team:
        before = core_share(team)
        rates = measure(team, wanted.operations, wanted.memory["activations"] // wanted.workers)
        walks = measure_walks(team, wanted.weights)
        share = (before + core_share(team)) / 2
    with Team(wanted.workers) as team:
        calls, handover = measure_calls(team, wanted.config), measure_handover(team)
    more = busy / wanted.workers
    adding = walks.reduction * more if wanted.workers > 1 else 0.0
    return Machine(rates, calls, handover, Walks(adding, walks.optimizer * more), share)
