"""A model on disk: config.json, model.safetensors, which holds the named views of the arena, and its tokenizer.

Nothing is ever unpickled.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import DTypeLike
from safetensors import SafetensorError, safe_open
from safetensors.numpy import load as read_tensors
from safetensors.numpy import save as tensor_bytes

from mini_bert.core.arena import Arena
from mini_bert.core.array import Array
from mini_bert.errors import counted
from mini_bert.files import make_folder, write_atomically
from mini_bert.models.build import build_network
from mini_bert.models.config import ModelConfig
from mini_bert.models.mini import MiniBERT
from mini_bert.models.vocabulary import tokenizer_beside
from mini_bert.tokenizers.files import save_tokenizer

CONFIG, WEIGHTS = "config.json", "model.safetensors"
LFS_POINTER = b"version https://git-lfs.github.com/spec/"
LABELS = "labels"
"""Beside the weights: what the classes or tags are called."""


def save_model(model: MiniBERT, folder: str | Path, *, dtype: DTypeLike | None = None) -> None:
    """Write both files and the tokenizer, if there is one, each file whole or not at all.

    `dtype` is that of the file, if it is not to be the model's.
    """
    folder = Path(folder)
    make_folder(folder)
    config = json.dumps(model.config.model_dump(), indent=2)
    write_atomically(folder / CONFIG, config.encode())
    told = {"config": config}
    if model.label_names:
        told[LABELS] = json.dumps(model.label_names)
    weights = {name: weight.astype(dtype or weight.dtype, copy=False) for name, weight in model.arena.items()}
    write_atomically(folder / WEIGHTS, tensor_bytes(weights, told))
    if model.tokenizer is not None:
        save_tokenizer(model.tokenizer, folder, max_length=model.config.max_seq_length)


def load_model(folder: str | Path, *, dtype: DTypeLike | None = None) -> MiniBERT:
    """Read it back; what does not fit the configuration is refused, by name. Half precision is widened."""
    folder = Path(folder)
    config = read_config(folder / CONFIG)
    tensors = read_weights(folder / WEIGHTS)
    double = any(tensor.dtype == np.float64 for tensor in tensors.values())
    told = told_beside(folder / WEIGHTS)
    check_saved_together(config, told, tensors, folder)
    model = MiniBERT(
        config, seed=None, dtype=(np.float64 if double else np.float32) if dtype is None else dtype
    )
    fill(model.arena, tensors, folder / WEIGHTS)
    model.label_names = label_names(told.get(LABELS, "[]"), folder / WEIGHTS)
    model.tokenizer = tokenizer_beside(folder, config.vocab_size)
    return model


def read_config(path: Path) -> ModelConfig:
    try:
        settings = json.loads(path.read_text("utf-8-sig"))
    except OSError as error:
        raise ValueError(unreadable(path, error)) from None
    except ValueError as error:  # not JSON, or not even text
        raise ValueError(
            f"{path}: not valid JSON ({error}); restore the file or save the model again"
        ) from None
    if not isinstance(settings, dict):
        raise ValueError(
            f"{path}: expected settings by name, got {settings!r}; restore the file or save the model again"
        )
    try:
        return ModelConfig.parse(settings)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def unreadable(path: Path, error: OSError) -> str:
    told = f"{path}: {(error.strerror or str(error)).lower()}; a model folder holds {CONFIG} and {WEIGHTS}"
    return told if path.parent.exists() else f"{told}; models by name are opened by mini_bert.load"


def read_weights(path: Path) -> dict[str, Array]:
    try:
        return read_tensors(path.read_bytes())
    except OSError as error:
        raise ValueError(unreadable(path, error)) from None
    except KeyError as error:
        raise ValueError(
            f"{path}: NumPy knows no {error} numbers; save the weights as float32 or float16"
        ) from None
    except SafetensorError as error:
        refuse_pointer(path)
        raise ValueError(
            f"{path}: truncated or not a safetensors file ({error}); copy or save it again"
        ) from None


def refuse_pointer(path: Path) -> None:
    """Refuse what git leaves in place of a large file until git-lfs fetches it."""
    with path.open("rb") as file:
        if file.read(len(LFS_POINTER)) == LFS_POINTER:
            raise ValueError(f"{path}: a git-lfs pointer in place of the weights; fetch them: git lfs pull")


def label_names(told: str, path: Path) -> tuple[str, ...]:
    try:
        found = json.loads(told)
    except ValueError:
        found = None
    if not isinstance(found, list) or not all(isinstance(name, str) for name in found):
        raise ValueError(f"{path}: the names of its classes are no list of texts; save the model again")
    return tuple(found)


def told_beside(path: Path) -> dict[str, str]:
    """What the file of the weights says beside them."""
    with safe_open(path, framework="numpy") as file:
        return file.metadata() or {}


def check_saved_together(
    config: ModelConfig, beside: Mapping[str, str], tensors: Mapping[str, Array], folder: Path
) -> None:
    """The weights carry their own copy of the configuration: a save that was cut short shows, or a hand in it."""
    told = beside.get("config")
    if told is None or (saved := parsed(told)) == config:
        return
    wrong = [f"{folder}: {CONFIG} and {WEIGHTS} were not saved together"]
    if saved is not None:
        name = next(name for name, value in saved if value != getattr(config, name))
        wrong.append(
            f"{name} is {getattr(config, name)} in {CONFIG}, {getattr(saved, name)} with the weights"
        )
    if (config.layer_groups or config.num_layers) <= len(tensors):  # more would take long to build
        shapes = {name: weight.shape for name, weight in build_network(config).all_weights().items()}
        wrong += filter(None, [misfit(shapes, tensors)])
    raise ValueError(f"{': '.join(wrong)}; restore {CONFIG}, or save the model again")


def parsed(settings: str) -> ModelConfig | None:
    """The configuration in a JSON text, None if there is none."""
    try:
        return ModelConfig.parse(json.loads(settings))
    except (ValueError, TypeError):
        return None


def misfit(shapes: Mapping[str, tuple[int, ...]], tensors: Mapping[str, Array]) -> str:
    """The first tensor that a configuration asks for in vain, does not know, or has in another shape; "" if none."""
    if missing := sorted(shapes.keys() - tensors.keys()):
        return f"{counted(len(missing), 'tensor')} missing, first {missing[0]}"
    if extra := sorted(tensors.keys() - shapes.keys()):
        return f"{counted(len(extra), 'tensor')} unknown, first {extra[0]}"
    for name, shape in shapes.items():
        if tensors[name].shape != shape:
            return f"{name} has shape {tensors[name].shape}, the configuration says {shape}"
    return ""


def fill(params: Arena, tensors: Mapping[str, Array], path: Path) -> None:
    """Copy tensors into the arena, after every one of them has been found fit."""
    if wrong := misfit({name: view.shape for name, view in params.items()}, tensors):
        raise ValueError(f"{path}: {wrong}; does {CONFIG} belong to it?")
    for name, view in params.items():
        if not np.issubdtype(tensors[name].dtype, np.floating):
            raise ValueError(f"{path}: {name} holds {tensors[name].dtype}, not floating-point weights")
        with np.errstate(over="ignore"):
            narrowed = tensors[name].astype(view.dtype)
        if not np.isfinite(narrowed).all():
            raise ValueError(
                f"{path}: {name} holds NaN or infinity in {view.dtype}; load an earlier checkpoint"
            )
    for name, view in params.items():
        view[...] = tensors[name]
