"""Forward passes and nothing else, as fast as the machine allows: nothing is kept, and every core has work.

    with Predictor(model) as predictor:
        logits = predictor.logits(ids, attention_mask)                    # (B, T, V)
        words = predictor.logits(ids, attention_mask, positions=places)   # (B, k, V), computed at places (B, k) alone
        states = predictor.hidden_states(ids, attention_mask)             # (B, T, H)

`predict(model, ids, attention_mask)` is the same for a single batch.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Self

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.trace import Trace
from mini_bert.models.inputs import check_range, check_weights, checked_ids, checked_inputs, integers
from mini_bert.models.mini import MiniBERT
from mini_bert.training.parallel import Team, keep_freed_memory

TOKENS_AT_ONCE = 1024
"""Of one pass in one worker: enough for the matrix products, few enough that a large batch needs no more memory."""


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


class Asked(NamedTuple):
    """What a pass is given: ids (B, T), its other inputs, and the positions (B, k) to answer; None means all."""

    ids: Array
    inputs: Mapping[str, Array]
    positions: Array | None

    def rows(self, rows: slice) -> Asked:
        inputs = {name: values[rows] for name, values in self.inputs.items()}
        return Asked(self.ids[rows], inputs, None if self.positions is None else self.positions[rows])

    def trace(self, model: MiniBERT) -> Trace:
        return Trace(model.arena, inputs=self.inputs, keeps=False)


class Predictor:
    """A model and a team that computes its forward passes. The numbers are those of `model.forward`, up to rounding.

    Each worker takes rows of its own and multiplies on one BLAS thread. Rows that are too few for all workers, such as
    a single text, go through the model together, on all BLAS threads, and so do the states of all rows through the
    head. Close it, or use it in a `with`, when done.
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
        asked = self.asked(ids, attention_mask, token_type_ids, positions)
        # of all rows at once: to join the workers' logits would cost more than it saves to share them out
        return self.model.network.head.forward(self.encode(asked), asked.trace(self.model) / "head")

    def hidden_states(
        self, ids: Any, attention_mask: Any = None, token_type_ids: Any = None, positions: Any = None
    ) -> Array:
        """ids (B, T) → what the last layer says, (B, T, H), or (B, k, H) at `positions` (B, k)"""
        return self.encode(self.asked(ids, attention_mask, token_type_ids, positions))

    def asked(self, ids: Any, attention_mask: Any, token_type_ids: Any, positions: Any) -> Asked:
        ids = checked_ids(ids, self.model.config)
        inputs = checked_inputs(ids, attention_mask, token_type_ids, self.model.config)
        return Asked(ids, inputs, None if positions is None else checked_positions(positions, ids))

    def encode(self, asked: Asked) -> Array:
        B, T = asked.ids.shape
        hands, remaining = shares(B, max(1, TOKENS_AT_ONCE // T), self.team.size)

        def encode_rows(rows: slice) -> Array:
            part = asked.rows(rows)
            return self.model.network.encode(part.ids, part.trace(self.model).asking(part.positions))

        found: list[Array] = []
        if any(hands):
            for states in self.team.each(lambda worker: [encode_rows(rows) for rows in hands[worker]]):
                found += states
        if remaining.start < remaining.stop:
            found.append(encode_rows(remaining))
        return found[0] if len(found) == 1 else np.concatenate(found)

    def close(self) -> None:
        self.team.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


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
