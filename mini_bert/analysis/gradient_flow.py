"""How the gradient flows from the loss back to the embeddings, and what of it reaches each weight.

    flow = gradient_flow(model, read(model, "The cat sat on the [MASK].", target="mat"))
    flow.activations          # in the order of the backward pass
    flow.magnitudes           # of the weights, by layer and kind of part
    flow.verdict              # "vanishing: ..." and the like; empty if nothing is out of the ordinary

The gradient's size itself says little: it goes with the loss. What counts is how it compares from layer to layer.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mini_bert.analysis.backward_pass import BackwardPass, backward_pass
from mini_bert.analysis.lessons import Given
from mini_bert.analysis.places import KINDS, Kind, kind_of, layer_number, place_name
from mini_bert.analysis.shown import Shown
from mini_bert.analysis.sizes import norm_of, sizes_of, together
from mini_bert.core.array import Array
from mini_bert.diagnosis.causes.in_models import VANISHED
from mini_bert.evaluation.intrinsic.gradient_health import judgements
from mini_bert.evaluation.intrinsic.gradients_measured import TINY, Health, LayerHealth
from mini_bert.models.mini import MiniBERT
from mini_bert.models.names import short
from mini_bert.models.passes import Pass
from mini_bert.training.inspection import layer_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SAME_AS_NEXT = ".attn.mixed"
"""Attention weights after dropout: without it they are those before, which follow."""


class ActivationGradient(NamedTuple):
    """dLoss/d(activation): ‖g‖, √(mean g²), the share of entries that are exactly 0; and √(mean x²) of x itself."""

    name: str
    dotted: str
    kind: Kind
    layer: int | None
    shape: tuple[int, ...]
    norm: float
    rms: float
    zeros: float
    activation_rms: float

    @property
    def pull(self) -> float:
        """‖g‖ · √(mean x²): how far the loss would go with a change as large as x is itself, along g, about.

        Where numbers are small, gradients are large: this compares places whose numbers differ in size.
        """
        return self.norm * self.activation_rms


class WeightGradient(NamedTuple):
    """dLoss/d(weight), the same; and ‖w‖. A weight with two uses, like a tied table, has the sum of both."""

    name: str
    dotted: str
    kind: Kind
    layer: str
    shape: tuple[int, ...]
    norm: float
    rms: float
    zeros: float
    weight_norm: float

    @property
    def ratio(self) -> float:
        """‖g‖ / ‖w‖; nan of weights that are all 0"""
        return self.norm / self.weight_norm if self.weight_norm else float("nan")


@dataclass(frozen=True)
class Magnitudes(Shown):
    """‖g‖ and ‖g‖ / ‖w‖ (layers, kinds) of all weights of a kind in a layer together; nan where there are none."""

    layers: tuple[str, ...]
    kinds: tuple[Kind, ...]
    norms: Array
    ratios: Array

    def figure(self) -> Figure:
        from mini_bert.plots.heat import heat

        with np.errstate(divide="ignore"):
            logarithms = np.log10(np.where(self.norms > 0, self.norms, np.nan))
        rows = [place_name(layer) for layer in self.layers]
        return heat(logarithms, rows, self.kinds, "log₁₀ ‖gradient‖", "", "weights of")


@dataclass(frozen=True)
class GradientFlow(Shown):
    """The gradient at every activation, in the order of the backward pass, and of every weight."""

    loss: float
    activations: tuple[ActivationGradient, ...]
    weights: tuple[WeightGradient, ...]

    @cached_property
    def norm(self) -> float:
        """‖g‖ of all weights together"""
        return together(weight.norm for weight in self.weights)

    @cached_property
    def stream(self) -> tuple[ActivationGradient, ...]:
        """What layers hand on to one another, from the last layer's output down to the embeddings."""
        return tuple(
            one
            for one in self.activations
            if one.dotted == "embeddings.out"
            or (
                one.kind == "residual stream"
                and one.dotted.endswith(".out")
                and one.dotted.startswith("encoder.")
            )
        )

    @cached_property
    def passed_on(self) -> dict[int, float]:
        """By layer, ‖gradient of what it reads‖ / ‖gradient of what it says‖: below 1 it gets smaller on its way."""
        found = {}
        for above, below in zip(self.stream, self.stream[1:], strict=False):
            assert above.layer is not None
            found[above.layer] = below.norm / max(above.norm, TINY)
        return found

    @cached_property
    def magnitudes(self) -> Magnitudes:
        layers = tuple(dict.fromkeys(weight.layer for weight in self.weights))
        kinds = tuple(kind for kind in KINDS if any(weight.kind == kind for weight in self.weights))
        squares = np.full((2, len(layers), len(kinds)), np.nan)
        for weight in self.weights:
            at = layers.index(weight.layer), kinds.index(weight.kind)
            before = np.nan_to_num(squares[:, *at], posinf=np.inf)
            squares[:, *at] = before + np.square([weight.norm, weight.weight_norm])
        gradient, own = np.sqrt(squares)
        with np.errstate(divide="ignore", invalid="ignore"):
            return Magnitudes(layers, kinds, gradient, np.where(own > 0, gradient / own, np.nan))

    @cached_property
    def health(self) -> Health:
        """As `mini-bert evaluate` measures it on a batch: by layer, with the figures that have bands of sound runs."""
        layers = {}
        for layer in dict.fromkeys(weight.layer for weight in self.weights):
            own = [weight for weight in self.weights if weight.layer == layer]
            sizes = [int(np.prod(weight.shape)) for weight in own]
            zeros = sum(size * weight.zeros for size, weight in zip(sizes, own, strict=True)) / sum(sizes)
            layers[layer] = LayerHealth(
                together(weight.norm for weight in own),
                together(weight.weight_norm for weight in own),
                zeros,
            )
        return Health(self.loss, self.norm, layers, {}, None)

    @cached_property
    def verdict(self) -> tuple[str, ...]:
        """What is wrong, in words, by the bands of `mini_bert.diagnosis`; nothing if nothing is.

        Where layers share their weights, those say nothing of the depth, and the activations between them are judged.
        """
        found = judgements(self.health)
        numbers = [*(one.norm for one in self.activations), *(one.norm for one in self.weights)]
        if not found and not all(map(isfinite, numbers)):
            found.append("exploding: some gradients are not finite")
        if not found and len(self.stream) > 1:
            whole = self.stream[-1].norm / max(self.stream[0].norm, TINY)
            if whole < VANISHED:
                found.append(
                    f"vanishing: {whole:.2g} of the gradient at the last layer reaches the embeddings"
                )
            elif whole > 1 / VANISHED:
                found.append(
                    f"exploding: the gradient at the embeddings is {whole:.2g} times that at the last layer"
                )
        return tuple(found)

    def figure(self) -> Figure:
        from mini_bert.plots.backward_flow import FlowPoint, backward_flow

        points = [
            FlowPoint(one.kind, one.norm, label_of(one) if one in self.stream else "")
            for one in self.activations
            if not one.dotted.startswith("generator.")
        ]
        return backward_flow(points, "‖gradient‖ at the activation", KINDS)


def gradient_flow(model: MiniBERT, given: Given | Pass) -> GradientFlow:
    """Of a text (every piece is to be told), a reading, a pass with labels, or a batch."""
    return flow_of(backward_pass(model, given))


def flow_of(seen: BackwardPass) -> GradientFlow:
    with np.errstate(over="ignore", invalid="ignore"):
        return GradientFlow(
            seen.loss,
            tuple(
                ActivationGradient(
                    short(dotted),
                    dotted,
                    kind_of(dotted),
                    layer_number(dotted),
                    gradient.shape,
                    *sizes_of(gradient),
                    sizes_of(seen.activations[dotted])[1],
                )
                for dotted, gradient in seen.activation_gradients.items()
                if not dotted.endswith(SAME_AS_NEXT)
            ),
            tuple(
                WeightGradient(
                    short(dotted),
                    dotted,
                    kind_of(dotted),
                    layer_of(dotted),
                    gradient.shape,
                    *sizes_of(gradient),
                    norm_of(seen.weights[dotted]),
                )
                for dotted, gradient in seen.gradients.items()
            ),
        )


def label_of(one: ActivationGradient) -> str:
    return "embeddings" if one.layer is None else f"layer {one.layer}"
