"""What the guide hands over as plain arrays, in the form that analyses take."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import nan
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from mini_bert.analysis.gradient_flow import GradientFlow, Magnitudes, WeightGradient
from mini_bert.analysis.history import History, itself
from mini_bert.analysis.lessons import Given, One, as_lesson, lesson_of
from mini_bert.analysis.places import kind_of, place_name
from mini_bert.analysis.sizes import sizes_of
from mini_bert.core.arena import Arena
from mini_bert.core.array import Array
from mini_bert.core.layer import Weight
from mini_bert.evaluation.intrinsic.one_batch import Lesson
from mini_bert.guide import mlm_targets
from mini_bert.models.inputs import checked_ids
from mini_bert.models.mini import MiniBERT
from mini_bert.models.names import ByAnyName, dotted, short
from mini_bert.training.inspection import layer_of
from mini_bert.training.objectives import MaskedBatch

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Batch = Given | tuple[Array, Array, Array]
"""A text, several, a reading, a batch, or what `mask_tokens` gives: (input_ids, target_ids, mask_positions)."""


@dataclass(frozen=True)
class GradientsAtStep(Magnitudes):
    """‖g‖ by layer and kind of part, at a step of training if it is told; nothing is known of the weights."""

    step: int | None = None

    def figure(self) -> Figure:
        from mini_bert.plots.heat import heat

        with np.errstate(divide="ignore"):
            logarithms = np.log10(np.where(self.norms > 0, self.norms, np.nan))
        rows = [place_name(layer) for layer in self.layers]
        when = "" if self.step is None else f", step {self.step:,}"
        return heat(logarithms, rows, self.kinds, f"log₁₀ ‖gradient‖{when}", "", "weights of")


def gradients_at_step(gradients: Mapping[str, Any], step: int | None = None) -> GradientsAtStep:
    """Of gradients by dotted or short name, such as `MiniBERTGradients(model).gradients`."""
    arrays = gradients.arrays if isinstance(gradients, ByAnyName) else gradients
    if not arrays:
        raise ValueError("gradients: there are none; run the backward pass first")
    found = GradientFlow(
        nan,
        (),
        tuple(
            WeightGradient(
                short(dotted(name)),
                dotted(name),
                kind_of(dotted(name)),
                layer_of(dotted(name)),
                np.shape(gradient),
                *sizes_of(np.asarray(gradient)),
                nan,
            )
            for name, gradient in arrays.items()
        ),
    ).magnitudes
    return GradientsAtStep(found.layers, found.kinds, found.norms, found.ratios, step)


def history_of_params(params_history: Iterable[Any], steps: Sequence[int] | None = None) -> History:
    """Weights at several moments, as models or as arrays by name; `steps` are 0, 1, 2, … unless they are told."""
    moments = [one if isinstance(one, MiniBERT) else snapshot(one) for one in params_history]
    told = list(range(len(moments))) if steps is None else [int(step) for step in steps]
    if len(moments) < 2 or len(told) != len(moments):
        raise ValueError(
            f"{len(moments)} moments, {len(told)} steps: give two or more, and a step for each of them"
        )
    return History(tuple(told), tuple(partial(itself, one) for one in moments))


def snapshot(params: Mapping[str, Any]) -> MiniBERT:
    """Weights that have no model: all that is asked of one here is its arena."""
    arrays = params.arrays if isinstance(params, ByAnyName) else params
    arena = Arena({dotted(name): Weight(np.shape(one), "matrix") for name, one in arrays.items()}, np.float64)
    for name, one in arrays.items():
        arena[dotted(name)][...] = one
    return cast(MiniBERT, SimpleNamespace(arena=arena))


def lesson_from(model: MiniBERT, data_batch: Batch) -> Lesson:
    """A batch that a loss can be asked of."""
    if isinstance(data_batch, One):
        return as_lesson(model, data_batch)
    if isinstance(data_batch, tuple) and not isinstance(data_batch[0], str):
        return as_lesson(model, masked_batch(model, *data_batch))
    return lesson_of(model, [str(text) for text in data_batch])


def masked_batch(model: MiniBERT, input_ids: Any, target_ids: Any, mask_positions: Any) -> MaskedBatch:
    """From arrays (B, T), of which some places are asked for, to positions (B, k); rows that have fewer count less."""
    ids = checked_ids(input_ids, model.config)
    logits = np.broadcast_to(np.empty((), model.dtype), (*ids.shape, model.config.vocab_size))
    labels, weights = mlm_targets(logits, target_ids, mask_positions)
    k = int((weights > 0).sum(1).max())
    places = np.argsort(weights == 0, axis=1, kind="stable")[:, :k]
    labels, weights = (np.take_along_axis(one, places, 1) for one in (labels, weights))
    return MaskedBatch(ids, places, labels, weights)
