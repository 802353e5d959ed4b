"""How weights move in training: how far from where they began, how fast, and in which direction.

    evolution = weight_evolution("runs/stories")
    evolution.by_layer().distances      # ‖w_t − w_0‖ (layers, checkpoints)
    evolution.cosines                   # between a move and the one before

A cosine near 1 is a weight on its way somewhere; near 0, one that wanders; below 0, one that swings to and fro.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from mini_bert.analysis.history import Course, History, history_of
from mini_bert.analysis.places import kind_of
from mini_bert.analysis.shown import Shown
from mini_bert.core.arena import Arena
from mini_bert.core.array import Array
from mini_bert.errors import unknown
from mini_bert.models.names import short
from mini_bert.training.inspection import layer_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Measure = Literal["norm", "distance", "move", "cosine"]
UNITS: dict[str, str] = {
    "norm": "‖w‖",
    "distance": "‖w − w₀‖, from the start",
    "move": "‖Δw‖, from the checkpoint before",
    "cosine": "cos of a move and the one before",
}


@dataclass(frozen=True)
class WeightEvolution(Shown):
    """Squares and products (weights, moments) from which all figures follow, for each weight or for groups of them.

    `squares` are ‖w‖², `away` ‖w − w₀‖², `moves` ‖Δw‖², and `turns` Δw · (Δw before); where nothing came before, 0.
    """

    steps: Array
    names: tuple[str, ...]
    dotted: tuple[str, ...]
    squares: Array
    away: Array
    moves: Array
    turns: Array

    @property
    def norms(self) -> Array:
        found: Array = np.sqrt(self.squares)
        return found

    @property
    def distances(self) -> Array:
        found: Array = np.sqrt(self.away)
        return found

    @property
    def move_lengths(self) -> Array:
        """‖w_t − w_{t−1}‖; 0 at the first moment"""
        found: Array = np.sqrt(self.moves)
        return found

    @property
    def cosines(self) -> Array:
        """nan at the first two moments, and where a weight did not move"""
        lengths = self.move_lengths[:, 1:] * self.move_lengths[:, :-1]
        with np.errstate(invalid="ignore", divide="ignore"):
            found: Array = np.where(lengths > 0, self.turns[:, 1:] / lengths, np.nan)
        return np.concatenate([np.full((len(found), 1), np.nan), found], axis=1)

    @property
    def relative_moves(self) -> Array:
        """‖Δw‖ / ‖w before‖ for one step of training, the mean of those between two moments; nan at the first"""
        between = np.diff(self.steps).astype(float)
        with np.errstate(invalid="ignore", divide="ignore"):
            found: Array = np.where(
                self.squares[:, :-1] > 0, self.move_lengths[:, 1:] / self.norms[:, :-1] / between, np.nan
            )
        return np.concatenate([np.full((len(found), 1), np.nan), found], axis=1)

    def by_layer(self) -> WeightEvolution:
        """All weights of a layer as one."""
        return self.grouped([layer_of(name) for name in self.dotted])

    def by_kind(self) -> WeightEvolution:
        """All weights of attention as one, all of the feed-forward networks, and so on."""
        return self.grouped([kind_of(name) for name in self.dotted])

    def grouped(self, groups: Sequence[str]) -> WeightEvolution:
        """Squares and products add up, where lengths and cosines do not."""
        names = tuple(dict.fromkeys(groups))
        member = np.array([[group == name for group in groups] for name in names], float)
        return WeightEvolution(
            self.steps,
            names,
            names,
            *(member @ array for array in (self.squares, self.away, self.moves, self.turns)),
        )

    def measured(self, what: Measure) -> Array:
        known = {
            "norm": self.norms,
            "distance": self.distances,
            "move": self.move_lengths,
            "cosine": self.cosines,
        }
        if what not in known:
            raise ValueError(unknown("measure", what, list(known)))
        return known[what]

    def figure(self, what: Measure = "distance") -> Figure:
        """By layer; of groups that were made already, one curve for each."""
        from mini_bert.plots.layers import by_layer
        from mini_bert.plots.series import Series

        drawn = self.by_layer() if self.names != self.dotted else self
        first = {"norm": 0, "distance": 1, "move": 1, "cosine": 2}.get(what, 0)
        values = drawn.measured(what)[:, first:]
        series = {
            name: Series(self.steps[first:], row) for name, row in zip(drawn.dotted, values, strict=True)
        }
        return by_layer(series, UNITS[what], is_logarithmic=what in ("distance", "move"))


def weight_evolution(course: Course) -> WeightEvolution:
    """Over the checkpoints of a run and the weights before its first step, or over models in their order."""
    return evolution_of(history_of(course))


def evolution_of(history: History) -> WeightEvolution:
    columns: list[Array] = []
    first: Arena | None = None
    before: Arena | None = None
    last_move: dict[str, Array] = {}
    dotted: tuple[str, ...] = ()
    for _, model in history:
        now = model.arena.copy(np.float64)
        first, before, dotted = first or now, before or now, tuple(now)
        column = np.zeros((4, len(now)))
        for at, (name, weight) in enumerate(now.items()):
            move = (weight - before[name]).reshape(-1)
            away, flat = (weight - first[name]).reshape(-1), weight.reshape(-1)
            column[:, at] = (
                flat @ flat,
                away @ away,
                move @ move,
                move @ last_move.get(name, np.zeros_like(move)),
            )
            last_move[name] = move
        columns.append(column)
        before = now
    squares, away_, moves, turns = np.stack(columns, axis=-1)  # (4, weights, moments)
    return WeightEvolution(
        np.array(history.steps), tuple(map(short, dotted)), dotted, squares, away_, moves, turns
    )
