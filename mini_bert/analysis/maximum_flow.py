"""The most that can flow through a stack of layers from one end to the other (Ford & Fulkerson 1956).

Each round sends as much as one path can take, along the path that can take most (Edmonds & Karp 1972): a path may also
go back along an edge that carries something, which sends that another way. Flows to all ends are found side by side.
"""

from __future__ import annotations

import numpy as np

from mini_bert.core.array import Array

SMALLEST = 1e-10
NUMBERS_AT_ONCE = 4_000_000


def maximum_flows(capacities: Array, start: int) -> Array:
    """From node `start` above the first of L layers to each node below the last, each alone: (T,)

    capacities (L, T, T), from node i above a layer to node j below it.
    """
    T = capacities.shape[-1]
    at_once = max(1, NUMBERS_AT_ONCE // capacities.size)
    ends = np.arange(T)
    return np.concatenate([flows_to(capacities, start, ends[i : i + at_once]) for i in range(0, T, at_once)])


def flows_to(capacities: Array, start: int, ends: Array) -> Array:
    """(S,): S problems with different ends, of which each round widens one path in all that still have one"""
    total = np.zeros(len(ends))
    left = np.repeat(capacities[None].astype(np.float64), len(ends), axis=0)  # (S, L, T, T)
    carried = np.zeros_like(left)
    open_ends = np.arange(len(ends))
    while len(open_ends):
        amounts, before = widest_paths(left, carried, start, ends[open_ends])
        goes_on = amounts > SMALLEST
        open_ends, left, carried = open_ends[goes_on], left[goes_on], carried[goes_on]
        amounts = amounts[goes_on]
        total[open_ends] += amounts
        send(left, carried, amounts, before[goes_on], start, ends[open_ends])
    return total


def widest_paths(left: Array, carried: Array, start: int, ends: Array) -> tuple[Array, Array]:
    """How much the widest path to each end takes (S,), and the level and place before each node (S, L + 1, T, 2)."""
    S, L, T, _ = left.shape
    width = np.zeros((S, L + 1, T))
    width[:, 0, start] = np.inf
    before = np.full((S, L + 1, T, 2), -1)
    for layer in range(L):
        widen(width, before, layer, layer + 1, left[:, layer])
    rows = np.arange(S)
    is_changed = bool((width[rows, L, ends] <= SMALLEST).any())  # only then may a way back be needed
    while is_changed:
        is_changed = False
        for layer in reversed(range(L)):
            is_changed |= widen(width, before, layer + 1, layer, carried[:, layer].swapaxes(1, 2))
        for layer in range(L):
            is_changed |= widen(width, before, layer, layer + 1, left[:, layer])
    return width[rows, L, ends], before


def widen(width: Array, before: Array, source: int, target: int, room: Array) -> bool:
    """Let the nodes of one level be reached from those of another, where that makes a wider path; room (S, T, T)."""
    through = np.minimum(width[:, source, :, None], room)
    best = through.argmax(1)  # (S, T)
    found = np.take_along_axis(through, best[:, None], 1)[:, 0]
    is_wider = found > width[:, target] + SMALLEST
    width[:, target][is_wider] = found[is_wider]
    before[:, target, :, 0][is_wider] = source
    before[:, target, :, 1][is_wider] = best[is_wider]
    return bool(is_wider.any())


def send(left: Array, carried: Array, amounts: Array, before: Array, start: int, ends: Array) -> None:
    """Along each problem's path, from its end back to the start."""
    levels, places = np.full(len(ends), before.shape[1] - 1), ends.copy()
    rows = np.arange(len(ends))
    while len(rows):
        sources, from_places = before[rows, levels, places].T
        is_down = sources < levels
        layers = np.minimum(sources, levels)
        upper, lower = np.where(is_down, (from_places, places), (places, from_places))
        change = np.where(is_down, amounts[rows], -amounts[rows])
        left[rows, layers, upper, lower] -= change
        carried[rows, layers, upper, lower] += change
        is_away = (sources != 0) | (from_places != start)
        rows, levels, places = rows[is_away], sources[is_away], from_places[is_away]
