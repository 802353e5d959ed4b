"""From a HuggingFace folder to a model: `mini_bert.from_pretrained(folder)`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import DTypeLike

from mini_bert.errors import counted
from mini_bert.models.build import build_network
from mini_bert.models.checkpoint import CONFIG, load_model
from mini_bert.models.config import ModelConfig
from mini_bert.models.electra import joined
from mini_bert.models.huggingface.families import FAMILIES
from mini_bert.models.huggingface.family import Family, Settings
from mini_bert.models.huggingface.hub import downloaded
from mini_bert.models.huggingface.matching import Place, best_fit, config_of, known_names, places, plain
from mini_bert.models.huggingface.settings import (
    GENERATOR,
    description,
    first_architecture,
    label_names,
    model_type,
    read_config,
)
from mini_bert.models.huggingface.tensors import Tensors
from mini_bert.models.mini import MiniBERT
from mini_bert.models.vocabulary import tokenizer_beside
from mini_bert.pretrained.shipped import refuse_misspelt, shipped_folder


def from_pretrained(folder: str | PathLike[str], *, dtype: DTypeLike | None = None) -> MiniBERT:
    """A model from a HuggingFace folder, or from one that `model.save` wrote; `.tokenizer` is the one beside it.

    The names of the models that come with the package work too, and those of models on the hub, where huggingface-hub
    is installed. The head is the one the folder holds:
    words, classes, tags, replaced tokens, or none. `dtype` is that of the file unless told, half precision widened.
    An ELECTRA comes with the generator that `save_pretrained` wrote into its folder.
    """
    path = shipped_folder(folder) or Path(folder)
    if not path.exists():
        refuse_misspelt(str(folder))
        path = downloaded(str(folder))
    refuse_run(path)
    described = description(path / CONFIG)
    is_ours = not described.keys() & {"model_type", "num_hidden_layers"}
    model = load_model(path, dtype=dtype) if is_ours else read_model(path, described, dtype)
    if not is_ours and model.config.head == "replaced" and (path / GENERATOR / CONFIG).is_file():
        model = with_generator_beside(model, path / GENERATOR)
    model.folder = path
    if not is_ours:
        model.tokenizer = tokenizer_beside(path, model.config.vocab_size)
    return model


def refuse_run(path: Path) -> None:
    """A run of `mini-bert train` is no model, but holds some."""
    if (path / CONFIG).is_file():
        return
    for name in ("best", "last"):
        checkpoint = path / "checkpoints" / name
        if (checkpoint / CONFIG).is_file():
            raise ValueError(f"{path}: a run, not a model; name one of its checkpoints, such as {checkpoint}")


def with_generator_beside(model: MiniBERT, folder: Path) -> MiniBERT:
    """An ELECTRA with the generator in its folder; the model alone if the two do not share their tables."""
    described = description(folder / CONFIG)
    if described.get("model_type") != model.config.family:
        return model
    whole = joined(model, read_model(folder, described, model.dtype))
    if whole is None:
        return model
    whole.architecture = model.architecture
    return whole


def read_model(folder: Path, described: Settings, dtype: DTypeLike | None) -> MiniBERT:
    with blaming(folder / CONFIG):
        family = family_of(described)
        named = architecture_of(family, described)
    tensors = Tensors(folder, named)
    held = {plain(name, family): name for name in tensors}
    with blaming(folder / CONFIG):
        check_depth(read_config(family, named or next(iter(family.architectures)), described), tensors)
        architecture = named or best_fit(family, described, tensors)
        config = config_of(family, architecture, described, held)
        labels = label_names(described) if config.head in ("classes", "tags") else ()
    found, used = matched(config, family, architecture, tensors, held)
    refuse_unknown(held.keys() - used, family, architecture, described, tensors)
    model = MiniBERT(config, seed=None, dtype=tensors.widest if dtype is None else dtype)
    fill(model, found, tensors)
    model.architecture, model.label_names = architecture, labels
    return model


@contextmanager
def blaming(file: Path) -> Iterator[None]:
    """Says in which file the mistake is."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None


def family_of(described: Settings) -> Family:
    """The family named in config.json."""
    name = model_type(described)
    if name not in FAMILIES:
        raise ValueError(
            f"model_type {name!r} is none of ours: {', '.join(FAMILIES)}; choose a model of one of these"
        )
    return FAMILIES[name]


def architecture_of(family: Family, described: Settings) -> str | None:
    """The class named in config.json, None if none is."""
    named = first_architecture(described)
    if named is not None and named not in family.architectures:
        raise ValueError(
            f"architecture {named} is none of ours: {', '.join(family.architectures)}; take `architectures` out of the "
            "file to read the one of these that fits its tensors best"
        )
    return named


def check_depth(config: ModelConfig, tensors: Tensors) -> None:
    """Refuse more layers than there can be, before they are built."""
    if (layers := config.layer_groups or config.num_layers) > len(tensors):
        raise ValueError(
            f"{layers} layers, but there are only {len(tensors)} tensors in {tensors.folder}; do they belong together?"
        )


def matched(
    config: ModelConfig, family: Family, architecture: str, tensors: Tensors, held: dict[str, str]
) -> tuple[dict[str, Place], set[str]]:
    """The tensor of each of our weights, all of them there and of the right shape; and the plain names of those used.

    Nothing is read yet, nor any room made: a wrong config.json may ask for more than there is.
    """
    found: dict[str, Place] = {}
    used: set[str] = set()
    weights = build_network(config).all_weights()
    standing = places(family, architecture, weights)
    assert standing.keys() == weights.keys(), f"no line for {weights.keys() - standing.keys()}"
    for ours, several in standing.items():
        there = [place for place in several if plain(place.name, family) in held]
        if not there:
            raise ValueError(
                f"{tensors.folder}: {several[0].name} is missing; does {CONFIG} belong to it? It says {architecture}"
            )
        used |= {plain(place.name, family) for place in there}
        name, turn = there[-1]
        stored = held[plain(name, family)]
        expected, shape = turn.shape(weights[ours].shape, config), tensors.headers[stored].shape
        if shape != expected:
            raise ValueError(
                f"{tensors.folder}: {stored} has shape {shape}, {CONFIG} says {expected}; do they belong together?"
            )
        found[ours] = Place(stored, turn)
    return found, used


def fill(model: MiniBERT, found: dict[str, Place], tensors: Tensors) -> None:
    """Copy tensors to their places, one by one."""
    for ours, (stored, turn) in found.items():
        weight, view = model.arena[ours], turn.view(tensors[stored], model.config)
        with np.errstate(over="ignore"):
            weight.reshape(view.shape)[...] = view
        if not np.isfinite(weight).all():
            raise ValueError(
                f"{tensors.folder}: {stored} holds NaN or infinity in {weight.dtype}; copy or train the model again"
            )


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
            f"{tensors.folder}: {counted(len(extra), 'tensor')} unknown to {architecture}, first {extra[0]}; "
            f"does {CONFIG} name the right architecture and sizes?"
        )
