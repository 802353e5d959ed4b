"""All that can be asked of a model, in one report.

found = evaluate("runs/stories")                       # quick, on the embedded world
found.write("evaluations/stories")                     # report.html and report.json
evaluate(model, quick=False, tasks="tasks", suites=["probing"]).as_dict()
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence
from datetime import datetime
from os import PathLike
from time import perf_counter
from typing import Any

import numpy as np

from mini_bert import __version__
from mini_bert.evaluation.evaluation import Evaluation, Result
from mini_bert.evaluation.exam import DoesNotApply
from mini_bert.evaluation.pace import pace_of
from mini_bert.evaluation.plan import LeftOut, Plan, Planned, plan_of
from mini_bert.evaluation.section import Section
from mini_bert.evaluation.subject import Subject
from mini_bert.evaluation.suites import SUITES, Size, asking, suite
from mini_bert.evaluation.task_folder import TaskFolder
from mini_bert.models.digest import weights_digest
from mini_bert.models.mini import MiniBERT
from mini_bert.pretrained.loading import load
from mini_bert.pretrained.places import model_folder
from mini_bert.reports import Report, part, silent

Announce = Callable[[Plan], None]


def evaluate(
    model: MiniBERT | str | PathLike[str],
    *,
    quick: bool = True,
    tasks: TaskFolder | str | PathLike[str] | None = None,
    suites: Sequence[str] | None = None,
    beside: Sequence[str] = (),
    seed: int = 0,
    report: Report = silent,
    announce: Announce = lambda plan: None,
    command: str = "",
) -> Evaluation:
    """Ask all that applies, of the embedded world or of the labelled sets in the folder `tasks`.

    `model` may be a name, or the folder of a model or of a run. `suites` are names of the package's or YAML files; all
    if there are none. Exams in `beside` are asked whether or not they are in them. `seed` is added to the seed of each
    exam. `announce` hears what is planned, and how long it will take, before it begins. An exam of a suite that does
    not apply is left out, with the reason; one of `beside` is refused if that is known before. Any other error ends the
    evaluation.
    """
    size: Size = "quick" if quick else "full"
    chosen = asking([suite(name) for name in suites or SUITES], beside)
    folder = tasks if tasks is None or isinstance(tasks, TaskFolder) else TaskFolder(tasks)
    if not isinstance(model, MiniBERT):
        model = load(model)
    start = perf_counter()
    with Subject(model) as subject:
        plan = plan_of(subject, folder, chosen, size, seed, pace_of(subject))
        check_applies(plan, beside)
        announce(plan)
        results, left_out = carried_out(plan, subject, folder, report)
    if not results:
        reasons = "; ".join(f"{one.exam}: {one.reason}" for one in left_out) or "the suites are empty"
        raise ValueError(f"nothing can be asked of this model: {reasons}")
    return Evaluation(
        model=facts_of(model),
        size=size,
        tasks=None if folder is None else str(folder.path),
        seed=seed,
        command=command,
        versions=versions(),
        date=datetime.now().astimezone().isoformat(timespec="seconds"),
        seconds=perf_counter() - start,
        foretold=plan.seconds,
        results=tuple(results),
        left_out=tuple(left_out),
    )


def check_applies(plan: Plan, beside: Sequence[str]) -> None:
    """Refuse an exam that was asked for by its name and does not apply, before anything is computed."""
    for one in plan.left_out:
        if one.exam in beside:
            raise ValueError(f"{one.exam}: {one.reason}")


def carried_out(
    plan: Plan, subject: Subject, tasks: TaskFolder | None, report: Report
) -> tuple[list[Result], list[LeftOut]]:
    """The exams one after another; each moves the bar by its share of the time that is foretold."""
    results: list[Result] = []
    left_out = list(plan.left_out)
    done = 0.0
    for one in plan.exams:
        share = one.seconds / plan.seconds
        begun = perf_counter()
        try:
            sections = sections_of(one, subject, tasks, part(report, done, done + share))
        except DoesNotApply as reason:
            left_out.append(LeftOut(one.suite.name, one.entry.exam, str(reason)))
        else:
            results.append(Result(one, sections, perf_counter() - begun))
        done += share
    return results, left_out


def sections_of(one: Planned, subject: Subject, tasks: TaskFolder | None, report: Report) -> list[Section]:
    """What an exam finds; an error says in which exam it happened."""
    name = one.entry.exam
    report(0.0, name)
    try:
        return one.entry.module.examine(
            subject, tasks, one.settings, lambda done, note: report(done, f"{name}: {note}" if note else name)
        )
    except DoesNotApply:
        raise
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error
    except Exception as error:
        error.add_note(f"in the exam {name!r} of the suite {one.suite.name!r}")
        raise


def name_of(model: MiniBERT) -> str:
    """The name of its run or of its folder; a checkpoint that is not the one a run stands for adds its own."""
    if model.folder is None:
        return "model"
    folder = model.folder.resolve()
    if folder.parent.name != "checkpoints":
        return folder.name
    run = folder.parent.parent
    return run.name if model_folder(run).resolve() == folder else f"{run.name}-{folder.name}"


def facts_of(model: MiniBERT) -> dict[str, Any]:
    config = model.config
    return {
        "name": name_of(model),
        "folder": None if model.folder is None else str(model.folder),
        "weights": weights_digest(model),
        "parameters": model.num_parameters,
        "layers": config.num_layers,
        "hidden_size": config.hidden_size,
        "heads": config.num_heads,
        "max_seq_length": config.max_seq_length,
        "vocab_size": config.vocab_size,
        "head": config.head,
        "dtype": model.dtype.name,
    }


def versions() -> dict[str, str]:
    return {
        "mini_bert": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "platform": f"{platform.system()} {platform.machine()}",
    }
