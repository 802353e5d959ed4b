"""What is kept beside a packed model tells of the weights that lie there, or is not handed on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from mini_bert.models.digest import weights_digest
from mini_bert.models.mini import MiniBERT
from mini_bert.pretrained.packed_files import EVALUATION, MANIFEST, read_if_there
from mini_bert.pretrained.training_record import RECORD


def check_record(folder: Path, model_in_it: Callable[[], MiniBERT]) -> None:
    """Refuse a folder whose files tell of other weights than those of its model, which is read only if there are such
    files."""
    measured = read_if_there(folder / EVALUATION)
    is_told = bool(measured) or (folder / RECORD).is_file()
    if is_told and measured.get("weights") != weights_digest(model_in_it()):
        raise ValueError(
            f"{folder}: {EVALUATION} and {RECORD} are not of the weights beside them, or do not say so; remove both, "
            f"and {MANIFEST} if these weights learned from other text"
        )
