"""`mini-bert info` counts as many parameters for each published model as transformers does.

Their models are built on torch's meta device: shapes without numbers. Their sizes are stated here a second time.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
import torch
import transformers
from click.testing import CliRunner

from mini_bert.cli.info import command

BASE, LARGE = (12, 768, 12, 3072), (24, 1024, 16, 4096)


def sized(layers: int, hidden: int, heads: int, between: int, **more: Any) -> dict[str, Any]:
    """Settings as BERT and most of its descendants spell them."""
    return {
        "num_hidden_layers": layers,
        "hidden_size": hidden,
        "num_attention_heads": heads,
        "intermediate_size": between,
        **more,
    }


def roberta(*sizes: int) -> dict[str, Any]:
    return sized(*sizes, max_position_embeddings=514, type_vocab_size=1)


def deberta(*sizes: int) -> dict[str, Any]:
    relative = {"relative_attention": True, "pos_att_type": "c2p|p2c", "position_biased_input": False}
    return sized(*sizes, **relative)


def deberta_v3(*sizes: int) -> dict[str, Any]:
    buckets = {"position_buckets": 256, "norm_rel_ebd": "layer_norm", "share_att_key": True}
    return deberta(*sizes) | buckets


PUBLISHED: dict[str, tuple[str, dict[str, Any]]] = {
    "bert-tiny": ("BertForPreTraining", sized(2, 128, 2, 512)),
    "bert-mini": ("BertForPreTraining", sized(4, 256, 4, 1024)),
    "bert-small": ("BertForPreTraining", sized(4, 512, 8, 2048)),
    "bert-medium": ("BertForPreTraining", sized(8, 512, 8, 2048)),
    "bert-base": ("BertForPreTraining", sized(*BASE)),
    "bert-large": ("BertForPreTraining", sized(*LARGE)),
    "roberta-base": ("RobertaForMaskedLM", roberta(*BASE)),
    "roberta-large": ("RobertaForMaskedLM", roberta(*LARGE)),
    "distilroberta-base": ("RobertaForMaskedLM", roberta(6, 768, 12, 3072)),
    "albert-base": ("AlbertForPreTraining", sized(*BASE)),
    "albert-large": ("AlbertForPreTraining", sized(*LARGE)),
    "albert-xlarge": ("AlbertForPreTraining", sized(24, 2048, 16, 8192)),
    "albert-xxlarge": ("AlbertForPreTraining", sized(12, 4096, 64, 16384)),
    "distilbert-base": ("DistilBertForMaskedLM", {}),
    "electra-small": ("ElectraForPreTraining", {}),
    "electra-base": ("ElectraForPreTraining", sized(*BASE, embedding_size=768)),
    "electra-large": ("ElectraForPreTraining", sized(*LARGE, embedding_size=1024)),
    "electra-small-generator": ("ElectraForMaskedLM", {}),
    "electra-base-generator": ("ElectraForMaskedLM", sized(12, 256, 4, 1024, embedding_size=768)),
    "deberta-base": ("DebertaForMaskedLM", deberta(*BASE)),
    "deberta-large": ("DebertaForMaskedLM", deberta(*LARGE)),
    "deberta-xlarge": ("DebertaForMaskedLM", deberta(48, 1024, 16, 4096)),
    "deberta-v3-xsmall": ("DebertaV2ForMaskedLM", deberta_v3(12, 384, 6, 1536)),
    "deberta-v3-small": ("DebertaV2ForMaskedLM", deberta_v3(6, 768, 12, 3072)),
    "deberta-v3-base": ("DebertaV2ForMaskedLM", deberta_v3(*BASE)),
    "deberta-v3-large": ("DebertaV2ForMaskedLM", deberta_v3(*LARGE)),
    "electra-large-generator": ("ElectraForMaskedLM", sized(24, 256, 4, 1024, embedding_size=1024)),
    "gpt2": ("GPT2LMHeadModel", {}),
    "gpt2-medium": ("GPT2LMHeadModel", {"n_layer": 24, "n_embd": 1024, "n_head": 16}),
    "gpt2-large": ("GPT2LMHeadModel", {"n_layer": 36, "n_embd": 1280, "n_head": 20}),
    "gpt2-xl": ("GPT2LMHeadModel", {"n_layer": 48, "n_embd": 1600, "n_head": 25}),
    "distilgpt2": ("GPT2LMHeadModel", {"n_layer": 6}),
    "xlnet-base": (
        "XLNetLMHeadModel",
        {"n_layer": 12, "d_model": 768, "n_head": 12, "d_inner": 3072},
    ),
    "xlnet-large": ("XLNetLMHeadModel", {}),
}
"""preset: the class of transformers, and its settings where they are not the class's defaults"""


@pytest.mark.parametrize("preset", PUBLISHED)
def test_as_many_parameters_as_in_transformers(preset: str) -> None:
    name, settings = PUBLISHED[preset]
    architecture = getattr(transformers, name)
    with torch.device("meta"):
        theirs = architecture(architecture.config_class(**settings))
    assert counted(preset) == sum(weight.numel() for weight in theirs.parameters())


def counted(preset: str) -> int:
    """With a batch so large that nothing is measured."""
    given = ["--preset", preset, "--batch", "4096", "--workers", "1", "--json"]
    answer = CliRunner().invoke(command, given)
    assert answer.exit_code == 0, answer.exception
    return json.loads(answer.output)["parameters"]["total"]
