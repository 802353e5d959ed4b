"""The families we can read and write, by the `model_type` of their folders."""

from __future__ import annotations

from mini_bert.models.config import ModelConfig
from mini_bert.models.huggingface.albert import ALBERT
from mini_bert.models.huggingface.bert import BERT
from mini_bert.models.huggingface.deberta import DEBERTA
from mini_bert.models.huggingface.deberta_v2 import DEBERTA_V2
from mini_bert.models.huggingface.distilbert import DISTILBERT
from mini_bert.models.huggingface.electra import ELECTRA
from mini_bert.models.huggingface.family import Family
from mini_bert.models.huggingface.gpt2 import GPT2
from mini_bert.models.huggingface.roberta import ROBERTA
from mini_bert.models.huggingface.xlnet import XLNET

FAMILIES: dict[str, Family] = {
    family.model_type: family
    for family in (BERT, ROBERTA, ALBERT, DISTILBERT, ELECTRA, DEBERTA, DEBERTA_V2, GPT2, XLNET)
}


def family_for(config: ModelConfig) -> Family:
    """The family a model is saved as: its own, or BERT, the one Mini-BERT is nearest to."""
    name = "bert" if config.family == "mini" else config.family
    if name not in FAMILIES:
        raise ValueError(f"transformers has no {name}; model.save(folder) keeps it in our own format")
    return FAMILIES[name]
