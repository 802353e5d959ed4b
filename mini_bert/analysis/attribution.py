"""Which pieces of a text made the model answer so?

gradient × input:       s_i = x_i · ∂y/∂x_i
integrated gradients:   s_i = (x_i − x̄_i) · ∫₀¹ ∂y/∂x_i (x̄ + α (x − x̄)) dα,  so that  Σ s_i = y(x) − y(x̄)

x are the token embeddings, y the answer's logit, log-probability or loss, x̄ a text that says nothing
(Shrikumar et al. 2016; Sundararajan et al. 2017).

found = integrated_gradients(model, "a cow says [MASK] .")
found.scores                              # (T,), one for each piece
found.error                               # Σ scores − (y(x) − y(x̄)): how far the sum misses what it must be
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from mini_bert.analysis.question import Answer, Measure, Question, ask, tell, tell_backward
from mini_bert.analysis.reading import Reading, as_reading, without_hooks
from mini_bert.analysis.shown import Shown
from mini_bert.core.arena import Arena
from mini_bert.core.array import Array
from mini_bert.core.trace import Trace
from mini_bert.errors import unknown
from mini_bert.inference.reading import tokenizer_of
from mini_bert.models.mini import MiniBERT

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Baseline = Literal["mask", "zeros", "mean"]
BASELINES: tuple[Baseline, ...] = ("mask", "zeros", "mean")
TOKENS = "embeddings.tokens"
FEWEST, MANY, MOST = 15, 127, 255
"""Points of α: so many at first, twice as many until the sum fits, at most so many, or fewer if that is no help."""
STANDSTILL = 0.9
CLOSE_ENOUGH = 0.01
"""Of what the scores amount to, Σ |s_i|."""
TOKENS_AT_ONCE = 1024


@dataclass(frozen=True)
class Attribution(Shown):
    """`scores` (T,) of the pieces for the answer `names`: positive ones raised the measure, negative ones lowered it.

    `value` is the measure of the text. Of integrated gradients, `baseline_value` is that of the text that says nothing,
    `error` what the scores sum to beyond the difference of the two, and `steps` at how many points the gradient was
    taken; gradient × input has none of these.
    """

    pieces: tuple[str, ...]
    scores: Array
    places: tuple[int, ...]
    names: tuple[str, ...]
    measure: Measure
    value: float
    baseline_value: float | None = None
    error: float | None = None
    steps: int = 1

    def figure(self) -> Figure:
        from mini_bert.plots.bars import Bar, bars

        entries = [
            Bar(f"{place} {piece}", float(score))
            for place, (piece, score) in enumerate(zip(self.pieces, self.scores, strict=True))
        ]
        asked = self.names[0] if len(self.names) == 1 else f"{len(self.names)} answers"
        return bars(entries, f"share in the {self.measure} of {asked}")


def gradient_times_input(
    model: MiniBERT | Reading,
    text: str | None = None,
    *,
    answer: Answer | None = None,
    measure: Measure = "logit",
) -> Attribution:
    """How fast the measure changes if a piece's embedding grows: one backward pass.

    Where a norm follows the embeddings and nothing was added to them, as in DeBERTa, their size is taken away at once
    and all scores are near zero, whatever the pieces do: there integrated gradients tell more.
    """
    reading = without_hooks(as_reading(model, text))
    question = ask(reading, answer, measure)
    x = token_embeddings(reading)
    values, slopes = values_and_slopes(reading, question, x[None])
    return Attribution(
        reading.pieces,
        (x * slopes[0]).sum(-1, dtype=np.float64),
        question.places,
        question.names,
        measure,
        float(values[0]),
    )


def integrated_gradients(
    model: MiniBERT | Reading,
    text: str | None = None,
    *,
    answer: Answer | None = None,
    measure: Measure = "logit",
    baseline: Baseline = "mask",
    steps: int | None = None,
    go_on: Callable[[], None] = lambda: None,
) -> Attribution:
    """The gradient on the way from a text that says nothing to this one.

    There every ordinary piece is [MASK] (`mask`), the zero vector (`zeros`), or the mean of all embeddings (`mean`);
    special tokens stay as they are. The integral is taken over `steps` points, by default as many as it takes
    until the sum misses by less than one hundredth of what the scores amount to. Between zeros and a text a model
    without added positions jumps, for its first norm makes all but zero alike: then the error stays, and is told.
    `go_on` is called before each batch of points, and may raise to stop.
    """
    reading = without_hooks(as_reading(model, text))
    question = ask(reading, answer, measure)
    if steps is not None and steps < 1:
        raise ValueError(f"steps={steps}: at how many points the gradient is taken; choose 1 or more")
    x = token_embeddings(reading)
    start = baseline_embeddings(reading, baseline, x)
    (value, nothing), _ = values_and_slopes(reading, question, np.stack([x, start]), need_slopes=False)
    way = Way(reading, question, start, x, go_on)
    points, error = steps or FEWEST, float("inf")
    while True:
        scores = way.integral(points)
        error, before = float(scores.sum() - (value - nothing)), error
        is_close = abs(error) <= CLOSE_ENOUGH * abs(scores).sum()
        is_hopeless = points >= MANY and abs(error) > STANDSTILL * abs(before)
        if steps is not None or is_close or is_hopeless or points >= MOST:
            break
        points = 2 * points + 1
    return Attribution(
        reading.pieces,
        scores,
        question.places,
        question.names,
        measure,
        float(value),
        float(nothing),
        error,
        points,
    )


class Way:
    """The straight way from one text to another, and what each piece contributes at points of it.

    Its rule is Fejér's second: the integral over u = cos θ at n equal steps of θ, without the ends. With twice as many
    steps the points of before are among the new ones, and need not be asked again.
    """

    def __init__(
        self, reading: Reading, question: Question, start: Array, end: Array, go_on: Callable[[], None]
    ) -> None:
        self.reading, self.question = reading, question
        self.start, self.end = start, end
        self.go_on = go_on
        self.known: dict[float, Array] = {}

    def integral(self, points: int) -> Array:
        """Σ w_k (x − x̄) · ∂y/∂x at α_k          (T,)"""
        angles = np.pi * np.arange(1, points + 1) / (points + 1)
        alphas = (1 + np.cos(angles)) / 2
        self.ask([float(alpha) for alpha in alphas if float(alpha) not in self.known])
        weights = fejer_weights(angles) / 2
        found: Array = sum(w * self.known[float(alpha)] for w, alpha in zip(weights, alphas, strict=True))
        return found

    def ask(self, alphas: Sequence[float]) -> None:
        difference = self.end - self.start
        at_once = max(1, TOKENS_AT_ONCE // len(difference))
        for first in range(0, len(alphas), at_once):
            self.go_on()
            some = alphas[first : first + at_once]
            path = self.start + np.array(some, difference.dtype)[:, None, None] * difference
            _, slopes = values_and_slopes(self.reading, self.question, path)
            contributions = (difference * slopes).sum(-1, dtype=np.float64)  # (N, T)
            self.known.update(zip(some, contributions, strict=True))


def fejer_weights(angles: Array) -> Array:
    """w_k = (4 / n) sin θ_k Σ_{j odd < n} sin(j θ_k) / j, for n − 1 angles θ_k = kπ/n: Σ w f(cos θ) ≈ ∫₋₁¹ f"""
    n = len(angles) + 1
    odd = np.arange(1, n, 2)
    weights: Array = 4 / n * np.sin(angles) * (np.sin(np.outer(angles, odd)) / odd).sum(1)
    return weights


def values_and_slopes(
    reading: Reading, question: Question, x: Array, need_slopes: bool = True
) -> tuple[Array, Array]:
    """The measure (N,) of texts with token embeddings x (N, T, H), and its gradient there, (N, T, H)."""
    model, N = reading.model, len(x)
    network = model.network
    t = Trace(
        model.arena,
        Arena(network.all_weights(), model.dtype) if need_slopes else None,
        inputs={name: np.repeat(values, N, axis=0) for name, values in reading.passed.trace.inputs.items()},
        watch=(TOKENS,),
        hooks={TOKENS: lambda _: x},
        keeps=need_slopes,
    )
    hidden = network.encode(np.repeat(reading.ids[None], N, axis=0), t)
    told = tell(model, hidden, question.places, t)
    values = question.values(told)
    if need_slopes:
        dhidden = tell_backward(model, question.slopes(told), hidden, question.places, t)
        network.encode_backward(dhidden, t)
    return values, t.act_grads.get(TOKENS, np.empty(0))


def token_embeddings(reading: Reading) -> Array:
    """(T, H)"""
    found: Array = reading.model.token_embeddings[reading.ids]
    return found


def baseline_embeddings(reading: Reading, baseline: Baseline, x: Array) -> Array:
    """(T, H)"""
    tokenizer, table = tokenizer_of(reading.model), reading.model.token_embeddings
    if baseline not in BASELINES:
        raise ValueError(unknown("baseline", baseline, list(BASELINES)))
    if baseline == "mask" and tokenizer.roles.mask is None:
        raise ValueError("baseline 'mask': this vocabulary has no [MASK]; choose zeros or mean")
    row = {
        "mask": lambda: table[tokenizer.token_to_id[tokenizer.roles.mask or ""]],
        "zeros": lambda: np.zeros_like(table[0]),
        "mean": lambda: table.mean(0),
    }[baseline]()
    return np.where(reading.special[:, None], x, row.astype(x.dtype))
