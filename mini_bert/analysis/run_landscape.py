"""The way a run has taken, in the plane that shows most of it.

The two directions are the principal ones of the checkpoints' distances from the last (Li et al. 2018). The path is
drawn where it is nearest in this plane; of a long run two directions show most of it, and yet not all.
"""

from __future__ import annotations

import numpy as np

from mini_bert.analysis.history import Course, history_of
from mini_bert.analysis.landscape import LossSurface, grid, losses_on
from mini_bert.analysis.lessons import Given, as_lesson, loss_at
from mini_bert.core.array import Array
from mini_bert.reports import Report, part, silent

MARGIN = 0.15
MOST_MODELS = 24
POINTS = 21


def run_landscape(
    course: Course,
    given: Given,
    *,
    points: int = POINTS,
    most: int = MOST_MODELS,
    report: Report = silent,
) -> LossSurface:
    """The loss over the plane of a run's checkpoints, and their path in it; at most so many of them."""
    history = history_of(course).thinned(most)
    if len(history) < 3:
        raise ValueError(f"{len(history)} models: a plane takes three at least")
    if points < 3:
        raise ValueError(f"points={points}: choose 3 or more on each side")
    last = history.last()
    lesson = as_lesson(last, given)
    away, path_losses = [], []
    for _, model in history:
        away.append(model.arena.flat - last.arena.flat)
        path_losses.append(loss_at(model, lesson))
    directions, path, shown = principal_plane(np.stack(away))
    x, y = (spread(column, points) for column in path.T)
    losses = losses_on(last, lesson, grid(x, y), list(directions), part(report, 0.1, 1.0))
    return LossSurface(
        x,
        y,
        losses.reshape(len(y), len(x)),
        labels_of(shown),
        path,
        np.array(path_losses),
        np.array(history.steps),
        shown,
    )


def principal_plane(away: Array) -> tuple[Array, Array, Array]:
    """The two unit directions (2, P), where each row of away (n, P) lies in their plane (n, 2), and their shares (2,)

    The last row is the origin, as all others are distances from it. Only a matrix (n, n) is decomposed.
    """
    values, vectors = np.linalg.eigh(gram(away))
    values, vectors = np.maximum(values[::-1], 0), vectors[:, ::-1]
    if not values[1] > 1e-12 * max(values[0], 1e-300):
        raise ValueError(
            "these models lie on a line, or do not differ at all; take loss_between for two of them"
        )
    first_two = np.sqrt(values[:2])
    directions = (vectors[:, :2] / first_two).T.astype(away.dtype) @ away
    path = vectors[:, :2] * first_two
    return directions, path, values[:2] / values.sum()


def gram(away: Array) -> Array:
    """away @ awayᵀ in float64, one pair of rows at a time, so that no wide copy is made of all"""
    n = len(away)
    found = np.empty((n, n))
    for i in range(n):
        row = away[i].astype(np.float64)
        for j in range(i + 1):
            found[i, j] = found[j, i] = row @ away[j]
    return found


def spread(column: Array, points: int) -> Array:
    """From a little below the least to a little above the largest"""
    low, high = float(column.min()), float(column.max())
    room = MARGIN * (high - low)
    return np.linspace(low - room, high + room, points)


def labels_of(shown: Array) -> tuple[str, str]:
    return (
        f"first direction ({shown[0]:.0%} of the way)",
        f"second direction ({shown[1]:.0%} of the way)",
    )
