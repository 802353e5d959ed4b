"""From a model to a HuggingFace folder: `mini_bert.save_pretrained(model, folder)`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from safetensors.numpy import save as tensor_bytes

from mini_bert.core.array import Array
from mini_bert.files import make_folder, write_atomically
from mini_bert.models.checkpoint import CONFIG
from mini_bert.models.config import ModelConfig
from mini_bert.models.electra import discriminator_of, generator_of
from mini_bert.models.huggingface.families import family_for
from mini_bert.models.huggingface.family import SAME, Family, Settings
from mini_bert.models.huggingface.matching import config_of, places, plain
from mini_bert.models.huggingface.settings import GENERATOR, describe, unheard_of
from mini_bert.models.huggingface.tensors import ONE_FILE
from mini_bert.models.mini import MiniBERT
from mini_bert.tokenizers.files import save_tokenizer
from mini_bert.tokenizers.tokenizer import Tokenizer

OURS_ALONE = ("family", "checkpoint_activations", "initializer", "classes", "padding_id")
"""Settings that change nothing in what a model computes, or that only some heads and positions have."""


def save_pretrained(model: MiniBERT, folder: str | Path, tokenizer: Tokenizer | None = None) -> None:
    """Write config.json, model.safetensors and the tokenizer, if there is one, so that transformers can load them.

    An ELECTRA with its generator becomes two folders, as in transformers: the discriminator's, and `generator` in it.
    """
    folder, tokenizer = Path(folder), tokenizer or model.tokenizer
    if model.config.generator:
        save_pretrained(generator_of(model), folder / GENERATOR, tokenizer)
        return save_pretrained(discriminator_of(model), folder, tokenizer)
    family = family_for(model.config)
    architecture = model.architecture or family.architecture_of(model.config)
    if architecture is None:
        raise ValueError(
            f"transformers has no {family.model_type} with head={model.config.head} and second_head="
            f"{model.config.second_head}; model.save(folder) keeps it in our own format"
        )
    described = describe(family, architecture, model.config, model.label_names)
    check_faithful(family, architecture, described, model)
    tensors = tensors_of(model.arena, model.config, family, architecture)
    make_folder(folder)
    ids = token_ids(tokenizer, described, model.config) if tokenizer else {}
    told = json.dumps({**described, **ids, "dtype": model.dtype.name}, indent=2)
    write_atomically(folder / CONFIG, told.encode())
    write_atomically(folder / ONE_FILE, tensor_bytes(tensors, {"format": "pt"}))
    if tokenizer is not None:
        save_tokenizer(tokenizer, folder, max_length=model.config.max_seq_length)


def token_ids(tokenizer: Tokenizer, described: Settings, config: ModelConfig) -> Settings:
    """Which tokens begin, end and fill up a text; padding only if the model itself has not settled it."""
    roles = tokenizer.roles
    tokens = {"bos": roles.cls or roles.end, "eos": roles.end or roles.sep}
    if described.get("pad_token_id") is None:
        tokens["pad"] = roles.pad
    found = {role: tokenizer.token_to_id[token] for role, token in tokens.items() if token is not None}
    return {f"{role}_token_id": i for role, i in found.items() if i < config.vocab_size}


def check_faithful(family: Family, architecture: str, described: Settings, model: MiniBERT) -> None:
    """Whoever reads the description must get the same model; a part that transformers has not is refused by name."""
    found = places(family, architecture, model.arena)
    held = {plain(place.name, family) for several in found.values() for place in several}
    again = config_of(family, architecture, described, held).model_dump()
    for name, value in model.config.model_dump().items():
        if name not in OURS_ALONE and again[name] != value:
            raise ValueError(unheard_of(family, name, value, again[name]))


def tensors_of(
    weights: Mapping[str, Array], config: ModelConfig, family: Family, architecture: str
) -> dict[str, Array]:
    """Our weights, or their gradients, under the names and in the shapes they have in transformers."""
    found: dict[str, Array] = {}
    standing = places(family, architecture, weights)
    assert standing.keys() == weights.keys(), f"no line for {weights.keys() - standing.keys()}"
    for ours, several in standing.items():
        weight = weights[ours]
        for name, turn in several:
            if turn is SAME:
                found[name] = weight
                continue
            if name not in found:
                found[name] = np.zeros(turn.shape(weight.shape, config), weight.dtype)
            view = turn.view(found[name], config)
            assert np.shares_memory(view, found[name]), f"{name}: its turn must be a view"
            view[...] = weight.reshape(view.shape)
    return found
