"""A contest that a packed model was in: another model of the same network may share what was not pretrained in it."""

from __future__ import annotations

from typing import Any

from mini_bert.inference.reading import tokenizer_of
from mini_bert.models.huggingface.reading import from_pretrained
from mini_bert.models.mini import MiniBERT
from mini_bert.pretrained.own_record import check_record
from mini_bert.pretrained.packed_files import EVALUATION, read_if_there
from mini_bert.pretrained.places import model_folder
from mini_bert.pretrained.training_record import WITHOUT_MEASURED

ANEW = "leave --untrained-from out, and it is trained anew"


def earlier_contest(source: str, model: MiniBERT, task: str) -> dict[str, Any]:
    """The figures of fine-tuning on a task, of a packed model whose network and vocabulary are those of this one."""
    folder = model_folder(source)
    results = read_if_there(folder / EVALUATION, WITHOUT_MEASURED).get("results") or {}
    of_task = (one for one in results.values() if one.get("task") == task)
    found: dict[str, Any] | None = next((one for one in of_task if one.get("random_model_by_seed")), None)
    if found is None:
        raise ValueError(f"{source}: was not packed with a network without pretraining on {task}; {ANEW}")
    other = from_pretrained(folder)
    check_record(folder, lambda: other)
    if other.config != model.config:
        raise ValueError(f"{source}: has another network than this model; {ANEW}")
    if tokenizer_of(other).fingerprint() != tokenizer_of(model).fingerprint():
        raise ValueError(f"{source}: has another vocabulary than this model; {ANEW}")
    return found
