"""Downstream: what is pretraining worth when a model is fine-tuned, and does it beat a bag of words?

With a folder of labelled sets, SST-2 and CoLA; without one, the sentiment of sentences of the embedded world.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from mini_bert.checked import Checked
from mini_bert.errors import counted
from mini_bert.evaluation.downstream.contest import Contest, Standing, as_dict, chosen_by, contest
from mini_bert.evaluation.downstream.runners import MODEL, TOLD, prefixed
from mini_bert.evaluation.downstream.sweep import checked_rates
from mini_bert.evaluation.estimate import difference_told
from mini_bert.evaluation.exam import DoesNotApply, Pace
from mini_bert.evaluation.forgetting import forgetting_section
from mini_bert.evaluation.section import Cell, Column, Headline, Picture, Row, Section, Table
from mini_bert.evaluation.subject import Subject
from mini_bert.evaluation.task_folder import TaskFolder
from mini_bert.finetuning.config import FinetuningConfig
from mini_bert.finetuning.sources import KNOWN, named_task
from mini_bert.finetuning.tasks import UNITS, Task, counts_told
from mini_bert.models.mini import MiniBERT
from mini_bert.reports import Report, part

if TYPE_CHECKING:
    from matplotlib.figure import Figure

REAL, OF_WORLD = ("sst2", "cola"), ("sentiment",)
TOKENS_OF_A_WORD, WORDS_OF_A_TEXT = 1.5, 11
SECONDS_OF_FORGETTING = 5.0
"""About what it takes to ask a fine-tuned model once more what it knew before."""
SLOWER_THAN_ROWS = 1.6
"""Short texts take so much longer than full rows, token for token."""


class Settings(Checked):
    """`max_samples` limits what is learned from, never what is judged on."""

    tasks: list[str] | None = Field(None, description="None: sst2 and cola if they are there, else sentiment")
    seeds: int = Field(5, ge=1)
    max_samples: int | None = Field(None, ge=1)
    rates: list[float] = Field(
        [],
        description="learning rates to choose from, for either network by itself; none: that of finetuning",
    )
    finetuning: FinetuningConfig = FinetuningConfig()
    forgetting: bool = True
    seed: int = Field(0, ge=0)


def examine(subject: Subject, tasks: TaskFolder | None, settings: Settings, report: Report) -> list[Section]:
    names = chosen(tasks, settings)
    found: list[Section] = []
    tuned: dict[str, MiniBERT] = {}
    for number, name in enumerate(names):
        own = prefixed(part(report, number / len(names), (number + 1) / len(names)), f"{name}, ")
        task = task_of(name, tasks, settings)
        seeds = range(settings.seed, settings.seed + settings.seeds)
        result = contest(subject.model, task, settings.finetuning, seeds, rates=settings.rates, report=own)
        found.append(contest_section(result))
        tuned[name] = result.median.model
    if settings.forgetting and tells_masked_words(subject.model):
        found.append(forgetting_section(subject, tasks, tuned, settings.seed))
    return found


def task_of(name: str, tasks: TaskFolder | None, settings: Settings) -> Task:
    return named_task(name, tasks.path if tasks else None).limited(settings.max_samples)


def tells_masked_words(model: MiniBERT) -> bool:
    return model.config.head == "words" and not model.config.causal


def chosen(tasks: TaskFolder | None, settings: Settings) -> list[str]:
    """The tasks that are asked for, or those that there are."""
    if settings.tasks is not None:
        return list(settings.tasks)
    if tasks is None:
        return list(OF_WORLD)
    there = [name for name in REAL if tasks.folder(KNOWN[name].folder)]
    if not there:
        raise DoesNotApply(f"{tasks.path}: neither {' nor '.join(REAL)} is in this folder; leave --data out")
    return there


def seconds(subject: Subject, tasks: TaskFolder | None, settings: Settings, pace: Pace) -> float:
    """From the texts of each task: all rates and seeds, with and without pretraining, and what is read between."""
    return sum(
        task_seconds(task_of(name, tasks, settings), settings, pace) for name in chosen(tasks, settings)
    )


def task_seconds(task: Task, settings: Settings, pace: Pace) -> float:
    tokens = TOKENS_OF_A_WORD * WORDS_OF_A_TEXT
    epochs = settings.finetuning.epochs
    learned = epochs * len(task.train) / pace.training_tokens
    read = (epochs * len(task.dev) + len(task.judged)) / pace.forward_tokens
    beside = SECONDS_OF_FORGETTING * settings.forgetting
    rates = len(checked_rates(settings.rates))
    runs = settings.seeds + (rates if rates > 1 else 0)
    return 2 * runs * SLOWER_THAN_ROWS * tokens * (learned + read) + beside


def contest_section(found: Contest) -> Section:
    task = found.task
    return Section(
        f"downstream-{task.name}",
        f"Fine-tuning: {task.name}",
        told_of(found),
        (standings_table(found), *([sweep_table(found)] if found.trials else [])),
        as_dict(found),
        (Picture(f"{task.name}: {UNITS[task.metric]}", lambda: standings_bars(found)),),
        Headline(column=UNITS[task.metric]),
    )


def told_of(found: Contest) -> str:
    task, config = found.task, found.config
    seeds = len(found.standings[0].by_seed)
    middle = f", the median of {seeds} seeds" if seeds > 1 else ""
    kept = (
        "The epoch that was best on dev is kept."
        if task.judged_on == "test"
        else "There is no test, so that dev is the judge: the last epoch is kept, not the one that scores best."
    )
    cut = f" {found.material.cut:,} were longer than the model reads, and cut." if found.material.cut else ""
    rate = config.rate_for(found.median.model.config)
    return (
        f"{task.origin}: {counts_told(task)}.{cut} {counted(config.epochs, 'epoch')} in batches of {config.batch}, "
        f"learning rate {rate:.2g}{middle}; judged on {task.judged_on}. {kept}{sweep_told(found)}"
    )


def sweep_told(found: Contest) -> str:
    """How the learning rates were chosen."""
    if found.trials is None:
        return ""
    judged, learned = len(found.trials.dev), len(found.trials.train)
    where = (
        "dev, which does not count in the end"
        if chosen_by(found.task) == "dev"
        else f"{judged:,} whole texts of train that were held back, with every part of them that stands in no other "
        f"text ({learned:,} examples were left to learn from)"
    )
    return (
        " Each network has chosen its own learning rate among the same ones, each tried with one seed and as many "
        f"epochs, by {where}."
    )


def sweep_table(found: Contest) -> Table:
    """A row for each learning rate, a column for each network."""
    is_share = found.task.metric != "matthews"
    names = [TOLD[key] for key in found.sweeps]
    rates = [one.rate for one in found.sweeps[MODEL].tried]
    rows = []
    for number, rate in enumerate(rates):
        cells: list[Cell] = [f"{rate:g}"]
        for sweep in found.sweeps.values():
            score = sweep.tried[number].score
            told = "went astray" if score is None else f"{100 * score:.1f} %" if is_share else f"{score:.3f}"
            cells.append(f"{told}, chosen" if rate == sweep.chosen else told)
        rows.append(Row(tuple(cells)))
    return Table(
        f"Learning rates, by {UNITS[found.task.metric]} on {chosen_by(found.task)}",
        (Column("learning rate"), *(Column(name) for name in names)),
        tuple(rows),
    )


def standings_table(found: Contest) -> Table:
    metric = found.task.metric
    is_share = metric != "matthews"
    several, has_leads = len(found.standings[0].by_seed) > 1, len(found.standings) > 1
    columns = [
        Column("who"),
        Column(UNITS[metric], is_share, 1 if is_share else 3),
        *([Column("lowest and highest seed")] if several else []),
        *([Column(f"model ahead, {'points' if is_share else metric}")] if has_leads else []),
    ]
    rows = []
    for one in found.standings:
        cells: list[Cell] = [one.name, one.score]
        if several:
            cells.append(seeds_told(one, is_share))
        if has_leads:
            cells.append(one.behind and difference_told(one.behind, is_share))
        rows.append(Row(tuple(cells), one.kind))
    return Table(
        f"{found.task.name}, on {found.task.judged_on}",
        tuple(columns),
        tuple(rows),
        f"In brackets, 95 % intervals over the examples{' and the seeds' if several else ''}"
        f"{'; those of a lead are over examples that both were asked about' if has_leads else ''}.",
    )


def seeds_told(one: Standing, is_share: bool) -> str | None:
    if not one.by_seed:
        return None
    low, high = min(one.by_seed), max(one.by_seed)
    return f"{100 * low:.1f}–{100 * high:.1f}" if is_share else f"{low:.3f}–{high:.3f}"


def standings_bars(found: Contest) -> Figure:
    from mini_bert.plots.bars import Bar, bars

    metric = found.task.metric
    factor, unit = (1, "") if metric == "matthews" else (100, " (%)")
    entries = [
        Bar(
            one.name,
            factor * one.score.value,
            None if one.score.low is None else factor * one.score.low,
            None if one.score.high is None else factor * one.score.high,
            one.kind,
        )
        for one in found.standings
    ]
    return bars(entries, f"{UNITS[metric]} on {found.task.judged_on}{unit}")
