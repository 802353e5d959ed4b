"""The cost of heads, and of a whole network."""

from __future__ import annotations

from mini_bert.core.heads import ClassifierHead, MaskedWordHead, ReplacedTokenHead, TaggerHead
from mini_bert.core.network import Network
from mini_bert.core.pooling import FirstToken, LastToken, MeanOfTokens, Pooler
from mini_bert.models.cost.rehearsal import Rehearsal, Shape
from mini_bert.models.cost.rehearse import rehearse


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
def _(part: MeanOfTokens, x: Shape, r: Rehearsal) -> Shape:
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
