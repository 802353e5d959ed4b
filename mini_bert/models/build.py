"""From a configuration to the parts it names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

from mini_bert.core.attention import Attention, GatedAttention
from mini_bert.core.electra import Electra
from mini_bert.core.embeddings import (
    Embeddings,
    LearnedPositions,
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
)
from mini_bert.core.initializers import Initializer
from mini_bert.core.layer import Attending, Identity, Layer
from mini_bert.core.layers import (
    Dropout,
    Linear,
    LinearWithoutBias,
)
from mini_bert.core.network import Network
from mini_bert.core.pooling import Pooler
from mini_bert.core.recurrence import Recurrent
from mini_bert.core.sharing import Shared, Tied
from mini_bert.core.terms import Causal, Padding, Term
from mini_bert.core.two_streams import InOrder, TwoStreamStack
from mini_bert.core.xl import Biased, RelativeSegments
from mini_bert.models.choices import (
    ACTIVATIONS,
    BIASED,
    INITIALIZERS,
    NORMS,
    POOLED,
    POOLERS,
    RESIDUALS,
    SECOND_HEADS,
)
from mini_bert.models.config import ModelConfig
from mini_bert.models.positions import POSITIONS, TERMS, distances_table


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
