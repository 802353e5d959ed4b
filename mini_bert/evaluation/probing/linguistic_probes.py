"""The guide's shorthand: what a model knows of language, in one call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mini_bert.evaluation.probing.exam import examine
from mini_bert.evaluation.probing.settings import Settings
from mini_bert.evaluation.subject import Subject
from mini_bert.evaluation.task_folder import TaskFolder
from mini_bert.models.mini import MiniBERT
from mini_bert.reports import silent

SMALL = Settings(seeds=1, everywhere=False, mdl=False, world_sentences=500)


def analyze_linguistic_probes(
    model: MiniBERT,
    probe_tasks: Sequence[str] = ("pos", "relations", "entities"),
    *,
    tasks: TaskFolder | None = None,
    settings: Settings | None = None,
) -> dict[str, dict[str, Any]]:
    """Task → figures: accuracy, and beside it what the words alone, random weights and a control task reach.

    Of pos, relations, edges and entities, on a few hundred sentences of the embedded world unless told otherwise.
    """
    wanted = (settings or SMALL).model_copy(update={"tasks": list(probe_tasks)})
    with Subject(model) as subject:
        sections = examine(subject, tasks, wanted, silent)
    return {section.figures["task"]: dict(section.figures) for section in sections}
