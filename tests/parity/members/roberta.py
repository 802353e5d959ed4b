"""RoBERTa, whose positions are counted after the padding id."""

from functools import partial

from transformers import (
    RobertaConfig,
    RobertaForMaskedLM,
    RobertaForQuestionAnswering,
    RobertaForSequenceClassification,
    RobertaForTokenClassification,
    RobertaModel,
)

from tests.parity.members.bert import ANSWER, LARGER, POOLER, SMALL, TWO_LABELS
from tests.parity.members.case import Case, classes, masked_words, tags, unlabelled

SIZES = (
    RobertaConfig(**SMALL, type_vocab_size=1, pad_token_id=1, layer_norm_eps=1e-5),
    RobertaConfig(**LARGER, type_vocab_size=2, pad_token_id=3),
)
TWO = (RobertaConfig(**TWO_LABELS, type_vocab_size=1, pad_token_id=1),)
ONE, PADDED = SIZES[:1], {"padding_id": 1}
CASES = (
    Case(
        "RoBERTa",
        RobertaForMaskedLM,
        SIZES,
        lambda config, rng: masked_words(config, rng, padding_id=config.pad_token_id),
    ),
    Case(
        "RoBERTa", RobertaModel, ONE, partial(unlabelled, **PADDED), logits="last_hidden_state", unused=POOLER
    ),
    Case("RoBERTa", RobertaForSequenceClassification, ONE, partial(classes, **PADDED)),
    Case("RoBERTa", RobertaForTokenClassification, ONE, partial(tags, **PADDED)),
    Case("RoBERTa", RobertaForQuestionAnswering, TWO, partial(unlabelled, **PADDED), logits=ANSWER),
)
