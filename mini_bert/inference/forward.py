"""Forward passes and nothing else, as fast as the machine allows: nothing is kept, and every core has work.

    with Predictor(model) as predictor:
        logits = predictor.logits(ids, attention_mask)                    # (B, T, V)
        words = predictor.logits(ids, attention_mask, positions=places)   # (B, k, V), computed at places (B, k) alone
        states = predictor.hidden_states(ids, attention_mask)             # (B, T, H)

`predict(model, ids, attention_mask)` is the same for a single batch.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Any, Self

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.trace import Trace
from mini_bert.models.inputs import check_range, check_weights, checked_ids, checked_inputs, integers
from mini_bert.models.mini import MiniBERT
from mini_bert.training.parallel import Team, keep_freed_memory

TOKENS_AT_ONCE = 1024
"""Of one pass in one worker: enough for the matrix products, few enough that a large batch needs no more memory."""

Forward = Callable[[Array, Trace], Array]


def predict(
    model: MiniBERT,
    ids: Any,
    attention_mask: Any = None,
    token_type_ids: Any = None,
    positions: Any = None,
) -> Array:
    """The logits of one batch; see `Predictor.logits`. For many batches keep a Predictor: making one takes a while."""
    with Predictor(model) as predictor:
        return predictor.logits(ids, attention_mask, token_type_ids, positions)


class Predictor:
    """A model and a team that computes its forward passes. The numbers are those of `model.forward`, up to rounding.

    Each worker takes rows of its own and multiplies on one BLAS thread. Rows that are too few for all workers, such as
    a single text, go through the model together, on all BLAS threads. Close it, or use it in a `with`, when done.
    """

    def __init__(self, model: MiniBERT, workers: int | None = None) -> None:
        """As many workers as there are cores, unless told otherwise."""
        check_weights(model.arena)
        self.model, self.team = model, Team(workers)
        keep_freed_memory()

    def logits(
        self, ids: Any, attention_mask: Any = None, token_type_ids: Any = None, positions: Any = None
    ) -> Array:
        """ids (B, T) → logits as `model.forward` gives them; at `positions` (B, k) only, if those are given.

        What nobody asked for is not computed: the last layer and the head see those positions alone.
        """
        if positions is not None and self.model.config.head == "classes":
            raise ValueError(
                "positions: this model tells a class of the whole text, not of a position; leave them out"
            )
        return self.run(self.model.network.forward, ids, attention_mask, token_type_ids, positions)

    def hidden_states(
        self, ids: Any, attention_mask: Any = None, token_type_ids: Any = None, positions: Any = None
    ) -> Array:
        """ids (B, T) → what the last layer says, (B, T, H), or (B, k, H) at `positions` (B, k)"""
        return self.run(self.model.network.encode, ids, attention_mask, token_type_ids, positions)

    def run(
        self, forward: Forward, ids: Any, attention_mask: Any, token_type_ids: Any, positions: Any
    ) -> Array:
        ids = checked_ids(ids, self.model.config)
        inputs = checked_inputs(ids, attention_mask, token_type_ids, self.model.config)
        queries = None if positions is None else checked_positions(positions, ids)
        if queries is not None:
            inputs["order"] = asked_last(ids, queries)

        def answer(rows: slice) -> Array:
            t = Trace(
                self.model.arena,
                inputs={name: values[rows] for name, values in inputs.items()},
                queries=None if queries is None else queries[rows],
                keeps=False,
            )
            return forward(ids[rows], t)

        B, T = ids.shape
        if self.team.size > B:
            return answer(slice(B))
        hands, remaining = shares(B, max(1, TOKENS_AT_ONCE // T), self.team.size)
        joined = Joined(B)

        def answer_all(worker: int) -> None:
            for rows in hands[worker]:
                joined.put(rows, answer(rows))

        self.team.each(answer_all)
        if remaining.start < B:
            joined.put(remaining, answer(remaining))
        assert joined.whole is not None
        return joined.whole

    def close(self) -> None:
        self.team.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


class Joined:
    """The answers of all workers in one array of B rows, made when the first answer tells its shape.

    A worker puts its own in place while it is in the cache; to join them at the end would take one core, and longer.
    """

    def __init__(self, B: int) -> None:
        self.B, self.lock = B, Lock()
        self.whole: Array | None = None

    def put(self, rows: slice, answer: Array) -> None:
        with self.lock:
            if self.whole is None:
                self.whole = np.empty((self.B, *answer.shape[1:]), answer.dtype)
        self.whole[rows] = answer


def shares(B: int, at_once: int, workers: int) -> tuple[list[list[slice]], slice]:
    """B rows: an equal share for each worker, in pieces of at most `at_once`, and the rows at the end that remain."""
    size = B // workers
    hands = [
        [
            slice(start, min(start + at_once, (worker + 1) * size))
            for start in range(worker * size, (worker + 1) * size, at_once)
        ]
        for worker in range(workers)
    ]
    return hands, slice(workers * size, B)


def asked_last(ids: Array, positions: Array) -> Array:
    """Ranks (B, T) in which those positions (B, k) come last: a model of two streams asks without looking at them."""
    order = np.zeros(ids.shape, np.int64)
    np.put_along_axis(order, positions, 1, axis=1)
    return order


def checked_positions(given: Any, ids: Array) -> Array:
    """Positions (B, k), each the place of a token in its row; (k,) of a single row."""
    positions = integers("positions", given)
    if positions.ndim == 1:
        positions = positions[None]
    B, T = ids.shape
    if positions.ndim != 2 or len(positions) != B or positions.size == 0:
        raise ValueError(
            f"positions: shape {positions.shape} does not fit ids {ids.shape}; give (batch, k) places, the same number "
            "in each row (a row that has fewer may name one twice)"
        )
    check_range("positions", positions, T, f"each row has {T} tokens")
    return positions
