"""DeBERTa in transformers (model_type deberta): queries, keys and values are one matrix, head by head."""

from __future__ import annotations

from mini_bert.core.array import Array
from mini_bert.models.config import ModelConfig
from mini_bert.models.huggingface.bert import POSITION_IDS, SIZES, TRUNK, WORDS
from mini_bert.models.huggingface.family import (
    ACTIVATIONS,
    Architecture,
    Family,
    Setting,
    Settings,
    Turn,
    lacking,
)
from mini_bert.models.huggingface.heads import ALONE, classifier, taggers, words
from mini_bert.models.zoo import deberta

SAME_AS_BERT = "\n".join(
    line for line in TRUNK.replace("| bert.", "| deberta.").splitlines() if ".attention.self." not in line
)
ATTENTION = """
encoder.relative.weight              | deberta.encoder.rel_embeddings.weight
encoder.layers.{i}.attn.query.weight | deberta.encoder.layer.{i}.attention.self.in_proj.weight | part 0
encoder.layers.{i}.attn.key.weight   | deberta.encoder.layer.{i}.attention.self.in_proj.weight | part 1
encoder.layers.{i}.attn.value.weight | deberta.encoder.layer.{i}.attention.self.in_proj.weight | part 2
encoder.layers.{i}.attn.query.bias   | deberta.encoder.layer.{i}.attention.self.q_bias
encoder.layers.{i}.attn.value.bias   | deberta.encoder.layer.{i}.attention.self.v_bias
encoder.layers.{i}.attn.content_to_position.project.weight | deberta.encoder.layer.{i}.attention.self.pos_proj.weight
encoder.layers.{i}.attn.position_to_content.project.weight | deberta.encoder.layer.{i}.attention.self.pos_q_proj.weight
encoder.layers.{i}.attn.position_to_content.project.bias   | deberta.encoder.layer.{i}.attention.self.pos_q_proj.bias
"""
CLASSIFIER = """
head.pooler.dense.weight | pooler.dense.weight
head.pooler.dense.bias   | pooler.dense.bias
head.output.weight       | classifier.weight
head.output.bias         | classifier.bias
"""
HEAD_SETTINGS = (
    Setting("activation", "hidden_act", ACTIVATIONS),
    Setting("pooler", "pooler_hidden_act", (("gelu", "gelu"), ("tanh", "tanh"), ("relu", "relu"))),
    Setting("tied", "tie_word_embeddings"),
)
NEWER_HEAD = (
    (r"^lm_predictions\.lm_head\.bias$", "cls.predictions.bias"),
    (r"^lm_predictions\.lm_head\.", "cls.predictions.transform."),
)
"""What the published files, and transformers with legacy=False, call the same head."""
DECODER_POSITIONS = r"embeddings\.position_embeddings\.weight$"
"""Of the enhanced mask decoder, which transformers has not."""
POSITIONS = {
    (True, False): "disentangled",
    (True, True): "learned-and-disentangled",
    (False, True): "learned",
}
"""By relative_attention and position_biased_input."""
SCORES = {"both": ["c2p", "p2c"], "c2p": ["c2p"], "p2c": ["p2c"]}
"""Ours and theirs, pos_att_type; if attention is relative at all."""


def part(number: int) -> Turn:
    """Query, key or value of each head in one matrix (3H, H)"""

    def view(theirs: Array, config: ModelConfig) -> Array:
        return theirs.reshape(config.num_heads, 3, -1, theirs.shape[-1])[:, number]  # (A, D, H)

    return Turn(view, lambda ours, config: (3 * ours[0], ours[1]))


def interpreted(described: Settings) -> Settings:
    """Our positions, from several of their settings."""
    relative, biased = described["relative_attention"], described["position_biased_input"]
    if (relative, biased) not in POSITIONS:
        raise ValueError(
            f"relative_attention={relative} with position_biased_input={biased}: a model without positions "
            "is not among what we have; choose another model, or use this one in transformers"
        )
    kinds = described["pos_att_type"] or []
    kinds = sorted(kinds.lower().replace(" ", "").split("|") if isinstance(kinds, str) else kinds)
    found = [ours for ours, theirs in SCORES.items() if theirs == kinds] if relative else ["both"]
    if not found or (kinds and not relative):
        known = " or ".join("|".join(theirs) for theirs in SCORES.values()) if relative else "none"
        given = f"pos_att_type={described['pos_att_type']!r} with relative_attention={relative}"
        raise ValueError(lacking(given, known))
    if described.get("embedding_size", described["hidden_size"]) != described["hidden_size"]:
        given = f"embedding_size={described['embedding_size']}"
        raise ValueError(lacking(given, f"hidden_size={described['hidden_size']}"))
    farthest = described["max_relative_positions"] if relative else -1
    return {
        "positions": POSITIONS[relative, biased],
        "disentangled": found[0],
        "reach": farthest if farthest > 0 else None,
    }


def described(config: ModelConfig) -> Settings:
    relative, biased = {ours: theirs for theirs, ours in POSITIONS.items()}.get(
        config.positions, (True, False)
    )
    return {
        "relative_attention": relative,
        "position_biased_input": biased,
        "pos_att_type": SCORES[config.disentangled] if relative else None,
        "max_relative_positions": config.reach or -1,
    }


DEBERTA = Family(
    model_type="deberta",
    build=deberta,
    prefix="deberta.",
    settings=(*SIZES, *HEAD_SETTINGS),
    weights=SAME_AS_BERT + ATTENTION,
    architectures={
        "DebertaForMaskedLM": words(WORDS),
        "DebertaModel": Architecture({"head": "none", **ALONE}, wraps=False),
        "DebertaForSequenceClassification": classifier(CLASSIFIER),
        **taggers("Deberta"),
    },
    turns={f"part {number}": part(number) for number in range(3)},
    assumed={
        "hidden_size": 768,
        "relative_attention": False,
        "position_biased_input": True,
        "pos_att_type": None,
        "max_relative_positions": -1,
    },
    fixed={"talking_head": False, "pooler_dropout": 0},
    spare=(POSITION_IDS, DECODER_POSITIONS),
    renamed=NEWER_HEAD,
    interpret=interpreted,
    describe=described,
)
