"""What a model says about its hidden states: a word for each position, a class for the text, a tag for each token."""

from dataclasses import dataclass

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.layer import Identity, Layer, Weight
from mini_bert.core.layers import Linear, Tanh
from mini_bert.core.trace import Trace


@dataclass(frozen=True)
class Transform(Layer):
    """y = norm(f(dense(x))), which BERT puts before its output words"""

    dense: Layer
    activation: Layer
    norm: Layer

    def forward(self, x: Array, t: Trace) -> Array:
        x = self.activation.forward(self.dense.forward(x, t / "dense"), t / "activation")
        return self.norm.forward(x, t / "norm")

    def backward(self, dy: Array, t: Trace) -> Array:
        dy = self.activation.backward(self.norm.backward(dy, t / "norm"), t / "activation")
        return self.dense.backward(dy, t / "dense")


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
class MaskedWordHead(Layer):
    """logits = decoder(transform(x)): a score for each of V words at each position asked"""

    decoder: Layer
    transform: Layer = Identity()

    def forward(self, x: Array, t: Trace) -> Array:
        x = t.show("transformed", self.transform.forward(x, t / "transform"))
        return t.show("logits", self.decoder.forward(x, t / "decoder"))

    def backward(self, dlogits: Array, t: Trace) -> Array:
        dx = self.decoder.backward(t.show_grad("logits", dlogits), t / "decoder")
        return self.transform.backward(t.show_grad("transformed", dx), t / "transform")


@dataclass(frozen=True)
class Pooler(Layer):
    """y = tanh(dense(x₀)), one vector for the whole text, from its first token [CLS]          (B, T, H) → (B, H)

    When only some positions are asked, the first of them must be [CLS].
    """

    dense: Layer
    activation: Layer = Tanh()

    def forward(self, x: Array, t: Trace) -> Array:
        first = t.keep("hidden", x)[:, 0]
        return self.activation.forward(self.dense.forward(first, t / "dense"), t / "activation")

    def backward(self, dy: Array, t: Trace) -> Array:
        dx = np.zeros_like(t["hidden"])
        dx[:, 0] = self.dense.backward(self.activation.backward(dy, t / "activation"), t / "dense")
        return dx


@dataclass(frozen=True)
class ClassifierHead(Layer):
    """logits = output(dropout(pooler(x))), (B, C): a class for the text. With C = 2: does the next sentence follow?"""

    pooler: Layer
    output: Layer
    dropout: Layer = Identity()

    def forward(self, x: Array, t: Trace) -> Array:
        pooled = t.show("pooled", self.pooler.forward(x, t / "pooler"))
        pooled = self.dropout.forward(pooled, t / "dropout")
        return t.show("logits", self.output.forward(pooled, t / "output"))

    def backward(self, dlogits: Array, t: Trace) -> Array:
        dpooled = self.output.backward(t.show_grad("logits", dlogits), t / "output")
        dpooled = self.dropout.backward(dpooled, t / "dropout")
        return self.pooler.backward(t.show_grad("pooled", dpooled), t / "pooler")


@dataclass(frozen=True)
class TaggerHead(Layer):
    """logits = output(dropout(x)), (B, T, C): a tag for each token"""

    output: Layer
    dropout: Layer = Identity()

    def forward(self, x: Array, t: Trace) -> Array:
        return t.show("logits", self.output.forward(self.dropout.forward(x, t / "dropout"), t / "output"))

    def backward(self, dlogits: Array, t: Trace) -> Array:
        dx = self.output.backward(t.show_grad("logits", dlogits), t / "output")
        return self.dropout.backward(dx, t / "dropout")


TOKEN_ORDERS = 6
"""Of three tokens."""


def token_order_head(H: int) -> TaggerHead:
    """In which of its six orders does a run of three tokens stand?"""
    return TaggerHead(Linear(H, TOKEN_ORDERS))


def next_sentence_head(H: int) -> ClassifierHead:
    """BERT's second task: does the second segment follow the first in the text, or was it drawn at random?"""
    return ClassifierHead(Pooler(Linear(H, H)), Linear(H, 2))
