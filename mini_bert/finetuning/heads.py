"""A new head on a pretrained encoder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from mini_bert.models.config import ModelConfig
from mini_bert.models.huggingface.families import FAMILIES
from mini_bert.models.mini import MiniBERT

POOLERS = ("second_head.pooler.dense", "second_head.dense")
"""Where a pretrained pooler may be: under a question about pairs, or by itself."""
TRAINED_FIRST = ("pairs", "pooler")
"""Second heads that have taught the first token to speak for a text."""
OF_HEADS = ("head.", "second_head.")
UNTRAINED = 1000


def with_head(
    model: MiniBERT, head: Literal["classes", "tags"], names: Sequence[str], seed: int = 0, **settings: Any
) -> MiniBERT:
    """A model of its own with the encoder of another, by name, and a head for these labels, drawn by the seed.

    A pooler that was pretrained, as BERT's, is kept. `settings` are changes to the configuration.
    """
    config = head_config(model.config, head, len(names)).changed(**settings)
    new = MiniBERT(config, dtype=model.dtype, seed=seed)
    for name, weight in new.arena.items():
        if not name.startswith(OF_HEADS):
            weight[...] = model.arena[name]
    for pooler in POOLERS:
        for kind in ("weight", "bias"):
            before, now = (
                arena.get(f"{place}.{kind}")
                for arena, place in ((model.arena, pooler), (new.arena, "head.pooler.dense"))
            )
            if before is not None and now is not None:
                now[...] = before
    new.tokenizer, new.label_names = model.tokenizer, tuple(names)
    return new


def untrained(model: MiniBERT, seed: int) -> MiniBERT:
    """The same network with all its weights drawn anew, by another seed than its head was."""
    new = MiniBERT(model.config, dtype=model.dtype, seed=UNTRAINED + seed)
    new.tokenizer, new.label_names = model.tokenizer, model.label_names
    return new


def head_config(config: ModelConfig, head: Literal["classes", "tags"], classes: int) -> ModelConfig:
    """The configuration with such a head, as the family has it in transformers, if it is known there.

    Our own family learns nothing but hidden words, which gives its first token nothing to say: there the mean of all
    tokens speaks for the text. Where no token sees those after it, only the last one can.
    """
    family = FAMILIES.get("bert" if config.family == "mini" else config.family)
    usual: dict[str, Any] = {}
    if family is not None:
        made = (architecture.settings for architecture in family.architectures.values())
        usual = next((settings for settings in made if settings.get("head") == head), {})
    settings = {
        **usual,
        "head": head,
        "classes": classes,
        "second_head": "none",
        "generator": None,
        "mask_decoder": "none",
    }
    if config.causal:
        settings["pooled"] = "last"
    elif config.family == "mini" and config.second_head not in TRAINED_FIRST:
        settings["pooled"] = "mean"
    return config.changed(**settings)
