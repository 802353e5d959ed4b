"""From a configuration to the parts it names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mini_bert.core.attention import Attention
from mini_bert.core.embeddings import Embeddings, LearnedPositions, TokenTable, TokenTypes
from mini_bert.core.encoder import Checkpoint, EncoderLayer, Stack
from mini_bert.core.feedforward import FeedForward, GatedFeedForward
from mini_bert.core.heads import MaskedWordHead, Tied, Transform, next_sentence_head, token_order_head
from mini_bert.core.initializers import DepthScaled, He, Initializer, Normal, TruncatedNormal, Xavier
from mini_bert.core.layer import Identity, Layer
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
)
from mini_bert.core.network import Network
from mini_bert.core.residual import PostNorm, PreNorm
from mini_bert.core.terms import Content, Padding, RelativeBias, Rotary, Term
from mini_bert.models.config import ModelConfig

RESIDUALS: dict[str, type[PostNorm] | type[PreNorm]] = {"post-norm": PostNorm, "pre-norm": PreNorm}
NORMS: dict[str, type[LayerNorm] | type[RMSNorm]] = {"layer": LayerNorm, "rms": RMSNorm}
ACTIVATIONS: dict[str, Layer] = {"relu": ReLU(), "gelu": GELU(), "gelu-tanh": GELUTanh(), "silu": SiLU()}
TERMS: dict[str, Callable[[ModelConfig], tuple[Term, ...]]] = {
    "learned": lambda c: (Content(), Padding()),
    "rotary": lambda c: (Rotary(Content()), Padding()),
    "relative": lambda c: (Content(), RelativeBias(c.num_heads, c.max_seq_length - 1), Padding()),
}
SECOND_HEADS: dict[str, Callable[[int], Layer | None]] = {
    "none": lambda H: None,
    "pairs": next_sentence_head,
    "order": token_order_head,
}
INITIALIZERS: dict[str, Callable[[float, int], Initializer]] = {
    "normal": lambda std, depth: Normal(std),
    "truncated": lambda std, depth: TruncatedNormal(std),
    "xavier": lambda std, depth: Xavier(std),
    "he": lambda std, depth: He(std),
    "depth-scaled": lambda std, depth: DepthScaled(std, depth),
}


def build_network(config: ModelConfig) -> Network:
    """The model a configuration describes, as a value without weights."""
    parts = PartChooser(config)
    depth = config.num_layers
    return Network(
        embeddings=parts.embeddings(),
        encoder=Stack((parts.encoder_layer(),) * (config.layer_groups or depth), depth),
        final_norm=parts.norm() if config.final_norm else Identity(),
        head=parts.masked_word_head(),
        second_head=SECOND_HEADS[config.second_head](config.hidden_size),
    )


def build_initializer(config: ModelConfig) -> Initializer:
    return INITIALIZERS[config.initializer.kind](config.initializer.std, config.num_layers)


class PartChooser:
    """Each method makes one part; what the configuration leaves out is an Identity."""

    def __init__(self, config: ModelConfig) -> None:
        self.config = config
        self.activation = ACTIVATIONS[config.activation]

    def linear(self, I: int, O: int) -> Linear | LinearWithoutBias:
        return Linear(I, O) if self.config.bias else LinearWithoutBias(I, O)

    def norm(self) -> Layer:
        return NORMS[self.config.norm](self.config.hidden_size, self.config.norm_eps)

    def dropout(self, rate: float) -> Layer:
        return Dropout(rate) if rate else Identity()

    def embeddings(self) -> Embeddings:
        c = self.config
        return Embeddings(
            token=TokenTable(c.vocab_size, c.hidden_size),
            token_type=TokenTypes(c.token_types, c.hidden_size) if c.token_types else Identity(),
            position=LearnedPositions(c.max_seq_length, c.hidden_size)
            if c.positions == "learned"
            else Identity(),
            norm=self.norm() if c.embedding_norm else Identity(),
            dropout=self.dropout(c.dropout),
        )

    def encoder_layer(self) -> Layer:
        layer = EncoderLayer(self.residual(self.attention()), self.residual(self.feed_forward()))
        return Checkpoint(layer) if self.config.checkpoint_activations else layer

    def residual(self, body: Layer) -> Layer:
        return RESIDUALS[self.config.residual](body, self.norm(), self.dropout(self.config.dropout))

    def attention(self) -> Attention:
        c, H = self.config, self.config.hidden_size
        projections: dict[str, Any] = {
            name: self.linear(H, H) for name in ("query", "key", "value", "output")
        }
        return Attention(
            c.num_heads,
            **projections,
            terms=TERMS[c.positions](c),
            probs_dropout=self.dropout(c.attention_dropout),
        )

    def feed_forward(self) -> Layer:
        H, I = self.config.hidden_size, self.config.intermediate_size
        up, down = self.linear(H, I), self.linear(I, H)
        if self.config.feed_forward == "gated":
            return GatedFeedForward(self.linear(H, I), self.activation, up, down)
        return FeedForward(up, self.activation, down)

    def masked_word_head(self) -> MaskedWordHead:
        H, V = self.config.hidden_size, self.config.vocab_size
        decoder: Layer = Tied(self.linear(H, V)) if self.config.tied else self.linear(H, V)
        transform = Transform(self.linear(H, H), self.activation, self.norm())
        return MaskedWordHead(decoder, transform if self.config.head_transform else Identity())
