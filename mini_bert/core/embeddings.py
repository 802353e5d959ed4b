"""Tokens to vectors."""

from dataclasses import dataclass

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.functions.gather import embedding, embedding_backward
from mini_bert.core.layer import Identity, Layer, Part, Weight
from mini_bert.core.trace import Trace


@dataclass(frozen=True)
class TokenTable(Layer):
    """x = E[ids], one row of H numbers per word piece"""

    V: int
    H: int

    def weights(self) -> dict[str, Weight]:
        return {"weight": Weight((self.V, self.H), "table")}

    def forward(self, ids: Array, t: Trace) -> Array:
        return embedding(t.keep("ids", ids), t.param("weight"))

    def backward(self, dx: Array, t: Trace) -> Array:
        """Words have no gradient: what comes back is dx itself, for whoever asks."""
        t.add_grad_rows("weight", *embedding_backward(dx, t["ids"]))
        return dx


@dataclass(frozen=True)
class LearnedPositions(Layer):
    """y_i = x_i + P_i, one learned row per position; position_ids tell i where padding stands before the text"""

    T: int
    H: int

    def weights(self) -> dict[str, Weight]:
        return {"weight": Weight((self.T, self.H), "table")}

    def forward(self, x: Array, t: Trace) -> Array:
        return x + embedding(self.places(x, t), t.param("weight"))

    def backward(self, dy: Array, t: Trace) -> Array:
        places = self.places(dy, t)
        dP = dy if places.ndim == 2 else dy.sum(0)
        t.add_grad_rows("weight", *embedding_backward(dP, places))
        return dy

    def places(self, x: Array, t: Trace) -> Array:
        """i, (T,) when every row counts alike, (B, T) when each has its own"""
        return t.inputs.get("position_ids", t.offset + np.arange(x.shape[1]))


@dataclass(frozen=True)
class PositionsAfterPadding(Layer):
    """y_i = x_i + P[p + n_i], n_i the number of real tokens up to i, 0 at padding, whose id is p (RoBERTa)

    The first p + 1 rows of P belong to padding: it has T + p + 1 rows for texts of at most T tokens.
    """

    T: int
    H: int
    padding_id: int

    def weights(self) -> dict[str, Weight]:
        return {"weight": Weight((self.T + self.padding_id + 1, self.H), "table")}

    def forward(self, x: Array, t: Trace) -> Array:
        return x + embedding(t.keep("places", self.places(t.inputs["ids"], t)), t.param("weight"))

    def backward(self, dy: Array, t: Trace) -> Array:
        t.add_grad_rows("weight", *embedding_backward(dy, t["places"]))
        return dy

    def places(self, ids: Array, t: Trace) -> Array:
        is_real = ids != self.padding_id
        before = t.inputs.get("position_ids", t.offset + np.cumsum(is_real, axis=1) - 1)
        places: Array = self.padding_id + (before + 1) * is_real
        return places


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
    """x = project(norm(E[ids] + S[types] + P)), whichever of these the model has

    A projection lets the tables be narrower than the model (ALBERT, Lan et al. 2020).
    """

    token: Layer
    token_type: Layer = Identity()
    position: Layer = Identity()
    norm: Layer = Identity()
    dropout: Layer = Identity()
    project: Layer = Identity()

    def forward(self, ids: Array, t: Trace) -> Array:
        x = t.show("tokens", self.token.forward(ids, t / "token"))
        x = self.token_type.forward(x, t / "token_type")
        x = t.show("sum", self.position.forward(x, (t / "position").reading(ids=ids)))
        x = self.dropout.forward(self.norm.forward(x, t / "norm"), t / "dropout")
        return t.show("out", self.project.forward(x, t / "project"))

    def backward(self, dx: Array, t: Trace) -> None:
        dx = self.project.backward(t.show_grad("out", dx), t / "project")
        dx = self.dropout.backward(dx, t / "dropout")
        dx = t.show_grad("sum", self.norm.backward(dx, t / "norm"))
        dx = self.position.backward(dx, t / "position")
        dx = self.token_type.backward(dx, t / "token_type")
        self.token.backward(t.show_grad("tokens", dx), t / "token")
