"""The forward pass step by step: each activation with what it is made of, its equation, and its numbers summed up.

steps = forward_steps(read(model, "the cat sat"))
steps["Q_0"].equation             # "Q_0 = embeddings W_Q_0 + b_Q_0"
steps["Q_0"].inputs               # ("embeddings.out",): edges of a diagram
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mini_bert.analysis.graph.graph import Graph
from mini_bert.analysis.graph.operation import Operation
from mini_bert.analysis.graph.walk import graph_of
from mini_bert.analysis.reading import Reading
from mini_bert.analysis.shown import Shown
from mini_bert.core.array import Array
from mini_bert.errors import unknown
from mini_bert.models.names import dotted, find, short
from mini_bert.models.passes import Pass

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Step:
    """An activation of the forward pass: its equation, and its numbers summed up.

    `inputs` and `weights` are the dotted names of what it is made of; `kind` names the operation ("same": the same
    numbers under another name). `in_guide` is the guide's equation for the plain Mini-BERT, if it has the step.
    `entropy` is that of attention weights, in nats, the mean over the queries of each head.
    """

    name: str
    dotted: str
    kind: str
    equation: str
    latex: str
    in_guide: str
    inputs: tuple[str, ...]
    weights: tuple[str, ...]
    shape: tuple[int, ...]
    mean: float
    std: float
    min: float
    max: float
    entropy: list[float] | None

    @property
    def group(self) -> str:
        """The part of the model that the step belongs to."""
        match self.dotted.split("."):
            case ["embeddings", *_]:
                return "Embeddings"
            case ["encoder", "layers", i, "attn", *_]:
                return f"Layer {i}: attention"
            case ["encoder", "layers", i, *_]:
                return f"Layer {i}: feed-forward"
        return "Head"


@dataclass(frozen=True)
class ForwardSteps(Shown):
    """All steps of a pass, in its order."""

    steps: tuple[Step, ...]

    def __getitem__(self, name: str) -> Step:
        """A step by dotted or short name."""
        for step in self.steps:
            if step.dotted == dotted(name):
                return step
        raise KeyError(unknown("step", name, [step.name for step in self.steps]))

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __len__(self) -> int:
        return len(self.steps)

    def figure(self) -> Figure:
        from mini_bert.plots.spreads import Spread, spreads

        return spreads(
            [
                Spread(step.name, step.group, step.mean, step.std, step.min, step.max)
                for step in self.steps
                if step.in_guide
            ],
            "value: all of them, and mean ± standard deviation",
        )


def forward_steps(reading: Reading | Pass) -> ForwardSteps:
    """The steps of a text's pass, from the rows of the tables to the logits."""
    graph = graph_of(reading) if isinstance(reading, Pass) else reading.graph
    return ForwardSteps(tuple(step_of(one, graph) for one in graph.order if one.kind != "loss"))


def step_of(operation: Operation, graph: Graph) -> Step:
    x, row = graph.numbers[operation.output], find(operation.output, "dotted")
    return Step(
        short(operation.output),
        operation.output,
        operation.kind,
        *operation.equation.whole,
        row[0].equation if row else "",
        operation.inputs,
        operation.weights,
        x.shape,
        mean=float(x.mean()),
        std=float(x.std()),
        min=float(x.min()),
        max=float(x.max()),
        entropy=entropy(x).tolist() if operation.kind == "softmax" else None,
    )


def entropy(probs: Array) -> Array:
    """−Σ p ln p of each head, the mean over its queries          (B, A, Tq, Tk) → (A,)"""
    nats = -(probs * np.log(np.maximum(probs, np.finfo(probs.dtype).tiny))).sum(-1)
    mean: Array = nats.mean((0, 2))
    return mean
