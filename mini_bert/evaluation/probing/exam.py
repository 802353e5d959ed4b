"""The exam of words and pairs: parts of speech, relations, edges and entities."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from mini_bert.data.tasks.conllu import read_conllu
from mini_bert.data.tasks.lines import lines
from mini_bert.errors import unknown
from mini_bert.evaluation.exam import DoesNotApply, Pace
from mini_bert.evaluation.probing.runner import layers_of, probe
from mini_bert.evaluation.probing.sections import section_of
from mini_bert.evaluation.probing.settings import Settings
from mini_bert.evaluation.probing.sources import (
    FOLDERS,
    WORLD_SHARES,
    files_in,
    from_files,
    from_world,
    world_parts,
)
from mini_bert.evaluation.probing.task import Name, Task, task_of
from mini_bert.evaluation.section import Section
from mini_bert.evaluation.subject import Subject
from mini_bert.evaluation.task_folder import TaskFolder
from mini_bert.evaluation.word_states import readings
from mini_bert.reports import Report, part

__all__ = ["Settings", "examine", "examine_tasks", "seconds"]

WORD_LINE = re.compile(r"[0-9]+\t")
WORDS_OF_A_SENTENCE, PIECES_OF_A_WORD = 14, 1.7
SECONDS_PER_WORD = 2.5e-5
"""To find its pieces."""
CLASSES = 20
SECONDS_PER_NUMBER = 1.6e-8
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
    read, tell = cache(read_conllu), cache(world_parts)
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
    most = max(map(sum, words.values()))  # the sets of a folder have their sentences in common
    reads = readings(subject, most, layers)
    if reads > 1 and (settings.mdl or not settings.everywhere):
        reads += 1  # for the chosen layers
    reading = (
        (1 + settings.seeds) * reads * most * (PIECES_OF_A_WORD / pace.forward_tokens + SECONDS_PER_WORD)
    )
    H, workers = subject.model.config.hidden_size, subject.predictor.team.size
    learning = 0.0
    for name, (to_learn, *_) in words.items():
        D = H * (2 if name in ("relations", "edges") else 1)
        fits = layers * 2 + (layers if settings.everywhere else 1) * 4 + (layers + 2) * 6.0 * settings.mdl
        if name == "edges":
            fits *= 1.5  # most of them are of an MLP, which counts twice
        learning += (
            settings.seeds * fits * settings.epochs * to_learn * D
            * (2 * CLASSES / pace.multiplications + SECONDS_PER_NUMBER)
        )  # fmt: skip
    return reading + learning / workers


def words_of(tasks: TaskFolder | None, name: Name, settings: Settings) -> list[int]:
    """How many words each part has, about, train first; none if the folder lacks the set."""
    if tasks is None:
        sentences = settings.max_sentences or settings.world_sentences
        return [round(WORDS_OF_A_SENTENCE * sentences * share) for share in WORLD_SHARES.values()]
    try:
        files = files_in(tasks, name)
    except DoesNotApply:
        return [0]
    most = float("inf") if settings.max_sentences is None else settings.max_sentences * WORDS_OF_A_SENTENCE
    counts = [
        sum(WORD_LINE.match(line.text) is not None for line in lines(path)) for _, path in files.parts()
    ]
    return [round(min(count, most)) for count in counts]
