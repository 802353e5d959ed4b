"""Weights with two uses: a part that has none of its own, but those of another."""

from dataclasses import dataclass

from mini_bert.core.array import Array
from mini_bert.core.layer import Layer, Weight
from mini_bert.core.trace import Trace


@dataclass(frozen=True)
class Tied(Layer):
    """The layer inside, with a weight borrowed: output words that are the rows of E (Press & Wolf 2017)"""

    body: Layer
    weight: str = "embeddings.token.weight"

    def all_weights(self) -> dict[str, Weight]:
        return {name: weight for name, weight in self.body.all_weights().items() if name != "weight"}

    def forward(self, x: Array, t: Trace) -> Array:
        return self.body.forward(x, t.borrowing("weight", self.weight))

    def backward(self, dy: Array, t: Trace) -> Array:
        return self.body.backward(dy, t.borrowing("weight", self.weight))


@dataclass(frozen=True)
class Neighbours(Layer):
    """The layer inside, with all its weights those of a layer beside the part it belongs to, given by its name"""

    body: Layer
    name: str

    def all_weights(self) -> dict[str, Weight]:
        return {}

    def forward(self, x: Array, t: Trace) -> Array:
        return self.body.forward(x, self.at_neighbours(t))

    def backward(self, dy: Array, t: Trace) -> Array:
        return self.body.backward(dy, self.at_neighbours(t))

    def at_neighbours(self, t: Trace) -> Trace:
        around = t.home.split(".")[:-3]  # without the part, our name in it, and nothing after the last dot
        return t.living_at(".".join([*around, self.name]))


@dataclass(frozen=True)
class Shared(Layer):
    """The layer inside, with all its weights those of the same layer at another place, given by its full name"""

    body: Layer
    owner: str

    def all_weights(self) -> dict[str, Weight]:
        return {}

    def forward(self, x: Array, t: Trace) -> Array:
        return self.body.forward(x, t.living_at(self.owner))

    def backward(self, dy: Array, t: Trace) -> Array:
        return self.body.backward(dy, t.living_at(self.owner))
