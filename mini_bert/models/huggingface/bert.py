"""BERT in transformers (model_type bert)."""

from __future__ import annotations

from mini_bert.models.huggingface.family import ACTIVATIONS, Architecture, Family, Setting
from mini_bert.models.huggingface.heads import ALONE, classifier, taggers, words
from mini_bert.models.names import TABLE
from mini_bert.models.zoo import bert

SIZES = (
    Setting("vocab_size", "vocab_size"),
    Setting("hidden_size", "hidden_size"),
    Setting("num_layers", "num_hidden_layers"),
    Setting("num_heads", "num_attention_heads"),
    Setting("intermediate_size", "intermediate_size"),
    Setting("max_seq_length", "max_position_embeddings"),
    Setting("token_types", "type_vocab_size"),
    Setting("norm_eps", "layer_norm_eps"),
    Setting("dropout", "hidden_dropout_prob"),
    Setting("attention_dropout", "attention_probs_dropout_prob"),
)
"""As RoBERTa, ALBERT and ELECTRA spell them too."""
SEGMENTS = Setting("token_types", "type_vocab_size", least=1)
"""The same once more, for families that cannot be without: they look up a segment for every token."""
ENCODERS_ONLY = {"is_decoder": False, "add_cross_attention": False, "position_embedding_type": "absolute"}
POSITION_IDS = r"embeddings\.position_ids$"

NAMED = [(row.dotted, row.huggingface) for row in TABLE if row.huggingface]


def lines(*beginnings: str) -> str:
    """The lines for all of our weights whose names begin so."""
    return "".join(f"{ours} | {theirs}\n" for ours, theirs in NAMED if ours.startswith(beginnings))


TRUNK = lines("embeddings.", "encoder.")
WORDS = lines("head.") + "head.decoder.bias | cls.predictions.decoder.bias\n"
"""The bias has two names, of one tensor when the output words are tied; untied models use the second."""
PAIRS = lines("second_head.")
POOLER = """
second_head.dense.weight | bert.pooler.dense.weight
second_head.dense.bias   | bert.pooler.dense.bias
"""
CLASSIFIER = """
head.pooler.dense.weight | bert.pooler.dense.weight
head.pooler.dense.bias   | bert.pooler.dense.bias
head.output.weight       | classifier.weight
head.output.bias         | classifier.bias
"""
BERT = Family(
    model_type="bert",
    build=bert,
    prefix="bert.",
    settings=(
        *SIZES,
        SEGMENTS,
        Setting("activation", "hidden_act", ACTIVATIONS),
        Setting("tied", "tie_word_embeddings"),
    ),
    weights=TRUNK,
    architectures={
        "BertForPreTraining": Architecture({}, WORDS + PAIRS),
        "BertForMaskedLM": words(WORDS),
        "BertModel": Architecture({"head": "none", "second_head": "pooler"}, POOLER, wraps=False),
        "BertForSequenceClassification": classifier(CLASSIFIER),
        **taggers("Bert"),
        "BertForNextSentencePrediction": Architecture(
            {"head": "classes", "classes": 2, **ALONE},
            CLASSIFIER.replace("classifier", "cls.seq_relationship"),
        ),
    },
    fixed=ENCODERS_ONLY,
    spare=(POSITION_IDS,),
)
