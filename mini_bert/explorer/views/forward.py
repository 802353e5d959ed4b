"""Forward: the pass as a diagram, from the rows of the tables to the scores of the words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mini_bert.analysis.forward_steps import Step, forward_steps
from mini_bert.analysis.graph.operation import symbol
from mini_bert.analysis.places import layer_number
from mini_bert.analysis.reading import Reading
from mini_bert.analysis.sums import called
from mini_bert.core.array import Array
from mini_bert.explorer.answers import Answer
from mini_bert.explorer.axes import activation_axes, spelled, weight_axes
from mini_bert.explorer.desk import Desk
from mini_bert.explorer.learning.in_words import plain
from mini_bert.explorer.mathml import mathml
from mini_bert.explorer.question import Asked
from mini_bert.explorer.step_words import face, sentence
from mini_bert.models.names import as_short, short


class ForwardAsked(Asked):
    """Nothing but the question."""


def give_forward(desk: Desk, asked: ForwardAsked) -> dict[str, Any]:
    """All steps in their order, and the blocks of the diagram that they stand in.

    `same_as` names the step whose numbers a step has under another name; the diagram shows one of them. `sizes`
    (steps, T) is the root mean square of each piece's numbers, NaN where a step has no pieces.
    """
    reading = desk.reading(asked.question)
    steps = list(forward_steps(reading))
    same_as = other_names(steps, reading)
    T = len(reading.ids)
    return {
        "pieces": list(reading.pieces),
        "special": reading.special.tolist(),
        "heads": reading.model.config.num_heads,
        "steps": [told(step, reading, same_as) for step in steps],
        "blocks": list(dict.fromkeys(block_of(step) for step in steps)),
        "sizes": np.array([sizes(reading.graph.numbers[step.dotted], T) for step in steps], np.float32),
    }


def told(step: Step, reading: Reading, same_as: Mapping[str, str]) -> dict[str, Any]:
    params = reading.passed.trace.params
    axes = activation_axes(step.dotted, step.shape, reading)
    return {
        "name": step.name,
        "dotted": step.dotted,
        "called": called(step.dotted),
        "face": face(step.dotted),
        "plain": plain(step.dotted),
        "words": sentence(step),
        "kind": step.kind,
        "group": step.group,
        "block": block_of(step),
        "part": part_of(step),
        "equation": step.equation,
        "mathml": mathml(step.latex),
        "symbol": mathml(symbol(step.dotted), inline=True),
        "in_guide": step.in_guide,
        "inputs": [short(name) for name in step.inputs],
        "weights": [
            {
                "name": short(name),
                "symbol": mathml(symbol(name), inline=True),
                "shape": list(as_short(name, params[name].shape)),
                "spelled": spelled(weight_axes(name, as_short(name, params[name].shape), reading)),
            }
            for name in step.weights
        ],
        "shape": list(step.shape),
        "spelled": spelled(axes),
        "statistics": {"mean": step.mean, "std": step.std, "min": step.min, "max": step.max},
        "entropy": step.entropy,
        "same_as": same_as.get(step.dotted),
        "changed": step.dotted in reading.passed.trace.hooks,
    }


def other_names(steps: list[Step], reading: Reading) -> dict[str, str]:
    """The short name of the step whose numbers a step has too, by its dotted name; a hook makes them its own."""
    found: dict[str, str] = {}
    for step in steps:
        if step.kind == "same" and step.dotted not in reading.passed.trace.hooks:
            (source,) = step.inputs
            found[step.dotted] = found.get(source, short(source))
    return found


def block_of(step: Step) -> str:
    """The block of the diagram: the embeddings, a layer, what stands between layers, or the head."""
    layer = layer_number(step.dotted)
    if layer is not None:
        return f"Layer {layer}"
    first = step.dotted.split(".")[0]
    return {"embeddings": "Embeddings", "encoder": "Between layers"}.get(first, "Head")


def part_of(step: Step) -> str:
    """Of a layer, which half a step belongs to."""
    parts = step.dotted.split(".")
    return {"attn": "attention", "ffn": "feed-forward"}.get(parts[3] if len(parts) > 3 else "", "")


def sizes(x: Array, T: int) -> Array:
    """√(mean x²) of each piece (T,); heads together, and of scores those of the piece that looks"""
    axis = {2: 1, 3: 1, 4: 2}.get(x.ndim)
    if axis is None or x.shape[axis] != T or len(x) != 1:
        return np.full(T, np.nan)
    rows = np.moveaxis(x[0], axis - 1, 0).reshape(T, -1).astype(np.float64)
    found: Array = np.sqrt((rows**2).mean(1))
    return found


ANSWERS = (Answer("forward", ForwardAsked, give_forward),)
