"""What is kept of a run beside its model, in training.json: settings, facts, and the log, thinned.

A run that went on from another model has that one's record before its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from mini_bert.pretrained.packed_files import MANIFEST, damage_told, read_corpus, read_if_there, read_json
from mini_bert.pretrained.places import model_folder, place_of
from mini_bert.pretrained.plain_names import without_folders
from mini_bert.pretrained.stages import OF_A_LINE, OF_A_TEXT, continued, stage_of
from mini_bert.run_reports.history import Line, is_number, lines_of
from mini_bert.run_reports.summary import saved_progress, state_of
from mini_bert.training.budget import Spent
from mini_bert.training.checkpoints import is_numbered, step_of
from mini_bert.training.run_folder import FACTS, RunFolder, run_of_checkpoint
from mini_bert.training.saving import STATE

RECORD = "training.json"
OF_PACKING = ("name", "licence", "parameters", "packed_by")
"""All that is told of a model of whose training nothing is known."""
KEPT = (
    "step",
    "tokens",
    "seconds",
    "loss",
    "learning_rate",
    "held_out_loss",
    "held_out_accuracy",
)
MOST_POINTS = 400
WITHOUT_MEASURED = f"restore it, or remove it and {RECORD}"
WITHOUT_RECORD = "restore it, or remove it: the card then tells nothing of the training"
WITHOUT_FACTS = "restore it, or remove it: the card then tells nothing of the text"
WITHOUT_STATE = (
    "restore it, or remove it: the settings are then told by config.yaml, what was spent by the log"
)
DIGITS = 5


def record_in(folder: Path) -> dict[str, Any] | None:
    """How the model in a folder was trained: the record beside it, or of the run that it is a checkpoint of; with the
    sources of its text, if they are known."""
    if (folder / RECORD).is_file():
        found = read_json(folder / RECORD, WITHOUT_RECORD)
        if "settings" not in found and found.keys() != set(OF_PACKING):
            raise ValueError(f"{folder / RECORD}: 'settings' is missing; {WITHOUT_RECORD}")
        has_manifest = (folder / MANIFEST).is_file()
        return {**found, "manifest": read_corpus(folder / MANIFEST)} if has_manifest else found
    run = run_of_checkpoint(folder)
    return None if run is None else record_of_run(run, folder)


def record_of_run(run: RunFolder, checkpoint: Path) -> dict[str, Any]:
    """A run up to a checkpoint, and what was before it. One with a number is as far as it was itself; the best and the
    last stand for the run."""
    settings, step = run.settings(), step_of(checkpoint)
    lines = [line for line in lines_of(run) if line["step"] <= step]
    record = saved_with(checkpoint, settings) or logged(lines, settings)
    if not is_numbered(checkpoint):
        record["is_finished"] |= state_of(settings, saved_progress(run)) == "finished"
    record |= {"facts": without_folders(facts_in(run)), "log": thinned(lines)}
    before = record_before(run, settings) or {}
    if before.get("settings"):
        both = continued(before, record)
        return {**both, "log": thinned(both["log"])}
    if before.get("manifest"):  # of text that this stage has not read
        return {**record, "stages": [stage_of(record)], "manifest": before["manifest"]}
    return record


def facts_in(run: RunFolder) -> dict[str, Any]:
    """What was known before the first step, and of which text; nothing if the run never came so far."""
    file = run.path / FACTS
    if not file.is_file():
        return {}
    found = read_json(file, WITHOUT_FACTS)
    with damage_told(file, WITHOUT_FACTS):
        _ = [found[name] for name in OF_A_TEXT]
    return found


def saved_with(checkpoint: Path, settings: dict[str, Any]) -> dict[str, Any]:
    """How far a checkpoint says that it is; nothing if it does not say. Its settings are those of its time, or those of
    the run if it has none."""
    file = checkpoint / STATE
    state = read_if_there(file, WITHOUT_STATE)
    if not state:
        return {}
    with damage_told(file, WITHOUT_STATE):
        return so_far(state.get("settings") or settings, state["progress"])


def logged(lines: Sequence[Line], settings: dict[str, Any]) -> dict[str, Any]:
    """How far a run was after these lines of its log."""
    last = lines[-1] if lines else {}
    return so_far(settings, {"spent": {name: last.get(key) or 0 for key, name in OF_A_LINE.items()}})


def so_far(settings: dict[str, Any], progress: dict[str, Any]) -> dict[str, Any]:
    """Whether the budget was spent, what was, and the settings with what was changed before."""
    return {
        "is_finished": state_of(settings, progress) == "finished",
        **asdict(Spent(**progress["spent"])),
        "settings": without_folders(settings),
        "changes": without_folders(progress.get("changes", [])),
    }


def record_before(run: RunFolder, settings: Mapping[str, Any]) -> dict[str, Any] | None:
    """What the run has kept of the training before it; where it kept nothing, what lies there now, if anything does."""
    kept, init = run.before(), settings.get("init")
    if kept is not None or not init or not place_of(init).exists():
        return kept
    return record_in(model_folder(init))


def thinned(lines: Sequence[Line], most: int = MOST_POINTS) -> list[Line]:
    """At most so many lines, with the last and as many with a held-out score as half of that.

    The loss of a line is the mean since the line before it, so that chance does not choose.
    """
    examined = [number for number, line in enumerate(lines) if "held_out_loss" in line]
    others = [number for number, line in enumerate(lines) if "held_out_loss" not in line]
    chosen = spread(examined, most // 2)
    chosen = sorted({*chosen, *spread(others, most - len(chosen))})
    made, before = [], 0
    for number in chosen:
        losses = [one["loss"] for one in lines[before : number + 1] if is_number(one.get("loss"))]
        kept = {name: lines[number][name] for name in KEPT if name in lines[number]}
        made.append(rounded(kept | {"loss": fmean(losses) if losses else None}))
        before = number + 1
    return made


def spread(numbers: Sequence[int], most: int) -> list[int]:
    """So many of them at most, evenly spaced, the first and the last among them."""
    if len(numbers) <= most:
        return list(numbers)
    return [numbers[round(place)] for place in np.linspace(0, len(numbers) - 1, most)]


def rounded(line: Line) -> Line:
    """Numbers with as many digits as a curve needs."""
    return {
        name: float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value
        for name, value in line.items()
    }
