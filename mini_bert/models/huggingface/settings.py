"""config.json in both directions: from their settings to our configuration, and back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mini_bert.models.checkpoint import CONFIG
from mini_bert.models.config import ModelConfig
from mini_bert.models.huggingface.family import Family, Settings


def description(file: Path) -> Settings:
    """What config.json says."""
    try:
        found = json.loads(file.read_text("utf-8-sig"))
    except OSError as error:
        raise ValueError(
            f"{file}: {(error.strerror or str(error)).lower()}; name the folder of a model, with {CONFIG} in it"
        ) from None
    except ValueError as error:
        raise ValueError(f"{file}: not valid JSON ({error}); copy the file again") from None
    if not isinstance(found, dict):
        raise ValueError(f"{file}: expected settings by name, got {found!r}; copy the file again")
    return found


def read_config(family: Family, architecture: str, described: Settings) -> ModelConfig:
    """Our configuration; what a file does not say is what transformers takes it to be."""
    described = {**family.assumed, **described}
    for name, value in family.fixed.items():
        if described.get(name, value) != value:
            raise ValueError(f"{name}={described[name]!r} is not among what we have: {value!r}")
    made = family.architectures[architecture]
    settings = {
        setting.ours: setting.read(described[setting.theirs])
        for setting in family.settings
        if setting.theirs in described
    }
    if made.counts_classes:
        settings["classes"] = len(described.get("id2label") or range(described.get("num_labels", 2)))
    return family.build(**family.adjust({**settings, **family.interpret(described), **made.settings}))


def label_names(described: Settings) -> tuple[str, ...]:
    """What the classes are called, in order."""
    named = described.get("id2label") or {}
    return tuple(str(named[key]) for key in sorted(named, key=int))


def unheard_of(family: Family, setting: str, value: Any, instead: Any) -> str:
    return (
        f"transformers has no {family.model_type} with {setting}={value} (it would be {instead}); "
        "model.save(folder) keeps it in our own format"
    )


def describe(family: Family, architecture: str, config: ModelConfig, names: tuple[str, ...]) -> Settings:
    """What config.json says of a model; `names` are those of its classes, if they have any."""
    described: Settings = {
        "architectures": [architecture],
        "model_type": family.model_type,
        **family.fixed,
    }
    for setting in reversed(family.settings):
        value = getattr(config, setting.ours)
        if setting.least and value < setting.least:
            raise ValueError(unheard_of(family, setting.ours, value, f"at least {setting.least}"))
        described[setting.theirs] = setting.write(value)
    if family.architectures[architecture].counts_classes:
        names = names or tuple(f"LABEL_{i}" for i in range(config.classes))
        described["id2label"] = {str(i): name for i, name in enumerate(names)}
        described["label2id"] = {name: i for i, name in enumerate(names)}
    return described | family.describe(config)
