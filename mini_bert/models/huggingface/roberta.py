"""RoBERTa in transformers (model_type roberta): BERT's trunk, and a table of positions with rows for padding."""

from __future__ import annotations

from mini_bert.models.config import ModelConfig
from mini_bert.models.huggingface.bert import ENCODERS_ONLY, POOLER, POSITION_IDS, SEGMENTS, SIZES, TRUNK
from mini_bert.models.huggingface.family import Architecture, Family, Setting, Settings
from mini_bert.models.huggingface.heads import DENSE_CLASSIFIER, classifier, taggers, words
from mini_bert.models.zoo import roberta

WORDS = """
head.transform.dense.weight | lm_head.dense.weight
head.transform.dense.bias   | lm_head.dense.bias
head.transform.norm.weight  | lm_head.layer_norm.weight
head.transform.norm.bias    | lm_head.layer_norm.bias
head.decoder.weight         | lm_head.decoder.weight
head.decoder.bias           | lm_head.bias
head.decoder.bias           | lm_head.decoder.bias
"""


def without_padding_rows(settings: Settings) -> Settings:
    """They count the rows of the table, p + 1 more than the tokens of a text; p is the padding id."""
    rows = settings["max_seq_length"]
    return {**settings, "max_seq_length": rows - settings["padding_id"] - 1}


def rows_of_positions(config: ModelConfig) -> Settings:
    return {"max_position_embeddings": config.max_seq_length + config.padding_id + 1}


ROBERTA = Family(
    model_type="roberta",
    build=roberta,
    prefix="roberta.",
    settings=(
        *SIZES,
        SEGMENTS,
        Setting("padding_id", "pad_token_id"),
        Setting("activation", "hidden_act", (("gelu", "gelu"),)),  # the head has no other, whatever they say
        Setting("tied", "tie_word_embeddings"),
    ),
    weights=TRUNK.replace("| bert.", "| roberta."),
    architectures={
        "RobertaForMaskedLM": words(WORDS),
        "RobertaModel": Architecture(
            {"head": "none", "second_head": "pooler"}, POOLER.replace("bert.", "roberta."), wraps=False
        ),
        "RobertaForSequenceClassification": classifier(DENSE_CLASSIFIER),
        **taggers("Roberta"),
    },
    assumed={
        "max_position_embeddings": 512,
        "type_vocab_size": 2,
        "layer_norm_eps": 1e-12,
        "pad_token_id": 1,
    },
    fixed=ENCODERS_ONLY,
    spare=(POSITION_IDS,),
    adjust=without_padding_rows,
    describe=rows_of_positions,
)
