"""XLNet in transformers (model_type xlnet). Its projections keep the heads apart: (in, A, D)."""

from __future__ import annotations

from mini_bert.models.config import ModelConfig
from mini_bert.models.huggingface.family import ACTIVATIONS, Architecture, Family, Setting, Settings, Turn
from mini_bert.models.huggingface.heads import TAGGER, classifier, words
from mini_bert.models.zoo import xlnet

SETTINGS = (
    Setting("vocab_size", "vocab_size"),
    Setting("hidden_size", "d_model"),
    Setting("num_layers", "n_layer"),
    Setting("num_heads", "n_head"),
    Setting("intermediate_size", "d_inner"),
    Setting("max_seq_length", "max_seq_length"),  # their models have no limit: the setting is ours alone
    Setting("memory", "mem_len"),
    Setting("activation", "ff_activation", ACTIVATIONS),
    Setting("norm_eps", "layer_norm_eps"),
    Setting("dropout", "dropout"),
    Setting("attention_dropout", "dropout"),
    Setting("tied", "tie_word_embeddings"),
)
TRUNK = """
embeddings.token.weight                  | transformer.word_embedding.weight
encoder.blank                            | transformer.mask_emb                            | one word
encoder.layers.{i}.attn.query.weight     | transformer.layer.{i}.rel_attn.q                | from heads
encoder.layers.{i}.attn.key.weight       | transformer.layer.{i}.rel_attn.k                | from heads
encoder.layers.{i}.attn.value.weight     | transformer.layer.{i}.rel_attn.v                | from heads
encoder.layers.{i}.attn.output.weight    | transformer.layer.{i}.rel_attn.o                | in heads
encoder.layers.{i}.attn.content.bias     | transformer.layer.{i}.rel_attn.r_w_bias         | in heads
encoder.layers.{i}.attn.positions.bias   | transformer.layer.{i}.rel_attn.r_r_bias         | in heads
encoder.layers.{i}.attn.positions.weight | transformer.layer.{i}.rel_attn.r                | from heads
encoder.layers.{i}.attn.segments.bias    | transformer.layer.{i}.rel_attn.r_s_bias         | in heads
encoder.layers.{i}.attn.segments.table   | transformer.layer.{i}.rel_attn.seg_embed        | in heads
encoder.layers.{i}.attn.norm.weight      | transformer.layer.{i}.rel_attn.layer_norm.weight
encoder.layers.{i}.attn.norm.bias        | transformer.layer.{i}.rel_attn.layer_norm.bias
encoder.layers.{i}.ffn.up.weight         | transformer.layer.{i}.ff.layer_1.weight
encoder.layers.{i}.ffn.up.bias           | transformer.layer.{i}.ff.layer_1.bias
encoder.layers.{i}.ffn.down.weight       | transformer.layer.{i}.ff.layer_2.weight
encoder.layers.{i}.ffn.down.bias         | transformer.layer.{i}.ff.layer_2.bias
encoder.layers.{i}.ffn.norm.weight       | transformer.layer.{i}.ff.layer_norm.weight
encoder.layers.{i}.ffn.norm.bias         | transformer.layer.{i}.ff.layer_norm.bias
"""
WORDS = """
head.decoder.weight | lm_loss.weight
head.decoder.bias   | lm_loss.bias
"""
CLASSIFIER = """
head.pooler.dense.weight | sequence_summary.summary.weight
head.pooler.dense.bias   | sequence_summary.summary.bias
head.output.weight       | logits_proj.weight
head.output.bias         | logits_proj.bias
"""

IN_HEADS = Turn(
    lambda theirs, config: theirs,
    lambda ours, config: (*ours[:-1], config.num_heads, ours[-1] // config.num_heads),
)
"""(…, H) and (…, A, D) are the same numbers in the same order."""
FROM_HEADS = Turn(
    lambda theirs, config: theirs.reshape(len(theirs), -1).T,
    lambda ours, config: (ours[1], config.num_heads, ours[0] // config.num_heads),
)
"""(H, H) is (in, A, D), turned."""
ONE_WORD = Turn(lambda theirs, config: theirs, lambda ours, config: (1, *ours))


def counted(settings: Settings) -> Settings:
    """They say null for no memory."""
    return {**settings, "memory": settings.get("memory") or 0}


def described(config: ModelConfig) -> Settings:
    return {"mem_len": config.memory or None}


XLNET = Family(
    model_type="xlnet",
    build=xlnet,
    prefix="transformer.",
    settings=SETTINGS,
    weights=TRUNK,
    architectures={
        "XLNetLMHeadModel": words(WORDS),
        "XLNetModel": Architecture({"head": "none"}, wraps=False),
        "XLNetForSequenceClassification": classifier(CLASSIFIER),
        "XLNetForTokenClassification": Architecture({"head": "tags"}, TAGGER, counts_classes=True),
        "XLNetForQuestionAnsweringSimple": Architecture(
            {"head": "tags", "classes": 2}, TAGGER.replace("classifier", "qa_outputs")
        ),
    },
    turns={"in heads": IN_HEADS, "from heads": FROM_HEADS, "one word": ONE_WORD},
    assumed={"d_model": 1024, "n_layer": 24, "n_head": 16, "d_inner": 4096, "mem_len": 512},
    fixed={
        "attn_type": "bi",
        "untie_r": True,
        "bi_data": False,
        "clamp_len": -1,
        "same_length": False,
        "reuse_len": None,
        "summary_type": "last",
        "summary_use_proj": True,
        "summary_activation": "tanh",
    },
    adjust=counted,
    describe=described,
)
