"""What each member of the family costs in the same training step, computed from its layers."""

from __future__ import annotations

from dataclasses import dataclass

from mini_bert.models.build import build_network
from mini_bert.models.config import ModelConfig
from mini_bert.models.cost import parameters, rehearse_training
from mini_bert.training.masking import masked_words

MEMBERS = {
    "mini": "Mini-BERT",
    "mini-best": "mini-best",
    "bert-base": "BERT-base",
    "roberta-base": "RoBERTa-base",
    "albert-base": "ALBERT-base",
    "distilbert-base": "DistilBERT",
    "electra-base": "ELECTRA-base",
    "deberta-base": "DeBERTa-base",
    "transformer-xl-wt103": "Transformer-XL",
    "xlnet-base": "XLNet-base",
    "gpt2": "GPT-2",
}
"""Preset → what people call it."""
GENERATORS = {"electra-base": "electra-base-generator"}
"""A preset that is published as two, and the one it is trained beside."""
BYTES = 4
COPIES = 4
"""Of each weight in training: itself, its gradient, and two moments of AdamW."""


@dataclass(frozen=True)
class MemberCost:
    """A member, and a training step of it on B texts of T tokens, in float32 with AdamW, one worker."""

    config: ModelConfig
    parameters: int
    trained: int
    """parameters with those of a generator that is trained beside it"""
    flops_per_token: float
    """forward and backward, for each token that is read"""
    activations: int
    """bytes kept for the backward pass"""

    @property
    def weights(self) -> int:
        """Bytes."""
        return BYTES * self.parameters

    @property
    def training(self) -> int:
        """Bytes of a training step."""
        return COPIES * BYTES * self.trained + self.activations


def cost_of(preset: str, B: int = 8, T: int = 64) -> MemberCost:
    """15 % of the words are asked for; in a causal model all of them; ELECTRA judges all and fills 15 %.

    >>> cost_of("bert-base").parameters
    110106428
    """
    config = ModelConfig.preset(preset)
    network = build_network(trained_config(preset))
    step = rehearse_training(network, B, T, None if config.causal else masked_words(T), itemsize=BYTES)
    return MemberCost(
        config,
        sum(parameters(build_network(config)).values()),
        sum(parameters(network).values()),
        (step.forward_flops + step.backward_flops) / (B * T),
        step.kept_bytes,
    )


def trained_config(preset: str) -> ModelConfig:
    """The configuration that is trained, with its generator if it has one."""
    if preset not in GENERATORS:
        return ModelConfig.preset(preset)
    g = ModelConfig.preset(GENERATORS[preset])
    sizes = {
        name: getattr(g, name) for name in ("hidden_size", "num_layers", "num_heads", "intermediate_size")
    }
    return ModelConfig.preset(preset, generator=sizes)
