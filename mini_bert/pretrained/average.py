"""The mean of several weights of one training: `average(["mini-best", "runs/further"], "averaged")`.

    w = (1/n) Σ wᵢ,     and where the loss is a bowl of curvature H,
    L(w) = (1/n) Σ L(wᵢ) − (1/2n²) Σ_{i<j} (wᵢ − wⱼ)ᵀ H (wᵢ − wⱼ)                       (Izmailov et al. 2018)

In one valley the mean is better than the weights are on average, the more the further they lie apart; across a ridge it
is worse. docs/mathematical_background/training_step.md derives it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from mini_bert.evaluation.estimate import Estimate
from mini_bert.evaluation.intrinsic.clustered import ratio
from mini_bert.evaluation.intrinsic.row_scores import RowScores, difference, perplexity, score
from mini_bert.inference.fill_mask import check_fit
from mini_bert.inference.reading import tokenizer_of
from mini_bert.models.checkpoint import save_model
from mini_bert.models.digest import weights_digest
from mini_bert.models.huggingface.reading import from_pretrained
from mini_bert.models.mini import MiniBERT
from mini_bert.pretrained.card import check_told
from mini_bert.pretrained.hidden_words import ROWS, exam_on, scores_in, text_of
from mini_bert.pretrained.one_training import Moment, record_of_mean
from mini_bert.pretrained.own_record import check_record
from mini_bert.pretrained.packed_files import EVALUATION, MANIFEST, write_json
from mini_bert.pretrained.packing import LICENCE, record_of
from mini_bert.pretrained.places import model_folder
from mini_bert.pretrained.training_record import RECORD
from mini_bert.pretrained.whole_folder import check_place, whole
from mini_bert.reports import Report, part, silent


@dataclass(frozen=True)
class Averaged:
    """The folder of the mean, a digest of its weights, and one exam's scores of each model, by its name, and of the
    mean."""

    folder: Path
    weights: str
    text: str
    scores: dict[str, RowScores]
    mean: RowScores

    @property
    def best(self) -> str:
        """The name of the model with the least loss."""
        return min(self.scores, key=lambda name: score(self.scores[name], "loss").value)

    @property
    def gain(self) -> Estimate:
        """How much less loss the mean has than the best of them."""
        return difference(self.scores[self.best], self.mean, "loss")

    @property
    def above_average(self) -> Estimate:
        """How much more loss the mean has than they have on average, which no bowl allows."""
        losses = np.mean([one.loss for one in self.scores.values()], axis=0)
        return ratio(self.mean.loss - losses, self.mean.asked)

    def as_dict(self) -> dict[str, Any]:
        return {
            "folder": str(self.folder),
            "weights": self.weights,
            "text": self.text,
            "scores": {name: figures(one) for name, one in self.scores.items()},
            "mean": figures(self.mean),
            "best": self.best,
            "gain": self.gain._asdict(),
            "above_average": self.above_average._asdict(),
        }


def figures(rows: RowScores) -> dict[str, Any]:
    return {
        "loss": score(rows, "loss")._asdict(),
        "accuracy": score(rows, "found")._asdict(),
        "perplexity": perplexity(rows),
    }


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
    if len(names) < 2:
        raise ValueError(
            f"{', '.join(names) or 'no model'}: a mean is one of two models or more; name another"
        )
    if repeated := next((name for name in names if names.count(name) > 1), None):
        raise ValueError(f"{repeated}: named more than once; name each model once")
    folders = {name: model_folder(source) for name, source in zip(names, sources, strict=True)}
    check_kept(folder, folders)
    check_place(folder, replace)
    text = text_of(texts)
    models = {name: checked_model(name, place) for name, place in folders.items()}
    for one, other in combinations(models, 2):
        check_alike(models, one, other)
    record = record_of_mean([Moment.of(name, place, models[name]) for name, place in folders.items()])
    mean = mean_of(list(models.values()))
    exam = exam_on(mean, text, most_rows, part(report, 0.0, 0.2))
    of_each = []
    for number, model in enumerate([*models.values(), mean]):
        of_each.append(scores_in(model, exam))
        report(0.2 + 0.75 * (number + 1) / (len(models) + 1), f"{number + 1} of {len(models) + 1} examined")
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
    *others, of_mean = of_each
    return Averaged(folder, digest, text.name, dict(zip(names, others, strict=True)), of_mean)


def check_kept(out: Path, folders: Mapping[str, Path]) -> None:
    """Refuse a place in which a model lies that the mean is of: it would be gone."""
    place = out.resolve()
    for name, folder in folders.items():
        if place in (folder.resolve(), *folder.resolve().parents):
            raise ValueError(
                f"{out}: holds {name}, which the mean is of and would replace; choose another --out"
            )


def checked_model(name: str, folder: Path) -> MiniBERT:
    """A model that fills in hidden words, with the vocabulary for it, and a record that is whole and its own."""
    model = from_pretrained(folder)
    try:
        check_fit(model)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    tokenizer_of(model)
    check_record(folder, lambda: model)
    check_told(folder, model.config, record_of(model, folder, name, LICENCE), {})
    return model


def check_alike(models: Mapping[str, MiniBERT], one: str, other: str) -> None:
    """Refuse weights that do not stand in the same places for the same things, or are the same."""
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


def mean_of(models: Sequence[MiniBERT]) -> MiniBERT:
    """(1/n) Σ wᵢ, summed in double precision"""
    mean = MiniBERT(models[0].config, seed=None, dtype=models[0].arena.flat.dtype)
    mean.arena.flat[:] = np.mean([model.arena.flat for model in models], axis=0, dtype=np.float64)
    mean.tokenizer = models[0].tokenizer
    return mean
