"""From a configuration to the parts it names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

from mini_bert.core.attention import Attention, GatedAttention
from mini_bert.core.disentangled import ContentToPosition, InBuckets, NormedTable, PositionToContent, ToReach
from mini_bert.core.electra import Electra
from mini_bert.core.embeddings import (
    Embeddings,
    LearnedPositions,
    PositionsAfterPadding,
    TokenTable,
    TokenTypes,
)
from mini_bert.core.encoder import Checkpoint, EncoderLayer, Stack
from mini_bert.core.enhanced_mask_decoder import EnhancedMaskDecoder
from mini_bert.core.feedforward import FeedForward, GatedFeedForward
from mini_bert.core.heads import (
    ClassifierHead,
    Head,
    MaskedWordHead,
    NoHead,
    ReplacedTokenHead,
    TaggerHead,
    Transform,
    next_sentence_head,
    token_order_head,
)
from mini_bert.core.initializers import DepthScaled, He, Initializer, Normal, TruncatedNormal, Xavier
from mini_bert.core.layer import Attending, Identity, Layer
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
from mini_bert.core.sharing import Neighbours, Shared, Tied
from mini_bert.core.terms import Causal, Content, Padding, RelativeBias, Rotary, Term
from mini_bert.core.two_streams import InOrder, TwoStreamStack
from mini_bert.core.xl import Biased, RelativeSegments, SinusoidalDistances
from mini_bert.models.config import ModelConfig


def told_apart(c: ModelConfig) -> ToReach | InBuckets:
    farthest = c.reach or c.max_seq_length
    return InBuckets(c.buckets, farthest) if c.buckets else ToReach(farthest)


def distances_table(c: ModelConfig) -> Layer:
    """A row for each of the distances that are told apart"""
    table = TokenTable(told_apart(c).count, c.hidden_size)
    return NormedTable(table, NORMS[c.norm](c.hidden_size, c.norm_eps)) if c.relative_norm else table


def disentangled_terms(c: ModelConfig) -> tuple[Term, ...]:
    """DeBERTa's scores of words and places; the encoder has the table of distances for all of its layers"""
    H, biased = c.hidden_size, BIASED[c.attention_bias] if c.bias else ()
    kinds = {"c2p": ("c2p",), "p2c": ("p2c",), "both": ("c2p", "p2c")}[c.disentangled]
    projections: dict[str, tuple[Layer, Layer]] = {
        "own": (LinearWithoutBias(H, H), Linear(H, H) if c.bias else LinearWithoutBias(H, H)),
        "shared": (
            Neighbours(Linear(H, H) if "key" in biased else LinearWithoutBias(H, H), "key"),
            Neighbours(Linear(H, H) if "query" in biased else LinearWithoutBias(H, H), "query"),
        ),
    }
    to_position, to_content = projections[c.relative_projection]
    common: dict[str, Any] = {
        "n": 1 + len(kinds),
        "told": told_apart(c),
        "table": Shared(distances_table(c), "encoder.relative"),
        "dropout": Dropout(c.dropout) if c.dropout else Identity(),
    }
    made = {
        "c2p": ContentToPosition(**common, project=to_position),
        "p2c": PositionToContent(**common, project=to_content),
    }
    return Content(common["n"]), *(made[kind] for kind in kinds)


RESIDUALS: dict[str, type[PostNorm] | type[PreNorm]] = {"post-norm": PostNorm, "pre-norm": PreNorm}
NORMS: dict[str, type[LayerNorm] | type[RMSNorm]] = {"layer": LayerNorm, "rms": RMSNorm}
ACTIVATIONS: dict[str, Layer] = {"relu": ReLU(), "gelu": GELU(), "gelu-tanh": GELUTanh(), "silu": SiLU()}
POOLERS: dict[str, Layer] = {"tanh": Tanh(), "relu": ReLU(), "gelu": GELU()}
POOLED: dict[str, Layer] = {"first": FirstToken(), "last": LastToken()}
POSITIONS: dict[str, Callable[[ModelConfig], Layer]] = {
    "learned": lambda c: LearnedPositions(c.max_seq_length, c.table_size),
    "after-padding": lambda c: PositionsAfterPadding(c.max_seq_length, c.table_size, c.padding_id),
    "learned-and-disentangled": lambda c: LearnedPositions(c.max_seq_length, c.table_size),
}
"""What is added to the embeddings; all other positions are seen by attention alone."""
TERMS: dict[str, Callable[[ModelConfig], tuple[Term, ...]]] = {
    "learned": lambda c: (Content(),),
    "after-padding": lambda c: (Content(),),
    "rotary": lambda c: (Rotary(Content()),),
    "relative": lambda c: (Content(), RelativeBias(c.num_heads, c.reach or c.max_seq_length - 1)),
    "disentangled": disentangled_terms,
    "learned-and-disentangled": disentangled_terms,
    "transformer-xl": lambda c: (
        Biased(Content(), c.hidden_size),
        Biased(SinusoidalDistances(c.hidden_size), c.hidden_size),
    ),
}
"""What attention scores are summed from, beside segments and what must not be seen."""
BIASED: dict[str, tuple[str, ...]] = {
    "all": ("query", "key", "value", "output"),
    "not-key": ("query", "value", "output"),
    "none": (),
}
SECOND_HEADS: dict[str, Callable[[int], Layer | None]] = {
    "none": lambda H: None,
    "pairs": next_sentence_head,
    "order": token_order_head,
    "pooler": lambda H: Pooler(Linear(H, H)),
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
    network = Network(
        embeddings=parts.embeddings(),
        encoder=parts.encoder(),
        final_norm=parts.norm(config.hidden_size) if config.final_norm else Identity(),
        head=parts.head(),
        second_head=SECOND_HEADS[config.second_head](config.hidden_size),
    )
    return with_generator(network, config) if config.generator else network


def with_generator(network: Network, config: ModelConfig) -> Electra:
    """ELECTRA: beside the network a smaller one, whose tables are those of the network."""
    twin = build_network(generator_config(config))
    owned = {
        name: Shared(part, f"embeddings.{name}")
        for name in ("token", "token_type", "position")
        if not isinstance(part := getattr(twin.embeddings, name), Identity)
    }
    generator = replace(twin, embeddings=replace(twin.embeddings, **owned))
    return Electra(
        **{field.name: getattr(network, field.name) for field in fields(network)}, generator=generator
    )


def generator_config(config: ModelConfig) -> ModelConfig:
    """What ELECTRA's generator is, taken alone: it reads the same tables, and tells words."""
    assert config.generator is not None
    own = config.generator.model_dump()
    width = config.table_size if config.table_size != config.generator.hidden_size else None
    words = {"head": "words", "head_transform": True, "tied": True, "generator": None}
    return config.changed(**own | words, embedding_size=width)


def build_initializer(config: ModelConfig) -> Initializer:
    return INITIALIZERS[config.initializer.kind](config.initializer.std, config.num_layers)


class PartChooser:
    """Each method makes one part; what the configuration leaves out is an Identity."""

    def __init__(self, config: ModelConfig) -> None:
        self.config = config
        self.activation = ACTIVATIONS[config.activation]

    def linear(self, I: int, O: int) -> Linear | LinearWithoutBias:
        return Linear(I, O) if self.config.bias else LinearWithoutBias(I, O)

    def norm(self, H: int) -> Layer:
        return NORMS[self.config.norm](H, self.config.norm_eps)

    def dropout(self, rate: float) -> Layer:
        return Dropout(rate) if rate else Identity()

    def embeddings(self) -> Embeddings:
        c = self.config
        return Embeddings(
            token=TokenTable(c.vocab_size, c.table_size),
            token_type=self.token_types(),
            position=POSITIONS[c.positions](c) if c.positions in POSITIONS else Identity(),
            norm=self.norm(c.table_size) if c.embedding_norm else Identity(),
            dropout=self.dropout(c.dropout),
            project=self.linear(c.table_size, c.hidden_size) if c.embedding_size else Identity(),
        )

    def token_types(self) -> Layer:
        c = self.config
        added = c.token_types and c.segments == "embedded"
        return TokenTypes(c.token_types, c.table_size) if added else Identity()

    def encoder(self) -> Stack:
        depth = self.config.num_layers
        layers = (self.encoder_layer(),) * (self.config.layer_groups or depth)
        if self.config.streams == 2:
            return TwoStreamStack(layers=layers, depth=depth, H=self.config.hidden_size)
        relative = distances_table(self.config) if "disentangled" in self.config.positions else Identity()
        if self.config.mask_decoder == "enhanced":
            position = LearnedPositions(self.config.max_seq_length, self.config.hidden_size)
            return EnhancedMaskDecoder(layers, depth, relative, position=position)
        return Stack(layers, depth, relative)

    def encoder_layer(self) -> Layer:
        layer = EncoderLayer(self.residual(self.remembering()), self.residual(self.feed_forward()))
        return Checkpoint(layer) if self.config.checkpoint_activations else layer

    def residual(self, body: Layer) -> Layer:
        norm = self.norm(self.config.hidden_size)
        return RESIDUALS[self.config.residual](body, norm, self.dropout(self.config.dropout))

    def remembering(self) -> Attending:
        attention = self.attention()
        remembers = self.config.memory or self.config.positions == "transformer-xl"
        return Recurrent(attention) if remembers else attention

    def attention(self) -> Attention:
        c, H = self.config, self.config.hidden_size
        biased = BIASED[c.attention_bias] if c.bias else ()
        parts: dict[str, Any] = {
            name: Linear(H, H) if name in biased else LinearWithoutBias(H, H) for name in BIASED["all"]
        }
        parts["terms"] = self.terms()
        parts["probs_dropout"] = self.dropout(c.attention_dropout)
        if c.attention == "gated":
            return GatedAttention(c.num_heads, **parts, gate=self.linear(H, H))
        return Attention(c.num_heads, **parts)

    def terms(self) -> tuple[Term, ...]:
        c, H = self.config, self.config.hidden_size
        by_segment = c.token_types and c.segments == "relative"
        return (
            *TERMS[c.positions](c),
            *([Biased(RelativeSegments(H), H)] if by_segment else []),
            Padding(),
            *([Causal()] if c.causal else []),
            *([InOrder()] if c.streams == 2 else []),
        )

    def feed_forward(self) -> Layer:
        H, I = self.config.hidden_size, self.config.intermediate_size
        up, down = self.linear(H, I), self.linear(I, H)
        if self.config.feed_forward == "gated":
            return GatedFeedForward(self.linear(H, I), self.activation, up, down)
        return FeedForward(up, self.activation, down)

    def head(self) -> Head:
        c, H = self.config, self.config.hidden_size
        heads: dict[str, Callable[[], Head]] = {
            "words": self.masked_word_head,
            "classes": lambda: ClassifierHead(
                self.pooler(), self.decoder(H, c.classes), self.dropout(c.dropout)
            ),
            "tags": lambda: TaggerHead(self.decoder(H, c.classes), self.dropout(c.dropout)),
            "replaced": lambda: ReplacedTokenHead(Linear(H, H), self.activation, Linear(H, 1)),
            "none": NoHead,
        }
        return heads[c.head]()

    def pooler(self) -> Layer:
        c, H = self.config, self.config.hidden_size
        token = POOLED[c.pooled]
        return token if c.pooler == "none" else Pooler(Linear(H, H), POOLERS[c.pooler], token)

    def decoder(self, I: int, O: int) -> Layer:
        """To logits."""
        c = self.config
        return Linear(I, O) if c.bias and c.decoder_bias else LinearWithoutBias(I, O)

    def masked_word_head(self) -> MaskedWordHead:
        c, H, V = self.config, self.config.hidden_size, self.config.vocab_size
        E = c.table_size if c.tied else H
        plain = self.decoder(E, V)
        decoder = Tied(plain) if c.tied else plain
        transform = Transform(self.linear(H, E), self.activation, self.norm(E))
        return MaskedWordHead(decoder, transform if c.head_transform else Identity())
