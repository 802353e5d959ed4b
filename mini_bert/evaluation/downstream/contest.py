"""A model fine-tuned with several seeds, beside what it must beat: itself without pretraining, and simpler methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from mini_bert.evaluation.downstream.runners import MODEL, TWIN, Runners
from mini_bert.evaluation.downstream.scores import lead, median_place, score
from mini_bert.evaluation.downstream.simple_answers import simple_answers
from mini_bert.evaluation.downstream.sweep import Sweep, checked_rates, trial_task
from mini_bert.evaluation.estimate import Estimate
from mini_bert.evaluation.section import Kind
from mini_bert.finetuning.config import FinetuningConfig
from mini_bert.finetuning.encoded import EncodedTask, encoded_task
from mini_bert.finetuning.learning import Finetuned
from mini_bert.finetuning.saving import PAIRS
from mini_bert.finetuning.scores import point_score
from mini_bert.finetuning.tasks import Answer, Task, answers_of
from mini_bert.models.mini import MiniBERT
from mini_bert.reports import Report, part, silent

CALLED: dict[str, tuple[str, Kind]] = {
    MODEL: ("pretrained, fine-tuned", "model"),
    TWIN: ("same network, not pretrained", "baseline"),
}


class Standing(NamedTuple):
    """A contestant's score with its 95 % interval, that of each seed, the share it had right, and the model's lead.

    With several seeds the score is that of the median run, and the interval is over examples and seeds.
    """

    key: str
    name: str
    kind: Kind
    score: Estimate
    by_seed: tuple[float, ...] = ()
    accuracy: float | None = None
    behind: Estimate | None = None


@dataclass(frozen=True)
class Contest:
    """`standings` begin with the model; `median` is its run whose score is the median, which is worth keeping.

    `sweeps` are the learning rates that were tried, by the key of the contestant; `trials` is what they were tried on.
    """

    material: EncodedTask
    config: FinetuningConfig
    standings: tuple[Standing, ...]
    median: Finetuned
    sweeps: Mapping[str, Sweep] = field(default_factory=dict)
    trials: Task | None = None

    @property
    def task(self) -> Task:
        return self.material.task


def contest(
    model: MiniBERT,
    task: Task,
    config: FinetuningConfig,
    seeds: Sequence[int] = (0,),
    *,
    rates: Sequence[float] = (),
    baselines: bool = True,
    at_once: int | None = None,
    report: Report = silent,
) -> Contest:
    """Fine-tune with each seed; with `baselines`, so the same network without pretraining, and ask simpler methods.

    With several `rates` each is tried before with the first seed, for either network by itself: both have the same
    choice, and each takes what suits it. `at_once` runs go at the same time, None: one for each core; the figures are
    the same however many they are.
    """
    runners = Runners(model, config, tuple(seeds), at_once)
    contestants = [MODEL, TWIN] if baselines else [MODEL]
    rates = checked_rates(rates)
    sweeps: dict[str, Sweep] = {}
    trials = None
    if len(rates) > 1:
        trials = encoded_task(trial_task(task), model, config.max_length)
        share = len(rates) / (len(rates) + len(seeds))
        sweeps = runners.sweeps(trials, contestants, rates, part(report, 0.0, share))
        report = part(report, share, 1.0)
    chosen = {
        key: sweeps[key].chosen if sweeps else next(iter(rates), config.learning_rate) for key in contestants
    }
    material = encoded_task(task, model, config.max_length)
    runs = runners.finals(material, chosen, report)
    right = answers_of(task.judged)
    answers = {key: [run.answers for run in runs[key]] for key in contestants}
    names: dict[str, tuple[str, Kind]] = {key: CALLED[key] for key in contestants}
    if baselines:
        for key, name, told in simple_answers(task):
            names[key], answers[key] = (name, "baseline"), [told]
    standings = [standing(key, *names[key], task, answers) for key in names]
    return Contest(
        material,
        config.changed(learning_rate=chosen[MODEL]),
        tuple(standings),
        median_run(task, right, runs[MODEL]),
        sweeps,
        None if trials is None else trials.task,
    )


def standing(
    key: str, name: str, kind: Kind, task: Task, answers: Mapping[str, list[list[Answer]]]
) -> Standing:
    """Of a contestant with several runs, or of a method that always says the same."""
    right, told = answers_of(task.judged), answers[key]
    scores = [point_score(task.metric, right, run) for run in told]
    return Standing(
        key,
        name,
        kind,
        score(task.metric, right, told),
        tuple(scores) if key in CALLED else (),
        share_right(right, told[median_place(scores)]),
        None if key == MODEL else lead(task.metric, right, answers[MODEL], told),
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
        "ahead_of": {other.key: other.behind._asdict() for other in others if other.behind},
        "random_model_by_seed": next((list(one.by_seed) for one in others if one.key == TWIN), None),
        "labels": list(task.names),
        PAIRS: task.has_pairs,
        "examples": {"train": len(task.train), "dev": len(task.dev), "test": len(task.test)},
        "cut": found.material.cut,
        "epochs": [epoch._asdict() for epoch in found.median.epochs],
        "kept_epoch": found.median.chosen + 1,
        "seconds": found.median.seconds,
        "settings": found.config.model_dump() | settings_used(found),
        "sweep": sweep_figures(found),
    }


def settings_used(found: Contest) -> dict[str, Any]:
    """What the settings leave to the model, as it was done; tags are not pooled."""
    config = found.median.model.config
    return {
        "learning_rate": found.config.rate_for(config),
        "pooling": config.pooled if found.task.head == "classes" else None,
    }


def sweep_figures(found: Contest) -> dict[str, Any] | None:
    """Which rates were tried for whom, and what they led to; None if there was no choice."""
    if found.trials is None:
        return None
    return {
        "examples": {"train": len(found.trials.train), "judged": len(found.trials.dev)},
        "judged_on": chosen_by(found.task),
        **{key: sweep.figures() for key, sweep in found.sweeps.items()},
    }


def chosen_by(task: Task) -> Literal["dev", "held-back train"]:
    return "dev" if task.test else "held-back train"
