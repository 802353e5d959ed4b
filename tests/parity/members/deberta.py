"""DeBERTa with each of its heads: words and places scored apart, within reach and beyond, and places of the text too.

In double precision transformers still normalizes, and divides the scores, in single: there we take the same equations
in the precision that was asked for.
"""

from typing import Any

import torch
from transformers import (
    DebertaConfig,
    DebertaForMaskedLM,
    DebertaForQuestionAnswering,
    DebertaForSequenceClassification,
    DebertaForTokenClassification,
    DebertaModel,
    DebertaV2Config,
    DebertaV2ForMaskedLM,
    DebertaV2ForQuestionAnswering,
    DebertaV2ForSequenceClassification,
    DebertaV2ForTokenClassification,
    DebertaV2Model,
)
from transformers.models.deberta import modeling_deberta
from transformers.models.deberta_v2 import modeling_deberta_v2

from tests.parity.members.bert import ANSWER, LARGER, SMALL
from tests.parity.members.case import Case, classes, masked_words, tags, unlabelled

single_precision_norm = modeling_deberta.DebertaLayerNorm.forward
single_precision_scale = modeling_deberta.scaled_size_sqrt


def norm(self: Any, x: torch.Tensor) -> torch.Tensor:
    if x.dtype != torch.float64:
        return single_precision_norm(self, x)
    return torch.nn.functional.layer_norm(x, x.shape[-1:], self.weight, self.bias, self.variance_epsilon)


def scale(x: torch.Tensor, terms: int) -> torch.Tensor:
    if x.dtype != torch.float64:
        return single_precision_scale(x, terms)
    return torch.tensor(x.size(-1) * terms, dtype=x.dtype).sqrt()


modeling_deberta.DebertaLayerNorm.forward = norm
modeling_deberta.scaled_size_sqrt = modeling_deberta_v2.scaled_size_sqrt = scale


def config(sizes: dict[str, Any], **settings: Any) -> DebertaConfig:
    relative = {"relative_attention": True, "pos_att_type": "c2p|p2c", "position_biased_input": False}
    return DebertaConfig(**sizes | relative | settings)


SIZES = (config(SMALL, max_relative_positions=4), config(LARGER, hidden_act="gelu_new", type_vocab_size=2))
ONE = SIZES[:1]
CLASSES = config(SMALL, problem_type="single_label_classification")  # else its loss is in single precision
OTHERS = {
    "DeBERTa, c2p": config(SMALL, pos_att_type="c2p", max_relative_positions=4),
    "DeBERTa, p2c": config(SMALL, pos_att_type=["p2c"], max_relative_positions=11),
    "DeBERTa, absolute too": config(SMALL, position_biased_input=True, max_relative_positions=1),
    "DeBERTa, absolute only": DebertaConfig(**SMALL),
}

V2 = {
    "relative_attention": True,
    "pos_att_type": "p2c|c2p",
    "position_biased_input": False,
    "share_att_key": True,
    "position_buckets": 6,
    "norm_rel_ebd": "layer_norm",
}
V2_SIZES = (DebertaV2Config(**SMALL | V2), DebertaV2Config(**LARGER | V2, hidden_act="gelu_new"))
V2_ONE = V2_SIZES[:1]
V2_CLASSES = DebertaV2Config(**SMALL | V2, problem_type="single_label_classification")
V2_ANSWER = DebertaV2Config(**SMALL | V2 | {"num_labels": 2})
V2_PLAIN = DebertaV2Config(
    **SMALL | V2 | {"position_buckets": -1, "norm_rel_ebd": "none", "pos_att_type": "c2p"}
)


def words(config: Any, rng: Any) -> dict[str, Any]:
    return masked_words(config, rng, segments=config.type_vocab_size)


CASES = (
    Case("DeBERTa", DebertaForMaskedLM, SIZES, words),
    *(Case(name, DebertaForMaskedLM, (other,), words) for name, other in OTHERS.items()),
    Case("DeBERTa", DebertaModel, ONE, unlabelled, logits="last_hidden_state"),
    Case("DeBERTa", DebertaForSequenceClassification, (CLASSES,), classes),
    Case("DeBERTa", DebertaForTokenClassification, ONE, tags),
    Case(
        "DeBERTa",
        DebertaForQuestionAnswering,
        (config(SMALL | {"num_labels": 2}),),
        unlabelled,
        logits=ANSWER,
    ),
    Case("DeBERTa v2", DebertaV2ForMaskedLM, V2_SIZES, words),
    Case("DeBERTa v2, no buckets", DebertaV2ForMaskedLM, (V2_PLAIN,), words),
    Case("DeBERTa v2", DebertaV2Model, V2_ONE, unlabelled, logits="last_hidden_state"),
    Case("DeBERTa v2", DebertaV2ForSequenceClassification, (V2_CLASSES,), classes),
    Case("DeBERTa v2", DebertaV2ForTokenClassification, V2_ONE, tags),
    Case("DeBERTa v2", DebertaV2ForQuestionAnswering, (V2_ANSWER,), unlabelled, logits=ANSWER),
)
