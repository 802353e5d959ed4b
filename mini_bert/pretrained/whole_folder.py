"""A model's folder is there whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mini_bert.files import make_folder
from mini_bert.models.checkpoint import CONFIG, WEIGHTS
from mini_bert.pretrained.card import CARD, CURVE
from mini_bert.pretrained.packed_files import EVALUATION, MANIFEST
from mini_bert.pretrained.places import CHECKPOINTS
from mini_bert.pretrained.training_record import RECORD
from mini_bert.tokenizers import destination as tokenizer_files
from mini_bert.training.saving import STATE

OF_A_TOKENIZER = {tokenizer_files.JSON, tokenizer_files.CONFIG, *tokenizer_files.PLAIN}
OURS = {CONFIG, WEIGHTS, CARD, CURVE, RECORD, EVALUATION, MANIFEST} | OF_A_TOKENIZER
"""What a packed model's folder holds, and may lose when another takes its place."""


def check_place(folder: Path, replace: bool) -> None:
    """Refuse a place that is taken, or cannot be put in place whole, before anything is computed."""
    if not folder.name:
        raise ValueError(
            f"{folder}: stands for a folder that is there; choose another --out, one that is made here"
        )
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    is_model = (folder / CONFIG).is_file() and (folder / WEIGHTS).is_file()
    if not is_model or (folder / CHECKPOINTS).exists() or (folder / STATE).exists():
        raise ValueError(f"{folder}: is there already, and no packed model; choose another --out")
    if not replace:
        raise ValueError(f"{folder}: is there already; choose another --out, or --replace it")
    if others := sorted(path.name for path in folder.iterdir() if path.name not in OURS):
        raise ValueError(
            f"{folder}: also holds {', '.join(others)}, which --replace would delete; put that elsewhere first"
        )


@contextmanager
def whole(folder: Path) -> Iterator[Path]:
    """A folder beside it to write into; without an error inside, it takes the place at the end."""
    beside = folder.with_name(f".{folder.name}.{os.getpid()}.tmp")
    make_folder(folder.parent)
    shutil.rmtree(beside, ignore_errors=True)
    try:
        yield beside
        put_in_place(beside, folder)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def put_in_place(beside: Path, folder: Path) -> None:
    """What was there before goes when the new one stands."""
    old = folder.with_name(f".{folder.name}.{os.getpid()}.old")
    if folder.exists():
        os.replace(folder, old)
    try:
        os.replace(beside, folder)
    except OSError:
        if old.exists():
            os.replace(old, folder)
        raise
    shutil.rmtree(old, ignore_errors=True)
