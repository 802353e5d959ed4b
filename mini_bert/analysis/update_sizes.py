"""How large a step is beside the weights it moves: ‖Δw‖ / ‖w‖.

Two ways to know it of a run: each inspected step in metrics.jsonl tells its own, layer by layer (`logged_updates`);
the checkpoints tell, weight by weight, how far all steps between two of them have led (`updates_between`). What one
step would do now is found by taking it (`update_of_step`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mini_bert.analysis.history import Course
from mini_bert.analysis.lessons import Given, as_lesson, gradient_at, twin_of
from mini_bert.analysis.places import kind_of
from mini_bert.analysis.shown import Shown
from mini_bert.analysis.weight_evolution import weight_evolution
from mini_bert.core.arena import Arena
from mini_bert.core.array import Array
from mini_bert.diagnosis.bands import bands
from mini_bert.models.mini import MiniBERT
from mini_bert.models.names import short
from mini_bert.training.inspection import layer_of
from mini_bert.training.optimizers import AdamW, Optimizer
from mini_bert.training.run_folder import RunFolder

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_CURVES = 14
Chosen = Callable[[Arena], Optimizer]
"""weights → an optimizer that will move them"""


@dataclass(frozen=True)
class UpdateSizes(Shown):
    """‖Δw‖ / ‖w‖ of one step (names, steps), for layers or for weights; nan where it is not known."""

    steps: Array
    names: tuple[str, ...]
    ratios: Array

    def figure(self) -> Figure:
        """A curve for each layer, or a row of colours for each weight; of a single step, bars."""
        if len(self.steps) == 1:
            return self.bars()
        if len(self.names) > MOST_CURVES:
            return self.rows()
        from mini_bert.plots.layers import by_layer
        from mini_bert.plots.series import Series

        series = {name: Series(self.steps, row) for name, row in zip(self.names, self.ratios, strict=True)}
        return by_layer(
            series, "‖Δw‖ / ‖w‖ of a step", {"most of a\nsound run": bands()["largest_update"].high}
        )

    def rows(self) -> Figure:
        from mini_bert.plots.heat import heat

        with np.errstate(divide="ignore"):
            logarithms = np.log10(np.where(self.ratios > 0, self.ratios, np.nan))
        names = [short(name) for name in self.names]
        return heat(
            logarithms, names, [f"{step:,}" for step in self.steps], "log₁₀ ‖Δw‖ / ‖w‖ of a step", "", "step"
        )

    def bars(self) -> Figure:
        from mini_bert.plots.bars import Bar, bars

        entries = [
            Bar(name, 1000 * float(ratio)) for name, ratio in zip(self.names, self.ratios[:, 0], strict=True)
        ]
        return bars(entries, "‖Δw‖ / ‖w‖ of a step (‰)")


def logged_updates(run: str | Path) -> UpdateSizes:
    """By layer, of the steps that were inspected while the run went on."""
    inspected = [
        (int(line["step"]), line["inspection"]["layers"])
        for line in RunFolder(Path(run)).metrics()
        if line.get("inspection")
    ]
    if not inspected:
        raise ValueError(
            f"{run}: no step of it was inspected; train with --set logging.inspect_every=50, or name another run"
        )
    names = tuple(inspected[0][1])
    ratios = [
        [np.nan if (ratio := layers[name]["update_ratio"]) is None else ratio for name in names]
        for _, layers in inspected
    ]
    return UpdateSizes(np.array([step for step, _ in inspected]), names, np.array(ratios, float).T)


def updates_between(course: Course, *, by_layer: bool = False) -> UpdateSizes:
    """By weight or layer: the way from one checkpoint to the next beside the weight, for each step in between.

    Steps that go to and fro cancel out, so that this is at most the mean of what they were one by one.
    """
    evolution = weight_evolution(course)
    evolution = evolution.by_layer() if by_layer else evolution
    return UpdateSizes(evolution.steps[1:], evolution.dotted, evolution.relative_moves[:, 1:])


@dataclass(frozen=True)
class StepTaken(UpdateSizes):
    """One step on one batch: the loss before and after, and for each weight where it lives."""

    before: float
    after: float
    dotted: tuple[str, ...]

    @property
    def layers(self) -> tuple[str, ...]:
        return tuple(map(layer_of, self.dotted))

    @property
    def kinds(self) -> tuple[str, ...]:
        return tuple(map(kind_of, self.dotted))


def update_of_step(
    model: MiniBERT, given: Given, learning_rate: float = 1e-3, optimizer: Chosen | None = None
) -> StepTaken:
    """What the first step of an optimizer on a batch would change, weight by weight; the model stays as it is.

    AdamW without decay unless another is given. Adam's first step moves every weight that has a gradient by the rate.
    """
    lesson, twin = as_lesson(model, given), twin_of(model)
    loss, gradient = gradient_at(twin, lesson)
    chosen = (
        AdamW(twin.arena, learning_rate=learning_rate, weight_decay=0.0)
        if optimizer is None
        else optimizer(twin.arena)
    )
    chosen.learning_rate = learning_rate
    chosen.step(gradient)
    after, _ = gradient_at(twin, lesson, gradient)
    ratios = []
    for name, weight in model.arena.items():
        norm, change = np.linalg.norm(weight), np.linalg.norm(twin.arena[name] - weight)
        ratios.append(float(change / norm) if norm else np.nan)
    dotted = tuple(model.arena)
    return StepTaken(np.ones(1), tuple(map(short, dotted)), np.array(ratios)[:, None], loss, after, dotted)
