"""The smallest layers: one function pair each, with the names of its weights and of what it remembers."""

from dataclasses import dataclass

from mini_bert.core.array import Array
from mini_bert.core.functions.activations import (
    gelu,
    gelu_backward,
    gelu_tanh,
    gelu_tanh_backward,
    relu,
    relu_backward,
    silu,
    silu_backward,
    tanh,
    tanh_backward,
)
from mini_bert.core.functions.dropout import dropout, dropout_backward
from mini_bert.core.functions.linear import linear, linear_backward, project, project_backward
from mini_bert.core.functions.norm import layer_norm, layer_norm_backward, rms_norm, rms_norm_backward
from mini_bert.core.layer import Layer, Weight
from mini_bert.core.trace import Trace


@dataclass(frozen=True)
class Linear(Layer):
    """y = x Wᵀ + b"""

    I: int
    O: int

    def weights(self) -> dict[str, Weight]:
        return {"weight": Weight((self.O, self.I), "matrix"), "bias": Weight((self.O,), "bias")}

    def forward(self, x: Array, t: Trace) -> Array:
        return linear(t.keep("x", x), t.param("weight"), t.param("bias"))

    def backward(self, dy: Array, t: Trace) -> Array:
        dx, dW, db = linear_backward(dy, t["x"], t.param("weight"), out=t.blank_grad("weight"))
        t.add_grads(weight=dW, bias=db)
        return dx


@dataclass(frozen=True)
class LinearWithoutBias(Layer):
    """y = x Wᵀ"""

    I: int
    O: int

    def weights(self) -> dict[str, Weight]:
        return {"weight": Weight((self.O, self.I), "matrix")}

    def forward(self, x: Array, t: Trace) -> Array:
        return project(t.keep("x", x), t.param("weight"))

    def backward(self, dy: Array, t: Trace) -> Array:
        dx, dW = project_backward(dy, t["x"], t.param("weight"), out=t.blank_grad("weight"))
        t.add_grads(weight=dW)
        return dx


@dataclass(frozen=True)
class LayerNorm(Layer):
    """y = γ (x − μ)/σ + β"""

    H: int
    eps: float = 1e-12

    def weights(self) -> dict[str, Weight]:
        return {"weight": Weight((self.H,), "gain"), "bias": Weight((self.H,), "bias")}

    def forward(self, x: Array, t: Trace) -> Array:
        y, x_hat, inv_sigma = layer_norm(x, t.param("weight"), t.param("bias"), self.eps)
        t.remember("x_hat", x_hat)
        t.remember("inv_sigma", inv_sigma)
        return y

    def backward(self, dy: Array, t: Trace) -> Array:
        dx, dgamma, dbeta = layer_norm_backward(dy, t["x_hat"], t["inv_sigma"], t.param("weight"))
        t.add_grads(weight=dgamma, bias=dbeta)
        return dx


@dataclass(frozen=True)
class RMSNorm(Layer):
    """y = γ x/r  with  r = √(mean x² + ε)"""

    H: int
    eps: float = 1e-12

    def weights(self) -> dict[str, Weight]:
        return {"weight": Weight((self.H,), "gain")}

    def forward(self, x: Array, t: Trace) -> Array:
        y, x_hat, inv_r = rms_norm(x, t.param("weight"), self.eps)
        t.remember("x_hat", x_hat)
        t.remember("inv_r", inv_r)
        return y

    def backward(self, dy: Array, t: Trace) -> Array:
        dx, dgamma = rms_norm_backward(dy, t["x_hat"], t["inv_r"], t.param("weight"))
        t.add_grads(weight=dgamma)
        return dx


@dataclass(frozen=True)
class ReLU(Layer):
    """y = max(x, 0)"""

    def forward(self, x: Array, t: Trace) -> Array:
        y = relu(x)
        t.remember("y", y)
        return y

    def backward(self, dy: Array, t: Trace) -> Array:
        return relu_backward(dy, t["y"])


@dataclass(frozen=True)
class GELU(Layer):
    """y = x Φ(x)"""

    def forward(self, x: Array, t: Trace) -> Array:
        y, cdf = gelu(t.keep("x", x))
        t.remember("cdf", cdf)
        return y

    def backward(self, dy: Array, t: Trace) -> Array:
        return gelu_backward(dy, t["x"], t["cdf"])


@dataclass(frozen=True)
class GELUTanh(Layer):
    """y = x/2 (1 + tanh √(2/π)(x + 0.044715 x³))"""

    def forward(self, x: Array, t: Trace) -> Array:
        y, tanh_u = gelu_tanh(t.keep("x", x))
        t.remember("tanh_u", tanh_u)
        return y

    def backward(self, dy: Array, t: Trace) -> Array:
        return gelu_tanh_backward(dy, t["x"], t["tanh_u"])


@dataclass(frozen=True)
class SiLU(Layer):
    """y = x σ(x)"""

    def forward(self, x: Array, t: Trace) -> Array:
        y, sigma = silu(t.keep("x", x))
        t.remember("sigma", sigma)
        return y

    def backward(self, dy: Array, t: Trace) -> Array:
        return silu_backward(dy, t["x"], t["sigma"])


@dataclass(frozen=True)
class Tanh(Layer):
    """y = tanh x"""

    def forward(self, x: Array, t: Trace) -> Array:
        y = tanh(x)
        t.remember("y", y)
        return y

    def backward(self, dy: Array, t: Trace) -> Array:
        return tanh_backward(dy, t["y"])


@dataclass(frozen=True)
class Dropout(Layer):
    """y = m x while the trace carries noise (training), y = x while it does not"""

    rate: float

    def forward(self, x: Array, t: Trace) -> Array:
        if t.noise is None:
            return x
        mask = t.noise.dropout_mask(t.path, x.shape, self.rate, x.real.dtype)
        return dropout(x, t.keep("mask", mask))

    def backward(self, dy: Array, t: Trace) -> Array:
        return dy if t.noise is None else dropout_backward(dy, t["mask"])
