"""Long rows, read segment by segment with a memory of the one before (Transformer-XL, Dai et al. 2019).

    h_s = network(segment s, memory of segment s − 1),  loss = Σ over segments

The memory is a constant to the gradient: each segment is differentiated alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.functions.dropout import Noise
from mini_bert.core.functions.softmax import cross_entropy, cross_entropy_backward
from mini_bert.core.network import Network
from mini_bert.core.recurrence import remembered
from mini_bert.core.trace import Trace
from mini_bert.training.objectives.batch import MaskedBatch
from mini_bert.training.objectives.objective import Losses, Objective


@dataclass(frozen=True)
class Segments(Objective):
    """Rows of any length, in segments of `length` tokens; `memory` states of each layer are carried on."""

    length: int
    memory: int

    def loss(
        self,
        network: Network,
        params: Mapping[str, Array],
        batch: MaskedBatch,
        noise: Noise | None = None,
        *,
        keeps: bool = True,
        watch: tuple[str, ...] = (),
    ) -> tuple[Losses, Trace]:
        memory: dict[str, Array] = {}
        t = Trace(params, noise=noise, keeps=keeps, watch=watch, memory=memory)
        loss, probs = np.zeros((), batch.weights.dtype), []
        for number, segment in enumerate(self.segments(batch)):
            part = place(t, number, segment)
            logits = network.forward(segment.ids, part)
            more, word_probs = cross_entropy(logits, segment.labels, segment.weights)
            loss = loss + more
            probs.append(word_probs)
            for path, states in remembered(part, self.memory).items():
                memory[path.replace(name(number), name(number + 1), 1)] = states
        t.kept["word_probs"] = np.concatenate(probs, axis=1)
        return Losses(loss), t

    def backward(self, network: Network, batch: MaskedBatch, t: Trace, grads: Mapping[str, Array]) -> None:
        t.grads = grads
        dlogits = cross_entropy_backward(t["word_probs"], batch.labels, batch.weights)
        start = 0
        for number, segment in enumerate(self.segments(batch)):
            stop = start + segment.labels.shape[1]
            network.backward(dlogits[:, start:stop], place(t, number, segment))
            start = stop

    def segments(self, batch: MaskedBatch) -> Iterator[MaskedBatch]:
        """The batch, one stretch of tokens after the other, each with the places that are asked in it.

        The same places must be asked in all rows, as in an exercise about the next word.
        """
        places = batch.positions[0]
        assert (batch.positions == places).all(), "rows of one batch are asked at different places"
        for start in range(0, batch.ids.shape[1], self.length):
            tokens = slice(start, start + self.length)
            asked = (places >= start) & (places < start + self.length)
            if asked.any():
                yield MaskedBatch(
                    batch.ids[:, tokens],
                    batch.positions[:, asked] - start,
                    batch.labels[:, asked],
                    batch.weights[:, asked],
                    {key: array[:, tokens] for key, array in (batch.inputs or {}).items()},
                )


def name(number: int) -> str:
    return f"segments.{number}."


def place(t: Trace, number: int, segment: MaskedBatch) -> Trace:
    """Where the numbers of one segment are filed; the weights are those of all."""
    memory = {path: states for path, states in (t.memory or {}).items() if path.startswith(name(number))}
    return t.but(path=name(number), inputs=segment.inputs, queries=segment.positions, memory=memory, seen={})
