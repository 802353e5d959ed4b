"""ALBERT: one layer called L times, or several groups of calls; tables narrower than the model, or as wide."""

from functools import partial

from transformers import (
    AlbertConfig,
    AlbertForMaskedLM,
    AlbertForQuestionAnswering,
    AlbertForSequenceClassification,
    AlbertForTokenClassification,
    AlbertModel,
)

from tests.parity.members.bert import ANSWER, LARGER, SMALL, TWO_LABELS
from tests.parity.members.case import Case, classes, masked_words, tags, unlabelled

SIZES = (
    AlbertConfig(**SMALL | {"num_hidden_layers": 3}, embedding_size=16),
    AlbertConfig(**LARGER, embedding_size=24, num_hidden_groups=2, hidden_act="gelu"),
)
AS_WIDE = (AlbertConfig(**SMALL, embedding_size=SMALL["hidden_size"]),)
TWO = (AlbertConfig(**TWO_LABELS, embedding_size=16),)
ONE, PAIRS = SIZES[:1], {"segments": 2}
CASES = (
    Case("ALBERT", AlbertForMaskedLM, SIZES, partial(masked_words, **PAIRS)),
    Case("ALBERT, wide tables", AlbertForMaskedLM, AS_WIDE, partial(masked_words, **PAIRS)),
    Case(
        "ALBERT",
        AlbertModel,
        ONE,
        partial(unlabelled, **PAIRS),
        logits="last_hidden_state",
        unused=("pooler.weight", "pooler.bias"),
    ),
    Case("ALBERT", AlbertForSequenceClassification, ONE, partial(classes, **PAIRS)),
    Case("ALBERT", AlbertForTokenClassification, ONE, partial(tags, **PAIRS)),
    Case("ALBERT", AlbertForQuestionAnswering, TWO, partial(unlabelled, **PAIRS), logits=ANSWER),
)
