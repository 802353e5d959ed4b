import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.functions.activations import gelu, gelu_backward
from mini_bert.course import judging as judge
from mini_bert.course.learner import Learner

SIZES = {"W_gate": (4, 3), "W_up": (4, 3), "W_down": (3, 4)}


def check(learner: Learner) -> None:
    x, dy = judge.example(2, 3, seed=1), judge.example(2, 3, seed=2)
    W_gate, W_up, W_down = (judge.example(*size, seed=3 + i) for i, size in enumerate(SIZES.values()))
    learner.begin("geglu: two results, shape and dtype")
    judge.several(learner.geglu(x, W_gate, W_up, W_down), 2)
    y, kept = learner.geglu(x, W_gate, W_up, W_down)
    judge.shape(y, x.shape)
    single = [array.astype(np.float32) for array in (x, W_gate, W_up, W_down)]
    judge.dtype(learner.geglu(*single)[0], np.float32)
    learner.begin("geglu: numbers")
    pre, content = x @ W_gate.T, x @ W_up.T
    opening, cdf = gelu(pre)
    judge.close(
        y,
        forward(x, W_gate, W_up, W_down),
        mistakes={
            "gate and up are exchanged: GELU belongs to the gate": lambda: forward(x, W_up, W_gate, W_down),
            "GELU is not used": lambda: (pre * content) @ W_down.T,
            "GELU stands on both sides": lambda: (opening * gelu(content)[0]) @ W_down.T,
            "GELU is applied to the product": lambda: gelu(pre * content)[0] @ W_down.T,
            "the second result of gelu, Φ, is taken for the first": lambda: (cdf * content) @ W_down.T,
            "the two halves are added; multiply them": lambda: (opening + content) @ W_down.T,
            "the content is missing": lambda: opening @ W_down.T,
        },
    )
    learner.begin("geglu: what is kept")
    judge.several(kept, 4, "what geglu keeps")
    for found, want, name in zip(
        kept, (pre, cdf, opening, content), ("pre", "cdf", "opening", "content"), strict=True
    ):
        judge.close(found, want, name, {"x": x})

    learner.begin("geglu_backward: four results, shapes and dtype")
    given = dy, x, (pre, cdf, opening, content), W_gate, W_up, W_down
    judge.several(learner.geglu_backward(*given), 4)
    found = learner.geglu_backward(*given)
    for one, like in zip(found, (x, W_gate, W_up, W_down), strict=True):
        judge.shape(one, like.shape)
    small = tuple(array.astype(np.float32) for array in given[2])
    for one in learner.geglu_backward(np.float32(dy), single[0], small, *single[1:]):
        judge.dtype(one, np.float32)

    dx, dW_gate, dW_up, dW_down = found
    dhidden = dy @ W_down
    dopening, dcontent = dhidden * content, dhidden * opening
    dpre = gelu_backward(dopening, pre, cdf)
    shown = {"x": x, "dy": dy, "W_gate": W_gate, "W_up": W_up, "W_down": W_down}
    learner.begin("geglu_backward: dW_down")
    judge.gradient(
        dW_down,
        lambda W: forward(x, W_gate, W_up, W),
        W_down,
        dy,
        input=shown,
        mistakes={
            "only one half of the hidden numbers is used; they are opening · content": lambda: dy.T @ content,
            "only one half of the hidden numbers is used, the opening; times content": lambda: dy.T @ opening,
        },
    )
    learner.begin("geglu_backward: dW_up")
    judge.gradient(
        dW_up,
        lambda W: forward(x, W_gate, W, W_down),
        W_up,
        dy,
        input=shown,
        mistakes={
            "the content is sent its own side; each side gets the gradient times the other": lambda: (
                dopening.T @ x
            ),
            "the opening is forgotten: the content's gradient is multiplied by it": lambda: dhidden.T @ x,
            "dW_gate and dW_up are exchanged": lambda: dpre.T @ x,
            "the content's gradient went through GELU; only the gate's does": lambda: (
                gelu_backward(dcontent, pre, cdf).T @ x
            ),
            "dhidden is multiplied by pre; the content was multiplied by gelu(pre)": lambda: (
                (dhidden * pre).T @ x
            ),
        },
    )
    learner.begin("geglu_backward: dW_gate")
    judge.gradient(
        dW_gate,
        lambda W: forward(x, W, W_up, W_down),
        W_gate,
        dy,
        input=shown,
        mistakes={
            "the slope of GELU is missing": lambda: dopening.T @ x,
            "the gate is sent its own side; it gets the gradient times the content": lambda: (
                gelu_backward(dcontent, pre, cdf).T @ x
            ),
            "the content is forgotten: the gate's gradient is multiplied by it": lambda: (
                gelu_backward(dhidden, pre, cdf).T @ x
            ),
            "Φ is taken for the slope of GELU": lambda: (dopening * cdf).T @ x,
        },
    )
    learner.begin("geglu_backward: dx")
    judge.gradient(
        dx,
        lambda x: forward(x, W_gate, W_up, W_down),
        x,
        dy,
        input=shown,
        mistakes={
            "only the gate's part is there; x was read twice": lambda: dpre @ W_gate,
            "only the content's part is there; x was read twice": lambda: dcontent @ W_up,
            "the two matrices are exchanged": lambda: dpre @ W_up + dcontent @ W_gate,
            "a residual connection was added; it is not part of this": lambda: (
                dy + dpre @ W_gate + dcontent @ W_up
            ),
        },
    )
    learner.begin("a batch of texts, one token, gaps in memory")
    for shape in ((2, 2, 3), (1, 1, 3)):
        x, dy = judge.example(*shape, seed=8), judge.example(*shape, seed=9)
        pre, content = x @ W_gate.T, x @ W_up.T
        opening, cdf = gelu(pre)
        judge.close(
            learner.geglu(judge.not_contiguous(x), W_gate, W_up, W_down)[0], forward(x, W_gate, W_up, W_down)
        )
        dx, dW_gate, *_ = learner.geglu_backward(
            judge.not_contiguous(dy), x, (pre, cdf, opening, content), W_gate, W_up, W_down
        )
        dpre = gelu_backward(dy @ W_down * content, pre, cdf)
        judge.close(dx, dpre @ W_gate + (dy @ W_down * opening) @ W_up)
        judge.close(dW_gate, dpre.reshape(-1, 4).T @ x.reshape(-1, 3))


def forward(x: Array, W_gate: Array, W_up: Array, W_down: Array) -> Array:
    y: Array = (gelu(x @ W_gate.T)[0] * (x @ W_up.T)) @ W_down.T
    return y
