"""What the diagnosis says of a run: from its log at once, and on request from its last checkpoint too."""

from __future__ import annotations

from functools import lru_cache
from math import isfinite
from pathlib import Path
from typing import Any

from mini_bert.diagnosis.bands import bands
from mini_bert.diagnosis.diagnosis import Diagnosis, diagnose, judged
from mini_bert.diagnosis.figures import MEANINGS
from mini_bert.diagnosis.measuring import Case, from_the_log
from mini_bert.explorer import work
from mini_bert.explorer.runs.log import KEPT_LOGS, Log, Stamp
from mini_bert.training.config import TrainingConfig
from mini_bert.training.goals import FILLING_GAPS
from mini_bert.training.run_folder import RunFolder

NO_AUTOPSY = "no autopsy"
"""How the note begins that says why no checkpoint could be looked into."""


def from_log(log: Log, *, is_record: bool) -> dict[str, Any]:
    """A diagnosis of what is logged, or the reason why there is none."""
    if is_record:
        return refused("The log that comes with a model is too short to be judged: it has losses only.")
    if not log.run.lines:
        return refused("No step has been logged yet.")
    try:
        found = quick(log.run.path, log.stamp)
    except KeyError as error:
        return refused(f"The log lacks {error}: it was written by another version.")
    except ValueError as error:
        return refused(f"The log cannot be judged: {error}")
    return (
        told(found)
        if found
        else refused(
            f"This run learns by {log.facts.get('objective')}; what is sound was measured on runs of {FILLING_GAPS}."
        )
    )


@lru_cache(KEPT_LOGS)
def quick(path: Path, stamp: Stamp) -> Diagnosis | None:
    """None for a run of another kind than those that the bands were measured on."""
    run = RunFolder(path)
    if run.facts().get("objective", FILLING_GAPS) != FILLING_GAPS:
        return None
    config = TrainingConfig.parse(run.settings())
    lines = sorted(run.metrics(), key=lambda line: int(line["step"]))
    figures, notes = from_the_log(lines, config, run)
    return judged(Case(path, config, lines[-1]["step"], figures, notes))


@lru_cache(KEPT_LOGS)
def thorough(path: Path, stamp: Stamp) -> Diagnosis:
    """With the autopsy: the last checkpoint is examined by sound code on the run's own text, which takes seconds."""
    try:
        return diagnose(path, work.go_on)
    except KeyError as error:
        raise ValueError(
            f"the log of this run lacks {error}: it was written by another version; train it anew"
        ) from None


def told(found: Diagnosis, *, opened: bool = False) -> dict[str, Any]:
    """`opened`: a checkpoint was looked into."""
    whole = found.as_dict()
    return {
        "opened": opened and not any(note.startswith(NO_AUTOPSY) for note in whole["notes"]),
        "judged": True,
        "healthy": whole["healthy"],
        "early": whole["too_early_to_judge"],
        "steps": whole["steps"],
        "causes": whole["causes"],
        "figures": [
            {
                "name": name,
                "title": MEANINGS[name].title,
                "value": figure.value,
                "step": figure.step,
                "where": figure.where or None,
                "low": bands()[name].low if name in bands() else None,
                "high": bands()[name].high if name in bands() else None,
                "inside": name not in bands() or bands()[name].low <= figure.value <= bands()[name].high,
            }
            for name, figure in found.case.figures.items()
            if isfinite(figure.value)
        ],
        "notes": [note.replace(str(found.case.run), found.case.run.name) for note in whole["notes"]],
    }


def refused(reason: str) -> dict[str, Any]:
    return {"judged": False, "reason": reason, "healthy": None, "causes": [], "figures": [], "notes": []}
