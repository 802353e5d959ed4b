"""DistilBERT in transformers (model_type distilbert)."""

from __future__ import annotations

from mini_bert.models.huggingface.bert import POSITION_IDS
from mini_bert.models.huggingface.family import ACTIVATIONS, Architecture, Family, Setting
from mini_bert.models.huggingface.heads import classifier, taggers, words
from mini_bert.models.zoo import distilbert

LAYER = "distilbert.transformer.layer.{i}"
TRUNK = f"""
embeddings.token.weight               | distilbert.embeddings.word_embeddings.weight
embeddings.position.weight            | distilbert.embeddings.position_embeddings.weight
embeddings.norm.weight                | distilbert.embeddings.LayerNorm.weight
embeddings.norm.bias                  | distilbert.embeddings.LayerNorm.bias
encoder.layers.{{i}}.attn.query.weight  | {LAYER}.attention.q_lin.weight
encoder.layers.{{i}}.attn.query.bias    | {LAYER}.attention.q_lin.bias
encoder.layers.{{i}}.attn.key.weight    | {LAYER}.attention.k_lin.weight
encoder.layers.{{i}}.attn.key.bias      | {LAYER}.attention.k_lin.bias
encoder.layers.{{i}}.attn.value.weight  | {LAYER}.attention.v_lin.weight
encoder.layers.{{i}}.attn.value.bias    | {LAYER}.attention.v_lin.bias
encoder.layers.{{i}}.attn.output.weight | {LAYER}.attention.out_lin.weight
encoder.layers.{{i}}.attn.output.bias   | {LAYER}.attention.out_lin.bias
encoder.layers.{{i}}.attn.norm.weight   | {LAYER}.sa_layer_norm.weight
encoder.layers.{{i}}.attn.norm.bias     | {LAYER}.sa_layer_norm.bias
encoder.layers.{{i}}.ffn.up.weight      | {LAYER}.ffn.lin1.weight
encoder.layers.{{i}}.ffn.up.bias        | {LAYER}.ffn.lin1.bias
encoder.layers.{{i}}.ffn.down.weight    | {LAYER}.ffn.lin2.weight
encoder.layers.{{i}}.ffn.down.bias      | {LAYER}.ffn.lin2.bias
encoder.layers.{{i}}.ffn.norm.weight    | {LAYER}.output_layer_norm.weight
encoder.layers.{{i}}.ffn.norm.bias      | {LAYER}.output_layer_norm.bias
"""
WORDS = """
head.transform.dense.weight | vocab_transform.weight
head.transform.dense.bias   | vocab_transform.bias
head.transform.norm.weight  | vocab_layer_norm.weight
head.transform.norm.bias    | vocab_layer_norm.bias
head.decoder.weight         | vocab_projector.weight
head.decoder.bias           | vocab_projector.bias
"""
CLASSIFIER = """
head.pooler.dense.weight | pre_classifier.weight
head.pooler.dense.bias   | pre_classifier.bias
head.output.weight       | classifier.weight
head.output.bias         | classifier.bias
"""
DISTILBERT = Family(
    model_type="distilbert",
    build=distilbert,
    prefix="distilbert.",
    settings=(
        Setting("vocab_size", "vocab_size"),
        Setting("hidden_size", "dim"),
        Setting("num_layers", "n_layers"),
        Setting("num_heads", "n_heads"),
        Setting("intermediate_size", "hidden_dim"),
        Setting("max_seq_length", "max_position_embeddings"),
        Setting("activation", "activation", ACTIVATIONS),
        Setting("dropout", "dropout"),
        Setting("attention_dropout", "attention_dropout"),
        Setting("tied", "tie_word_embeddings"),
    ),
    weights=TRUNK,
    architectures={
        "DistilBertForMaskedLM": words(WORDS),
        "DistilBertModel": Architecture({"head": "none"}, wraps=False),
        "DistilBertForSequenceClassification": classifier(CLASSIFIER),
        **taggers("DistilBert"),
    },
    fixed={"sinusoidal_pos_embds": False},
    spare=(POSITION_IDS,),
)
