import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.attention import Attention
from mini_bert.core.encoder import EncoderLayer
from mini_bert.core.feedforward import FeedForward
from mini_bert.core.functions.heads import merge_heads, split_heads
from mini_bert.core.layers import GELU, LayerNorm, Linear
from mini_bert.core.residual import PostNorm
from mini_bert.core.trace import Trace
from mini_bert.course import judging as judge
from mini_bert.course.learner import Learner

H, I, A = 4, 6, 2
ATTENTION = Attention(A, Linear(H, H), Linear(H, H), Linear(H, H), Linear(H, H))
FEED_FORWARD = FeedForward(Linear(H, I), GELU(), Linear(I, H))
BLOCK = EncoderLayer(PostNorm(ATTENTION, LayerNorm(H)), PostNorm(FEED_FORWARD, LayerNorm(H)))


def check(learner: Learner) -> None:
    x, dy, w = judge.example(2, 3, H, seed=1), judge.example(2, 3, H, seed=2), weights()
    given = "y of block(x, w, A), which was given; bring it back as it was:"
    judge.close(learner.block(x, w, A)[0], traced(x, w).acts["out"], given)
    attention(learner, dy, x, w)
    block(learner, dy, x, w)

    learner.begin("block_backward: one token, one head, float32")
    one = {name: weight.astype(np.float32) for name, weight in weights(seed=5).items()}
    x, dy = judge.example(1, 1, H, seed=3, dtype=np.float32), judge.example(1, 1, H, seed=4, dtype=np.float32)
    dx, grads = learner.block_backward(dy, one, learner.block(x, one, 1)[1])
    judge.same_dtype(dx, dy, "dx")
    for name, gradient in grads.items():
        judge.same_dtype(gradient, dy, f'grads["{name}"]')
    judge.shape(dx, x.shape, "dx")
    learner.begin("block_backward: measured slopes of x and of some weights")
    x, dy = judge.example(1, 3, H, seed=6), judge.example(1, 3, H, seed=7)
    dx, grads = learner.block_backward(dy, w, learner.block(x, w, A)[1])
    judge.gradient(dx, lambda x: in_complex(x, w), x, dy, "dx", {})
    for name in ("attn.query.weight", "attn.norm.weight", "ffn.up.bias"):
        judge.gradient(
            grads[name],
            lambda weight, name=name: in_complex(x, {**w, name: weight}),
            w[name],
            dy,
            f'grads["{name}"]',
            {},
        )


def attention(learner: Learner, dy: Array, x: Array, w: dict[str, Array]) -> None:
    kept = learner.block(x, w, A)[1]
    filling = learner.changing("grads")
    learner.begin("self_attention_backward: shape")
    grads: dict[str, Array] = {}
    dx = filling.self_attention_backward(dy, w, kept, grads)
    judge.shape(dx, x.shape, "dx of self_attention_backward", {})
    learner.begin("self_attention_backward: dx is a sum over three ways")
    t = traced(x, w)
    want = ATTENTION.backward(dy, t / "attn")
    query, key, value = ways(dy, w, t)
    torn, torn_merge = (sum(ways(dy, w, t, **wrong)) for wrong in ({"split": False}, {"merge": False}))
    judge.close(
        dx,
        want,
        "dx of self_attention_backward",
        {},
        {
            "only the way over the query is there; key and value read x too": query,
            "only the way over the key is there; query and value read x too": key,
            "only the way over the value is there; query and key read x too": value,
            "the way over the query is missing": key + value,
            "the way over the key is missing": query + value,
            "the way over the value is missing": query + key,
            "the mean of the three ways is taken; they add up": want / 3,
            "dcontext was brought into heads by reshape alone; split_heads also swaps tokens and heads": torn,
            "the heads were brought together by reshape alone; merge_heads also swaps tokens and heads": torn_merge,
            "dk goes back through the layer of the query; it has one of its own": lambda: sum(
                ways(dy, w, t, layers=("query", "query", "value"))
            ),
            "dq and dk are exchanged: each goes back through its own layer": lambda: sum(
                ways(dy, w, t, layers=("key", "query", "value"))
            ),
            "the layer attn.output is left out": lambda: sum(ways(dy, w, t, output=False)),
        },
    )
    learner.begin("self_attention_backward: the gradients of its weights")
    same_grads(grads, {name: t.grads[name] for name in w if name.startswith("attn.") and "norm" not in name})


def block(learner: Learner, dy: Array, x: Array, w: dict[str, Array]) -> None:
    kept = learner.block(x, w, A)[1]
    learner.begin("block_backward: two results")
    judge.several(learner.block_backward(dy, w, kept), 2)
    dx, grads = learner.block_backward(dy, w, kept)
    judge.shape(dx, x.shape, "dx of block_backward", {})
    learner.begin("block_backward: dx, with a sum at each fork")
    t = traced(x, w)
    want = BLOCK.backward(dy, t)
    judge.close(
        dx,
        want,
        "dx of block_backward",
        {},
        {
            "both residual connections are missing: the gradient of x + f(x) goes to x as well": lambda: (
                walked(dy, x, w, "no residual 1", "no residual 2")
            ),
            "the residual connection around the feed-forward network is missing": lambda: walked(
                dy, x, w, "no residual 2"
            ),
            "the residual connection around attention is missing": lambda: walked(dy, x, w, "no residual 1"),
            "the way through the feed-forward network is missing": lambda: walked(dy, x, w, "no ffn"),
            "the way through attention is missing": lambda: walked(dy, x, w, "no attention"),
            "beside the feed-forward network dy itself is added; the sum stands before the norm, so add what came out "
            "of the norm's backward": lambda: walked(dy, x, w, "dy around ffn"),
            "beside attention dz itself is added; the sum stands before the norm, so add what came out of the norm's "
            "backward": lambda: walked(dy, x, w, "dz around attention"),
            "in both residual connections the gradient from after the norm is added; the sum stands before the norm": (
                lambda: walked(dy, x, w, "dy around ffn", "dz around attention")
            ),
            "the norm after the feed-forward network is left out": lambda: walked(dy, x, w, "no norm 2"),
            "the norm after attention is left out": lambda: walked(dy, x, w, "no norm 1"),
            "the sublayers are in the order of the forward pass; the last one comes first": lambda: (
                walked_forward(dy, x, w)
            ),
            "each fork takes the mean of its two ways; they add up": lambda: walked(dy, x, w, "halves"),
        },
    )
    learner.begin("block_backward: the gradients of all weights")
    same_grads(grads, t.grads)


def same_grads(grads: object, want: dict[str, Array]) -> None:
    judge.holds(isinstance(grads, dict), f"grads is a {type(grads).__name__}, expected a dict.")
    assert isinstance(grads, dict)
    missing, others = want.keys() - grads.keys(), grads.keys() - want.keys()
    judge.holds(
        not missing,
        f"grads has no {', '.join(sorted(missing))}.",
        mistake="a part was not gone through, or a name was given twice and the second gradient has replaced the first",
    )
    judge.holds(not others, f"grads has {', '.join(sorted(map(str, others)))}, which w has not.")
    for name, gradient in want.items():
        known = {
            f"this is the gradient of {other}: two names are exchanged": wrong
            for other, wrong in want.items()
            if other != name and wrong.shape == gradient.shape and not np.allclose(wrong, gradient)
        }
        if np.allclose(gradient, 0, atol=1e-12):  # a bias of the keys moves all scores of a row alike
            judge.shape(grads[name], gradient.shape, f'grads["{name}"]')
            found = grads[name]
            judge.holds(
                np.allclose(found, 0, atol=1e-12), f'grads["{name}"] is not 0, as it should be.', found
            )
        else:
            judge.close(grads[name], gradient, f'grads["{name}"]', {}, known)


def weights(seed: int = 0) -> dict[str, Array]:
    """Between −1 and 1, so that softmax is neither flat nor sharp."""
    found = {}
    for number, (name, weight) in enumerate(BLOCK.all_weights().items()):
        found[name] = judge.example(*weight.shape, seed=100 + number + 50 * seed) / 2 + (
            weight.kind == "gain"
        )
    return found


def traced(x: Array, w: dict[str, Array]) -> Trace:
    """One forward pass of the package's own block."""
    t = Trace(w, {name: np.zeros(weight.shape) for name, weight in w.items()})
    t.acts["out"] = BLOCK.forward(x, t)
    return t


def in_complex(x: Array, w: dict[str, Array]) -> Array:
    """y, for steps along the imaginary axis: they are exact."""
    return BLOCK.forward(
        x.astype(complex), Trace({name: weight.astype(complex) for name, weight in w.items()})
    )


def ways(
    dy: Array,
    w: dict[str, Array],
    t: Trace,
    split: bool = True,
    merge: bool = True,
    output: bool = True,
    layers: tuple[str, ...] = ("query", "key", "value"),
) -> tuple[Array, ...]:
    """What query, key and value return to x, each through one of the layers."""
    attn = t / "attn"
    q, k, v, p = attn["q"], attn["k"], attn["v"], attn["softmax"]
    dcontext = dy @ w["attn.output.weight"] if output else dy
    dheads = split_heads(dcontext, A) if split else dcontext.reshape(q.shape)
    dp = dheads @ v.swapaxes(-1, -2)
    ds = p * (dp - (dp * p).sum(-1, keepdims=True)) / np.sqrt(H // A)
    found = (ds @ k, ds.swapaxes(-1, -2) @ q, p.swapaxes(-1, -2) @ dheads)
    merged = [merge_heads(one) if merge else one.reshape(dy.shape) for one in found]
    return tuple(one @ w[f"attn.{name}.weight"] for name, one in zip(layers, merged, strict=True))


def walked(dy: Array, x: Array, w: dict[str, Array], *faults: str) -> Array:
    """The way back with something wrong."""
    t, norm, share = traced(x, w), LayerNorm(H), 0.5 if "halves" in faults else 1.0
    dsum = dy if "no norm 2" in faults else norm.backward(dy, t / "ffn" / "norm")
    through = 0.0 if "no ffn" in faults else FEED_FORWARD.backward(dsum, t / "ffn")
    beside = 0.0 if "no residual 2" in faults else dy if "dy around ffn" in faults else dsum
    dz = share * (through + beside)
    dsum = dz if "no norm 1" in faults else norm.backward(dz, t / "attn" / "norm")
    through = 0.0 if "no attention" in faults else ATTENTION.backward(dsum, t / "attn")
    beside = 0.0 if "no residual 1" in faults else dz if "dz around attention" in faults else dsum
    dx: Array = share * (through + beside)
    return dx


def walked_forward(dy: Array, x: Array, w: dict[str, Array]) -> Array:
    t = traced(x, w)
    return BLOCK.ffn.backward(BLOCK.attn.backward(dy, t / "attn"), t / "ffn")
