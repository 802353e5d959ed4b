"""config.json in both directions: from their settings to our configuration, and back."""

from __future__ import annotations

import json
import numbers
from pathlib import Path
from typing import Any

from mini_bert.models.checkpoint import CONFIG
from mini_bert.models.config import ModelConfig
from mini_bert.models.huggingface.family import Family, Settings, lacking

GENERATOR = "generator"
"""The folder, in that of an ELECTRA, of the model that makes its exercises."""
COPY_AGAIN = "correct it, or copy the file again"


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
            raise ValueError(lacking(f"{name}={described[name]!r}", repr(value)))
    made = family.architectures[architecture]
    settings = {
        setting.ours: setting.read(described[setting.theirs])
        for setting in family.settings
        if setting.theirs in described
    }
    if made.counts_classes:
        settings["classes"] = len(label_names(described)) or number_of_labels(described)
    try:
        settings = family.adjust({**settings, **family.interpret(described), **made.settings})
    except (TypeError, AttributeError, ArithmeticError) as error:  # computed before the types are checked
        odd = " or ".join(odd_settings(family, architecture, described)) or "one of the settings"
        raise ValueError(f"{odd} is not of the kind it should be ({error}); {COPY_AGAIN}") from None
    return family.build(**settings)


def odd_settings(family: Family, architecture: str, described: Settings) -> list[str]:
    """The settings that are of another kind than in a model of this family as we would describe it."""
    usual = describe(family, architecture, family.build(**family.architectures[architecture].settings), ())
    kinds = {name: numbers.Real if isinstance(value, float) else type(value) for name, value in usual.items()}
    return [
        f"{name}={described[name]!r}"
        for name, kind in kinds.items()
        if usual[name] is not None and name in described and not isinstance(described[name], kind)
    ]


def label_names(described: Settings) -> tuple[str, ...]:
    """What the classes are called, in order."""
    named = described.get("id2label") or {}
    if not isinstance(named, dict) or not all(str(key).isdecimal() for key in named):
        raise ValueError(
            f'id2label={named!r}: expected names by number, like {{"0": "good", "1": "bad"}}; {COPY_AGAIN}'
        )
    return tuple(str(named[key]) for key in sorted(named, key=int))


def number_of_labels(described: Settings) -> int:
    number = described.get("num_labels", 2)
    if type(number) is not int or number < 1:
        raise ValueError(f"num_labels={number!r}: expected a whole number from 1; {COPY_AGAIN}")
    return number


def model_type(described: Settings) -> str:
    """What the family is called; before there were such names, all models were BERT."""
    name = described.get("model_type", "bert")
    if not isinstance(name, str):
        raise ValueError(f'model_type={name!r}: expected a name, like "bert"; {COPY_AGAIN}')
    return name


def first_architecture(described: Settings) -> str | None:
    """The class that is named, None if none is."""
    named = described.get("architectures") or []
    names = [named] if isinstance(named, str) else named
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError(
            f'architectures={named!r}: expected a list of classes, like ["BertForMaskedLM"]; {COPY_AGAIN}, or leave '
            "them out"
        )
    return names[0] if names else None


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
