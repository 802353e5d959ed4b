"""The cost of residual connections, blocks and stacks of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from mini_bert.core.encoder import Checkpoint, EncoderLayer, Stack
from mini_bert.core.enhanced_mask_decoder import EnhancedMaskDecoder
from mini_bert.core.residual import PostNorm, PreNorm
from mini_bert.core.two_streams import TwoStreamStack
from mini_bert.models.cost.rehearsal import Rehearsal, Shape
from mini_bert.models.cost.rehearse import rehearse, rehearse_attending


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
