"""A model fine-tuned with several seeds, beside what it must beat: itself without pretraining, and simpler methods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from mini_bert.evaluation.downstream.scores import median_place, score
from mini_bert.evaluation.downstream.simple_answers import simple_answers
from mini_bert.evaluation.estimate import Estimate
from mini_bert.evaluation.section import Kind
from mini_bert.finetuning.config import FinetuningConfig
from mini_bert.finetuning.encoded import EncodedTask, encoded_task
from mini_bert.finetuning.learning import Finetuned, finetune
from mini_bert.finetuning.saving import PAIRS
from mini_bert.finetuning.scores import point_score
from mini_bert.finetuning.tasks import Answer, Task, answers_of
from mini_bert.models.mini import MiniBERT
from mini_bert.reports import Report, part, silent

MODEL, TWIN = "model", "random_model"


class Standing(NamedTuple):
    """A contestant's score with its 95 % interval, that of each seed, and the share it had right.

    With several seeds the score is that of the median run, and the interval is over examples and seeds.
    """

    key: str
    name: str
    kind: Kind
    score: Estimate
    by_seed: tuple[float, ...] = ()
    accuracy: float | None = None


@dataclass(frozen=True)
class Contest:
    """`standings` begin with the model; `median` is its run whose score is the median, which is worth keeping."""

    material: EncodedTask
    config: FinetuningConfig
    standings: tuple[Standing, ...]
    median: Finetuned

    @property
    def task(self) -> Task:
        return self.material.task


def contest(
    model: MiniBERT,
    task: Task,
    config: FinetuningConfig,
    seeds: Sequence[int] = (0,),
    *,
    baselines: bool = True,
    report: Report = silent,
) -> Contest:
    """Fine-tune with each seed; with `baselines`, so the same network without pretraining, and ask simpler methods."""
    material = encoded_task(task, model, config.max_length)
    right = answers_of(task.judged)
    count = len(seeds) * (1 + baselines)

    def runs(first: int, told: str, *, pretrained: bool) -> list[Finetuned]:
        found = []
        for number, seed in enumerate(seeds, first):
            told_seed = f", seed {seed}" if len(seeds) > 1 else ""
            own = prefixed(part(report, number / count, (number + 1) / count), f"{told}{told_seed}: ")
            found.append(finetune(model, material, config, seed=seed, pretrained=pretrained, report=own))
        return found

    own = runs(0, "pretrained", pretrained=True)
    median = median_run(task, right, own)
    standings = [standing(MODEL, "pretrained, fine-tuned", "model", task, right, own)]
    if baselines:
        twins = runs(len(seeds), "without pretraining", pretrained=False)
        standings.append(standing(TWIN, "same network, not pretrained", "baseline", task, right, twins))
        for key, name, told in simple_answers(task):
            standings.append(
                Standing(
                    key, name, "baseline", score(task.metric, right, [told]), (), share_right(right, told)
                )
            )
    return Contest(material, config, tuple(standings), median)


def prefixed(report: Report, told: str) -> Report:
    """The same report, in which each note says first what it is about."""
    return lambda done, note: report(done, f"{told}{note}")


def standing(
    key: str, name: str, kind: Kind, task: Task, right: list[Answer], runs: list[Finetuned]
) -> Standing:
    middle = median_run(task, right, runs)
    by_seed = tuple(point_score(task.metric, right, run.answers) for run in runs)
    return Standing(
        key,
        name,
        kind,
        score(task.metric, right, [run.answers for run in runs]),
        by_seed,
        share_right(right, middle.answers),
    )


def median_run(task: Task, right: list[Answer], runs: list[Finetuned]) -> Finetuned:
    return runs[median_place([point_score(task.metric, right, run.answers) for run in runs])]


def share_right(right: list[Answer], told: list[Answer]) -> float:
    return point_score("accuracy", right, told)


def as_dict(found: Contest) -> dict[str, Any]:
    """For a program: the model's score under the name of the metric, those of others under their own keys."""
    task, (model, *others) = found.task, found.standings
    return {
        "task": task.name,
        "origin": task.origin,
        "metric": task.metric,
        "judged_on": task.judged_on,
        task.metric: model.score.value,
        "interval": [model.score.low, model.score.high],
        "accuracy": model.accuracy,
        "by_seed": list(model.by_seed),
        **{other.key: other.score.value for other in others},
        "intervals": {other.key: [other.score.low, other.score.high] for other in others},
        "random_model_by_seed": next((list(one.by_seed) for one in others if one.key == TWIN), None),
        "labels": list(task.names),
        PAIRS: task.has_pairs,
        "examples": {"train": len(task.train), "dev": len(task.dev), "test": len(task.test)},
        "cut": found.material.cut,
        "epochs": [epoch._asdict() for epoch in found.median.epochs],
        "kept_epoch": found.median.chosen + 1,
        "seconds": found.median.seconds,
        "settings": found.config.model_dump()
        | {"learning_rate": found.config.rate_for(found.median.model.config)},
    }
