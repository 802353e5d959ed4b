"""The walk from the loss back to the embeddings: a step for each gradient that the backward pass leaves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mini_bert.analysis.gradient_flow import ActivationGradient, GradientFlow
from mini_bert.analysis.gradient_story import derivative
from mini_bert.analysis.graph.graph import Graph
from mini_bert.analysis.graph.loss import LOSS
from mini_bert.analysis.graph.operation import Operation
from mini_bert.analysis.reading import Reading
from mini_bert.analysis.sums import called
from mini_bert.core.array import Array
from mini_bert.explorer.learning.in_words import all_told, plain
from mini_bert.explorer.mathml import mathml
from mini_bert.models.names import as_short


def walk_back(reading: Reading, flow: GradientFlow) -> list[dict[str, Any]]:
    """The steps in the order of the backward pass, each with the weights that get their gradient there."""
    graph = reading.graph
    arrays = reading.passed.activation_gradients.arrays
    steps = [one for one in flow.activations if not one.dotted.startswith("generator.")]
    names = {one.dotted for one in steps}
    weights = weights_by_step(graph, [one.dotted for one in steps])
    norms = {one.dotted: one.norm for one in steps}
    return [
        step_of(one, graph, names, arrays[one.dotted], len(reading.ids))
        | beside_source(one, graph, norms)
        | {"weights": [weight_of(name, graph, flow) for name in weights.get(one.dotted, ())]}
        for one in steps
    ]


def beside_source(one: ActivationGradient, graph: Graph, norms: Mapping[str, float]) -> dict[str, Any]:
    """‖g‖ beside that of the step it comes back from, of several the largest; None at the loss."""
    reached = (one.dotted, *unnamed_behind(graph, one.dotted, set(norms)))
    sources = {reader.output for name in reached for reader in graph.used[name]} & norms.keys()
    if not sources:
        return {"ratio": None, "ratio_to": None}
    largest = max(sources, key=lambda name: norms[name])
    return {"ratio": one.norm / norms[largest] if norms[largest] else None, "ratio_to": called(largest)}


def step_of(
    one: ActivationGradient, graph: Graph, names: set[str], gradient: Array, pieces: int
) -> dict[str, Any]:
    readers = graph.used[one.dotted]
    text, latex = derivative(one.dotted, [reader.derivative(one.dotted) for reader in readers])
    behind = unnamed_behind(graph, one.dotted, names)
    said = [
        (reader, name)
        for name in (one.dotted, *behind)
        for reader in graph.used[name]
        if not (reader.kind == "same" and reader.output in behind)
    ]
    return {
        "name": called(one.dotted),
        "dotted": one.dotted,
        "plain": plain(one.dotted),
        "group": group_of(one),
        "kind": one.kind,
        "is_same": [reader.kind for reader in readers] == ["same"] and not behind,
        "equation": text,
        "mathml": mathml(latex),
        "behind": [equation_of(name, graph) for name in behind],
        "words": all_told([reader for reader, _ in said], said[0][1] if said else one.dotted),
        "parts": [part_of(reader, one.dotted, names) for reader in readers],
        "shape": list(one.shape),
        "norm": one.norm,
        "rms": one.rms,
        "zeros": one.zeros,
        "mean": float(gradient.mean()),
        "smallest": float(gradient.min()),
        "largest": float(gradient.max()),
        "activation_rms": one.activation_rms,
        "pull": one.pull,
        "pieces": norm_by_piece(gradient, pieces),
    }


def unnamed_behind(graph: Graph, name: str, names: set[str]) -> tuple[str, ...]:
    """What reads `name` and has no step of its own, like turned queries, and what reads that, until there are steps."""
    found: dict[str, None] = {}
    waiting = [name]
    while waiting:
        for reader in graph.used[waiting.pop()]:
            if reader.output not in names and reader.output != LOSS and reader.output not in found:
                found[reader.output] = None
                waiting.append(reader.output)
    return tuple(found)


def part_of(reader: Operation, name: str, names: set[str]) -> dict[str, Any]:
    text, latex = reader.derivative(name).whole
    return {
        "through": reader.output if reader.output in names else None,
        "name": called(reader.output),
        "operation": reader.kind,
        "equation": text,
        "mathml": mathml(latex),
    }


def equation_of(name: str, graph: Graph) -> dict[str, Any]:
    """The derivative of anything that has one, in letters and as a formula."""
    text, latex = derivative(name, [reader.derivative(name) for reader in graph.used[name]])
    return {"name": called(name), "equation": text, "mathml": mathml(latex)}


def weights_by_step(graph: Graph, steps: list[str]) -> Mapping[str, list[str]]:
    """By step, the weights of the operation that made it: with the gradient of its output, theirs is known too.

    Weights of an operation whose output is no step get theirs at the first step after it that it was made of.
    """
    order = {name: number for number, name in enumerate(steps)}
    found: dict[str, list[str]] = {}
    for operation in reversed(graph.order):
        if not operation.weights:
            continue
        below = [order[name] for name in operation.inputs if name in order]
        at = operation.output if operation.output in order else steps[min(below, default=len(steps) - 1)]
        found.setdefault(at, []).extend(operation.weights)
    return {at: list(dict.fromkeys(names)) for at, names in found.items()}


def weight_of(name: str, graph: Graph, flow: GradientFlow) -> dict[str, Any]:
    (found,) = (one for one in flow.weights if one.dotted == name)
    uses = len(graph.used[name])
    return {
        **equation_of(name, graph),
        "name": found.name,
        "dotted": name,
        "shape": list(as_short(name, found.shape)),
        "norm": found.norm,
        "weight_norm": found.weight_norm,
        "zeros": found.zeros,
        "uses": uses,
    }


def norm_by_piece(gradient: Array, pieces: int) -> Array | None:
    """‖g‖ of each piece's own numbers (T,): rows, all heads together; of scores, those of the piece that looks."""
    axis = {3: 1, 4: 2}.get(gradient.ndim)
    if axis is None or len(gradient) != 1 or gradient.shape[axis] != pieces:
        return None
    rows = np.moveaxis(gradient[0], axis - 1, 0).reshape(pieces, -1)
    found: Array = np.linalg.norm(rows, axis=1)
    return found


def shares_by_piece(reading: Reading, flow: GradientFlow) -> dict[str, Any]:
    """Of what layers hand on (layers, T): ‖g‖ of each piece, and its share of all ‖g‖², from the last layer down."""
    arrays = reading.passed.activation_gradients.arrays
    rows = {one: norm_by_piece(arrays[one.dotted], len(reading.ids)) for one in flow.stream}
    known = {one: row for one, row in rows.items() if row is not None}
    norms = np.array(list(known.values()), np.float64).reshape(len(known), len(reading.ids))
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = norms**2 / (norms**2).sum(1, keepdims=True)
    return {
        "layers": ["embeddings" if one.layer is None else f"after layer {one.layer}" for one in known],
        "steps": [one.dotted for one in known],
        "norms": norms,
        "shares": shares,
    }


def group_of(one: ActivationGradient) -> str:
    if one.layer is not None:
        return f"Layer {one.layer}"
    return "Embeddings" if one.dotted.startswith("embeddings.") else "Head"
