"""One door to every model: `mini_bert.load()`."""

from __future__ import annotations

from os import PathLike

from numpy.typing import DTypeLike

from mini_bert.models.huggingface.reading import from_pretrained
from mini_bert.models.mini import MiniBERT
from mini_bert.pretrained.places import is_name, model_folder, place_of
from mini_bert.pretrained.shipped import BEST


def load(model: str | PathLike[str] = BEST, *, dtype: DTypeLike | None = None) -> MiniBERT:
    """A trained model with its `.tokenizer`; without a name, the best one that comes with the package.

    `load("mini")` is the learning guide's architecture, `load("mini-best")` the best recipe at that size,
    `load("last")` the newest run under ./runs. A path is a HuggingFace folder, one that `model.save` wrote, a run or a
    checkpoint of it. Any other name is one on the hub. A folder of yours that is called mini is "./mini".
    """
    if is_name(model) or place_of(model).exists():
        return from_pretrained(model_folder(model), dtype=dtype)
    return from_pretrained(model, dtype=dtype)
