"""Specimens of what came with Transformer-XL and XLNet: distances as waves, memory, two streams."""

from typing import Any

import numpy as np

from mini_bert.core.attention import GatedAttention
from mini_bert.core.encoder import Checkpoint, EncoderLayer
from mini_bert.core.layer import Layer
from mini_bert.core.layers import Dropout, LayerNorm, Linear, LinearWithoutBias, RMSNorm
from mini_bert.core.recurrence import Recurrent
from mini_bert.core.residual import PostNorm, PreNorm
from mini_bert.core.terms import Causal, Content, Padding, RelativeBias, Rotary, Term
from mini_bert.core.two_streams import InOrder, TwoStreamStack
from mini_bert.core.xl import Biased, RelativeSegments, SinusoidalDistances
from tests.mathematical.specimens import (
    KEY_BIAS,
    NOISE,
    NOTHING,
    PADDED,
    REPEATED,
    SOME,
    TYPES,
    A,
    B,
    H,
    attends,
    attention,
    feed_forward,
    reads,
)

rng = np.random.default_rng(9)
BEFORE, LONGER = rng.standard_normal((B, 3, H)), rng.standard_normal((B, 6, H))
ORDER = np.array(
    [[2, 0, 0, 1, 0], [0, 2, 1, 0, 0], [1, 0, 0, 0, 2]]
)  # SOME are asked for, all others are given
SEGMENTED = PADDED | {"token_type_ids": TYPES}
ORDERED = SEGMENTED | {"order": ORDER}
MEMORIES = {"layers.0.attn.": BEFORE, "layers.1.attn.": LONGER[:, :3]}

DISTANCES = (Biased(Content(), H), Biased(SinusoidalDistances(H), H))
SEGMENTS = Biased(RelativeSegments(H), H)
XLNET = (*DISTANCES, SEGMENTS, Padding(), InOrder())


def recurrent(*terms: Term, **more: Any) -> Recurrent:
    return Recurrent(attention(*terms, **more))


def gated(*terms: Term) -> GatedAttention:
    maps = (LinearWithoutBias(H, H) for _ in range(4))
    return GatedAttention(A, *maps, terms=terms, gate=Linear(H, H))


def layer(*terms: Term, dropout: Layer = NOTHING) -> EncoderLayer:
    attn = PostNorm(recurrent(*terms, probs_dropout=dropout), LayerNorm(H), dropout)
    return EncoderLayer(attn, PreNorm(feed_forward(), RMSNorm(H), dropout))


def streams(each: Layer, layers: int = 2, **more: Any) -> Any:
    stack = TwoStreamStack(layers=(each,) * layers, depth=2, H=H)
    return reads(stack, **{"inputs": ORDERED, "queries": SOME, "vanishing": KEY_BIAS} | more)


SPECIMENS = {
    "Attention: distances": attends(*DISTANCES),
    "Attention: distances, padding and causal": attends(*DISTANCES, Padding(), Causal(), inputs=PADDED),
    "Attention: distances, some asked": attends(*DISTANCES, Padding(), inputs=PADDED, queries=SOME),
    "Attention: distances, some asked twice": attends(*DISTANCES, Causal(), queries=REPEATED),
    "Attention: distances and segments": attends(*DISTANCES, SEGMENTS, Padding(), inputs=SEGMENTED),
    "Attention: segments, some asked": attends(Content(), SEGMENTS, inputs=SEGMENTED, queries=SOME),
    "Attention: no segments told": attends(
        *DISTANCES, SEGMENTS, vanishing=(*KEY_BIAS, "segments.bias", "segments.table")
    ),
    "Recurrent": reads(
        recurrent(*DISTANCES, SEGMENTS, Padding(), Causal()),
        inputs=SEGMENTED,
        memory={"": BEFORE},
        vanishing=KEY_BIAS,
    ),
    "Recurrent, some asked, dropout": reads(
        recurrent(*DISTANCES, Padding(), probs_dropout=Dropout(0.3)),
        inputs=PADDED,
        queries=REPEATED,
        noise=NOISE,
        memory={"": LONGER},
        vanishing=KEY_BIAS,
    ),
    "Recurrent, first segment": reads(recurrent(*DISTANCES), vanishing=KEY_BIAS),
    "Recurrent, gated, rotary and relative": reads(
        Recurrent(gated(Rotary(Content()), RelativeBias(A, 2), Padding(), Causal())),
        inputs=PADDED,
        queries=SOME,
        memory={"": BEFORE},
    ),
    "TwoStreamStack": streams(layer(*XLNET)),
    "TwoStreamStack, memory and dropout": streams(
        layer(*XLNET, dropout=Dropout(0.3)), noise=NOISE, memory=MEMORIES
    ),
    "TwoStreamStack, all asked": streams(layer(*XLNET), queries=None, memory=MEMORIES),
    "TwoStreamStack, one layer called twice, checkpointed": streams(
        Checkpoint(layer(*XLNET)), layers=1, memory=MEMORIES
    ),
    "TwoStreamStack, rotary and relative": streams(
        layer(Rotary(Content()), RelativeBias(A, 2), Padding(), InOrder()), vanishing=()
    ),
    "TwoStreamStack, without an order": streams(
        layer(*XLNET), inputs=SEGMENTED, vanishing=(*KEY_BIAS, "blank")
    ),
}
