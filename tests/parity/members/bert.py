"""BERT with each of its heads; those with two tasks are in test_pretraining_heads.py."""

from functools import partial

from transformers import (
    BertConfig,
    BertForMaskedLM,
    BertForNextSentencePrediction,
    BertForQuestionAnswering,
    BertForSequenceClassification,
    BertForTokenClassification,
    BertModel,
)

from tests.parity.members.case import Case, classes, masked_words, tags, unlabelled

SMALL = {
    "vocab_size": 101,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "max_position_embeddings": 16,
    "num_labels": 3,
}
TWO_LABELS = SMALL | {"num_labels": 2}
LARGER = {
    "vocab_size": 1000,
    "hidden_size": 96,
    "num_hidden_layers": 4,
    "num_attention_heads": 6,
    "intermediate_size": 192,
    "max_position_embeddings": 32,
}
SIZES = (BertConfig(**SMALL), BertConfig(**LARGER, hidden_act="gelu_new"))
ONE, TWO, PAIRS = SIZES[:1], (BertConfig(**TWO_LABELS),), {"segments": 2}
POOLER = ("pooler.dense.weight", "pooler.dense.bias")
ANSWER = ("start_logits", "end_logits")
CASES = (
    Case("BERT", BertForMaskedLM, SIZES, partial(masked_words, **PAIRS)),
    Case("BERT", BertModel, ONE, partial(unlabelled, **PAIRS), logits="last_hidden_state", unused=POOLER),
    Case("BERT", BertForSequenceClassification, ONE, partial(classes, **PAIRS)),
    Case("BERT", BertForTokenClassification, ONE, partial(tags, **PAIRS)),
    Case("BERT", BertForQuestionAnswering, TWO, partial(unlabelled, **PAIRS), logits=ANSWER),
    Case(
        "BERT",
        BertForNextSentencePrediction,
        TWO,
        partial(classes, **PAIRS),
    ),
)
