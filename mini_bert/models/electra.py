"""ELECTRA's two models, each taken alone; trained together they are one, with one pair of tables."""

from __future__ import annotations

import numpy as np

from mini_bert.models.build import generator_config
from mini_bert.models.config import GeneratorConfig, ModelConfig
from mini_bert.models.mini import MiniBERT

INSIDE = "generator."
"""How the names of the generator's own weights begin."""


def discriminator_of(model: MiniBERT) -> MiniBERT:
    """The model that finds the replaced tokens, without the one that replaces them."""
    return copied(model, model.config.changed(generator=None))


def generator_of(model: MiniBERT) -> MiniBERT:
    """The model that replaces tokens, with a copy of the tables it shared."""
    return copied(model, generator_config(model.config), INSIDE)


def joined(discriminator: MiniBERT, generator: MiniBERT) -> MiniBERT | None:
    """The two as one, as they were trained; None if they do not share their tables, or differ where they must not."""
    sizes = {name: getattr(generator.config, name) for name in GeneratorConfig.model_fields}
    if discriminator.config.head != "replaced" or discriminator.dtype != generator.dtype:
        return None
    config = discriminator.config.changed(generator=sizes)
    if generator_config(config) != generator.config:
        return None
    whole = MiniBERT(config, seed=None, dtype=discriminator.dtype)
    shared = [name for name in generator.arena if INSIDE + name not in whole.arena]
    if any(not np.array_equal(discriminator.arena[name], generator.arena[name]) for name in shared):
        return None
    for name, weight in whole.arena.items():
        own = name.startswith(INSIDE)
        weight[...] = generator.arena[name.removeprefix(INSIDE)] if own else discriminator.arena[name]
    whole.tokenizer = discriminator.tokenizer
    return whole


def copied(model: MiniBERT, config: ModelConfig, beginning: str = "") -> MiniBERT:
    """A model of its own, with weights whose names begin so in another, or are shared there."""
    alone = MiniBERT(config, seed=None, dtype=model.dtype)
    for name, weight in alone.arena.items():
        weight[...] = model.arena[beginning + name if beginning + name in model.arena else name]
    alone.tokenizer = model.tokenizer
    return alone
