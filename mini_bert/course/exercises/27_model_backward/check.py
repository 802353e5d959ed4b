import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.attention import Attention
from mini_bert.core.encoder import EncoderLayer
from mini_bert.core.feedforward import FeedForward
from mini_bert.core.functions.gather import embedding_backward
from mini_bert.core.functions.norm import layer_norm, layer_norm_backward
from mini_bert.core.layers import GELU, LayerNorm, Linear
from mini_bert.core.residual import PostNorm
from mini_bert.core.trace import Trace
from mini_bert.course import judging as judge
from mini_bert.course.learner import Learner

V, H, IDS = 5, 4, np.array([[1, 3, 1], [0, 1, 3]])
NAMES = {"token", "position", "norm.weight", "norm.bias", "bias"}
LAYER = EncoderLayer(
    PostNorm(Attention(2, *(Linear(H, H) for _ in range(4))), LayerNorm(H)),
    PostNorm(FeedForward(Linear(H, 6), GELU(), Linear(6, H)), LayerNorm(H)),
)


class Turn:
    """y = x Mᵀ, and a word about the order."""

    def __init__(self, M: Array) -> None:
        self.M, self.given = M, 0

    def forward(self, x: Array) -> Array:
        y: Array = x @ self.M.T
        return y

    def backward(self, dy: Array) -> Array:
        self.given += 1
        dx: Array = dy @ self.M
        return dx


class Block:
    """The package's own block."""

    def __init__(self, seed: int) -> None:
        self.w = {
            name: judge.example(*weight.shape, seed=seed + number) / 2 + (weight.kind == "gain")
            for number, (name, weight) in enumerate(LAYER.all_weights().items())
        }

    def forward(self, x: Array) -> Array:
        w = {name: weight.astype(x.dtype) for name, weight in self.w.items()}
        self.t = Trace(w, {name: np.zeros_like(weight) for name, weight in w.items()})
        return LAYER.forward(x, self.t)

    def backward(self, dy: Array) -> Array:
        return LAYER.backward(dy, self.t)


def check(learner: Learner) -> None:
    w, dlogits = weights(), judge.example(2, 3, V, seed=20)
    first, second = judge.example(H, H, seed=21), judge.example(H, H, seed=22)
    shapes(learner, dlogits, w)
    learner.begin("without blocks: output layer, norm, tables")
    numbers(learner, dlogits, w, [])
    learner.begin("two blocks, the last one first")
    numbers(learner, dlogits, w, [first, second])
    learner.begin("each block is gone through once, and the list stays as it is")
    blocks = [Turn(first), Turn(second)]
    before = list(blocks)
    _, kept = learner.model(IDS, w, blocks)
    learner.model_backward(dlogits, w, blocks, kept)
    in_place = "blocks.reverse() or blocks.pop(), which change the list itself; reversed(blocks) does not"
    judge.holds(blocks == before, "the list of blocks is another one than before.", mistake=in_place)
    given = [block.given for block in blocks]
    judge.holds(
        given == [1, 1], f"`backward` of the two blocks was called {given} times, expected once each."
    )
    learner.begin("measured slopes, through two real blocks")
    real = [Block(30), Block(60)]
    measured(learner, dlogits, w, real, IDS)
    learner.begin("one text of one word")
    measured(learner, judge.example(1, 1, V, seed=23), w, real[:1], np.array([[2]]))


def shapes(learner: Learner, dlogits: Array, w: dict[str, Array]) -> None:
    learner.begin("a dict with a gradient for each array, and its shape")
    grads = learner.model_backward(dlogits, w, [], learner.model(IDS, w, [])[1])
    judge.holds(isinstance(grads, dict), f"the result is a {type(grads).__name__}, expected a dict.")
    missing, others = sorted(NAMES - grads.keys()), sorted(map(str, grads.keys() - NAMES))
    judge.holds(not missing, f"there is no gradient for {', '.join(missing)}.")
    judge.holds(not others, f"there is a gradient for {', '.join(others)}, which w has not.")
    for name, weight in w.items():
        judge.shape(grads[name], weight.shape, f'the gradient of "{name}"')
    learner.begin("float32 stays float32")
    single = {name: weight.astype(np.float32) for name, weight in w.items()}
    kept = learner.model(IDS, single, [])[1]
    for name, gradient in learner.model_backward(dlogits.astype(np.float32), single, [], kept).items():
        judge.same_dtype(gradient, single[name], f'the gradient of "{name}"')


def numbers(learner: Learner, dlogits: Array, w: dict[str, Array], turns: list[Array]) -> None:
    blocks = [Turn(M) for M in turns]
    logits, kept = learner.model(IDS, w, blocks)
    h, x_hat, inv_sigma = layer_norm(
        turned(summed(w, IDS), [M.T for M in turns]), w["norm.weight"], w["norm.bias"]
    )
    given = "logits of model, which was given; bring it back as it was:"
    judge.close(logits, h @ w["token"].T + w["bias"], given)
    grads = learner.model_backward(dlogits, w, blocks, kept)

    dh, output = dlogits @ w["token"], np.einsum("btv,bth->vh", dlogits, h)
    top, dgamma, dbeta = layer_norm_backward(dh, x_hat, inv_sigma, w["norm.weight"])
    dx = turned(top, turns[::-1])
    judge.close(grads["bias"], dlogits.sum((0, 1)), 'the gradient of "bias"', {})
    below = layer_norm_backward(turned(dh, turns[::-1]), x_hat, inv_sigma, w["norm.weight"])
    early = "the norm comes after the blocks; forward it is the last of them, so backward the first"
    known = {early: below} if turns else {}
    judge.close(
        grads["norm.weight"],
        dgamma,
        'the gradient of "norm.weight"',
        {},
        {"dγ and dβ are exchanged": dbeta, **{told: wrong[1] for told, wrong in known.items()}},
    )
    judge.close(
        grads["norm.bias"],
        dbeta,
        'the gradient of "norm.bias"',
        {},
        {told: wrong[2] for told, wrong in known.items()},
    )
    wrong_ways = {"the norm is left out on the way back": turned(dh, turns[::-1])}
    if turns:
        wrong_ways |= {
            "the blocks are in the order of the forward pass; the last one comes first": turned(top, turns),
            "the blocks are left out on the way back": top,
            "only the first block is gone through": turned(top, turns[:1]),
            "only the last block is gone through": turned(top, turns[1:]),
            "dh was taken down as it is; it has to go through norm and blocks": dh,
        }
    judge.close(
        grads["position"],
        rows_of(dx),
        'the gradient of "position"',
        {},
        {told: rows_of(wrong) for told, wrong in wrong_ways.items()},
    )
    judge.close(
        grads["token"],
        scattered(dx) + output,
        'the gradient of "token"',
        {},
        {
            "only the way over the output layer is there; the lookup of the words uses the table, too": output,
            "only the way over the lookup is there; the output layer uses the table, too": scattered(dx),
            "the mean of the two ways is taken; they add up": (scattered(dx) + output) / 2,
            "of a word that occurs several times only one gradient is kept": lambda: overwritten(dx) + output,
            **{told: scattered(wrong) + output for told, wrong in wrong_ways.items()},
        },
    )


def measured(learner: Learner, dlogits: Array, w: dict[str, Array], blocks: list[Block], ids: Array) -> None:
    _, kept = learner.model(ids, w, blocks)
    grads = learner.model_backward(dlogits, w, blocks, kept)
    for name in ("token", "position", "norm.weight"):
        judge.gradient(
            grads[name],
            lambda weight, name=name: in_complex(ids, {**w, name: weight}, blocks),
            w[name],
            dlogits,
            f'the gradient of "{name}"',
            {},
        )


def in_complex(ids: Array, w: dict[str, Array], blocks: list[Block]) -> Array:
    """The logits, for steps along the imaginary axis: they are exact."""
    w = {name: weight.astype(complex) for name, weight in w.items()}
    x = summed(w, ids)
    for block in blocks:
        x = block.forward(x)
    logits: Array = layer_norm(x, w["norm.weight"], w["norm.bias"])[0] @ w["token"].T + w["bias"]
    return logits


def weights() -> dict[str, Array]:
    return {
        "token": judge.example(V, H, seed=1),
        "position": judge.example(6, H, seed=2),
        "norm.weight": np.array([1.0, 2.0, 0.5, -1.0]),
        "norm.bias": np.array([0.0, 1.0, -1.0, 0.5]),
        "bias": judge.example(V, seed=3),
    }


def summed(w: dict[str, Array], ids: Array) -> Array:
    x: Array = w["token"][ids] + w["position"][: ids.shape[1]]
    return x


def turned(x: Array, by: list[Array]) -> Array:
    for M in by:
        x = x @ M
    return x


def scattered(dx: Array) -> Array:
    table = np.zeros((V, H))
    rows, gradients = embedding_backward(dx, IDS)
    table[rows] = gradients
    return table


def overwritten(dx: Array) -> Array:
    table = np.zeros((V, H))
    table[IDS] = dx
    return table


def rows_of(dx: Array) -> Array:
    return np.concatenate([dx.sum(0), np.zeros((3, H))])
