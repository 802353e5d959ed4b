"""ALBERT in transformers (model_type albert): groups of layers that share their weights, and narrow tables."""

from __future__ import annotations

from mini_bert.models.huggingface.bert import ENCODERS_ONLY, POSITION_IDS, SEGMENTS, SIZES
from mini_bert.models.huggingface.family import ACTIVATIONS, Architecture, Family, Setting
from mini_bert.models.huggingface.heads import classifier, taggers, words
from mini_bert.models.zoo import albert

LAYER = "albert.encoder.albert_layer_groups.{i}.albert_layers.0"
TRUNK = f"""
embeddings.token.weight               | albert.embeddings.word_embeddings.weight
embeddings.position.weight            | albert.embeddings.position_embeddings.weight
embeddings.token_type.weight          | albert.embeddings.token_type_embeddings.weight
embeddings.norm.weight                | albert.embeddings.LayerNorm.weight
embeddings.norm.bias                  | albert.embeddings.LayerNorm.bias
embeddings.project.weight             | albert.encoder.embedding_hidden_mapping_in.weight
embeddings.project.bias               | albert.encoder.embedding_hidden_mapping_in.bias
encoder.layers.{{i}}.attn.query.weight  | {LAYER}.attention.query.weight
encoder.layers.{{i}}.attn.query.bias    | {LAYER}.attention.query.bias
encoder.layers.{{i}}.attn.key.weight    | {LAYER}.attention.key.weight
encoder.layers.{{i}}.attn.key.bias      | {LAYER}.attention.key.bias
encoder.layers.{{i}}.attn.value.weight  | {LAYER}.attention.value.weight
encoder.layers.{{i}}.attn.value.bias    | {LAYER}.attention.value.bias
encoder.layers.{{i}}.attn.output.weight | {LAYER}.attention.dense.weight
encoder.layers.{{i}}.attn.output.bias   | {LAYER}.attention.dense.bias
encoder.layers.{{i}}.attn.norm.weight   | {LAYER}.attention.LayerNorm.weight
encoder.layers.{{i}}.attn.norm.bias     | {LAYER}.attention.LayerNorm.bias
encoder.layers.{{i}}.ffn.up.weight      | {LAYER}.ffn.weight
encoder.layers.{{i}}.ffn.up.bias        | {LAYER}.ffn.bias
encoder.layers.{{i}}.ffn.down.weight    | {LAYER}.ffn_output.weight
encoder.layers.{{i}}.ffn.down.bias      | {LAYER}.ffn_output.bias
encoder.layers.{{i}}.ffn.norm.weight    | {LAYER}.full_layer_layer_norm.weight
encoder.layers.{{i}}.ffn.norm.bias      | {LAYER}.full_layer_layer_norm.bias
"""
WORDS = """
head.transform.dense.weight | predictions.dense.weight
head.transform.dense.bias   | predictions.dense.bias
head.transform.norm.weight  | predictions.LayerNorm.weight
head.transform.norm.bias    | predictions.LayerNorm.bias
head.decoder.weight         | predictions.decoder.weight
head.decoder.bias           | predictions.bias
head.decoder.bias           | predictions.decoder.bias
"""
ORDER = """
second_head.pooler.dense.weight | albert.pooler.weight
second_head.pooler.dense.bias   | albert.pooler.bias
second_head.output.weight       | sop_classifier.classifier.weight
second_head.output.bias         | sop_classifier.classifier.bias
"""
POOLER = """
second_head.dense.weight | albert.pooler.weight
second_head.dense.bias   | albert.pooler.bias
"""
CLASSIFIER = """
head.pooler.dense.weight | albert.pooler.weight
head.pooler.dense.bias   | albert.pooler.bias
head.output.weight       | classifier.weight
head.output.bias         | classifier.bias
"""
ALBERT = Family(
    model_type="albert",
    build=albert,
    prefix="albert.",
    settings=(
        *SIZES,
        SEGMENTS,
        Setting("activation", "hidden_act", ACTIVATIONS),
        Setting("embedding_size", "embedding_size"),
        Setting("layer_groups", "num_hidden_groups"),
    ),
    weights=TRUNK,
    architectures={
        "AlbertForPreTraining": Architecture({}, WORDS + ORDER),
        "AlbertForMaskedLM": words(WORDS),
        "AlbertModel": Architecture({"head": "none", "second_head": "pooler"}, POOLER, wraps=False),
        "AlbertForSequenceClassification": classifier(CLASSIFIER),
        **taggers("Albert"),
    },
    assumed={"hidden_size": 4096, "num_attention_heads": 64, "intermediate_size": 16384},
    fixed=ENCODERS_ONLY | {"inner_group_num": 1, "tie_word_embeddings": True},
    spare=(POSITION_IDS,),
)
