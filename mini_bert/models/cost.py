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

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.attention import Attention, GatedAttention
from mini_bert.core.disentangled import ContentToPosition, NormedTable, PositionTerm
from mini_bert.core.electra import Electra
from mini_bert.core.embeddings import LearnedPositions, PositionsAfterPadding, TokenTable, TokenTypes
from mini_bert.core.encoder import Checkpoint, EncoderLayer, Stack
from mini_bert.core.enhanced_mask_decoder import EnhancedMaskDecoder
from mini_bert.core.feedforward import GatedFeedForward
from mini_bert.core.heads import ClassifierHead, Head, MaskedWordHead, NoHead, ReplacedTokenHead, TaggerHead
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
from mini_bert.core.pooling import FirstToken, LastToken, Pooler
from mini_bert.core.recurrence import Recurrent
from mini_bert.core.residual import PostNorm, PreNorm
from mini_bert.core.terms import Causal, Content, Padding, RelativeBias
from mini_bert.core.two_streams import InOrder, TwoStreamStack
from mini_bert.core.xl import Biased, RelativeSegments, SinusoidalDistances

ID_BYTES = 8

PARTS = {
    "embeddings.token.*": "tokens",
    "embeddings.position.*": "positions",
    "embeddings.token_type.*": "segments",
    "embeddings.norm.*": "embedding norm",
    "embeddings.project.*": "embedding projection",
    "embeddings.*": "embedding dropout",
    "encoder.relative.*": "distances",
    "encoder.position.*": "decoder positions",
    "encoder.blank": "query stream",
    "encoder.layers.*.norm.*": "layer norms",
    "encoder.layers.*.attn.*": "attention",
    "encoder.layers.*.ffn.*": "feed-forward",
    "encoder.layers.*.checkpoint": "checkpoints",
    "encoder.layers.*.source": "checkpoints",
    "final_norm.*": "final norm",
    "head.*": "head",
    "second_head.*": "second head",
    "generator.*": "generator",
    "word_probs": "loss",
    "answer_probs": "loss",
    "replaced*": "loss",
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
    at work. `repeated` are the FLOPs that checkpoints spend a second time. `memory` tokens are remembered from before;
    `ordered` tells that a model of two streams uses both, and then only the first `answering` rows are sources.
    """

    asked: int | None = None
    noisy: bool = False
    itemsize: int = 4
    memory: int = 0
    ordered: bool = False
    answering: int | None = None
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

    def sources(self, x: Shape) -> Shape:
        """The rows of x that others may look at."""
        if self.answering is None:
            return x
        return Shape((x.axes[0], self.answering, x.axes[2]), x.itemsize, view_of=x.buffer)

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
    step = Rehearsal(asked=k, noisy=True, itemsize=itemsize, ordered=True)
    words = rehearse_exercise(network, Shape((B, T), ID_BYTES), step)
    step.keep("word_probs", words.fresh())
    return step


@singledispatch
def rehearse_exercise(network: Network, ids: Shape, r: Rehearsal) -> Shape:
    """The logits of hidden words. A second task asks of the first token, and its answers come before the words."""
    if r.asked is None or not isinstance(network.second_head, Head):
        return rehearse(network, ids, r)
    k = r.asked
    x = rehearse_hidden(network, ids, r.asking(1 + k))
    first, others = (Shape((x.axes[0], n, x.axes[2]), x.itemsize, view_of=x.buffer) for n in (1, k))
    answers = rehearse(network.second_head, first, (r / "second_head").asking(None))
    r.keep("answer_probs", answers.fresh())
    return rehearse(network.head, others, (r / "head").asking(None))


@rehearse_exercise.register
def _(network: Electra, ids: Shape, r: Rehearsal) -> Shape:
    """The generator's, at the places asked; then the discriminator judges every token."""
    words = rehearse(network.generator, ids, r / "generator")
    told = rehearse(network, ids.fresh(), r.asking(None))
    r.keep("replaced", ids.fresh())
    r.keep("replaced_probs", told.fresh())
    return words


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
def _(part: Identity | NoHead, x: Shape, r: Rehearsal) -> Shape:
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
def _(part: NormedTable, rows: Shape, r: Rehearsal) -> Shape:
    return rehearse(part.norm, rehearse(part.body, rows, r), r / "norm")


@rehearse.register
def _(part: LearnedPositions | TokenTypes, x: Shape, r: Rehearsal) -> Shape:
    return x.fresh()


@rehearse.register
def _(part: PositionsAfterPadding, x: Shape, r: Rehearsal) -> Shape:
    r.keep("places", Shape(x.axes[:-1], ID_BYTES))
    return x.fresh()


@rehearse.register
def _(part: Attention | Recurrent, x: Shape, r: Rehearsal) -> Shape:
    return rehearse_attending(part, r.answered(x), r.sources(x), r)


@singledispatch
def rehearse_attending(part: Part, x: Shape, source: Shape, r: Rehearsal) -> Shape:
    """The same for `attend`: x asks, source answers."""
    raise TypeError(
        f"{type(part).__name__}: the cost of its attend is not known; register it in models/cost.py"
    )


@rehearse_attending.register
def _(part: Attention, x: Shape, source: Shape, r: Rehearsal) -> Shape:
    q = r.keep("q", rehearse(part.query, x, r / "query"))
    k = r.keep("k", rehearse(part.key, source, r / "key"))
    v = r.keep("v", rehearse(part.value, source, r / "value"))
    (B, Tq, _), (_, Tk, _) = q.axes, k.axes
    for term in part.terms:
        rehearse_term(term, q, k, r / term.scope)
    probs = r.keep("softmax", Shape((B, part.A, Tq, Tk), q.itemsize))
    r.keep("mixed", rehearse(part.probs_dropout, probs, r / "probs_dropout"))
    r.multiply(B * Tq * Tk * v.axes[-1])
    context = rehearse_opening(part, q.fresh(v.axes[-1]), x, r)
    return rehearse(part.output, context, r / "output")


@singledispatch
def rehearse_opening(part: Part, context: Shape, x: Shape, r: Rehearsal) -> Shape:
    """How much of the context passes: all of it, unless there is a gate."""
    return context


@rehearse_opening.register
def _(part: GatedAttention, context: Shape, x: Shape, r: Rehearsal) -> Shape:
    r.keep("opening", rehearse(part.gate, x, r / "gate").fresh())
    return r.keep("gathered", context).fresh()


@singledispatch
def rehearse_term(term: Part, q: Shape, k: Shape, r: Rehearsal) -> None:
    """What a score term multiplies, for q (B, Tq, H) and k (B, Tk, H) of all heads together."""
    check_composite(term)
    for scope, inner in term.parts():
        rehearse_term(inner, q, k, replace(r, path=r.path + scope))


@rehearse_term.register
def _(
    term: Padding | Causal | RelativeBias | RelativeSegments | InOrder, q: Shape, k: Shape, r: Rehearsal
) -> None:
    """Looked up or compared, not multiplied."""


@rehearse_term.register
def _(term: PositionTerm, q: Shape, k: Shape, r: Rehearsal) -> None:
    _, T, H = k.axes
    rows = np.unique(term.told.rows(np.arange(1 - T, T)))
    x = rehearse(term.table, Shape((1, len(rows)), ID_BYTES), r / "table")
    rehearse(term.project, rehearse(term.dropout, x, r / "dropout"), r / "project")
    r.keep("vectors", Shape((2 * T - 1, H), q.itemsize))
    content = q if isinstance(term, ContentToPosition) else k
    r.multiply(content.size * (2 * T - 1))


@rehearse_term.register
def _(term: Content, q: Shape, k: Shape, r: Rehearsal) -> None:
    r.multiply(q.size * k.axes[1])


@rehearse_term.register
def _(term: Biased, q: Shape, k: Shape, r: Rehearsal) -> None:
    rehearse_term(term.body, q, k, r)


@rehearse_term.register
def _(term: SinusoidalDistances, q: Shape, k: Shape, r: Rehearsal) -> None:
    N = 2 * k.axes[1] - r.memory - 1
    r.multiply(r.keep("r", Shape((N, term.H), q.itemsize)).size * term.H)
    r.multiply(q.size * N)


@rehearse_attending.register
def _(part: Recurrent, x: Shape, source: Shape, r: Rehearsal) -> Shape:
    B, T, H = source.axes
    known = Shape((B, r.memory + T, H), source.itemsize) if r.memory else source
    return rehearse_attending(part.body, x, known, r)


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


@rehearse_attending.register
def _(part: PostNorm, x: Shape, source: Shape, r: Rehearsal) -> Shape:
    change = rehearse(part.dropout, rehearse_attending(part.body, x, source, r), r / "dropout")
    return rehearse(part.norm, change.fresh(), r / "norm")


@rehearse_attending.register
def _(part: PreNorm, x: Shape, source: Shape, r: Rehearsal) -> Shape:
    normed = rehearse(part.norm, x, r / "norm"), rehearse(part.norm, source, r / "source_norm")
    return rehearse(part.dropout, rehearse_attending(part.body, *normed, r), r / "dropout").fresh()


@rehearse.register
def _(part: EncoderLayer, x: Shape, r: Rehearsal) -> Shape:
    return rehearse(part.ffn, rehearse(part.attn, x, r / "attn"), (r / "ffn").asking(None))


@rehearse_attending.register
def _(part: EncoderLayer, x: Shape, source: Shape, r: Rehearsal) -> Shape:
    return rehearse(part.ffn, rehearse_attending(part.attn, x, source, r / "attn"), (r / "ffn").asking(None))


@rehearse.register
def _(part: Stack, x: Shape, r: Rehearsal) -> Shape:
    for i in range(part.depth):
        layer = part.layers[i * len(part.layers) // part.depth]
        asked = r.asked if i == part.depth - 1 else None
        x = rehearse(layer, x, (r / f"layers.{i}").asking(asked))
    return x


@rehearse.register
def _(part: EnhancedMaskDecoder, x: Shape, r: Rehearsal) -> Shape:
    for i in range(part.depth - 1):
        x = rehearse(part.layers[i * len(part.layers) // part.depth], x, (r / f"layers.{i}").asking(None))
    y = r.answered(rehearse(part.position, x, r / "position"))
    for n in range(part.answers):
        y = rehearse_attending(part.layers[-1], y, x, r / f"layers.{part.depth - 1 + n}")
    return y


@rehearse.register
def _(part: TwoStreamStack, x: Shape, r: Rehearsal) -> Shape:
    plain = Stack(part.layers, part.depth, part.relative)
    if not r.ordered:
        return rehearse(plain, x, r)
    B, T, H = x.axes
    asked = r.asked or T
    return rehearse(plain, Shape((B, T + asked, H), x.itemsize), replace(r, asked=asked, answering=T))


@rehearse.register
def _(part: Checkpoint, x: Shape, r: Rehearsal) -> Shape:
    forgetful = replace(r, flops=Counter(), kept={})
    y = rehearse(part.body, r.keep("checkpoint", x), forgetful)
    return repeated(forgetful, r, y)


@rehearse_attending.register
def _(part: Checkpoint, x: Shape, source: Shape, r: Rehearsal) -> Shape:
    forgetful = replace(r, flops=Counter(), kept={})
    kept = r.keep("checkpoint", x), r.keep("source", source)
    return repeated(forgetful, r, rehearse_attending(part.body, *kept, forgetful))


def repeated(again: Rehearsal, r: Rehearsal, y: Shape) -> Shape:
    """y, whose FLOPs are spent a second time"""
    r.flops.update(again.flops)
    r.repeated.update(again.flops)
    return y


@rehearse.register
def _(part: Network, ids: Shape, r: Rehearsal) -> Shape:
    return rehearse(part.head, rehearse_hidden(part, ids, r), (r / "head").asking(None))


def rehearse_hidden(network: Network, ids: Shape, r: Rehearsal) -> Shape:
    x = rehearse(network.embeddings, ids, r / "embeddings")
    return rehearse(network.final_norm, rehearse(network.encoder, x, r / "encoder"), r / "final_norm")


@rehearse.register
def _(part: MaskedWordHead, x: Shape, r: Rehearsal) -> Shape:
    return rehearse(part.decoder, rehearse(part.transform, x, r / "transform"), r / "decoder")


@rehearse.register
def _(part: FirstToken, x: Shape, r: Rehearsal) -> Shape:
    B, _, H = r.keep("hidden", x).axes
    return Shape((B, H), x.itemsize, view_of=x.buffer)


@rehearse.register
def _(part: LastToken, x: Shape, r: Rehearsal) -> Shape:
    B, _, H = r.keep("hidden", x).axes
    return Shape((B, H), x.itemsize)


@rehearse.register
def _(part: Pooler, x: Shape, r: Rehearsal) -> Shape:
    spoken = rehearse(part.token, x, r / "token")
    return rehearse(part.activation, rehearse(part.dense, spoken, r / "dense"), r / "activation")


@rehearse.register
def _(part: ClassifierHead, x: Shape, r: Rehearsal) -> Shape:
    pooled = rehearse(part.pooler, x, r / "pooler")
    return rehearse(part.output, rehearse(part.dropout, pooled, r / "dropout"), r / "output")


@rehearse.register
def _(part: TaggerHead, x: Shape, r: Rehearsal) -> Shape:
    return rehearse(part.output, rehearse(part.dropout, x, r / "dropout"), r / "output")


@rehearse.register
def _(part: ReplacedTokenHead, x: Shape, r: Rehearsal) -> Shape:
    x = rehearse(part.activation, rehearse(part.dense, x, r / "dense"), r / "activation")
    scores = rehearse(part.output, x, r / "output")
    return Shape(scores.axes[:-1], scores.itemsize, view_of=scores.buffer)
