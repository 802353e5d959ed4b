"""One specimen or more of every part there is, tiny: B = 3, T = 5, H = 8, A = 2, I = 12, V = 11."""

from typing import Any

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.attention import Attention, GatedAttention
from mini_bert.core.electra import Electra
from mini_bert.core.embeddings import (
    Embeddings,
    LearnedPositions,
    PositionsAfterPadding,
    TokenTable,
    TokenTypes,
)
from mini_bert.core.encoder import Checkpoint, EncoderLayer, Stack
from mini_bert.core.feedforward import FeedForward, GatedFeedForward
from mini_bert.core.functions.dropout import Noise
from mini_bert.core.heads import (
    ClassifierHead,
    MaskedWordHead,
    NoHead,
    ReplacedTokenHead,
    TaggerHead,
    Transform,
    next_sentence_head,
)
from mini_bert.core.layer import Identity, Layer, Weight
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
from mini_bert.core.pooling import FirstToken, LastToken, MeanOfTokens, Pooler
from mini_bert.core.residual import PostNorm, PreNorm
from mini_bert.core.sharing import Shared, Tied
from mini_bert.core.terms import Causal, Content, Padding, RelativeBias, Rotary, Term
from tests.mathematical.battery import Specimen

B, T, H, A, I, V = 3, 5, 8, 2, 12, 11

rng = np.random.default_rng(7)
X = rng.standard_normal((B, T, H))
FAR = 100 + np.random.default_rng(8).standard_normal((2, 2, 192))  # as wide as Mini-BERT, and far from zero
IDS = rng.integers(0, V, (B, T))
IDS[:, -1] = IDS[:, 0]  # a word that occurs twice
MASK = np.array([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0], [1, 1, 0, 1, 1]], bool)
TYPES = np.array([[0, 0, 1, 1, 1], [0, 1, 1, 1, 1], [0, 0, 0, 0, 1]])
SOME = np.array([[0, 3], [2, 1], [4, 0]])
PLACES = np.array([[0, 1, 2, 3, 4], [0, 0, 0, 1, 2], [0, 0, 1, 2, 3]])  # as behind padding
REPEATED = np.array([[1, 1, 4], [0, 2, 0], [3, 3, 3]])

NOTHING = Identity()
NOISE = Noise(seed=3, step=2)
PADDED = {"attention_mask": MASK}
KEY_BIAS = (
    "key.bias",
)  # adds the same to every score of a query: softmax does not see it, but after a rotation


def attention(*terms: Term, probs_dropout: Layer = NOTHING) -> Attention:
    return Attention(A, *(Linear(H, H) for _ in range(4)), terms=terms, probs_dropout=probs_dropout)


def feed_forward() -> FeedForward:
    return FeedForward(Linear(H, I), GELU(), Linear(I, H))


def transform() -> Transform:
    return Transform(Linear(H, H), GELU(), LayerNorm(H))


def encoder_layer(dropout: Layer = NOTHING) -> EncoderLayer:
    attn = attention(Content(), Padding(), probs_dropout=dropout)
    return EncoderLayer(PostNorm(attn, LayerNorm(H), dropout), PreNorm(feed_forward(), RMSNorm(H), dropout))


def embeddings(dropout: Layer = NOTHING) -> Embeddings:
    return Embeddings(TokenTable(V, H), TokenTypes(2, H), LearnedPositions(T + 2, H), LayerNorm(H), dropout)


def reads(part: Any, x: Array = X, **more: Any) -> Specimen:
    return Specimen(part, x, **more)


def attends(*terms: Term, **more: Any) -> Specimen:
    turns = any(isinstance(term, Rotary) for term in terms)
    return reads(attention(*terms), **{"vanishing": () if turns else KEY_BIAS} | more)


ELEMENTWISE = {
    "Identity": reads(Identity()),
    "ReLU": reads(ReLU(), smooth=False),
    "GELU": reads(GELU()),
    "GELUTanh": reads(GELUTanh()),
    "SiLU": reads(SiLU()),
    "Tanh": reads(Tanh()),
    "Dropout": reads(Dropout(0.3), noise=NOISE),
    "Dropout, evaluating": reads(Dropout(0.3)),
}
SMALLEST = {
    "Linear": reads(Linear(H, I)),
    "Linear, square": reads(
        Linear(H, H), X[:2, :4]
    ),  # 8 tokens of 8 numbers: a wrong axis has the right length
    "LinearWithoutBias": reads(LinearWithoutBias(H, I)),
    "LayerNorm": reads(LayerNorm(H)),
    "LayerNorm, visible eps": reads(LayerNorm(H, eps=0.5)),
    "LayerNorm, far from zero": reads(LayerNorm(192), FAR),
    "RMSNorm": reads(RMSNorm(H)),
    "RMSNorm, visible eps": reads(RMSNorm(H, eps=0.5)),
    "RMSNorm, far from zero": reads(RMSNorm(192), FAR),
}
ATTENTIONS = {
    "content": attends(Content()),
    "padding": attends(Content(), Padding(), inputs=PADDED),
    "padding, unpadded": attends(Content(), Padding()),
    "padding and causal": attends(Content(), Padding(), Causal(), inputs=PADDED),
    "rotary": attends(Rotary(Content()), Padding(), inputs=PADDED),
    "rotary and content": attends(Content(), Rotary(Content())),
    "relative": attends(Content(), RelativeBias(A, T - 1), Padding(), inputs=PADDED),
    "relative, clipped": attends(Content(), RelativeBias(A, 2)),
    "all terms": attends(Rotary(Content()), RelativeBias(A, 2), Padding(), Causal(), inputs=PADDED),
    "some asked": attends(Content(), Padding(), inputs=PADDED, queries=SOME),
    "some asked, all terms": attends(
        Rotary(Content()), RelativeBias(A, 2), Padding(), Causal(), inputs=PADDED, queries=SOME
    ),
    "some asked twice": attends(
        Rotary(Content()), RelativeBias(A, 2), Padding(), Causal(), inputs=PADDED, queries=REPEATED
    ),
}
DROPPING = attention(Content(), probs_dropout=Dropout(0.3))
GATED = GatedAttention(A, *(Linear(H, H) for _ in range(4)), gate=Linear(H, H))
BLOCKS = {
    **{f"Attention: {name}": specimen for name, specimen in ATTENTIONS.items()},
    "Attention: dropout": reads(DROPPING, noise=NOISE, vanishing=KEY_BIAS),
    "GatedAttention": reads(GATED, inputs=PADDED, vanishing=KEY_BIAS),
    "GatedAttention, some asked twice": reads(GATED, queries=REPEATED, vanishing=KEY_BIAS),
    "FeedForward": reads(feed_forward()),
    "FeedForward, ReLU": reads(FeedForward(Linear(H, I), ReLU(), Linear(I, H)), smooth=False),
    "GatedFeedForward, GeGLU": reads(GatedFeedForward(Linear(H, I), GELU(), Linear(H, I), Linear(I, H))),
    "GatedFeedForward, SwiGLU": reads(
        GatedFeedForward(LinearWithoutBias(H, I), SiLU(), LinearWithoutBias(H, I), LinearWithoutBias(I, H))
    ),
    "PostNorm": reads(PostNorm(feed_forward(), LayerNorm(H), Dropout(0.3)), noise=NOISE),
    "PreNorm": reads(PreNorm(feed_forward(), LayerNorm(H), Dropout(0.3)), noise=NOISE),
    "PostNorm, some asked": reads(
        PostNorm(attention(Content()), LayerNorm(H)), queries=REPEATED, vanishing=KEY_BIAS
    ),
    "PreNorm, some asked": reads(
        PreNorm(attention(Content()), LayerNorm(H)), queries=REPEATED, vanishing=KEY_BIAS
    ),
}
STACKS = {
    "EncoderLayer": reads(encoder_layer(Dropout(0.3)), inputs=PADDED, noise=NOISE, vanishing=KEY_BIAS),
    "EncoderLayer, some asked": reads(encoder_layer(), inputs=PADDED, queries=REPEATED, vanishing=KEY_BIAS),
    "Stack": reads(Stack((encoder_layer(),) * 2, 2), inputs=PADDED, queries=SOME, vanishing=KEY_BIAS),
    "Stack, one layer called three times": reads(
        Stack((encoder_layer(Dropout(0.3)),), 3), inputs=PADDED, noise=NOISE, vanishing=KEY_BIAS
    ),
    "Stack, two layers for three calls": reads(Stack((transform(),) * 2, 3)),
    "Checkpoint": reads(
        Checkpoint(encoder_layer(Dropout(0.3))), inputs=PADDED, noise=NOISE, vanishing=KEY_BIAS
    ),
}
TABLE = {"embeddings.token.weight": Weight((V, H), "table")}
ELSEWHERE = {f"elsewhere.{name}": weight for name, weight in feed_forward().all_weights().items()}
HEADS = {
    "Transform": reads(transform()),
    "Tied": reads(Tied(Linear(H, V)), lent=TABLE),
    "Shared": reads(Shared(feed_forward(), "elsewhere"), lent=ELSEWHERE),
    "MaskedWordHead": reads(MaskedWordHead(Linear(H, V))),
    "MaskedWordHead, tied with transform": reads(
        MaskedWordHead(Tied(LinearWithoutBias(H, V)), transform()),
        lent=TABLE,
    ),
    "FirstToken": reads(FirstToken()),
    "LastToken": reads(LastToken(), inputs=PADDED),
    "LastToken, unpadded": reads(LastToken()),
    "MeanOfTokens": reads(MeanOfTokens(), inputs=PADDED),
    "MeanOfTokens, unpadded": reads(MeanOfTokens()),
    "Pooler": reads(Pooler(Linear(H, H))),
    "Pooler, last token": reads(Pooler(Linear(H, H), token=LastToken()), inputs=PADDED),
    "ClassifierHead": reads(ClassifierHead(Pooler(Linear(H, H)), Linear(H, 3), Dropout(0.3)), noise=NOISE),
    "next_sentence_head": reads(next_sentence_head(H)),
    "TaggerHead": reads(TaggerHead(Linear(H, 4), Dropout(0.3)), noise=NOISE),
    "ReplacedTokenHead": reads(ReplacedTokenHead(Linear(H, I), GELU(), Linear(I, 1))),
    "NoHead": reads(NoHead()),
}
EMBEDDINGS = {
    "LearnedPositions": reads(LearnedPositions(T + 2, H)),
    "LearnedPositions, each row its own": reads(LearnedPositions(T, H), inputs={"position_ids": PLACES}),
    "PositionsAfterPadding": reads(
        PositionsAfterPadding(T, H, padding_id=2), inputs={"ids": np.where(MASK, IDS, 2)}
    ),
    "TokenTypes": reads(TokenTypes(2, H), inputs={"token_type_ids": TYPES}),
    "TokenTypes, one segment": reads(TokenTypes(2, H)),
    "TokenTable": reads(TokenTable(V, H), IDS),
    "Embeddings": reads(embeddings(dropout=Dropout(0.3)), IDS, inputs={"token_type_ids": TYPES}, noise=NOISE),
    "Embeddings, token table alone": reads(Embeddings(TokenTable(V, H)), IDS),
    "Embeddings, narrow tables and positions after padding": reads(
        Embeddings(
            TokenTable(V, 3),
            position=PositionsAfterPadding(T, 3, padding_id=1),
            norm=LayerNorm(3),
            project=Linear(3, H),
        ),
        np.where(MASK, IDS, 1),
    ),
}
GENERATOR = Network(
    Embeddings(Shared(TokenTable(V, H), "embeddings.token"), project=Linear(H, 4)),
    Stack((Transform(Linear(4, 4), GELU(), LayerNorm(4)),), 1),
    NOTHING,
    MaskedWordHead(Tied(LinearWithoutBias(H, V)), Transform(Linear(4, H), GELU(), LayerNorm(H))),
)
NETWORKS = {
    "Electra": reads(
        Electra(
            embeddings(),
            Stack((encoder_layer(),), 1),
            NOTHING,
            ReplacedTokenHead(Linear(H, H), GELU(), Linear(H, 1)),
            generator=GENERATOR,
        ),
        IDS,
        inputs=PADDED | {"token_type_ids": TYPES},
        # the generator runs in training alone, before the discriminator
        vanishing=KEY_BIAS + tuple(f"generator.{name}" for name in GENERATOR.all_weights()),
    ),
    "Network": reads(
        Network(embeddings(), Stack((encoder_layer(),), 1), LayerNorm(H), MaskedWordHead(Linear(H, V))),
        IDS,
        inputs=PADDED | {"token_type_ids": TYPES},
        queries=SOME,
        vanishing=KEY_BIAS,
    ),
}
SPECIMENS = ELEMENTWISE | SMALLEST | BLOCKS | STACKS | HEADS | EMBEDDINGS | NETWORKS
