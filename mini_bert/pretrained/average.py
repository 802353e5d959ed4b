"""The mean of several weights of one training: `average(["mini-best", "runs/further"], "averaged")`.

    w = (1/n) Σ wᵢ,     and where the loss is a bowl of curvature H,
    L(w) = (1/n) Σ L(wᵢ) − (1/2n²) Σ_{i<j} (wᵢ − wⱼ)ᵀ H (wᵢ − wⱼ)                       (Izmailov et al. 2018)

In one valley the mean is better than the weights are on average, the more the further they lie apart; weights of
different valleys have a ridge between them, and their mean is worse than any. docs/mathematical_background/
training_step.md derives it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mini_bert.inference.fill_mask import check_fit
from mini_bert.inference.reading import tokenizer_of
from mini_bert.models.checkpoint import save_model
from mini_bert.models.digest import weights_digest
from mini_bert.models.huggingface.reading import from_pretrained
from mini_bert.models.mini import MiniBERT
from mini_bert.pretrained.averaged_record import averaged_record
from mini_bert.pretrained.half_precision import exam_on
from mini_bert.pretrained.own_record import check_record
from mini_bert.pretrained.packed_files import EVALUATION, MANIFEST, write_json
from mini_bert.pretrained.packing import ROWS, text_of
from mini_bert.pretrained.places import model_folder
from mini_bert.pretrained.training_record import RECORD, record_in
from mini_bert.pretrained.whole_folder import check_place, whole
from mini_bert.reports import Report, part, silent
from mini_bert.training.parallel import Team
from mini_bert.training.validation import Score, examine


@dataclass(frozen=True)
class Averaged:
    """The folder of the mean, a digest of its weights, and one exam's score of each model, by its name, and of the
    mean."""

    folder: Path
    weights: str
    text: str
    scores: dict[str, Score]
    mean: Score

    @property
    def best(self) -> str:
        """The name of the model with the least loss."""
        return min(self.scores, key=lambda name: self.scores[name].loss)

    @property
    def is_better(self) -> bool:
        """Whether the mean has less loss than each of them."""
        return self.mean.loss < self.scores[self.best].loss

    def as_dict(self) -> dict[str, Any]:
        return {
            "folder": str(self.folder),
            "weights": self.weights,
            "text": self.text,
            "scores": {name: figures(score) for name, score in self.scores.items()},
            "mean": figures(self.mean),
            "is_better": self.is_better,
        }


def figures(score: Score) -> dict[str, float]:
    return {"loss": score.loss, "accuracy": score.accuracy, "perplexity": score.perplexity}


def average(
    sources: Sequence[str | Path],
    folder: str | Path,
    *,
    texts: Sequence[str | Path] = (),
    most_rows: int = ROWS,
    replace: bool = False,
    report: Report = silent,
) -> Averaged:
    """Write the mean of the models that these names stand for, with the record of their training.

    They and the mean are asked for hidden words of `texts`, or of stories of the embedded world.
    """
    folder, names = Path(folder), [str(source) for source in sources]
    check_place(folder, replace)
    if len(names) < 2:
        raise ValueError(
            f"{', '.join(names) or 'no model'}: a mean is one of two models or more; name another"
        )
    folders = {name: model_folder(source) for name, source in zip(names, sources, strict=True)}
    text = text_of(texts)
    models = {name: checked_model(place) for name, place in folders.items()}
    for name in names[1:]:
        check_alike(models, names[0], name)
    record = record_of(folders)
    mean = mean_of(list(models.values()))
    exam = exam_on(mean, text, most_rows, part(report, 0.0, 0.2))
    scores = {}
    with Team() as team:
        for number, model in enumerate([*models.values(), mean]):
            scores[number] = examine(model.network, model.arena, exam, team)
            report(
                0.2 + 0.75 * (number + 1) / (len(models) + 1), f"{number + 1} of {len(models) + 1} examined"
            )
    digest = weights_digest(mean)
    with whole(folder) as beside:
        save_model(mean, beside)
        write_json(beside / EVALUATION, {"weights": digest})
        if record:
            manifest = record.pop("manifest", None)
            write_json(beside / RECORD, record)
            if manifest:
                write_json(beside / MANIFEST, manifest)
    report(1.0, "")
    of_mean = scores.pop(len(models))
    return Averaged(folder, digest, text.name, dict(zip(models, scores.values(), strict=True)), of_mean)


def checked_model(folder: Path) -> MiniBERT:
    """A model that fills in hidden words, with the vocabulary for it, and a record that is its own."""
    model = from_pretrained(folder)
    check_fit(model)
    tokenizer_of(model)
    check_record(folder, lambda: model)
    return model


def check_alike(models: Mapping[str, MiniBERT], one: str, other: str) -> None:
    """Refuse weights that do not stand in the same places for the same things."""
    first, second = models[one], models[other]
    if first.config != second.config:
        name = next(name for name, value in first.config if value != getattr(second.config, name))
        values = [getattr(model.config, name) for model in (first, second)]
        raise ValueError(
            f"{other}: {name} is {values[1]}, and {values[0]} in {one}; average models of one shape"
        )
    if tokenizer_of(first).fingerprint() != tokenizer_of(second).fingerprint():
        raise ValueError(f"{other}: has another vocabulary than {one}; average models of one vocabulary")
    if np.array_equal(first.arena.flat, second.arena.flat):
        raise ValueError(f"{other}: has the weights of {one}; name each model once")


def record_of(folders: Mapping[str, Path]) -> dict[str, Any]:
    """That of their training; nothing if none of them has one."""
    records = {name: record_in(folder) or {} for name, folder in folders.items()}
    untold = [name for name, record in records.items() if not record.get("settings")]
    if len(untold) == len(records):
        return {}
    if untold:
        raise ValueError(
            f"{untold[0]}: no record tells how it was trained, as one does of the others; average checkpoints of one "
            "run, or a run with the model that it went on from"
        )
    return averaged_record(records)


def mean_of(models: Sequence[MiniBERT]) -> MiniBERT:
    """(1/n) Σ wᵢ, summed in double precision"""
    mean = MiniBERT(models[0].config, seed=None, dtype=models[0].arena.flat.dtype)
    mean.arena.flat[:] = np.mean([model.arena.flat for model in models], axis=0, dtype=np.float64)
    mean.tokenizer = models[0].tokenizer
    return mean
