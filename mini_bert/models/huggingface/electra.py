"""ELECTRA in transformers (model_type electra): discriminators and generators, each a model of its own."""

from __future__ import annotations

from mini_bert.models.config import ModelConfig
from mini_bert.models.huggingface.bert import ENCODERS_ONLY, POSITION_IDS, SEGMENTS, SIZES, TRUNK
from mini_bert.models.huggingface.family import Architecture, Family, Setting, Settings
from mini_bert.models.huggingface.heads import DENSE_CLASSIFIER, classifier, taggers, words
from mini_bert.models.zoo import electra

PROJECTION = """
embeddings.project.weight | electra.embeddings_project.weight
embeddings.project.bias   | electra.embeddings_project.bias
"""
REPLACED = """
head.dense.weight  | discriminator_predictions.dense.weight
head.dense.bias    | discriminator_predictions.dense.bias
head.output.weight | discriminator_predictions.dense_prediction.weight
head.output.bias   | discriminator_predictions.dense_prediction.bias
"""
WORDS = """
head.transform.dense.weight | generator_predictions.dense.weight
head.transform.dense.bias   | generator_predictions.dense.bias
head.transform.norm.weight  | generator_predictions.LayerNorm.weight
head.transform.norm.bias    | generator_predictions.LayerNorm.bias
head.decoder.weight         | generator_lm_head.weight
head.decoder.bias           | generator_lm_head.bias
"""


def without_needless_projection(settings: Settings) -> Settings:
    """They project only what is not as wide already."""
    wide = settings["embedding_size"] == settings["hidden_size"]
    return {**settings, "embedding_size": None} if wide else settings


def width_of_tables(config: ModelConfig) -> Settings:
    return {"embedding_size": config.table_size}


ELECTRA = Family(
    model_type="electra",
    build=electra,
    prefix="electra.",
    settings=(
        *SIZES,
        SEGMENTS,
        Setting("embedding_size", "embedding_size"),
        Setting("activation", "hidden_act", (("gelu", "gelu"),)),  # heads have no other, whatever they say
    ),
    weights=TRUNK.replace("| bert.", "| electra.") + PROJECTION,
    architectures={
        "ElectraForPreTraining": Architecture({}, REPLACED),
        "ElectraForMaskedLM": words(WORDS),
        "ElectraModel": Architecture({"head": "none"}, wraps=False),
        "ElectraForSequenceClassification": classifier(DENSE_CLASSIFIER),
        **taggers("Electra"),
    },
    assumed={
        "embedding_size": 128,
        "hidden_size": 256,
        "num_attention_heads": 4,
        "intermediate_size": 1024,
    },
    fixed=ENCODERS_ONLY | {"tie_word_embeddings": True},
    spare=(POSITION_IDS,),
    adjust=without_needless_projection,
    describe=width_of_tables,
)
