"""Specimens of what came with DeBERTa: scores of words and places, the enhanced mask decoder."""

from typing import Any

from mini_bert.core.disentangled import ContentToPosition, InBuckets, NormedTable, PositionToContent, ToReach
from mini_bert.core.embeddings import LearnedPositions, TokenTable
from mini_bert.core.encoder import Checkpoint, EncoderLayer, Stack
from mini_bert.core.enhanced_mask_decoder import EnhancedMaskDecoder
from mini_bert.core.layer import Layer, Weight
from mini_bert.core.layers import Dropout, LayerNorm, Linear, LinearWithoutBias
from mini_bert.core.residual import PostNorm, PreNorm
from mini_bert.core.sharing import Neighbours, Shared
from mini_bert.core.terms import Content, Padding, RelativeBias
from tests.mathematical.specimens import (
    IDS,
    KEY_BIAS,
    NOISE,
    NOTHING,
    PADDED,
    REPEATED,
    SOME,
    A,
    H,
    I,
    T,
    V,
    attends,
    attention,
    feed_forward,
    reads,
)


def disentangled(
    reach: int, *, owner: str = "encoder.relative", dropout: Layer = NOTHING
) -> tuple[Content, ContentToPosition, PositionToContent]:
    settings: dict[str, Any] = {"n": 3, "told": ToReach(reach), "dropout": dropout}
    settings["table"] = Shared(TokenTable(2 * reach, H), owner)
    to_position = ContentToPosition(**settings, project=LinearWithoutBias(H, H))
    return Content(3), to_position, PositionToContent(**settings, project=Linear(H, H))


def disentangled_layer(
    residual: type[PostNorm] | type[PreNorm] = PostNorm, dropout: Layer = NOTHING
) -> EncoderLayer:
    terms = disentangled(3, owner="home.relative", dropout=dropout)
    attn = residual(attention(*terms, Padding()), LayerNorm(H), dropout)
    return EncoderLayer(attn, residual(feed_forward(), LayerNorm(H), dropout))


def distances_lent(reach: int, **more: Any) -> dict[str, Any]:
    return {"lent": {"encoder.relative.weight": Weight((2 * reach, H), "table")}, "vanishing": (), **more}


def decoder(layer: Layer, layers: int = 2, depth: int = 2) -> EnhancedMaskDecoder:
    relative, position = TokenTable(6, H), LearnedPositions(T + 1, H)
    return EnhancedMaskDecoder((layer,) * layers, depth, relative, position=position)


def as_words(told: InBuckets, table: Layer) -> tuple[Content, ContentToPosition, PositionToContent]:
    settings: dict[str, Any] = {"n": 3, "told": told, "table": Shared(table, "encoder.relative")}
    to_position = ContentToPosition(**settings, project=Neighbours(Linear(H, H), "key"))
    return Content(3), to_position, PositionToContent(**settings, project=Neighbours(Linear(H, H), "query"))


NORMED = {
    "lent": {
        "encoder.relative.weight": Weight((4, H), "table"),
        "encoder.relative.norm.weight": Weight((H,), "gain"),
        "encoder.relative.norm.bias": Weight((H,), "bias"),
    },
    "vanishing": (),
}
KEY = {"key.weight": Weight((I, H), "matrix"), "key.bias": Weight((I,), "bias")}
TO_CONTENT = disentangled(2)[::2]
TO_POSITION = disentangled(2)[:2]
SPECIMENS = {
    "Attention: disentangled": attends(*disentangled(T), Padding(), inputs=PADDED, **distances_lent(T)),
    "Attention: disentangled, clipped": attends(*disentangled(2), **distances_lent(2)),
    "Attention: disentangled, some asked": attends(
        *disentangled(2), Padding(), inputs=PADDED, queries=SOME, **distances_lent(2)
    ),
    "Attention: disentangled, some asked twice": attends(
        *disentangled(3), RelativeBias(A, 2), queries=REPEATED, **distances_lent(3)
    ),
    "Attention: disentangled, dropout": attends(
        *disentangled(2, dropout=Dropout(0.3)), noise=NOISE, **distances_lent(2)
    ),
    "Attention: content to position": attends(*TO_POSITION, **distances_lent(2, vanishing=KEY_BIAS)),
    "Attention: position to content": attends(*TO_CONTENT, **distances_lent(2)),
    "Attention: disentangled, buckets, normed, the words' projections": attends(
        *as_words(InBuckets(2, T), NormedTable(TokenTable(4, H), LayerNorm(H))),
        Padding(),
        inputs=PADDED,
        **NORMED,
    ),
    "NormedTable": reads(NormedTable(TokenTable(V, H), LayerNorm(H)), IDS),
    "Neighbours": reads(Neighbours(Linear(H, I), "key"), lent=KEY),
    "Stack, disentangled": reads(
        Stack((disentangled_layer(dropout=Dropout(0.3)),) * 2, 2, TokenTable(6, H)),
        inputs=PADDED,
        queries=SOME,
        noise=NOISE,
    ),
    "EnhancedMaskDecoder": reads(decoder(disentangled_layer()), inputs=PADDED, queries=REPEATED),
    "EnhancedMaskDecoder, all asked, dropout": reads(
        decoder(disentangled_layer(dropout=Dropout(0.3))), noise=NOISE
    ),
    "EnhancedMaskDecoder, pre-norm, one layer called twice, checkpointed": reads(
        decoder(Checkpoint(disentangled_layer(PreNorm)), layers=1), inputs=PADDED, queries=SOME
    ),
}
