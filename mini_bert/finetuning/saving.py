"""The folder of a fine-tuned model: there whole, or not at all."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from typing import Any

from mini_bert.files import make_folder, write_atomically
from mini_bert.models.mini import MiniBERT
from mini_bert.plain_json import portable

FACTS = "finetuning.json"
PAIRS = "pairs"
"""The fact that says whether each example has a second text."""
RUNS = Path("runs")


def free_folder(task: str, runs: Path = RUNS) -> Path:
    """runs/TASK-1, or the first number after it that is not taken."""
    return next(place for number in count(1) if not (place := runs / f"{task}-{number}").exists())


def check_free(folder: Path) -> None:
    """Refuse a place where the model could not be kept, before it is trained; nothing is made yet."""
    if folder.is_file() or (folder.is_dir() and any(folder.iterdir())):
        raise ValueError(f"{folder}: is there already; choose another --output")
    there = next(place for place in folder.absolute().parents if place.exists())
    if not there.is_dir() or not os.access(there, os.W_OK):
        raise ValueError(f"{there}: may not be written; choose another --output")


def save_finetuned(
    model: MiniBERT,
    folder: str | Path,
    facts: Mapping[str, Any] | None = None,
    *,
    for_transformers: bool = False,
) -> Path:
    """Write the model with its label names and tokenizer, and what is known of it; `from_pretrained` reads the folder.

    `for_transformers` writes the files of transformers if its classes can hold the model; else they are our own.
    """
    folder = Path(folder)
    check_free(folder)
    make_folder(folder.parent)
    beside = folder.with_name(f".{folder.name}.{os.getpid()}.tmp")
    try:
        if not (for_transformers and saved_for_transformers(model, beside)):
            model.save(beside)
        write_atomically(beside / FACTS, f"{json.dumps(portable(dict(facts or {})), indent=1)}\n".encode())
        if folder.is_dir():
            folder.rmdir()
        os.replace(beside, folder)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return folder


def learned_pairs(folder: Path | None) -> bool | None:
    """Whether the model in a folder was fine-tuned on pairs of texts; None if nobody has told."""
    if folder is None or not (folder / FACTS).is_file():
        return None
    try:
        told = json.loads((folder / FACTS).read_text("utf-8"))
    except ValueError:
        return None
    found = told.get(PAIRS) if isinstance(told, dict) else None
    return found if isinstance(found, bool) else None


def saved_for_transformers(model: MiniBERT, folder: Path) -> bool:
    """Whether transformers has a class for the model; then it is written."""
    try:
        model.save_pretrained(folder)
    except ValueError:
        shutil.rmtree(folder, ignore_errors=True)
        return False
    return True
