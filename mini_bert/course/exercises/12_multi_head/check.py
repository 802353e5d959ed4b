from collections.abc import Callable
from math import sqrt

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.attention import Attention
from mini_bert.core.functions.heads import merge_heads, split_heads
from mini_bert.core.functions.linear import linear
from mini_bert.core.functions.softmax import softmax
from mini_bert.core.layers import Linear
from mini_bert.core.trace import Trace
from mini_bert.course import judging as judge
from mini_bert.course.learner import Learner

Weights = dict[str, Array]
NAMES = ("query", "key", "value", "output")
B, T, H = 2, 3, 4
ALL = np.ones((B, T), int)
MASK = np.array([[1, 1, 1], [1, 0, 0]])


def check(learner: Learner) -> None:
    x = judge.example(B, T, H, seed=1)
    w = {f"{name}.weight": judge.example(H, H, seed=i) / 2 for i, name in enumerate(NAMES)}
    w |= {f"{name}.bias": judge.example(H, seed=4 + i) for i, name in enumerate(NAMES)}
    learner.begin("shape")
    judge.shape(
        learner.multi_head_attention(x, w, 2, ALL),
        (B, T, H),
        mistakes={"the heads are not merged": (B, 2, T, H // 2)},
    )

    learner.begin("one head: four linear layers around attention")
    judge.close(
        learner.multi_head_attention(x, w, 1, ALL),
        attention(x, w, 1),
        "multi_head_attention(x, w, 1, mask)",
        {"x": x, "A": 1, "mask": ALL},
        wrong_layers(x, w),
    )
    learner.begin("two heads")
    judge.close(
        learner.multi_head_attention(x, w, 2, ALL),
        attention(x, w, 2),
        "multi_head_attention(x, w, 2, mask)",
        {"x": x, "A": 2, "mask": ALL},
        {
            "this is one head of length H: the heads are not split": lambda: attention(x, w, 1),
            "it is divided by √H; a score adds D = H / A products": lambda: attention(
                x, scaled(w, "query", 1 / sqrt(2)), 2
            ),
            "reshape alone splits no heads: use split_heads": lambda: by_hand(x, w, 2, split=reshaped),
            "reshape alone merges no heads: use merge_heads": lambda: by_hand(
                x, w, 2, merge=lambda y: y.reshape(B, T, H)
            ),
            "softmax runs over the queries; take the last axis, the keys": lambda: by_hand(
                x, w, 2, shares=lambda scores: softmax(scores.swapaxes(-1, -2)).swapaxes(-1, -2)
            ),
            "softmax runs over the heads; take the last axis, the keys": lambda: by_hand(
                x, w, 2, shares=lambda scores: np.moveaxis(softmax(np.moveaxis(scores, 1, -1)), -1, 1)
            ),
        },
    )
    learner.begin("four heads of one number each")
    judge.close(
        learner.multi_head_attention(x, w, 4, ALL),
        attention(x, w, 4),
        "multi_head_attention(x, w, 4, mask)",
        {"x": x, "A": 4, "mask": ALL},
        {
            "it is divided by the root of A; a score adds D = H / A products": lambda: attention(
                x, scaled(w, "query", 1 / 2), 4
            ),
            "it is divided by the root of the number of tokens; take D": lambda: attention(
                x, scaled(w, "query", 1 / sqrt(T)), 4
            ),
        },
    )

    learner.begin("padded keys get no share")
    want = attention(x, w, 2, MASK)
    judge.close(
        learner.multi_head_attention(x, w, 2, MASK),
        want,
        "multi_head_attention(x, w, 2, mask)",
        {"x": x, "A": 2, "mask": MASK},
        wrong_masks(x, w),
    )
    learner.begin("what is padded makes no difference to the others")
    other = np.where(MASK[..., None] == 1, x, 5.0)
    got = judge.array(learner.multi_head_attention(other, w, 2, MASK))
    real = MASK == 1
    judge.close(got[real], want[real], "what real tokens get, after the padded ones were changed,")

    learner.begin("one text alone, one token alone, input with gaps in memory")
    judge.close(learner.multi_head_attention(x[1:], w, 2, MASK[1:]), want[1:])
    alone = linear(x[:1, :1], w["value.weight"], w["value.bias"])
    judge.close(
        learner.multi_head_attention(x[:1, :1], w, 2, ALL[:1, :1]),
        linear(alone, w["output.weight"], w["output.bias"]),
        "what a token alone gets: output(value(x))",
    )
    judge.close(learner.multi_head_attention(judge.not_contiguous(x), w, 2, MASK), want)
    learner.begin("float32 stays float32")
    single = {name: array.astype(np.float32) for name, array in w.items()}
    judge.same_dtype(
        learner.multi_head_attention(x.astype(np.float32), single, 2, MASK), single["key.weight"]
    )


def wrong_layers(x: Array, w: Weights) -> dict[str, Callable[[], Array]]:
    nothing = {"weight": np.eye(H), "bias": np.zeros(H)}
    changes: dict[str, Weights] = {
        "the last linear layer, output, is missing": {f"output.{key}": nothing[key] for key in nothing},
        "the biases are missing": {name: np.zeros(H) for name in w if name.endswith("bias")},
        "the weights are not transposed: linear(x, W, b) is x Wᵀ + b": {name: w[name].T for name in w},
        "the weights of output are not transposed: linear(x, W, b) is x Wᵀ + b": {
            "output.weight": w["output.weight"].T
        },
        "the root is missing: divide the scores by √D": scaled(w, "query", sqrt(H)),
        "keys are made with the weights of the query": used_for(w, "query", "key"),
        "values are made with the weights of the key, or are the keys": used_for(w, "key", "value"),
        "values are made with the weights of the query, or are the queries": used_for(w, "query", "value"),
        "queries and keys are exchanged": used_for(w, "query", "key") | used_for(w, "key", "query"),
        "the values are x itself; they have a linear layer of their own": {
            f"value.{key}": nothing[key] for key in nothing
        },
    }
    return {told: lambda change=change: attention(x, w | change, 1) for told, change in changes.items()} | {
        "softmax is missing": lambda: by_hand(x, w, 1, shares=lambda scores: scores),
    }


def wrong_masks(x: Array, w: Weights) -> dict[str, Callable[[], Array]]:
    keys, queries = MASK[:, None, None, :], MASK[:, None, :, None]
    return {
        "the mask is not used, or added to all scores of a query alike, which softmax undoes; hide keys, along the "
        "last axis": lambda: attention(x, w, 2),
        "the mask is the other way round: 1 is a real token, which stays": lambda: attention(
            x, w, 2, 1 - MASK
        ),
        "queries are hidden; hide keys, along the last axis": lambda: by_hand(
            x, w, 2, shares=lambda scores: softmax(np.where(queries, scores, -1e9))
        ),
        "padding is hidden after softmax, and its share is lost; lower the scores before": lambda: by_hand(
            x, w, 2, shares=lambda scores: softmax(scores) * keys
        ),
        "the scores are multiplied by the mask; a score of 0 still gets a share": lambda: by_hand(
            x, w, 2, shares=lambda scores: softmax(scores * keys)
        ),
        "padded tokens are made 0 before attention; their keys still get a share": lambda: attention(
            x * MASK[..., None], w, 2
        ),
    }


def attention(x: Array, w: Weights, A: int, mask: Array = ALL) -> Array:
    """By the package's own layer."""
    layer = Attention(A, *(Linear(H, H) for _ in NAMES))
    return layer.forward(x, Trace(w, inputs={"attention_mask": mask}))


def by_hand(
    x: Array,
    w: Weights,
    A: int,
    split: Callable[[Array, int], Array] = split_heads,
    shares: Callable[[Array], Array] = softmax,
    merge: Callable[[Array], Array] = merge_heads,
) -> Array:
    """Attention with one step exchanged for another."""
    q, k, v = (
        split(linear(x, w[f"{name}.weight"], w[f"{name}.bias"]), A) for name in ("query", "key", "value")
    )
    context = merge(shares(q @ k.swapaxes(-1, -2) / sqrt(H / A)) @ v)
    return linear(context, w["output.weight"], w["output.bias"])


def reshaped(x: Array, A: int) -> Array:
    return x.reshape(B, A, T, H // A)


def scaled(w: Weights, name: str, factor: float) -> Weights:
    """A factor of the queries is a factor of the scores."""
    return w | {f"{name}.{key}": w[f"{name}.{key}"] * factor for key in ("weight", "bias")}


def used_for(w: Weights, one: str, other: str) -> Weights:
    return {f"{other}.{key}": w[f"{one}.{key}"] for key in ("weight", "bias")}
