"""Going on from a model: its weights on other text, in its own vocabulary or in another.

    origin = origin_of("runs/english")             # a run, one of its checkpoints, a folder, or "mini"
    config = going_on(config)                      # the run's settings, with the model's own written out
    model = carried_over(origin, tokenizer, model_config)

A piece that both vocabularies have keeps its vectors. One that is new begins as the mean of the pieces into which
the old tokenizer cuts it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from mini_bert.core.array import Array
from mini_bert.models.config import DEFAULT_PRESET, ModelConfig
from mini_bert.models.huggingface.reading import from_pretrained
from mini_bert.models.mini import MiniBERT
from mini_bert.pretrained.places import lasting_name, model_folder
from mini_bert.tokenizers.files import load_tokenizer
from mini_bert.tokenizers.tokenizer import Tokenizer
from mini_bert.training.config import TrainingConfig
from mini_bert.training.config_groups import CutConfig
from mini_bert.training.run_folder import run_of_checkpoint

BY_PIECE = (
    "embeddings.token.weight",
    "head.decoder.weight",
    "head.decoder.bias",
    "generator.head.decoder.bias",
)
PLACES = "embeddings.position.weight"
BY_POSITION = (PLACES, "encoder.position.weight")
LAYER_NUMBER = re.compile(r"^(encoder\.layers\.)(\d+)\.")
OWN_SETTINGS = ("second_head", "vocab_size")
"""Of the new run, not of the model it goes on from."""


@dataclass(frozen=True)
class Origin:
    """A model to go on from, ours or a HuggingFace one. `corpus` is its text, if a run is known that made it, and `cut`
    tells which of it the run learned from."""

    folder: Path
    tokenizer: Tokenizer
    corpus: tuple[str, ...] = ()
    cut: CutConfig | None = None

    @cached_property
    def model(self) -> MiniBERT:
        return from_pretrained(self.folder)


def origin_of(path: str | Path) -> Origin:
    folder = model_folder(path)
    run = run_of_checkpoint(folder)
    settings = run.settings() if run else {}
    if "corpus" not in settings:
        return Origin(folder, load_tokenizer(folder))
    cut = CutConfig.parse({name: settings[name] for name in CutConfig.model_fields if name in settings})
    return Origin(folder, load_tokenizer(folder), tuple(settings["corpus"]), cut)


def going_on(config: TrainingConfig) -> TrainingConfig:
    """The configuration of a run with `init`: the model is the one it goes on from, its old text is remembered."""
    if config.init is None:
        return config
    origin = origin_of(config.init)
    before = origin.model.config
    if config.preset != DEFAULT_PRESET and not is_preset(before, config.preset):
        raise ValueError(
            f"preset {config.preset} is another model than the one to go on from, {config.init}; leave --preset out,"
            " or, where the configuration names it, take one without a preset: finetuning, or a copy without that line"
        )
    own = {name: value for name, value in before.model_dump().items() if name not in OWN_SETTINGS}
    own["vocab_size"] = before.vocab_size
    changes: dict[str, Any] = {
        "init": lasting_name(config.init),
        "model": {**own, **config.model},
        "old_corpus": config.old_corpus or list(origin.corpus),
        "old_cut": config.old_cut or origin.cut,
    }
    return TrainingConfig.parse({**config.model_dump(), **changes})


def is_preset(config: ModelConfig, name: str) -> bool:
    """Whether this is the model of a preset, whatever its vocabulary and however its weights were drawn."""
    return ModelConfig.preset(name, vocab_size=config.vocab_size, initializer=config.initializer) == config


def with_teacher(config: TrainingConfig) -> TrainingConfig:
    """The configuration of a student, with the place of its teacher written out."""
    if config.distillation.teacher is None:
        return config
    folder = origin_of(config.distillation.teacher).folder.resolve()
    taught = {**config.distillation.model_dump(), "teacher": str(folder)}
    return TrainingConfig.parse({**config.model_dump(), "distillation": taught})


def carried_over(
    origin: Origin, tokenizer: Tokenizer, config: ModelConfig, *, seed: int = 0, dtype: DTypeLike = np.float32
) -> MiniBERT:
    """A model of this configuration with the weights of another; what the other has not is drawn by the seed."""
    old = origin.model
    new = MiniBERT(config, seed=seed, dtype=dtype)
    same_pieces = origin.tokenizer.fingerprint() == tokenizer.fingerprint()
    for name, weight in new.arena.items():
        if name not in old.arena:
            continue
        before = old.arena[name]
        if not have_rows_alike(name, before, weight):
            raise ValueError(
                f"{origin.folder}: {name} has shape {before.shape}, and {weight.shape} in the model to be trained;"
                " leave changes of its sizes out"
            )
        if name in BY_PIECE and not same_pieces:
            before = by_piece(before, origin.tokenizer, tokenizer)
        if name == PLACES:
            further = first_place(config) - first_place(old.config)
            before, weight = before[max(0, -further) :], weight[max(0, further) :]
        copy_rows(before, weight)
    return new


def first_place(config: ModelConfig) -> int:
    """The row of the table of positions that the first token of a text reads."""
    return config.padding_id + 1 if config.positions == "after-padding" else 0


def have_rows_alike(name: str, before: Array, weight: Array) -> bool:
    """Whether one weight can take the place of the other, where it has rows: tables may be longer or shorter."""
    first = 1 if name in (*BY_PIECE, *BY_POSITION) else 0
    return before.shape[first:] == weight.shape[first:]


def copy_rows(before: Array, weight: Array) -> None:
    """Those that both have; a table may have spare rows, or none for some of its pieces."""
    shared = min(len(before), len(weight))
    weight[:shared] = before[:shared]


def copy_layers(teacher: MiniBERT, student: MiniBERT) -> None:
    """Begin a student as every so many of its teacher's layers: 6 of 12 are 0, 2, 4, ... (DistilBERT)."""
    depth, shallow = teacher.config.num_layers, student.config.num_layers
    if shallow > depth:
        raise ValueError(
            f"the student has {shallow} layers and its teacher {depth}; copies_layers needs fewer"
        )
    theirs, ours = teacher.config.layer_groups or depth, student.config.layer_groups or shallow

    def of_teacher(found: re.Match[str]) -> str:
        call = int(found[2]) * depth // ours
        return f"{found[1]}{call * theirs // depth}."

    for name, weight in student.arena.items():
        before = teacher.arena.get(LAYER_NUMBER.sub(of_teacher, name))
        if before is None and name.startswith("encoder."):
            raise ValueError(
                f"{name}: the teacher has no such weight; copies_layers needs models of the same parts"
            )
        if before is None:
            continue
        if not have_rows_alike(name, before, weight):
            raise ValueError(
                f"{name} has shape {weight.shape} in the student and {before.shape} in its teacher; "
                "copies_layers needs models that are equally wide"
            )
        copy_rows(before, weight)


def by_piece(before: Array, old: Tokenizer, new: Tokenizer) -> Array:
    """Rows for the pieces of a new vocabulary, from those of an old one (V, ...)."""
    rows = np.empty((new.vocab_size, *before.shape[1:]), before.dtype)
    for token, number in new.token_to_id.items():
        known = old.token_to_id.get(token, len(before))
        parts = [known] if known < len(before) else parts_of(new, number, old, len(before))
        rows[number] = before[parts].mean(0)
    return rows


def parts_of(new: Tokenizer, number: int, old: Tokenizer, rows: int) -> list[int]:
    """What an old tokenizer, with a table of so many rows, makes of a new piece's text; all it knows, if it does not
    know the piece."""
    ids = old.encode(new.decode([number]).removeprefix("##"), add_special_tokens=False)
    known = [i for i in ids if i < rows and i not in old.special_ids]
    return known or list(range(min(old.vocab_size, rows)))
