"""A training step taken apart: time, FLOPs and memory by layer and by function."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from statistics import median

from mini_bert.models.cost import Rehearsal, buffer_of, rehearse_training
from mini_bert.profiling.spans import BACKWARD, FORWARD, Place, Times, watching
from mini_bert.profiling.trial import Trial
from mini_bert.training.step import deal

WARM_UP = 2
BETWEEN = "between layers"
LOSS = ("cross_entropy", "cross_entropy_backward", "scores")
PROJECTIONS = ("linear", "project")
ATTENTION = "attention products"
FAMILIES = {
    **dict.fromkeys(("multiply_heads", "Content", "Attention"), ATTENTION),
    **dict.fromkeys(("PostNorm", "PreNorm"), "residual sums"),
}
"""Several names for what is one thing to the reader; any other function or layer goes by its own."""


@dataclass(frozen=True)
class Profile:
    """The mean of some steps. Amounts by place are (phase, path, name), as in `Times`."""

    times: Times
    plain_seconds: float
    overhead: float
    """how much longer a step takes for being watched, as a share"""
    flops: Counter[Place]
    kept_predicted: Counter[str]
    kept_measured: Counter[str]
    peak_bytes: int
    arena_bytes: dict[str, int]


def profile(trial: Trial, steps: int) -> Profile:
    """Steps in turn watched and not, of which the second kind tells what watching costs."""
    for _ in range(WARM_UP):
        trial.step()
    found, plain = [], []
    for _ in range(steps):
        plain.append(trial.step())
        with watching() as recorder:
            found.append(recorder.take(trial.step, trial.team.size))
    times = mean(found)
    B, T = trial.batch.ids.shape
    k = trial.batch.positions.shape[1]
    cost = rehearse_training(trial.model.network, B, T, k, itemsize=trial.model.dtype.itemsize)
    predicted, measured = kept_bytes(trial)
    return Profile(
        times=times,
        plain_seconds=median(plain),
        overhead=median(step.seconds / alone for step, alone in zip(found, plain, strict=True)) - 1,
        flops=flops_by_place(cost, times),
        kept_predicted=predicted,
        kept_measured=measured,
        peak_bytes=trial.peak_bytes(),
        arena_bytes=trial.arena_bytes,
    )


def mean(steps: list[Times]) -> Times:
    own: dict[Place, float] = defaultdict(float)
    for step in steps:
        for place, seconds in step.own.items():
            own[place] += seconds / len(steps)
    return Times(sum(step.seconds for step in steps) / len(steps), own, steps[-1].calls)


def flops_by_place(cost: Rehearsal, times: Times) -> Counter[Place]:
    """The rehearsal's FLOPs, each where the step has spent them."""
    found: Counter[Place] = Counter()
    names = {path: {name for _, at, name in times.own if at == path} for path in cost.flops}
    for path, amount in cost.flops.items():
        function = next((name for name in PROJECTIONS if name in names[path]), None)
        found[FORWARD, path, function or ATTENTION] += amount
        found[BACKWARD, path, f"{function}_backward" if function else ATTENTION] += 2 * amount
        found[BACKWARD, path, function or ATTENTION] += cost.repeated[path]
    return +found


def kept_bytes(trial: Trial) -> tuple[Counter[str], Counter[str]]:
    """What all workers together keep for the backward pass, by layer: as rehearsed, and as it is."""
    hands = deal(len(trial.batch.ids), trial.micro_batch, trial.team.size)
    at_once = sum(max((stop - start for start, stop in hand), default=0) for hand in hands)
    batch, T = trial.batch.rows(0, at_once), trial.batch.ids.shape[1]
    batch = replace(batch, ids=batch.ids.copy())  # the other rows of the batch are not kept for these
    network, k = trial.model.network, batch.positions.shape[1]
    cost = rehearse_training(network, at_once, T, k, itemsize=trial.model.dtype.itemsize)
    predicted: Counter[str] = Counter()
    for name, amount in cost.bytes_by_name.items():
        predicted[layer_of(name)] += amount
    _, trace = trial.work.objective.loss(network, trial.model.arena, batch, trial.noise)
    buffers = {id(buffer_of(array)): name for name, array in reversed(trace.kept.items())}
    measured: Counter[str] = Counter()
    for name in buffers.values():
        measured[layer_of(name)] += buffer_of(trace.kept[name]).nbytes
    return predicted, measured


def layer_of(path: str, function: str = "") -> str:
    """The layer that a path or dotted name belongs to; attention, feed-forward and norms of a block are told apart."""
    steps = path.split(".")
    if function in LOSS or path == "word_probs":
        return "loss"
    if steps[0] != "encoder":
        return steps[0] or BETWEEN
    if len(steps) < 4 or not steps[3]:
        return BETWEEN
    return ".".join([*steps[:3], "norms" if "norm" in steps else steps[3]])


def by_layer(profile: Profile) -> dict[str, dict[str, float]]:
    """Seconds and FLOPs of each layer; what is no layer's goes by the name of its phase."""
    rows: dict[str, dict[str, float]] = {}
    for unit, amounts in amounts_of(profile).items():
        for (phase, path, name), amount in amounts.items():
            layer = layer_of(path, name) if phase in (FORWARD, BACKWARD) else phase
            add(rows.setdefault(layer, blank()), phase, unit, amount)
    return rows


def by_function(profile: Profile) -> dict[str, dict[str, float]]:
    """The same by function, the longest first; the own time of a layer goes by the name of its class."""
    rows: dict[str, dict[str, float]] = {}
    for unit, amounts in amounts_of(profile).items():
        for (phase, _, name), amount in amounts.items():
            add(rows.setdefault(family(name), blank()), phase, unit, amount)
    for (_, _, name), count in profile.times.calls.items():
        rows[family(name)]["calls"] += count
    return dict(sorted(rows.items(), key=lambda row: -row[1]["seconds"]))


def amounts_of(profile: Profile) -> dict[str, Mapping[Place, float]]:
    return {"seconds": profile.times.own, "flops": profile.flops}


def blank() -> dict[str, float]:
    kinds = (f"{phase}{unit}" for unit in ("seconds", "flops") for phase in ("", "forward_", "backward_"))
    return dict.fromkeys((*kinds, "calls"), 0.0)


def add(row: dict[str, float], phase: str, unit: str, amount: float) -> None:
    row[unit] += amount
    if phase in (FORWARD, BACKWARD):
        row[f"{phase}_{unit}"] += amount


def family(name: str) -> str:
    return FAMILIES.get(name, name)
