"""The exam of words and pairs: parts of speech, relations, edges and entities."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from mini_bert.data.tasks.conllu import read_conllu
from mini_bert.data.tasks.lines import lines
from mini_bert.errors import unknown
from mini_bert.evaluation.exam import DoesNotApply, Pace
from mini_bert.evaluation.probing.runner import layers_of, probe
from mini_bert.evaluation.probing.sections import section_of
from mini_bert.evaluation.probing.settings import QUICK, Settings
from mini_bert.evaluation.probing.sources import FOLDERS, files_in, from_files, from_world, world_tokens
from mini_bert.evaluation.probing.task import Name, Task, task_of
from mini_bert.evaluation.section import Section
from mini_bert.evaluation.subject import Subject
from mini_bert.evaluation.task_folder import TaskFolder
from mini_bert.reports import Report, part

__all__ = ["QUICK", "Settings", "examine", "examine_tasks", "seconds"]

WORD_LINE = re.compile(r"[0-9]+\t")
WORDS_OF_A_SENTENCE, PIECES_OF_A_WORD = 14, 1.7
CLASSES = 20
SECONDS_PER_NUMBER = 6e-9
"""That a probe takes for each number in its vectors, each time it sees them, besides the multiplications."""
PREPARING = 0.05


def examine(subject: Subject, tasks: TaskFolder | None, settings: Settings, report: Report) -> list[Section]:
    """A section for each task that can be asked; a folder that has none of them does not apply."""
    asked = chosen_tasks(tasks, settings)
    report(PREPARING, "labels read")
    return examine_tasks(subject, asked, settings, part(report, PREPARING, 1))


def examine_tasks(
    subject: Subject, asked: Sequence[Task], settings: Settings, report: Report
) -> list[Section]:
    """The same for tasks of one's own, each with a name of its own."""
    assert len({task.name for task in asked}) == len(asked)
    return [section_of(found, settings) for found in probe(subject, asked, settings, report)]


def chosen_tasks(tasks: TaskFolder | None, settings: Settings) -> list[Task]:
    """Every file is read once, however many tasks are made of it."""
    read, tell = cache(read_conllu), cache(world_tokens)
    found, missing = [], []
    for name in names(settings):
        if tasks is None:
            given = from_world(name, settings.max_sentences or settings.world_sentences, settings.seed, tell)
        else:
            try:
                given = from_files(name, files_in(tasks, name), settings.seed, read)
            except DoesNotApply as reason:
                missing.append(str(reason))
                continue
        found.append(task_of(name, given, settings.max_sentences, settings.seed))
    if not found:
        raise DoesNotApply("\n".join(missing))
    return found


def names(settings: Settings) -> list[Name]:
    for name in settings.tasks:
        if name not in FOLDERS:
            raise ValueError(unknown("probe", name, list(FOLDERS)))
    if not settings.tasks:
        raise ValueError(f"tasks: name at least one of {', '.join(FOLDERS)}")
    return [name for name in FOLDERS if name in settings.tasks]


def seconds(subject: Subject, tasks: TaskFolder | None, settings: Settings, pace: Pace) -> float:
    """About how long it takes: the model and its twins read all words, and every probe goes over its own."""
    asked, layers = names(settings), len(layers_of(subject, settings))
    words = {name: words_of(tasks, name, settings) for name in asked}
    texts = {FOLDERS[name] if tasks else "world": size for name, size in words.items()}
    models = 1 + settings.seeds
    reading = models * max(texts.values(), default=0) * PIECES_OF_A_WORD / pace.forward_tokens
    H, workers = subject.model.config.hidden_size, subject.predictor.team.size
    fits: float = settings.seeds * (
        layers * 2 + (layers if settings.everywhere else 1) * 3
    )  # an MLP counts twice
    fits += settings.seeds * (layers + 2) * 1.5 * settings.mdl
    learning = 0.0
    for name, size in words.items():
        D = H * (2 if name in ("relations", "edges") else 1)
        learning += (
            fits * settings.epochs * size * D * (2 * CLASSES / pace.multiplications + SECONDS_PER_NUMBER)
        )
    return reading + learning / workers


def words_of(tasks: TaskFolder | None, name: Name, settings: Settings) -> int:
    """How many words there are to learn from, about; 0 if the folder has none."""
    if tasks is None:
        return WORDS_OF_A_SENTENCE * (settings.max_sentences or settings.world_sentences)
    try:
        path: Path = files_in(tasks, name).train
    except DoesNotApply:
        return 0
    found = sum(WORD_LINE.match(line.text) is not None for line in lines(path))
    most = settings.max_sentences
    return found if most is None else min(found, most * WORDS_OF_A_SENTENCE)
