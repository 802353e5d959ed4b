"""BertForMaskedLM of `transformers`, and our model with the same weights."""

from __future__ import annotations

from math import sqrt

import torch
from transformers import BertConfig, BertForMaskedLM
from transformers.modeling_outputs import MaskedLMOutput

from mini_bert.models.config import ModelConfig
from mini_bert.models.mini import MiniBERT
from mini_bert.models.names import translate
from mini_bert.training.objectives import MaskedBatch
from tests.parity.batches import as_tensors, labels_everywhere

ACTIVATIONS = {"relu": "relu", "gelu": "gelu", "gelu_new": "gelu-tanh", "gelu_pytorch_tanh": "gelu-tanh"}
SIZES = {
    "L=2 H=32": {
        "vocab_size": 101,
        "hidden_size": 32,
        "num_layers": 2,
        "num_heads": 4,
        "intermediate_size": 64,
        "max_seq_length": 12,
    },
    "L=4 H=128": {
        "vocab_size": 1000,
        "hidden_size": 128,
        "num_layers": 4,
        "num_heads": 8,
        "intermediate_size": 512,
        "max_seq_length": 48,
    },
}


def twins(size: str, hidden_act: str, dtype: str) -> tuple[MiniBERT, BertForMaskedLM]:
    """Our model with their weights, and theirs."""
    config = ModelConfig.preset(
        "bert-base",
        **SIZES[size],
        activation=ACTIVATIONS[hidden_act],
        second_head="none",
        dropout=0.0,
        attention_dropout=0.0,
    )
    theirs = BertForMaskedLM(
        BertConfig(
            vocab_size=config.vocab_size,
            hidden_size=config.hidden_size,
            num_hidden_layers=config.num_layers,
            num_attention_heads=config.num_heads,
            intermediate_size=config.intermediate_size,
            max_position_embeddings=config.max_seq_length,
            type_vocab_size=config.token_types,
            layer_norm_eps=config.norm_eps,
            hidden_act=hidden_act,
            hidden_dropout_prob=0.0,
            attention_probs_dropout_prob=0.0,
            attn_implementation="eager",
        )
    ).to(getattr(torch, dtype))
    enliven(theirs)
    ours, weights = MiniBERT(config, dtype=dtype), by_our_names(theirs)
    assert weights.keys() == ours.arena.keys()
    for name, weight in ours.arena.items():
        weight[...] = weights[name].detach().numpy()
    return ours, theirs


def enliven(model: BertForMaskedLM) -> None:
    """Weights that keep activations at size one, with gains and biases that are not ones and zeros."""
    noise = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            weight.normal_(0, 1 / sqrt(weight.shape[-1]) if weight.ndim == 2 else 0.3, generator=noise)
            weight += name.endswith("LayerNorm.weight")


def by_our_names(model: BertForMaskedLM) -> dict[str, torch.nn.Parameter]:
    """Their weights. The decoder's is the token table itself, so that PyTorch lists it once."""
    return {str(translate(name, "huggingface", "dotted")): p for name, p in model.named_parameters()}


def read(model: BertForMaskedLM, batch: MaskedBatch) -> MaskedLMOutput:
    """Their logits, and their mean loss over the labels."""
    labels = torch.tensor(labels_everywhere(batch))
    return model(input_ids=torch.tensor(batch.ids), labels=labels, **as_tensors(batch))
