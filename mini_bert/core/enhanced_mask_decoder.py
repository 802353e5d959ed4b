"""The enhanced mask decoder: absolute positions come in just before words are predicted (DeBERTa, He et al. 2021)."""

from collections.abc import Iterator
from dataclasses import dataclass

from mini_bert.core.array import Array
from mini_bert.core.encoder import Stack
from mini_bert.core.layer import Layer, attending
from mini_bert.core.trace import Trace


@dataclass(frozen=True, kw_only=True)
class EnhancedMaskDecoder(Stack):
    """y⁰ = x + P,  yⁿ = layer(yⁿ⁻¹ asks, x answers)  with  x what the last layer reads, and the last layer's weights

    The layers before the last see relative positions only. The last one is called `answers` times: at first each
    position that is asked goes with its place in the text, then with the answer so far.
    """

    position: Layer
    answers: int = 2

    def forward(self, x: Array, t: Trace) -> Array:
        *readers, (last, _) = self.calls(t)
        for layer, t_layer in readers:
            x = t_layer.show("out", layer.forward(x, t_layer))
        y = t.show("questions", t.asked(self.position.forward(x, t / "position")))
        for t_answer in self.answering(t):
            y = t_answer.show("out", attending(last).attend(y, x, t_answer))
        return y

    def backward(self, dy: Array, t: Trace) -> Array:
        """x has asked once, and answered every time: its gradients add up."""
        *readers, (last, _) = self.calls(t)
        dsources = []
        for t_answer in reversed(list(self.answering(t))):
            dy, dsource = attending(last).attend_backward(t_answer.show_grad("out", dy), t_answer)
            dsources.append(dsource)
        dasked = t.asked_backward(t.show_grad("questions", dy), dsources[0].shape[1])
        dx = sum(dsources, self.position.backward(dasked, t / "position"))
        for layer, t_layer in reversed(readers):
            dx = layer.backward(t_layer.show_grad("out", dx), t_layer)
        return dx

    def answering(self, t: Trace) -> Iterator[Trace]:
        """Where each call of the last layer happens: the first in its place, the others behind it."""
        home = len(self.layers) - 1
        for n in range(self.answers):
            yield t.at(f"layers.{self.depth - 1 + n}", f"layers.{home}")
