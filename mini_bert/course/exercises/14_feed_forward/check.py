import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.feedforward import FeedForward
from mini_bert.core.functions.activations import gelu
from mini_bert.core.layers import Linear, ReLU
from mini_bert.core.trace import Trace
from mini_bert.course import judging as judge
from mini_bert.course.learner import Learner

H, I = 2, 3
UP, DOWN = np.array([[1.0, 0.0], [-1.0, 0.0], [1.0, 1.0]]), np.array([[5.0, 7.0, 0.0], [0.0, 0.0, 1.0]])
B_UP, B_DOWN = np.array([1.0, 0.5, -2.0]), np.array([-20.0, 0.25])


def check(learner: Learner) -> None:
    weights = UP, B_UP, DOWN, B_DOWN
    x = np.array([[[2.0, -3.0], [-2.0, 5.0], [0.5, 3.0]]])
    learner.begin("feed_forward: shape and dtype")
    judge.shape(
        learner.feed_forward(x, *weights),
        x.shape,
        mistakes={"this is the hidden vector of I numbers; the way back to H is missing": (1, 3, I)},
    )
    single = [array.astype(np.float32) for array in (x, *weights)]
    judge.same_dtype(learner.feed_forward(*single), single[0])

    learner.begin("feed_forward: numbers")
    pre = x @ UP.T + B_UP
    want = np.array([[[-5.0, 0.25], [-2.5, 1.25], [-12.5, 1.75]]])
    judge.close(
        learner.feed_forward(x, *weights),
        want,
        mistakes={
            "the activation between the two layers is missing": pre @ DOWN.T + B_DOWN,
            "there is a ReLU after the second layer too; what is added must be able to go down": np.maximum(
                want, 0
            ),
            "the ReLU stands after the second layer; it belongs between the two": lambda: np.maximum(
                pre @ DOWN.T + B_DOWN, 0
            ),
            "the ReLU stands before the first layer; it belongs between the two": lambda: (
                (np.maximum(x, 0) @ UP.T + B_UP) @ DOWN.T + B_DOWN
            ),
            "the bias b_up is added after the ReLU; it belongs inside": lambda: (
                (np.maximum(x @ UP.T, 0) + B_UP) @ DOWN.T + B_DOWN
            ),
            "the bias b_up is missing": lambda: np.maximum(x @ UP.T, 0) @ DOWN.T + B_DOWN,
            "the bias b_down is missing": want - B_DOWN,
            "the activation is GELU, as in BERT; Mini-BERT has ReLU": lambda: gelu(pre)[0] @ DOWN.T + B_DOWN,
            "x is added already; the residual connection is not part of this function": want + x,
        },
    )
    learner.begin("feed_forward: any number of axes, many tokens, input with gaps in memory")
    x = judge.example(2, 4, H, seed=1)
    judge.close(learner.feed_forward(x[0, 0], *weights), by_package(x)[0, 0])
    judge.close(learner.feed_forward(x, *weights), by_package(x))
    judge.close(learner.feed_forward(judge.not_contiguous(x), *weights), by_package(x))
    learner.begin("feed_forward: every token by itself")
    changed = x.copy()
    changed[:, 0] += 1
    judge.close(
        judge.array(learner.feed_forward(changed, *weights))[:, 1:],
        by_package(x)[:, 1:],
        "what the other tokens get, after the first was changed,",
    )

    learner.begin("active_share: shape")
    x = np.array([[[2.0, -3.0], [-2.0, 5.0], [0.5, 3.0]], [[0.0, 0.0], [1.5, 0.5], [-9.0, 9.0]]])
    judge.shape(
        learner.active_share(x, UP, B_UP),
        (2, 3),
        mistakes={"this is one share for all tokens; count each token by itself": ()},
    )
    learner.begin("active_share: numbers")
    above = np.array([[1, 2, 2], [2, 1, 1]])
    judge.close(
        learner.active_share(x, UP, B_UP),
        above / 3,
        mistakes={
            "this is a number of numbers; divide it by I": above,
            "it is divided by H; there are I hidden numbers": above / H,
            "this is the share of those that are 0; count those above 0": 1 - above / 3,
            "a number of exactly 0 is not active: ask for > 0": np.array([[1, 2, 3], [2, 2, 1]]) / 3,
            "the bias b_up is missing": lambda: np.mean(x @ UP.T > 0, -1),
            "the hidden numbers are averaged; count those above 0": lambda: np.maximum(
                x @ UP.T + B_UP, 0
            ).mean(-1),
        },
    )


def by_package(x: Array) -> Array:
    layer = FeedForward(Linear(H, I), ReLU(), Linear(I, H))
    weights = {"up.weight": UP, "up.bias": B_UP, "down.weight": DOWN, "down.bias": B_DOWN}
    return layer.forward(x, Trace(weights))
