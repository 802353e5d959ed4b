"""What is kept beside a packed model tells of the weights that lie there, or is not handed on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from mini_bert.models.digest import weights_digest
from mini_bert.models.mini import MiniBERT
from mini_bert.pretrained.packed_files import EVALUATION, MANIFEST, damage_told, read_if_there, weights_told
from mini_bert.pretrained.training_record import RECORD, WITHOUT_MEASURED


def check_record(folder: Path, model_in_it: Callable[[], MiniBERT]) -> None:
    """Refuse a folder whose files tell of other weights than those of its model, which is read only if there are such
    files."""
    measured = read_if_there(folder / EVALUATION, WITHOUT_MEASURED)
    is_told = bool(measured) or (folder / RECORD).is_file()
    if is_told and measured.get("weights") != weights_digest(model_in_it()):
        raise ValueError(
            f"{folder}: {EVALUATION} and {RECORD} are not of the weights beside them, or do not say so; remove both, "
            f"and {MANIFEST} if these weights learned from other text"
        )
    with damage_told(folder / EVALUATION, WITHOUT_MEASURED):
        weights = {name: weights_told(result) for name, result in (measured.get("results") or {}).items()}
    for name, told in weights.items():
        if told not in (None, measured.get("weights"), measured.get("packed_from")):
            raise ValueError(
                f"{folder / EVALUATION}: {name} tells of other weights ({told}); take it out, and examine {folder} anew"
            )
