"""The network without pretraining, as an earlier contest found it: it is the same whatever was pretrained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from mini_bert.evaluation.downstream.contest import CALLED, Contest, Standing
from mini_bert.evaluation.downstream.runners import TWIN
from mini_bert.evaluation.downstream.simple_answers import always
from mini_bert.evaluation.downstream.sweep import Sweep, Tried, checked_rates
from mini_bert.evaluation.estimate import Estimate
from mini_bert.finetuning.config import FinetuningConfig
from mini_bert.finetuning.heads import head_config
from mini_bert.finetuning.scores import point_score
from mini_bert.finetuning.tasks import Task, answers_of
from mini_bert.models.mini import MiniBERT

Figures = Mapping[str, Any]
"""Of a contest, as `as_dict` tells them."""


def check_same_contest(
    earlier: Figures,
    model: MiniBERT,
    task: Task,
    config: FinetuningConfig,
    seeds: int,
    rates: Sequence[float],
) -> None:
    """Refuse a network that had another task, other settings or another choice than this model will have."""
    wanted = conditions(model, task, config, seeds, rates)
    told = told_conditions(earlier)
    for name, value in wanted.items():
        if told.get(name) != value:
            raise ValueError(
                f"the network without pretraining had {name} {told.get(name)}, and this contest has {value}; leave "
                "--untrained-from out, and it is trained anew"
            )


def conditions(
    model: MiniBERT, task: Task, config: FinetuningConfig, seeds: int, rates: Sequence[float]
) -> dict[str, Any]:
    """All on which the score of a network without pretraining depends, by name; which examples these are is shown by
    how many they are, and how many of them have the most frequent answer."""
    rates = checked_rates(rates)
    choice = list(rates) if len(rates) > 1 else [next(iter(rates), config.rate_for(model.config))]
    network = head_config(model.config, task.head, len(task.names)).changed(
        **config.of_model(model.config, task.head)
    )
    settings = config.model_dump() | {"pooling": network.pooled if task.head == "classes" else None}
    return {
        "task": task.name,
        "judged_on": task.judged_on,
        "labels": list(task.names),
        "examples": {"train": len(task.train), "dev": len(task.dev), "test": len(task.test)},
        "majority": point_score(task.metric, answers_of(task.judged), always(task)),
        **{name: value for name, value in settings.items() if name != "learning_rate"},
        "seeds": seeds,
        "rates": choice,
    }


def told_conditions(earlier: Figures) -> dict[str, Any]:
    """The same, of a contest that has been."""
    sweep = (earlier.get("sweep") or {}).get(TWIN)
    settings = earlier.get("settings") or {}
    rates = [one["rate"] for one in sweep["tried"]] if sweep else [settings.get("learning_rate")]
    return {**earlier, **settings, "seeds": len(earlier.get("random_model_by_seed") or ()), "rates": rates}


def with_untrained(found: Contest, earlier: Figures) -> Contest:
    """A contest in which that network had no part, with it in its place, behind the model."""
    sweep = (earlier.get("sweep") or {}).get(TWIN)
    sweeps = dict(found.sweeps)
    if sweep:
        sweeps[TWIN] = Sweep(tuple(Tried(one["rate"], one["score"]) for one in sweep["tried"]))
    score = Estimate(earlier[TWIN], *earlier["intervals"][TWIN])
    twin = Standing(TWIN, *CALLED[TWIN], score, tuple(earlier["random_model_by_seed"]))
    model, *others = found.standings
    return replace(found, standings=(model, twin, *others), sweeps=sweeps, beside=earlier["weights"])
