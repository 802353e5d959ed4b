"""What each layer would say, if it were the last (nostalgebraist 2020).

p_l = softmax(head(norm(x_l)))  with  x_l what the next layer reads, and the model's own final norm and head

In a pre-norm model x_l is the residual stream, which nothing has normalized: the final norm does. In a post-norm model
x_l comes out of its layer's own norm, and meets the final norm only if the model has one. Either way the last layer's
answer is the model's.

found = logit_lens(model, "The cat sat on the [MASK].")
found.words[2][0]                         # the best words after layer 2 at the first place asked
found.rank[:, 0]                          # the rank of the final answer after each layer, 0 is the best
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mini_bert.analysis.question import ask, check_tells
from mini_bert.analysis.reading import Reading, as_reading
from mini_bert.analysis.shown import Shown
from mini_bert.analysis.variants import layered
from mini_bert.core.array import Array
from mini_bert.core.functions.softmax import log_softmax
from mini_bert.core.trace import Trace
from mini_bert.inference.fill_mask import TELLS, word_of
from mini_bert.inference.reading import tokenizer_of
from mini_bert.models.mini import MiniBERT

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EMBEDDED, OUT = "embeddings.out", "encoder.layers.{i}.out"


@dataclass(frozen=True)
class LogitLens(Shown):
    """Row 0 is what the first layer reads, row l what layer l − 1 makes of it; k places are asked.

    `words` and `probabilities` (L + 1, k, top) are the best words. `answers` (k,) are the words asked for: `rank` of
    each (0 is the best) and its `answer_probability`, (L + 1, k) each. `divergence` (L + 1, k) is KL(p_last ‖ p_l) in
    nats.
    """

    pieces: tuple[str, ...]
    places: tuple[int, ...]
    words: tuple[tuple[tuple[str, ...], ...], ...]
    probabilities: Array
    answers: tuple[str, ...]
    answer_probability: Array
    rank: Array
    divergence: Array

    def figure(self) -> Figure:
        """The best word of each layer at each place."""
        from mini_bert.plots.word_grid import word_grid

        best = [[at_place[0] for at_place in layer] for layer in self.words]
        columns = [f"{place} {self.pieces[place]}" for place in self.places]
        rows = ["embeddings", *(f"layer {i}" for i in range(len(best) - 1))]
        values = self.probabilities[..., 0]
        if len(columns) > len(rows):  # a long text reads better downwards
            best, values, rows, columns = (
                [list(one) for one in zip(*best, strict=True)],
                values.T,
                columns,
                rows,
            )
        return word_grid(best, values, rows, columns, "probability", highest=1.0)


def logit_lens(
    model: MiniBERT | Reading,
    text: str | None = None,
    *,
    places: Sequence[int] | None = None,
    answers: Mapping[int, int] | None = None,
    top: int = 5,
) -> LogitLens:
    """Of a reading, or of a text that a model reads.

    Asked are each [MASK], or the hidden pieces and targets of the reading, or all places, or those that are given. The
    answer is what the reading was to tell there, or else the model's own best word. `answers` are ids by place instead.
    """
    reading = as_reading(model, text)
    check_tells(reading.model)
    if reading.model.config.head != "words":
        raise ValueError(
            f"this model tells {TELLS[reading.model.config.head]}, and no words that layers could be asked for; load "
            "one with head=words"
        )
    tokenizer = tokenizer_of(reading.model)
    if not 1 <= top <= tokenizer.vocab_size:
        raise ValueError(f"top={top}: how many words to tell; choose from 1 to {tokenizer.vocab_size}")
    asked = asked_at(reading, places if answers is None else list(answers)) | dict(answers or {})
    log_p = log_softmax(lens_logits(reading, list(asked)).astype(np.float64))  # (L + 1, k, V)
    at_answer = np.take_along_axis(log_p, np.array(list(asked.values()))[None, :, None], -1)
    known = log_p[..., : tokenizer.vocab_size]
    best = best_of(known, top)
    last = log_p[-1]
    return LogitLens(
        pieces=reading.pieces,
        places=tuple(asked),
        words=tuple(
            tuple(tuple(word_of(int(i), tokenizer) for i in at_place) for at_place in layer) for layer in best
        ),
        probabilities=np.exp(np.take_along_axis(known, best, -1)),
        answers=tuple(word_of(i, tokenizer) for i in asked.values()),
        answer_probability=np.exp(at_answer[..., 0]),
        rank=(log_p > at_answer).sum(-1),
        divergence=(np.exp(last) * (last - log_p)).sum(-1),
    )


def best_of(values: Array, top: int) -> Array:
    """The places of the `top` largest along the last axis, the largest first; to sort all would take far longer."""
    some = np.argpartition(-values, top - 1, axis=-1)[..., :top]
    order = np.argsort(-np.take_along_axis(values, some, -1), axis=-1, kind="stable")
    return np.take_along_axis(some, order, -1)


def asked_at(reading: Reading, places: Sequence[int] | None) -> dict[int, int]:
    """Ids by place: what was to be told, or the model's own best word at places that are chosen."""
    question = ask(reading)
    asked = dict(zip(question.places, question.answers, strict=True))
    if places is None:
        return asked
    T = len(reading.pieces)
    if not places or not all(0 <= place < T for place in places):
        raise ValueError(f"places {list(places)}: choose some from 0 to {T - 1}")
    best = reading.passed.logits[0, :, : tokenizer_of(reading.model).vocab_size].argmax(-1)
    return {place: asked.get(place, int(best[place])) for place in places}


def lens_logits(reading: Reading, places: Sequence[int]) -> Array:
    """(L + 1, k, V)"""
    network = reading.model.network
    names = [EMBEDDED, *layered(reading.model, OUT)]
    states = np.concatenate([reading.passed.arrays[name] for name in names])  # (L + 1, T, H)
    t = Trace(reading.model.arena, keeps=False)
    hidden = network.final_norm.forward(states[:, list(places)], t / "final_norm")
    return network.head.forward(hidden, t / "head")
