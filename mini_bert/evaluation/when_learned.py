"""When did a model learn what? The exam that asks every checkpoint of its run.

What is asked is what the suites say under `checkpoint`, hidden words, and what the last layer's states are like.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from mini_bert.checked import Checked
from mini_bert.evaluation.abilities import Ability, ability_of
from mini_bert.evaluation.across_training import (
    BASELINE,
    PERCENT,
    Measure,
    across_training,
    sound_checkpoints,
)
from mini_bert.evaluation.exam import DoesNotApply, Pace
from mini_bert.evaluation.intrinsic.exam import Settings as HiddenWordsSettings
from mini_bert.evaluation.intrinsic.exam import seconds as seconds_of_hidden_words
from mini_bert.evaluation.intrinsic.quick_measures import ROWS, HiddenWords
from mini_bert.evaluation.representations.quick_measures import LastLayer
from mini_bert.evaluation.section import Section
from mini_bert.evaluation.subject import Subject
from mini_bert.evaluation.suites import SUITES, Entry, suite
from mini_bert.evaluation.task_folder import TaskFolder
from mini_bert.reports import Report, silent
from mini_bert.training.run_folder import RunFolder, run_of_checkpoint


class Settings(Checked):
    suites: list[str] = Field(list(SUITES), description="names, or YAML files")
    rows: int = Field(ROWS, ge=2, description="of packed text in which words are hidden")
    seed: int = Field(0, ge=0)


def examine(subject: Subject, tasks: TaskFolder | None, settings: Settings, report: Report) -> list[Section]:
    words = HiddenWords(tasks, settings.rows, settings.seed, subject.model)
    measures = {
        **words.measures(),
        **LastLayer(tasks, settings.seed).measures(),
    }
    for entry in entries_of(settings):
        measures[f"{entry.exam.replace('-', ' ')} {PERCENT}"] = measure_of(entry, tasks)
    return across_training(
        run_of(subject).path, measures, report, dict.fromkeys(words.measures(), words.remark)
    )


def entries_of(settings: Settings) -> list[Entry]:
    return [
        entry for name in settings.suites for entry in suite(name).entries if entry.settings("checkpoint")
    ]


def run_of(subject: Subject) -> RunFolder:
    """The run whose model this is."""
    folder = subject.model.folder
    found = run_of_checkpoint(folder) if folder else None
    if found is None:
        raise DoesNotApply(
            "this model has no run beside it whose checkpoints could be asked; name a run's folder"
        )
    return found


def measure_of(entry: Entry, tasks: TaskFolder | None) -> Measure:
    """An exam as figures by name: the model's score of each ability, and what the best of its rivals reaches."""

    def measure(subject: Subject) -> Mapping[str, float]:
        sections = entry.module.examine(subject, tasks, entry.settings("checkpoint"), silent)
        found = [ability for section in sections if (ability := ability_of(section))]
        return figures_of(found)

    return measure


def figures_of(abilities: list[Ability]) -> dict[str, float]:
    scores = {ability.title: ability.score.value for ability in abilities}
    for ability in abilities:
        rival = ability.best_rival
        whose = f" ({ability.title})" if len(abilities) > 1 else ""
        scores[f"{BASELINE}{rival.name}{whose}"] = rival.score.value
    return scores


def seconds(subject: Subject, tasks: TaskFolder | None, settings: Settings, pace: Pace) -> float:
    """So often as there are checkpoints, what each exam takes; exams that do not apply take none."""
    hidden_words: Any = HiddenWordsSettings(rows=settings.rows, sentences=0)
    each = seconds_of_hidden_words(subject, tasks, hidden_words, pace)
    for entry in entries_of(settings):
        try:
            each += entry.module.seconds(subject, tasks, entry.settings("checkpoint"), pace)
        except DoesNotApply:
            continue
    return each * (1 + len(sound_checkpoints(run_of(subject))))
