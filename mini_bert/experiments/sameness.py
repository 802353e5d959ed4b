"""Whether a run is the one that would be trained: by what decides its weights, not by where and how it was watched.

apart(wanted, found)        # {"optimizer.learning_rate": (0.002, 0.001)}, or nothing
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mini_bert.data.corpus import corpus, is_a_name
from mini_bert.data.text_files import found as files_of
from mini_bert.files import cache_folder
from mini_bert.settings import flat
from mini_bert.tokenizers.files import has_tokenizer, load_tokenizer
from mini_bert.training.config import TrainingConfig
from mini_bert.training.run_folder import RunFolder

UNIMPORTANT = ("workers", "logging", "saving")

Apart = dict[str, tuple[Any, Any]]
"""Setting → its value in the one and in the other"""


def apart(one: TrainingConfig, other: TrainingConfig) -> Apart:
    """Settings that matter and are not the same. Text is the same if it is in the same files, or in copies of them."""
    mine, theirs = decisive(one), decisive(other)
    names = [*mine, *(name for name in theirs if name not in mine)]
    found = {name: (mine.get(name), theirs.get(name)) for name in names if mine.get(name) != theirs.get(name)}
    if "corpus" in found and texts_of(one) == texts_of(other):
        del found["corpus"]
    return found


def decisive(config: TrainingConfig) -> dict[str, Any]:
    """The settings that decide what is learned, by their dotted names; the model with its preset written out."""
    settings = {name: value for name, value in config.model_dump().items() if name not in UNIMPORTANT}
    del settings["preset"], settings["tokenizer"]
    settings["model"] = config.described_model.model_dump()
    settings["corpus"] = sorted(config.corpus)
    found = flat(settings)
    if (tokens := tokens_of(config)) is not None:
        found["budget.steps"], found["budget.tokens"] = None, tokens
    return found


def tokens_of(config: TrainingConfig) -> int | None:
    """How many tokens a budget in steps stands for; None if the steps are not equally long."""
    steps, batch = config.budget.steps, config.batch
    pairs = config.second_kind in ("next-sentence", "sentence-order")
    if steps is None or not config.packed or batch.ramp_from is not None or pairs:
        return None
    return steps * batch.size * config.row_length


def texts_of(config: TrainingConfig) -> list[str]:
    """A fingerprint of each file of the corpus, in no order; a name where there is no file any more."""
    texts: list[str] = []
    for name in config.corpus:
        try:
            files: list[Any] = [name] if is_a_name(name) else files_of(name)
            texts += (corpus(file).known_fingerprint(cache_folder()) for file in files)
        except ValueError:
            texts.append(name)
    return sorted(texts)


def has_vocabulary(run: RunFolder, tokenizer: str | Path) -> bool:
    """Whether a run reads the vocabulary in a folder; one that has not come so far yet will."""
    if not has_tokenizer(run.tokenizer):
        return True
    return load_tokenizer(run.tokenizer).fingerprint() == load_tokenizer(tokenizer).fingerprint()


def told(differences: Apart) -> str:
    """`optimizer.learning_rate 0.002, not 0.001`"""
    return "; ".join(f"{name} {mine!r}, not {theirs!r}" for name, (mine, theirs) in differences.items())
