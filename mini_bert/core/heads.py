"""What a model says about its hidden states: a word for each position, a class for the text, a tag for each token."""

from dataclasses import dataclass

from mini_bert.core.array import Array
from mini_bert.core.functions.logistic import binary_cross_entropy, binary_cross_entropy_backward
from mini_bert.core.functions.softmax import cross_entropy, cross_entropy_backward
from mini_bert.core.layer import Identity, Layer
from mini_bert.core.layers import Linear
from mini_bert.core.pooling import Pooler
from mini_bert.core.trace import Trace


class Head(Layer):
    """A layer whose outputs are logits: it knows how far they are from the labels."""

    def loss(self, logits: Array, labels: Array, weights: Array) -> tuple[Array, Array]:
        """Σ w · (how wrong), and the probabilities: of classes, logits (..., C), unless a head says otherwise"""
        return cross_entropy(logits, labels, weights)

    def loss_backward(self, probs: Array, labels: Array, weights: Array) -> Array:
        """dlogits"""
        return cross_entropy_backward(probs, labels, weights)


@dataclass(frozen=True)
class NoHead(Head):
    """y = x: a model that ends with its hidden states, and has no loss"""

    def forward(self, x: Array, t: Trace) -> Array:
        return x

    def backward(self, dy: Array, t: Trace) -> Array:
        return dy


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
class MaskedWordHead(Head):
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
class ClassifierHead(Head):
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
class TaggerHead(Head):
    """logits = output(dropout(x)), (B, T, C): a tag for each token"""

    output: Layer
    dropout: Layer = Identity()

    def forward(self, x: Array, t: Trace) -> Array:
        return t.show("logits", self.output.forward(self.dropout.forward(x, t / "dropout"), t / "output"))

    def backward(self, dlogits: Array, t: Trace) -> Array:
        dx = self.output.backward(t.show_grad("logits", dlogits), t / "output")
        return self.dropout.backward(dx, t / "dropout")


@dataclass(frozen=True)
class ReplacedTokenHead(Head):
    """logits = output(f(dense(x))), (B, T): was this token put in the place of another? (ELECTRA, Clark et al. 2020)"""

    dense: Layer
    activation: Layer
    output: Layer

    def forward(self, x: Array, t: Trace) -> Array:
        x = self.activation.forward(self.dense.forward(x, t / "dense"), t / "activation")
        return t.show("logits", self.output.forward(x, t / "output")[..., 0])

    def backward(self, dlogits: Array, t: Trace) -> Array:
        dx = self.output.backward(t.show_grad("logits", dlogits)[..., None], t / "output")
        return self.dense.backward(self.activation.backward(dx, t / "activation"), t / "dense")

    def loss(self, logits: Array, labels: Array, weights: Array) -> tuple[Array, Array]:
        return binary_cross_entropy(logits, labels, weights)

    def loss_backward(self, probs: Array, labels: Array, weights: Array) -> Array:
        return binary_cross_entropy_backward(probs, labels, weights)


TOKEN_ORDERS = 6
"""Of three tokens."""


def token_order_head(H: int) -> TaggerHead:
    """In which of its six orders does a run of three tokens stand?"""
    return TaggerHead(Linear(H, TOKEN_ORDERS))


def next_sentence_head(H: int) -> ClassifierHead:
    """BERT's second task: does the second segment follow the first in the text, or was it drawn at random?"""
    return ClassifierHead(Pooler(Linear(H, H)), Linear(H, 2))
