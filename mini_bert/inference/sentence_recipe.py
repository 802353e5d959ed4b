"""How a model was taught to make one vector of a text, as a folder of sentence-transformers tells it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MODULES, SENTENCES, PROMPTS = (
    "modules.json",
    "sentence_bert_config.json",
    "config_sentence_transformers.json",
)
NAMES = {"mean": "mean", "cls": "first", "max": "max"}
"""Their names of poolings, and ours."""
OLD_NAMES = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
    "pooling_mode_weightedmean_tokens": "weightedmean",
    "pooling_mode_lasttoken": "lasttoken",
}


@dataclass(frozen=True)
class Recipe:
    """`pooling` makes one vector of those of all tokens; `normalize` makes it one long.

    Texts are cut to `max_length` tokens, special ones included; None: as many as the model reads. `beyond` names what
    the folder asks for and we have not: its vectors would be others than ours.
    """

    pooling: str = "mean"
    normalize: bool = False
    max_length: int | None = None
    lowercase: bool = False
    beyond: tuple[str, ...] = ()


def recipe_in(folder: Path | None) -> Recipe:
    """What a folder says; the mean over all tokens if it says nothing."""
    if folder is None or not (folder / MODULES).is_file():
        return Recipe()
    modules = [
        (str(entry["type"]).rpartition(".")[2], folder / entry.get("path", ""))
        for entry in settings_in(folder / MODULES, list)
    ]
    kinds = [kind for kind, _ in modules]
    beyond = [kind for kind in kinds if kind not in ("Transformer", "Pooling", "Normalize")]
    described = next(
        (settings_in(path / "config.json") for kind, path in modules if kind == "Pooling"),
        {"pooling_mode": "mean"},
    )
    poolings = poolings_in(described)
    pooling = NAMES.get(poolings[0], "")
    if not pooling or len(poolings) > 1:
        beyond.append(f"pooling by {' and '.join(poolings)}")
    if prompt := settings_in(folder / PROMPTS).get("default_prompt_name"):
        beyond.append(f"the prompt {prompt!r} before each text")
    reading = settings_in(folder / SENTENCES)
    return Recipe(
        pooling or "mean",
        "Normalize" in kinds,
        reading.get("max_seq_length"),
        bool(reading.get("do_lower_case")),
        tuple(beyond),
    )


def poolings_in(described: dict[str, Any]) -> list[str]:
    """The names of the poolings, of which several would be put side by side."""
    told = described.get("pooling_mode") or [name for key, name in OLD_NAMES.items() if described.get(key)]
    return [told] if isinstance(told, str) else list(told) or ["mean"]


def settings_in(file: Path, kind: type = dict) -> Any:
    """The content of a JSON file; nothing if it is not there."""
    if not file.is_file():
        return kind()
    try:
        found = json.loads(file.read_text("utf-8-sig"))
    except ValueError as error:
        raise ValueError(f"{file}: not valid JSON ({error}); copy the file again") from None
    if not isinstance(found, kind):
        raise ValueError(f"{file}: expected a {kind.__name__}, got {str(found)[:40]}; copy the file again")
    return found
