"""DistilBERT: no segments, no pooler but in its classifier."""

from transformers import (
    DistilBertConfig,
    DistilBertForMaskedLM,
    DistilBertForQuestionAnswering,
    DistilBertForSequenceClassification,
    DistilBertForTokenClassification,
    DistilBertModel,
)

from tests.parity.members.bert import ANSWER
from tests.parity.members.case import Case, classes, masked_words, tags, unlabelled

SIZES = (
    DistilBertConfig(
        vocab_size=101, dim=32, n_layers=2, n_heads=4, hidden_dim=64, max_position_embeddings=16, num_labels=3
    ),
    DistilBertConfig(
        vocab_size=1000,
        dim=96,
        n_layers=4,
        n_heads=6,
        hidden_dim=192,
        max_position_embeddings=32,
        activation="relu",
    ),
)
ONE = SIZES[:1]
TWO = (DistilBertConfig(vocab_size=101, dim=32, n_layers=2, n_heads=4, hidden_dim=64),)
CASES = (
    Case("DistilBERT", DistilBertForMaskedLM, SIZES, masked_words),
    Case("DistilBERT", DistilBertModel, ONE, unlabelled, logits="last_hidden_state"),
    Case("DistilBERT", DistilBertForSequenceClassification, ONE, classes),
    Case("DistilBERT", DistilBertForTokenClassification, ONE, tags),
    Case("DistilBERT", DistilBertForQuestionAnswering, TWO, unlabelled, logits=ANSWER),
)
