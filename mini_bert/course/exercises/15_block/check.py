from collections.abc import Callable

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.attention import Attention
from mini_bert.core.encoder import EncoderLayer
from mini_bert.core.feedforward import FeedForward
from mini_bert.core.layers import LayerNorm, Linear, ReLU
from mini_bert.core.residual import PostNorm
from mini_bert.core.trace import Trace
from mini_bert.course import judging as judge
from mini_bert.course.learner import Learner

Weights = dict[str, Array]
B, T, H, I, A = 2, 3, 4, 6, 2
MASK = np.array([[1, 1, 1], [1, 1, 0]])
ATTENTION = Attention(A, Linear(H, H), Linear(H, H), Linear(H, H), Linear(H, H))
FEED_FORWARD = FeedForward(Linear(H, I), ReLU(), Linear(I, H))
BLOCK = EncoderLayer(PostNorm(ATTENTION, LayerNorm(H)), PostNorm(FEED_FORWARD, LayerNorm(H)))


def check(learner: Learner) -> None:
    x, w = judge.example(B, T, H, seed=1), drawn_weights(H, I)
    learner.begin("block: shape and dtype")
    judge.shape(learner.block(x, w, A, MASK), x.shape)
    single = {name: array.astype(np.float32) for name, array in w.items()}
    judge.same_dtype(learner.block(x.astype(np.float32), single, A, MASK), single["attn.key.bias"])

    learner.begin("block: numbers")
    want = BLOCK.forward(x, trace(w))
    given = {"x": x, "A": A, "mask": MASK}
    judge.close(learner.block(x, w, A, MASK), want, input=given, mistakes=wrong(x, w))
    learner.begin("block: one text alone, one token alone, input with gaps in memory")
    judge.close(
        learner.block(x[1:], w, A, MASK[1:]), want[1:], "block(x, w, A, mask) of the second text alone"
    )
    one, only = x[:1, :1], np.ones((1, 1), int)
    judge.close(learner.block(one, w, A, only), BLOCK.forward(one, trace(w, only)))
    judge.close(learner.block(judge.not_contiguous(x), w, A, MASK), want)
    learner.begin("block: layers that find nothing leave the two norms")
    silent = w | {name: np.zeros_like(w[name]) for name in w if ".output." in name or ".down." in name}
    judge.close(
        learner.block(x, silent, A, MASK),
        BLOCK.forward(x, trace(silent)),
        "block(x, w, A, mask), with zeros for attn.output and ffn.down,",
    )

    learner.begin("parameters")
    for h, i in ((5, 7), (192, 768)):
        held = sum(array.size for array in drawn_weights(h, i).values())
        judge.equal(
            learner.parameters(h, i),
            held,
            mistakes={
                "biases and norms are missing": 4 * h * h + 2 * h * i,
                "the biases of the linear layers are missing": held - 5 * h - i,
                "the norms are missing": held - 4 * h,
                "a norm has a gain and a shift, and there are two of them": held - 2 * h,
                "attention has four linear layers: query, key, value and output": held - h * h - h,
                "the bias on the way out has I numbers, that on the way back H": held + i - h,
                "feed-forward has two linear layers": held - h * i - h,
            },
        )


def drawn_weights(H: int, I: int) -> Weights:
    """Of one block, by name."""
    shapes: dict[str, tuple[int, ...]] = {
        **{f"attn.{name}": (H, H) for name in ("query", "key", "value", "output", "norm")},
        "ffn.up": (I, H),
        "ffn.down": (H, I),
        "ffn.norm": (H, H),
    }
    w: Weights = {}
    for seed, (name, shape) in enumerate(shapes.items()):
        w[f"{name}.weight"] = judge.example(*shape[: 1 if "norm" in name else 2], seed=seed) / 2
        w[f"{name}.bias"] = judge.example(shape[0], seed=seed + len(shapes)) / 2
    return w


def trace(w: Weights, mask: Array | None = MASK) -> Trace:
    return Trace(w, inputs={} if mask is None else {"attention_mask": mask})


def wrong(x: Array, w: Weights) -> dict[str, Callable[[], Array]]:
    t = trace(w)

    def attention(x: Array, mask: Array | None = MASK) -> Array:
        return ATTENTION.forward(x, trace(w, mask) / "attn")

    def feed_forward(x: Array) -> Array:
        return FEED_FORWARD.forward(x, t / "ffn")

    def norm1(x: Array) -> Array:
        return LayerNorm(H).forward(x, t / "attn" / "norm")

    def norm2(x: Array) -> Array:
        return LayerNorm(H).forward(x, t / "ffn" / "norm")

    def finished(z: Array) -> Array:
        return norm2(z + feed_forward(z))

    found = attention(x)
    z = norm1(x + found)
    return {
        "feed-forward reads x; let it read z, what came out of the first half": lambda: norm2(
            z + feed_forward(x)
        ),
        "what feed-forward found is added to x; add it to z, which it has read": lambda: norm2(
            x + feed_forward(z)
        ),
        "feed-forward reads x, and x is added to it: the first half is lost": lambda: norm2(
            x + feed_forward(x)
        ),
        "the second half is missing": z,
        "the residual connection around attention is missing: add x": lambda: finished(norm1(found)),
        "the residual connection around feed-forward is missing: add z": lambda: norm2(feed_forward(z)),
        "the norm after attention is missing": lambda: finished(x + found),
        "the norm after feed-forward is missing": lambda: z + feed_forward(z),
        "the norm of attn is used twice; the second half has its own": lambda: norm1(z + feed_forward(z)),
        "the norm of ffn is used twice; the first half has its own": lambda: finished(norm2(x + found)),
        "the two norms are exchanged": lambda: norm1(
            (exchanged := norm2(x + found)) + feed_forward(exchanged)
        ),
        "this is pre-norm; BERT normalizes after the addition": lambda: (
            (middle := x + attention(norm1(x))) + feed_forward(norm2(middle))
        ),
        "feed-forward comes first; it comes after attention": lambda: norm1(
            (middle := finished(x)) + attention(middle)
        ),
        "padding is not hidden: the mask has to be handed to attention": lambda: finished(
            norm1(x + attention(x, None))
        ),
    }
