"""ELECTRA's two models, each taken alone; trained together they are one, with one pair of tables."""

from __future__ import annotations

from mini_bert.models.build import generator_config
from mini_bert.models.config import ModelConfig
from mini_bert.models.mini import MiniBERT

INSIDE = "generator."
"""How the names of the generator's own weights begin."""


def discriminator_of(model: MiniBERT) -> MiniBERT:
    """The model that finds the replaced tokens, without the one that replaces them."""
    return copied(model, model.config.changed(generator=None))


def generator_of(model: MiniBERT) -> MiniBERT:
    """The model that replaces tokens, with a copy of the tables it shared."""
    return copied(model, generator_config(model.config), INSIDE)


def copied(model: MiniBERT, config: ModelConfig, beginning: str = "") -> MiniBERT:
    """A model of its own, with weights whose names begin so in another, or are shared there."""
    alone = MiniBERT(config, seed=None, dtype=model.dtype)
    for name, weight in alone.arena.items():
        weight[...] = model.arena[beginning + name if beginning + name in model.arena else name]
    alone.tokenizer = model.tokenizer
    return alone
