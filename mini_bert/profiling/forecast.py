"""What a training step will take on this machine: its operations, counted, times the machine's rates, measured."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from mini_bert.models.build import build_network
from mini_bert.models.config import ModelConfig
from mini_bert.models.cost import parameters, rehearse_training
from mini_bert.profiling.dry_run import dry_run
from mini_bert.profiling.ghosts import Tape
from mini_bert.profiling.operations import Operation
from mini_bert.profiling.overheads import (
    Calls,
    Walks,
    core_share,
    measure_calls,
    measure_handover,
    measure_walks,
)
from mini_bert.profiling.rates import Rates, measure
from mini_bert.profiling.trial import noise_of
from mini_bert.training.masking import places_asked
from mini_bert.training.parallel import Team
from mini_bert.training.step import deal

LOOKS = 3
"""The machine's pace changes from second to second: it is measured so often, and the middle forecast taken."""
BUSY = 0.9
"""With a smaller share of its core, a worker has others beside it."""
ITEMSIZE = 4
JOBS_IN_A_STEP = 3
"""The team is called for the gradients, for their sum, and for the optimizer."""


@dataclass(frozen=True)
class Plan:
    """A step before it is taken: the operations of the busiest worker, and the memory of all."""

    config: ModelConfig
    rows: int
    micro_batch: int
    workers: int
    operations: Counter[Operation]
    flops: int
    weights: int
    memory: dict[str, int]

    @property
    def tokens(self) -> int:
        return self.rows * self.config.max_seq_length


def plan(config: ModelConfig, rows: int, micro_batch: int, workers: int) -> Plan:
    if config.memory or config.streams == 2:
        raise ValueError(
            "a model with a memory or with two streams is not foretold yet; mini-bert profile measures a step of it"
        )
    network, T = build_network(config), config.max_seq_length
    k, noisy = places_asked(config), noise_of(config) is not None
    hands = [[stop - start for start, stop in hand] for hand in deal(rows, micro_batch, workers)]
    tapes = {pair: dry_run(network, pair, T, k, noisy=noisy) for hand in hands for pair in pairs(hand)}
    weights = sum(parameters(network).values())
    cost = rehearse_training(network, rows, T, k)
    return Plan(
        config=config,
        rows=rows,
        micro_batch=micro_batch,
        workers=workers,
        operations=operations_of(hands[0], tapes),
        flops=cost.forward_flops + cost.backward_flops,
        weights=weights,
        memory={
            "weights": ITEMSIZE * weights,
            "gradients": ITEMSIZE * weights * workers,
            "moments": 2 * ITEMSIZE * weights,
            "activations": sum(
                max((tapes[pair].peak_bytes for pair in pairs(hand)), default=0) for hand in hands
            ),
        },
    )


def pairs(hand: list[int]) -> list[tuple[int, ...]]:
    """The first micro-batch alone, and with each kind of later one: no later one differs from its like."""
    return [(hand[0],), *dict.fromkeys((hand[0], size) for size in hand[1:])] if hand else []


def operations_of(hand: list[int], tapes: dict[tuple[int, ...], Tape]) -> Counter[Operation]:
    """Of all micro-batches of a hand."""
    first = tapes[hand[0],].operations
    total = Counter(first)
    for size in hand[1:]:
        total += tapes[hand[0], size].operations - first
    return total


@dataclass(frozen=True)
class Machine:
    """What was measured of this machine for a plan."""

    rates: Rates
    calls: Calls
    handover: float
    walks: Walks
    core_share: float


def inspect_machine(team: Team, wanted: Plan) -> Machine:
    before = core_share(team)
    rates = measure(team, wanted.operations, wanted.memory["activations"] // wanted.workers)
    calls, handover = measure_calls(team, wanted.config), measure_handover(team)
    walks = measure_walks(team, wanted.weights)
    return Machine(rates, calls, handover, walks, (before + core_share(team)) / 2)


@dataclass(frozen=True)
class Forecast:
    """Seconds of a step, others using the machine as they did while it was measured.

    Operations were timed one by one, so quickly that they were hardly ever interrupted; they take as much longer as
    the worker gets less of its core.
    """

    plan: Plan
    machine: Machine

    @property
    def parts(self) -> dict[str, float]:
        """By what they are spent on."""
        rates, calls, walks = self.machine.rates, self.machine.calls, self.machine.walks
        share = self.machine.core_share
        found = {"matrix products": 0.0, "passes over arrays": 0.0, "Python and calls": 0.0}
        for operation, count in self.plan.operations.items():
            arithmetic = rates.seconds(operation)
            kind = "matrix products" if operation.kind == "product" else "passes over arrays"
            found[kind] += count * arithmetic / share
            found["Python and calls"] += count * calls.seconds(arithmetic)
        return {
            **found,
            "sum of gradients": walks.reduction / share,
            "optimizer": walks.optimizer / share,
            "hand-over to workers": JOBS_IN_A_STEP * self.machine.handover,
        }

    @property
    def seconds(self) -> float:
        return sum(self.parts.values())

    def seconds_to(self, tokens: int) -> float:
        """Whole steps until so many tokens were seen."""
        return -(-tokens // self.plan.tokens) * self.seconds
