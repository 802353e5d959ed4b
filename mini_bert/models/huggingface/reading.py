"""From a HuggingFace folder to a model: `mini_bert.from_pretrained(folder)`."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from numpy.typing import DTypeLike

from mini_bert.models.checkpoint import CONFIG, load_model
from mini_bert.models.huggingface.families import FAMILIES
from mini_bert.models.huggingface.family import Family, Settings
from mini_bert.models.huggingface.hub import downloaded
from mini_bert.models.huggingface.matching import best_fit, config_of, known_names, places, plain
from mini_bert.models.huggingface.settings import description, label_names
from mini_bert.models.huggingface.tensors import Tensors
from mini_bert.models.mini import MiniBERT
from mini_bert.tokenizers.files import has_tokenizer, load_tokenizer


def from_pretrained(folder: str | Path, *, dtype: DTypeLike | None = None) -> MiniBERT:
    """A model from a HuggingFace folder, or from one that `model.save` wrote; `.tokenizer` is the one beside it.

    The name of a model on the hub works too, where huggingface-hub is installed. The head is the one the folder holds:
    words, classes, tags, replaced tokens, or none. `dtype` is that of the file unless told, half precision widened.
    """
    path = Path(folder)
    if not path.exists():
        path = downloaded(str(folder))
    described = description(path / CONFIG)
    is_ours = not described.keys() & {"model_type", "num_hidden_layers"}
    model = load_model(path, dtype=dtype) if is_ours else read_model(path, described, dtype)
    model.folder = path
    if has_tokenizer(path):
        model.tokenizer = load_tokenizer(path)
    return model


def read_model(folder: Path, described: Settings, dtype: DTypeLike | None) -> MiniBERT:
    tensors = Tensors(folder)
    try:
        family = family_of(described)
        held = {plain(name, family): name for name in tensors}
        architecture = architecture_of(family, described) or best_fit(family, described, tensors)
        config = config_of(family, architecture, described, held)
    except ValueError as error:
        raise ValueError(f"{folder / CONFIG}: {error}") from None
    model = MiniBERT(config, seed=None, dtype=tensors.widest if dtype is None else dtype)
    used = fill(model, family, architecture, tensors, held)
    refuse_unknown(held.keys() - used, family, architecture, described, tensors)
    model.architecture = architecture
    if config.head in ("classes", "tags"):
        model.label_names = label_names(described)
    return model


def family_of(described: Settings) -> Family:
    """The family named in config.json; before there were such names, all models were BERT."""
    model_type = described.get("model_type", "bert")
    if model_type not in FAMILIES:
        raise ValueError(f"model_type {model_type!r} is none of ours: {', '.join(FAMILIES)}")
    return FAMILIES[model_type]


def architecture_of(family: Family, described: Settings) -> str | None:
    """The class named in config.json, None if none is."""
    named = described.get("architectures")
    if not named:
        return None
    if named[0] not in family.architectures:
        raise ValueError(f"architecture {named[0]} is none of ours: {', '.join(family.architectures)}")
    return str(named[0])


def fill(
    model: MiniBERT, family: Family, architecture: str, tensors: Tensors, held: dict[str, str]
) -> set[str]:
    """Copy tensors to their places, one by one; the plain names of those that were looked at."""
    used: set[str] = set()
    standing = places(family, architecture, model.arena)
    assert standing.keys() == model.arena.keys(), f"no line for {model.arena.keys() - standing.keys()}"
    for ours, several in standing.items():
        there = [place for place in several if plain(place.name, family) in held]
        if not there:
            raise ValueError(
                f"{tensors.folder}: {several[0].name} is missing; does {CONFIG} belong to it? It says {architecture}"
            )
        used |= {plain(place.name, family) for place in there}
        (name, turn), weight = there[-1], model.arena[ours]
        stored = held[plain(name, family)]
        expected, shape = turn.shape(weight.shape, model.config), tensors.headers[stored].shape
        if shape != expected:
            raise ValueError(
                f"{tensors.folder}: {stored} has shape {shape}, {CONFIG} says {expected}; do they belong together?"
            )
        found = turn.view(tensors[stored], model.config)
        with np.errstate(over="ignore"):
            weight.reshape(found.shape)[...] = found
        if not np.isfinite(weight).all():
            raise ValueError(
                f"{tensors.folder}: {stored} holds NaN or infinity in {weight.dtype}; copy or train the model again"
            )
    return used


def refuse_unknown(
    unused: set[str], family: Family, architecture: str, described: Settings, tensors: Tensors
) -> None:
    """A tensor that was not read is one of another head of the family, or a copy, or nothing to learn; or refused."""
    lines = (line for each in family.architectures for line in family.lines(each))
    copies = {re.escape(line.theirs) for line in lines if line.ours == "head.decoder.weight"}
    spare = (*family.spare, *copies)
    unused = {name for name in unused if not any(re.search(pattern, name) for pattern in spare)}
    if unused and (extra := sorted(unused - known_names(family, described, unused))):
        raise ValueError(
            f"{tensors.folder}: {len(extra)} tensors are unknown to {architecture}, first {extra[0]}; "
            f"does {CONFIG} name the right architecture and sizes?"
        )
