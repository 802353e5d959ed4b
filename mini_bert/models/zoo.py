"""The BERT family: each member is a named difference from another, and each setting in it names a part.

albert()                                       # a ModelConfig, of the published base size
albert(hidden_size=128, num_heads=4)           # another size, or any other part
MEMBERS["albert"].parts                        # what is new in it, beside settings
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mini_bert.models.config import ModelConfig

Settings = dict[str, Any]


def mini(**settings: Any) -> ModelConfig:
    """The guide's Mini-BERT: post-norm, ReLU, an untied projection, no segments."""
    return ModelConfig.parse(settings)


def bert(**settings: Any) -> ModelConfig:
    """Devlin et al. 2019: segments, a norm over the embeddings, GELU, a transform before tied output words, NSP."""
    own: Settings = {
        "family": "bert",
        "vocab_size": 30522,
        "hidden_size": 768,
        "num_layers": 12,
        "num_heads": 12,
        "intermediate_size": 3072,
        "max_seq_length": 512,
        "token_types": 2,
        "embedding_norm": True,
        "activation": "gelu",
        "final_norm": False,
        "head_transform": True,
        "tied": True,
        "second_head": "pairs",
        "dropout": 0.1,
        "attention_dropout": 0.1,
        "initializer": {"kind": "truncated"},
    }
    return mini(**own | settings)


def roberta(**settings: Any) -> ModelConfig:
    """Liu et al. 2019: no second task, one kind of segment, byte-level BPE, positions counted after the padding id."""
    own: Settings = {
        "family": "roberta",
        "vocab_size": 50265,
        "token_types": 1,
        "positions": "after-padding",
        "padding_id": 1,
        "norm_eps": 1e-5,
        "second_head": "none",
    }
    return bert(**own | settings)


def albert(**settings: Any) -> ModelConfig:
    """Lan et al. 2020: one layer called L times, tables of 128 columns projected to H, sentences swapped or not."""
    own: Settings = {
        "family": "albert",
        "vocab_size": 30000,
        "layer_groups": 1,
        "embedding_size": 128,
        "activation": "gelu-tanh",
        "dropout": 0.0,
        "attention_dropout": 0.0,
    }
    return bert(**own | settings)


def distilbert(**settings: Any) -> ModelConfig:
    """Sanh et al. 2019: half the layers, no segments, no second task; taught by a larger model."""
    own: Settings = {
        "family": "distilbert",
        "num_layers": 6,
        "token_types": 0,
        "second_head": "none",
        "pooler": "relu",
    }
    return bert(**own | settings)


def electra(**settings: Any) -> ModelConfig:
    """Clark et al. 2020: tells which tokens were replaced; in pretraining a smaller generator replaces them."""
    own: Settings = {"family": "electra", "head": "replaced", "second_head": "none", "pooler": "gelu"}
    return bert(**own | settings)


def deberta(**settings: Any) -> ModelConfig:
    """He et al. 2021: content and relative position are scored apart; absolute positions come in before the words."""
    own: Settings = {
        "family": "deberta",
        "vocab_size": 50265,
        "token_types": 0,
        "positions": "disentangled",
        "attention_bias": "not-key",
        "norm_eps": 1e-7,
        "pooler": "gelu",
        "second_head": "none",
    }
    return bert(**own | settings)


def deberta_v2(**settings: Any) -> ModelConfig:
    """He et al. 2021, 2023 (v2, v3): distances in buckets, normalized, and projected as words are."""
    own: Settings = {
        "family": "deberta-v2",
        "vocab_size": 128100,
        "buckets": 256,
        "relative_norm": True,
        "relative_projection": "shared",
        "attention_bias": "all",
    }
    return deberta(**own | settings)


def transformer_xl(**settings: Any) -> ModelConfig:
    """Dai et al. 2019: reads in segments, remembers the states of the one before, and sees distances, not places."""
    own: Settings = {
        "family": "transformer-xl",
        "token_types": 0,
        "positions": "transformer-xl",
        "memory": 384,
        "max_seq_length": 384,
        "causal": True,
        "pooled": "last",
        "attention_bias": "none",
        "activation": "relu",
        "norm_eps": 1e-5,
        "embedding_norm": False,
        "head_transform": False,
        "second_head": "none",
    }
    return bert(**own | settings)


def xlnet(**settings: Any) -> ModelConfig:
    """Yang et al. 2019: Transformer-XL that predicts in any order; a second stream asks without seeing the answer."""
    own: Settings = {
        "family": "xlnet",
        "vocab_size": 32000,
        "memory": 0,
        "max_seq_length": 512,
        "causal": False,
        "streams": 2,
        "activation": "gelu",
        "norm_eps": 1e-12,
        "token_types": 4,  # two passages, [CLS] and padding, as its tokenizer counts them
        "segments": "relative",
    }
    return transformer_xl(**own | settings)


def gpt2(**settings: Any) -> ModelConfig:
    """Radford et al. 2019: sees what came before only, pre-norm, GELU by tanh, no biases at the output words."""
    own: Settings = {
        "family": "gpt2",
        "vocab_size": 50257,
        "max_seq_length": 1024,
        "token_types": 0,
        "causal": True,
        "embedding_norm": False,
        "residual": "pre-norm",
        "norm_eps": 1e-5,
        "activation": "gelu-tanh",
        "final_norm": True,
        "head_transform": False,
        "decoder_bias": False,
        "pooled": "last",
        "pooler": "none",
        "second_head": "none",
        "initializer": {"kind": "depth-scaled"},
    }
    return bert(**own | settings)


@dataclass(frozen=True)
class Member:
    """One of the family: how it is built, and the code it needs beside its parent's, as module:object or module.

    Parts, functions and objectives count. What two members need is named by both.
    """

    name: str
    build: Callable[..., ModelConfig]
    parent: str | None = None
    parts: tuple[str, ...] = ()


WINDOWS = (
    "core.functions.windows:windows",
    "core.functions.windows:windows_backward",
    "core.functions.windows:in_every_row",
)
SOFT_TARGETS = (
    "core.functions.distillation:soft_cross_entropy",
    "core.functions.distillation:soft_cross_entropy_backward",
    "core.functions.distillation:cosine_distance",
    "core.functions.distillation:cosine_distance_backward",
)
MEMBERS: dict[str, Member] = {
    member.name: member
    for member in (
        Member("mini", mini),
        Member("bert", bert, "mini"),
        Member("roberta", roberta, "bert", ("core.embeddings:PositionsAfterPadding",)),
        Member("albert", albert, "bert"),
        Member(
            "distilbert",
            distilbert,
            "bert",
            (
                "training.objectives.distillation:Teacher",
                "training.objectives.distillation:Distillation",
                *SOFT_TARGETS,
            ),
        ),
        Member(
            "electra",
            electra,
            "bert",
            (
                "core.electra:Electra",
                "core.sharing:Shared",
                "core.heads:ReplacedTokenHead",
                "core.functions.logistic:binary_cross_entropy",
                "core.functions.logistic:binary_cross_entropy_backward",
                "models.build:with_generator",
                "models.build:generator_config",
                "training.replacements:Replacements",
                "training.objectives.replaced_tokens:ReplacedTokens",
            ),
        ),
        Member(
            "deberta",
            deberta,
            "bert",
            (
                "core.disentangled:ToReach",
                "core.disentangled:PositionTerm",
                "core.disentangled:ContentToPosition",
                "core.disentangled:PositionToContent",
                "core.enhanced_mask_decoder:EnhancedMaskDecoder",
                "models.positions:disentangled_terms",
                *WINDOWS,
            ),
        ),
        Member(
            "deberta-v2",
            deberta_v2,
            "deberta",
            ("core.disentangled:InBuckets", "core.disentangled:NormedTable", "core.sharing:Neighbours"),
        ),
        Member(
            "transformer-xl",
            transformer_xl,
            "bert",
            (
                "core.xl:Biased",
                "core.xl:SinusoidalDistances",
                "core.xl:sinusoids",
                "core.recurrence",
                *WINDOWS,
                "training.objectives.segments:Segments",
            ),
        ),
        Member(
            "xlnet",
            xlnet,
            "transformer-xl",
            (
                "core.xl:RelativeSegments",
                "core.two_streams:InOrder",
                "core.two_streams:TwoStreamStack",
                "training.permutations:Permutations",
            ),
        ),
        Member(
            "gpt2",
            gpt2,
            "bert",
            (
                "core.terms:Causal",
                "core.past:Past",
                "core.pooling:LastToken",
                "training.next_words:NextWords",
                *(
                    f"generation.{name}"
                    for name in ("decoder", "continuing", "prompts", "sampling", "generate")
                ),
            ),
        ),
    )
}
"""All of them, by name."""


def member_config(settings: Settings) -> ModelConfig:
    """The configuration of a member, named by `family`, with its own settings laid over."""
    name = settings.get("family", "mini")
    return MEMBERS[name].build(**settings) if name in MEMBERS else ModelConfig.parse(settings)
