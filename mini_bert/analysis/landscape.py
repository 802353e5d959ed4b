"""The loss around a model, or on the way between two: what training has to walk through.

    along = loss_line(model, lesson)                     # one random direction
    around = loss_surface(model, lesson)                 # two
    loss_between(before, after, lesson).barrier          # from one model to another

Random directions are filter-normalized (Li et al. 2018): each row of a matrix is moved by a random vector as long as
the row is, times the distance. Then 1 means "as much noise as there is weight" in every model, and two pictures can be
compared. Gains and biases stay.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mini_bert.analysis.history import check_same_weights
from mini_bert.analysis.lessons import Given, as_lesson, loss_at, moved, twin_of
from mini_bert.analysis.shown import Shown
from mini_bert.core.arena import Arena
from mini_bert.core.array import Array
from mini_bert.evaluation.intrinsic.one_batch import Lesson
from mini_bert.models.mini import MiniBERT
from mini_bert.reports import Report, silent

if TYPE_CHECKING:
    from matplotlib.figure import Figure

REACH, POINTS_ALONG, POINTS_AROUND = 1.0, 41, 21


@dataclass(frozen=True)
class LossLine(Shown):
    """`losses` (n,) at distances `x` (n,) along `label`; `names` mark some of them."""

    x: Array
    losses: Array
    label: str
    names: tuple[tuple[float, str], ...] = ()

    @property
    def barrier(self) -> float:
        """max over 0 ≤ t ≤ 1 of L(t) − ((1 − t) L(0) + t L(1)): 0 if the way never rises above the straight line.

        Of interest between two models, at 0 and 1 (Frankle et al. 2020).
        """
        inside = (self.x >= 0) & (self.x <= 1)
        ends = np.interp([0.0, 1.0], self.x, self.losses)
        rise = self.losses[inside] - np.interp(self.x[inside], [0.0, 1.0], ends)
        return max(0.0, float(np.max(rise)))

    def figure(self) -> Figure:
        from mini_bert.plots.landscape import line

        return line(self.x, self.losses, self.label, self.names)


@dataclass(frozen=True)
class LossSurface(Shown):
    """`losses` (len(y), len(x)) over two directions, with a path (k, 2) through it if there is one.

    `path_losses` (k,) are those at the true weights, which lie beside the plane but for the end; `shown` (2,) is the
    share of the path's variance in each direction.
    """

    x: Array
    y: Array
    losses: Array
    labels: tuple[str, str]
    path: Array | None = None
    path_losses: Array | None = None
    path_steps: Array | None = None
    shown: Array | None = None

    def figure(self) -> Figure:
        from mini_bert.plots.landscape import surface

        return surface(self.x, self.y, self.losses, self.labels, self.path, self.path_steps)


def loss_line(
    model: MiniBERT,
    given: Given,
    *,
    reach: float = REACH,
    points: int = POINTS_ALONG,
    seed: int = 0,
    report: Report = silent,
) -> LossLine:
    """The loss from −reach to +reach along a random direction. The model stays as it is."""
    x = distances(reach, points)
    direction = filter_normalized(model, seed)
    losses = losses_on(model, as_lesson(model, given), x[:, None], [direction.flat], report)
    return LossLine(x, losses, "distance along a random direction", ((0.0, "model"),))


def loss_surface(
    model: MiniBERT,
    given: Given,
    *,
    reach: float = REACH,
    points: int = POINTS_AROUND,
    seed: int = 0,
    report: Report = silent,
) -> LossSurface:
    """The loss over the plane of two random directions, of which the second is drawn with the next seed."""
    x = distances(reach, points)
    directions = [filter_normalized(model, seed).flat, filter_normalized(model, seed + 1).flat]
    lesson = as_lesson(model, given)
    losses = losses_on(model, lesson, grid(x, x), directions, report).reshape(points, points)
    return LossSurface(x, x, losses, ("first direction", "second direction"))


def loss_between(
    start: MiniBERT,
    end: MiniBERT,
    given: Given,
    *,
    points: int = POINTS_ALONG,
    beyond: float = 0.25,
    report: Report = silent,
) -> LossLine:
    """w = (1 − t) w_start + t w_end, t from −beyond to 1 + beyond              (Goodfellow et al. 2015)"""
    check_same_weights(start, end)
    if points < 3 or beyond < 0:
        raise ValueError(
            f"points={points}, beyond={beyond}: choose 3 points or more, and 0 or more beyond the ends"
        )
    x = np.unique(np.concatenate([np.linspace(-beyond, 1 + beyond, points), [0.0, 1.0]]))
    way = end.arena.flat - start.arena.flat
    losses = losses_on(start, as_lesson(start, given), x[:, None], [way], report)
    return LossLine(x, losses, "from one model (0) to the other (1)", ((0.0, "start"), (1.0, "end")))


def filter_normalized(model: MiniBERT, seed: int) -> Arena:
    """A random direction in which each row is as long as the same row of the weights; 0 for gains and biases."""
    direction, rng = model.arena.zeros_like(), np.random.default_rng(seed)
    for name, weight in model.arena.items():
        if model.arena.weights[name].decays:
            drawn = rng.standard_normal(weight.shape)
            lengths = np.linalg.norm(drawn, axis=-1, keepdims=True)
            direction[name][...] = drawn * (np.linalg.norm(weight, axis=-1, keepdims=True) / lengths)
    return direction


def losses_on(
    model: MiniBERT,
    lesson: Lesson,
    places: Array,
    directions: list[Array],
    report: Report = silent,
) -> Array:
    """The loss at w + Σ_d a_d · direction_d for each a of `places` (n, d)"""
    twin, start = twin_of(model), model.arena.flat
    found = np.empty(len(places))
    with moved(twin, start) as flat:
        for number, amounts in enumerate(places):
            flat[:] = start
            for amount, direction in zip(amounts, directions, strict=True):
                flat += flat.dtype.type(amount) * direction
            found[number] = loss_at(twin, lesson)
            report((number + 1) / len(places), f"{number + 1} of {len(places)} losses")
    return found


def distances(reach: float, points: int) -> Array:
    if not reach > 0 or points < 3:
        raise ValueError(f"reach={reach}, points={points}: choose a reach above 0 and 3 points or more")
    return np.linspace(-reach, reach, points)


def grid(x: Array, y: Array) -> Array:
    """All pairs (len(y) · len(x), 2), x running fastest"""
    across, up = np.meshgrid(x, y)
    return np.stack([across.reshape(-1), up.reshape(-1)], axis=1)
