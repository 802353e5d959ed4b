"""What a training step costs, before it is run: FLOPs, and the memory its backward pass needs.

A rehearsal goes through the model as `forward` does, with shapes in place of numbers. Each kind of part says
what it multiplies and what it keeps; a part that says nothing is its parts, one after the other. A
multiply-add is 2 FLOPs. Only matrix products count: what is done to one number at a time, as in a norm, is
small beside them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import singledispatch
from math import prod

from mini_bert.core.array import Array
from mini_bert.core.attention import Attention
from mini_bert.core.embeddings import LearnedPositions, TokenTable, TokenTypes
from mini_bert.core.encoder import Checkpoint, EncoderLayer, Stack
from mini_bert.core.feedforward import GatedFeedForward
from mini_bert.core.heads import ClassifierHead, MaskedWordHead, Pooler, TaggerHead
from mini_bert.core.layer import Identity, Part
from mini_bert.core.layers import (
    GELU,
    Dropout,
    GELUTanh,
    LayerNorm,
    Linear,
    LinearWithoutBias,
    ReLU,
    RMSNorm,
    SiLU,
    Tanh,
)
from mini_bert.core.network import Network
from mini_bert.core.residual import PostNorm, PreNorm
from mini_bert.core.terms import Causal, Content, Padding, RelativeBias

ID_BYTES = 8

PARTS = {
    "embeddings.token.*": "tokens",
    "embeddings.position.*": "positions",
    "embeddings.token_type.*": "segments",
    "embeddings.norm.*": "embedding norm",
    "embeddings.*": "embedding dropout",
    "encoder.layers.*.norm.*": "layer norms",
    "encoder.layers.*.attn.*": "attention",
    "encoder.layers.*.ffn.*": "feed-forward",
    "encoder.layers.*.checkpoint": "checkpoints",
    "final_norm.*": "final norm",
    "head.*": "head",
    "second_head.*": "second head",
    "word_probs": "loss",
}
"""A dotted name's part of the model; the first pattern that fits."""


@dataclass(frozen=True, eq=False)
class Shape:
    """An array without its numbers. No two are equal: what counts is which arrays share a `buffer`."""

    axes: tuple[int, ...]
    itemsize: int
    view_of: Shape | None = None

    @property
    def size(self) -> int:
        return prod(self.axes)

    @property
    def nbytes(self) -> int:
        return self.size * self.itemsize

    @property
    def buffer(self) -> Shape:
        return self.view_of or self

    def fresh(self, *last: int) -> Shape:
        """A new array of this shape, or with another last axis."""
        return Shape(self.axes[: len(self.axes) - len(last)] + last, self.itemsize)


@dataclass(frozen=True)
class Rehearsal:
    """What a pass would multiply and keep, by the name of the place: the counterpart of a Trace.

    `asked` is how many positions of a sequence must be answered, None for all; `noisy` tells that dropout is
    at work. `repeated` are the FLOPs that checkpoints spend a second time.
    """

    asked: int | None = None
    noisy: bool = False
    itemsize: int = 4
    path: str = ""
    flops: Counter[str] = field(default_factory=Counter)
    repeated: Counter[str] = field(default_factory=Counter)
    kept: dict[str, Shape] = field(default_factory=dict)

    def __truediv__(self, scope: str) -> Rehearsal:
        return replace(self, path=f"{self.path}{scope}.")

    def asking(self, positions: int | None) -> Rehearsal:
        return replace(self, asked=positions)

    def answered(self, x: Shape) -> Shape:
        """x (B, T, H) at the positions that must be answered, (B, k, H)"""
        return x if self.asked is None else Shape((x.axes[0], self.asked, x.axes[2]), x.itemsize)

    def multiply(self, multiply_adds: int) -> None:
        self.flops[self.path] += 2 * multiply_adds

    def keep(self, name: str, x: Shape) -> Shape:
        self.kept[self.path + name] = x
        return x

    @property
    def forward_flops(self) -> int:
        return self.flops.total()

    @property
    def backward_flops(self) -> int:
        """A product y = a b has two gradients, da and db, each a product as large."""
        return 2 * self.flops.total() + self.repeated.total()

    @property
    def bytes_by_name(self) -> dict[str, int]:
        """The memory of each buffer, under the first name it is kept by."""
        first_names = {x.buffer: name for name, x in reversed(self.kept.items())}
        return {name: buffer.nbytes for buffer, name in first_names.items()}

    @property
    def kept_bytes(self) -> int:
        return sum(self.bytes_by_name.values())


def rehearse_training(
    network: Network, B: int, T: int, k: int | None = None, *, itemsize: int = 4
) -> Rehearsal:
    """A training pass on B sequences of T tokens, of which k in each are to be predicted (None: all)."""
    step = Rehearsal(asked=k, noisy=True, itemsize=itemsize)
    logits = rehearse(network, Shape((B, T), ID_BYTES), step)
    step.keep("word_probs", logits.fresh())
    return step


def measured_bytes(kept: Mapping[str, Array]) -> int:
    """The memory of the arrays a real trace keeps, each buffer once however many views of it there are."""
    buffers = {id(buffer): buffer for buffer in map(buffer_of, kept.values())}
    return sum(buffer.nbytes for buffer in buffers.values())


def buffer_of(array: Array) -> Array:
    """The array that owns the memory."""
    return array if array.base is None else buffer_of(array.base)


def parameters(network: Network) -> dict[str, int]:
    """How many numbers each weight has, by dotted name."""
    return {name: prod(weight.shape) for name, weight in network.all_weights().items()}


def by_part(amounts: Mapping[str, int]) -> Counter[str]:
    """Amounts by dotted name, added up by part of the model."""
    total: Counter[str] = Counter()
    for name, amount in amounts.items():
        total[next((part for pattern, part in PARTS.items() if fnmatchcase(name, pattern)), "other")] += (
            amount
        )
    return total


@singledispatch
def rehearse(part: Part, x: Shape, r: Rehearsal) -> Shape:
    """The shape that `part` makes of x; what it multiplies and keeps is noted in r."""
    check_composite(part)
    for scope, inner in part.parts():
        x = rehearse(inner, x, replace(r, path=r.path + scope))
    return x


def check_composite(part: Part) -> None:
    """Only what is made of parts, and nothing else, may be taken for the sum of them."""
    if part.weights() or not any(part.parts()):
        raise TypeError(f"{type(part).__name__}: its cost is not known; register it in models/cost.py")


@rehearse.register
def _(part: Identity, x: Shape, r: Rehearsal) -> Shape:
    return x


@rehearse.register
def _(part: Linear | LinearWithoutBias, x: Shape, r: Rehearsal) -> Shape:
    r.keep("x", x)
    r.multiply(x.size * part.O)
    return x.fresh(part.O)


@rehearse.register
def _(part: LayerNorm | RMSNorm, x: Shape, r: Rehearsal) -> Shape:
    r.keep("x_hat", x.fresh())
    r.keep("inv_sigma" if isinstance(part, LayerNorm) else "inv_r", x.fresh(1))
    return x.fresh()


@rehearse.register
def _(part: ReLU | Tanh, x: Shape, r: Rehearsal) -> Shape:
    return r.keep("y", x.fresh())


@rehearse.register
def _(part: GELU | GELUTanh | SiLU, x: Shape, r: Rehearsal) -> Shape:
    r.keep("x", x)
    r.keep({GELU: "cdf", GELUTanh: "tanh_u", SiLU: "sigma"}[type(part)], x.fresh())
    return x.fresh()


@rehearse.register
def _(part: Dropout, x: Shape, r: Rehearsal) -> Shape:
    if not r.noisy:
        return x
    r.keep("mask", x.fresh())
    return x.fresh()


@rehearse.register
def _(part: TokenTable, ids: Shape, r: Rehearsal) -> Shape:
    r.keep("ids", ids)
    return Shape((*ids.axes, part.H), r.itemsize)


@rehearse.register
def _(part: LearnedPositions | TokenTypes, x: Shape, r: Rehearsal) -> Shape:
    return x.fresh()


@rehearse.register
def _(part: Attention, x: Shape, r: Rehearsal) -> Shape:
    q = r.keep("q", rehearse(part.query, r.answered(x), r / "query"))
    k = r.keep("k", rehearse(part.key, x, r / "key"))
    v = r.keep("v", rehearse(part.value, x, r / "value"))
    (B, Tq, _), (_, Tk, _) = q.axes, k.axes
    for term in part.terms:
        rehearse_term(term, q, k, r / term.scope)
    probs = r.keep("softmax", Shape((B, part.A, Tq, Tk), q.itemsize))
    r.keep("mixed", rehearse(part.probs_dropout, probs, r / "probs_dropout"))
    r.multiply(B * Tq * Tk * v.axes[-1])
    return rehearse(part.output, q.fresh(v.axes[-1]), r / "output")


@singledispatch
def rehearse_term(term: Part, q: Shape, k: Shape, r: Rehearsal) -> None:
    """What a score term multiplies, for q (B, Tq, H) and k (B, Tk, H) of all heads together."""
    check_composite(term)
    for scope, inner in term.parts():
        rehearse_term(inner, q, k, replace(r, path=r.path + scope))


@rehearse_term.register
def _(term: Padding | Causal | RelativeBias, q: Shape, k: Shape, r: Rehearsal) -> None:
    """Looked up or compared, not multiplied."""


@rehearse_term.register
def _(term: Content, q: Shape, k: Shape, r: Rehearsal) -> None:
    r.multiply(q.size * k.axes[1])


@rehearse.register
def _(part: GatedFeedForward, x: Shape, r: Rehearsal) -> Shape:
    gate = rehearse(part.gate, x, r / "gate")
    opening = r.keep("opening", rehearse(part.activation, gate, r / "activation"))
    r.keep("content", rehearse(part.up, x, r / "up"))
    return rehearse(part.down, opening.fresh(), r / "down")


@rehearse.register
def _(part: PostNorm, x: Shape, r: Rehearsal) -> Shape:
    change = rehearse(part.dropout, rehearse(part.body, x, r), r / "dropout")
    return rehearse(part.norm, change.fresh(), r / "norm")


@rehearse.register
def _(part: PreNorm, x: Shape, r: Rehearsal) -> Shape:
    normed = rehearse(part.norm, x, r / "norm")
    change = rehearse(part.dropout, rehearse(part.body, normed, r), r / "dropout")
    return change.fresh()


@rehearse.register
def _(part: EncoderLayer, x: Shape, r: Rehearsal) -> Shape:
    return rehearse(part.ffn, rehearse(part.attn, x, r / "attn"), (r / "ffn").asking(None))


@rehearse.register
def _(part: Stack, x: Shape, r: Rehearsal) -> Shape:
    for i in range(part.depth):
        layer = part.layers[i * len(part.layers) // part.depth]
        asked = r.asked if i == part.depth - 1 else None
        x = rehearse(layer, x, (r / f"layers.{i}").asking(asked))
    return x


@rehearse.register
def _(part: Checkpoint, x: Shape, r: Rehearsal) -> Shape:
    forgetful = replace(r, flops=Counter(), kept={})
    y = rehearse(part.body, r.keep("checkpoint", x), forgetful)
    r.flops.update(forgetful.flops)
    r.repeated.update(forgetful.flops)
    return y


@rehearse.register
def _(part: Network, ids: Shape, r: Rehearsal) -> Shape:
    x = rehearse(part.embeddings, ids, r / "embeddings")
    x = rehearse(part.final_norm, rehearse(part.encoder, x, r / "encoder"), r / "final_norm")
    if part.second_head:  # a second task asks of one position in a row
        rehearse(part.second_head, Shape((x.axes[0], 1, x.axes[2]), x.itemsize), r / "second_head")
    return rehearse(part.head, x, r / "head")


@rehearse.register
def _(part: MaskedWordHead, x: Shape, r: Rehearsal) -> Shape:
    return rehearse(part.decoder, rehearse(part.transform, x, r / "transform"), r / "decoder")


@rehearse.register
def _(part: Pooler, x: Shape, r: Rehearsal) -> Shape:
    B, _, H = r.keep("hidden", x).axes
    first = Shape((B, H), x.itemsize, view_of=x.buffer)
    return rehearse(part.activation, rehearse(part.dense, first, r / "dense"), r / "activation")


@rehearse.register
def _(part: ClassifierHead, x: Shape, r: Rehearsal) -> Shape:
    pooled = rehearse(part.pooler, x, r / "pooler")
    return rehearse(part.output, rehearse(part.dropout, pooled, r / "dropout"), r / "output")


@rehearse.register
def _(part: TaggerHead, x: Shape, r: Rehearsal) -> Shape:
    return rehearse(part.output, rehearse(part.dropout, x, r / "dropout"), r / "output")
