"""The graph of a pass: every activation with the operation that made it, and who reads it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping

from mini_bert.analysis.graph.operation import Between, Made, Numbers, Operation
from mini_bert.core.array import Array
from mini_bert.models.passes import Pass


class Graph:
    """`made[name]` is what an activation is made of; `used[name]` who reads it, or a weight, on the way to the loss.

    `order` are the operations of the pass, from the text to the loss. What a layer only keeps for its backward pass is
    in `made`, and stands beside the way.
    """

    def __init__(self, passed: Pass) -> None:
        self.passed = passed
        self.made: dict[str, Made] = {}
        self.used: dict[str, list[Operation]] = defaultdict(list)
        self.order: list[Operation] = []
        self.numbers = Numbers(
            passed.trace.acts, passed.trace.params, lambda: passed.activation_gradients.arrays
        )

    def gradients(self) -> Mapping[str, Array]:
        return self.passed.activation_gradients.arrays

    def add(self, operation: Operation) -> str:
        """The next operation; returns the name of what it makes."""
        self.made[operation.output] = operation
        self.order.append(operation)
        for name in dict.fromkeys((*operation.inputs, *operation.weights)):
            self.used[name].append(operation)
        return operation.output

    def beside(self, made: Made) -> None:
        """What is kept and not read on: only if this pass has it, and no step of the way makes it."""
        if made.output in self.passed.trace.acts:
            self.made.setdefault(made.output, made)

    def between(
        self, name: str, value: Callable[[Numbers], Array], gradient: Callable[[Numbers], Array]
    ) -> str:
        """Name an array that the pass leaves without a name, or its gradient."""
        self.numbers.between[name] = Between(value, gradient)
        return name
