"""Tokens to vectors."""

from dataclasses import dataclass

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.functions.gather import embedding, embedding_backward
from mini_bert.core.layer import Identity, Layer, Part, Weight
from mini_bert.core.trace import Trace


@dataclass(frozen=True)
class TokenTable(Part):
    """x = E[ids], one row of H numbers per word piece"""

    V: int
    H: int

    def weights(self) -> dict[str, Weight]:
        return {"weight": Weight((self.V, self.H), "table")}

    def forward(self, ids: Array, t: Trace) -> Array:
        return embedding(t.keep("ids", ids), t.param("weight"))

    def backward(self, dx: Array, t: Trace) -> None:
        t.add_grad_rows("weight", *embedding_backward(dx, t["ids"]))


@dataclass(frozen=True)
class LearnedPositions(Layer):
    """y_i = x_i + P_i, one learned row per position"""

    T: int
    H: int

    def weights(self) -> dict[str, Weight]:
        return {"weight": Weight((self.T, self.H), "table")}

    def forward(self, x: Array, t: Trace) -> Array:
        return x + t.param("weight")[: x.shape[1]]

    def backward(self, dy: Array, t: Trace) -> Array:
        t.add_grad_rows("weight", np.arange(dy.shape[1]), dy.sum(0))
        return dy


@dataclass(frozen=True)
class TokenTypes(Layer):
    """y = x + S[token_type_ids], which of the input's segments a token is in; 0 unless the pass says otherwise"""

    types: int
    H: int

    def weights(self) -> dict[str, Weight]:
        return {"weight": Weight((self.types, self.H), "table")}

    def forward(self, x: Array, t: Trace) -> Array:
        return x + embedding(self.segments(x, t), t.param("weight"))

    def backward(self, dy: Array, t: Trace) -> Array:
        t.add_grad_rows("weight", *embedding_backward(dy, self.segments(dy, t)))
        return dy

    def segments(self, x: Array, t: Trace) -> Array:
        return t.inputs.get("token_type_ids", np.zeros(x.shape[:2], int))


@dataclass(frozen=True)
class Embeddings(Part):
    """x = norm(E[ids] + S[types] + P), whichever of these the model has"""

    token: TokenTable
    token_type: Layer = Identity()
    position: Layer = Identity()
    norm: Layer = Identity()
    dropout: Layer = Identity()

    def forward(self, ids: Array, t: Trace) -> Array:
        x = t.show("tokens", self.token.forward(ids, t / "token"))
        x = self.token_type.forward(x, t / "token_type")
        x = t.show("sum", self.position.forward(x, t / "position"))
        x = self.norm.forward(x, t / "norm")
        return t.show("out", self.dropout.forward(x, t / "dropout"))

    def backward(self, dx: Array, t: Trace) -> None:
        dx = self.dropout.backward(t.show_grad("out", dx), t / "dropout")
        dx = t.show_grad("sum", self.norm.backward(dx, t / "norm"))
        dx = self.position.backward(dx, t / "position")
        dx = self.token_type.backward(dx, t / "token_type")
        self.token.backward(t.show_grad("tokens", dx), t / "token")
