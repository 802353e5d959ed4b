"""From the small layers of a model to the operations of its graph."""

from __future__ import annotations

from mini_bert.analysis.graph.again import apart
from mini_bert.analysis.graph.elementwise import Activated, Added, Kept
from mini_bert.analysis.graph.graph import Graph
from mini_bert.analysis.graph.linear import LinearMap
from mini_bert.analysis.graph.normed import Normed, Standardized
from mini_bert.analysis.graph.operation import Numbers
from mini_bert.core.array import Array
from mini_bert.core.functions.activations import gelu, gelu_tanh, sigmoid
from mini_bert.core.layer import Identity, Layer
from mini_bert.core.layers import LayerNorm, Linear, LinearWithoutBias, RMSNorm
from mini_bert.core.sharing import Tied
from mini_bert.core.trace import Trace

KEPT = {
    "cdf": ("Φ({})", lambda x: gelu(x)[1]),
    "tanh_u": ("tanh u({})", lambda x: gelu_tanh(x)[1]),
    "sigma": ("σ({})", sigmoid),
}
"""What activations keep of their pass, by its name."""


class Layers:
    """Each method adds one layer of the pass to the graph, and returns the name of its output."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    def linear(
        self, layer: Layer, x: str, out: str, t: Trace, heads: int | None = None, *, single: bool = False
    ) -> str:
        if isinstance(layer, Tied):
            return self.linear(layer.body, x, out, t.borrowing("weight", layer.weight), heads)
        if isinstance(layer, Identity):
            return self.same(x, out)
        if not isinstance(layer, Linear | LinearWithoutBias):
            raise ValueError(f"{out}: a {type(layer).__name__} is not known to the graph of a pass")
        bias = t.owner("bias") if isinstance(layer, Linear) else None
        self.graph.beside(Added(f"{t.path}x", (x,)))
        return self.graph.add(LinearMap(out, x, t.owner("weight"), bias, heads, single))

    def norm(self, layer: Layer, x: str, out: str, t: Trace) -> str:
        if isinstance(layer, Identity):
            return self.same(x, out)
        if not isinstance(layer, LayerNorm | RMSNorm):
            raise ValueError(f"{out}: a {type(layer).__name__} is not known to the graph of a pass")
        rms = isinstance(layer, RMSNorm)
        normed = Normed(
            out, x, t.path, t.owner("weight"), None if rms else t.owner("bias"), layer.eps, rms=rms
        )
        for kept in ("x_hat", "inv_r" if rms else "inv_sigma"):
            self.graph.beside(Standardized(f"{t.path}{kept}", normed))
        return self.graph.add(normed)

    def activation(self, layer: Layer, x: str, out: str, t: Trace) -> str:
        self.graph.beside(Added(f"{t.path}x", (x,)))
        self.graph.beside(Activated(f"{t.path}y", x, layer))
        for name, (text, function) in KEPT.items():
            self.graph.beside(Kept(f"{t.path}{name}", x, text, function))
        return self.graph.add(Activated(out, x, layer))

    def same(self, x: str, out: str) -> str:
        return self.graph.add(Added(out, (x,)))

    def unnamed(
        self,
        name: str,
        layer: Layer,
        x: str,
        t: Trace,
        reader: Layer,
        out: str,
        t_out: Trace,
        *,
        single: bool = False,
    ) -> str:
        """A name for layer(x), of which the pass keeps none; it is read by one layer, which makes `out`."""
        acts = self.graph.passed.trace.acts

        def value(numbers: Numbers) -> Array:
            return acts[name] if name in acts else layer.forward(numbers[x], apart(t))

        def gradient(numbers: Numbers) -> Array:
            dy = numbers.gradient(out)
            return reader.backward(dy[..., None] if single else dy, apart(t_out).but(kept=acts))

        return self.graph.between(name, value, gradient)
