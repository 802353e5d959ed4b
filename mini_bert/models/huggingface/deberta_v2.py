"""DeBERTa v2 and v3 in transformers (model_type deberta-v2): distances in buckets, projected as words are."""

from __future__ import annotations

from mini_bert.models.config import ModelConfig
from mini_bert.models.huggingface.bert import POSITION_IDS, SIZES, TRUNK, WORDS
from mini_bert.models.huggingface.deberta import (
    CLASSIFIER,
    DECODER_POSITIONS,
    HEAD_SETTINGS,
    NEWER_HEAD,
    described,
    interpreted,
)
from mini_bert.models.huggingface.family import Architecture, Family, Settings, lacking
from mini_bert.models.huggingface.heads import ALONE, classifier, taggers, words
from mini_bert.models.zoo import deberta_v2

WEIGHTS = TRUNK.replace("| bert.", "| deberta.")
for name in ("query", "key", "value"):
    WEIGHTS = WEIGHTS.replace(f".self.{name}.", f".self.{name}_proj.")
DISTANCES = """
encoder.relative.weight      | deberta.encoder.rel_embeddings.weight
encoder.relative.norm.weight | deberta.encoder.LayerNorm.weight
encoder.relative.norm.bias   | deberta.encoder.LayerNorm.bias
"""
NORMS = {"layer_norm": True, "none": False}


def interpreted_v2(described: Settings) -> Settings:
    """What v1 has, and what is new with buckets and norms."""
    norm, buckets = described["norm_rel_ebd"].strip().lower(), described["position_buckets"]
    relative = described["relative_attention"]
    if relative and not described["share_att_key"]:
        raise ValueError(lacking(f"share_att_key={described['share_att_key']!r}", "True"))
    if norm not in NORMS:
        raise ValueError(lacking(f"norm_rel_ebd={norm!r}", ", ".join(NORMS)))
    head_size = described["hidden_size"] // described["num_attention_heads"]
    if described.get("attention_head_size", head_size) != head_size:
        given = f"attention_head_size={described['attention_head_size']}"
        raise ValueError(lacking(given, f"hidden_size / num_attention_heads = {head_size}"))
    return interpreted(described) | {
        "relative_norm": NORMS[norm] and relative,
        "buckets": buckets if buckets > 0 and relative else None,
    }


def described_v2(config: ModelConfig) -> Settings:
    return described(config) | {
        "share_att_key": True,
        "norm_rel_ebd": "layer_norm" if config.relative_norm else "none",
        "position_buckets": config.buckets or -1,
    }


DEBERTA_V2 = Family(
    model_type="deberta-v2",
    build=deberta_v2,
    prefix="deberta.",
    settings=(*SIZES, *HEAD_SETTINGS),
    weights=WEIGHTS + DISTANCES,
    architectures={
        "DebertaV2ForMaskedLM": words(WORDS),
        "DebertaV2Model": Architecture({"head": "none", **ALONE}, wraps=False),
        "DebertaV2ForSequenceClassification": classifier(CLASSIFIER),
        **taggers("DebertaV2"),
    },
    assumed={
        "hidden_size": 1536,
        "num_hidden_layers": 24,
        "num_attention_heads": 24,
        "intermediate_size": 6144,
        "relative_attention": False,
        "position_biased_input": True,
        "pos_att_type": None,
        "max_relative_positions": -1,
        "position_buckets": -1,
        "norm_rel_ebd": "none",
        "share_att_key": False,
    },
    fixed={"conv_kernel_size": 0, "pooler_dropout": 0},
    spare=(POSITION_IDS, DECODER_POSITIONS, r"^mask_predictions\."),
    renamed=NEWER_HEAD,
    interpret=interpreted_v2,
    describe=described_v2,
)
