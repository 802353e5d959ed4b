"""The log of a run, read again only when it has grown."""

from __future__ import annotations

import json
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from mini_bert.explorer.runs.found import Found
from mini_bert.run_reports.history import Line
from mini_bert.run_reports.summary import (
    CHECKPOINT_STATE,
    RunSummary,
    State,
    held_out,
    number,
    saved_progress,
    state_now,
    summary_of,
)
from mini_bert.training.budget import Budget, Spent
from mini_bert.training.config_groups import BudgetConfig
from mini_bert.training.run_folder import CONFIG, FACTS, METRICS, RunFolder

RECENT = 0.25
"""Of the lines, those at the end that say how fast a run is now."""
KEPT_LOGS = 8
Stamp = tuple[tuple[int, int] | None, ...]
"""Size and time of the files that a log is read from."""


class Log(NamedTuple):
    """All that is known of a run without opening a checkpoint."""

    run: RunSummary
    facts: dict[str, Any]
    state: State
    stamp: Stamp


def log_of(found: Found) -> Log:
    """ValueError if it cannot be read."""
    folder = RunFolder(found.path)
    files = (
        [found.path]
        if found.is_record
        else [
            *(found.path / name for name in (CONFIG, FACTS, METRICS)),
            folder.checkpoints / CHECKPOINT_STATE,
        ]
    )
    stamp = stamp_of(*files)
    run, facts = content(found, stamp)
    state = run.state if found.is_record else state_now(folder, run.settings, saved_progress(folder))
    return Log(run, facts, state, stamp)


def stamp_of(*paths: Path) -> Stamp:
    return tuple(
        (found.st_size, found.st_mtime_ns) if (found := path.stat() if path.is_file() else None) else None
        for path in paths
    )


@lru_cache(KEPT_LOGS)
def content(found: Found, stamp: Stamp) -> tuple[RunSummary, dict[str, Any]]:
    """The log as it was at a stamp, and the facts of the run."""
    if found.is_record:
        return from_record(found.path, found.name)
    folder = RunFolder(found.path)
    return summary_of(folder, found.name), folder.facts()


def from_record(path: Path, name: str) -> tuple[RunSummary, dict[str, Any]]:
    """A packed model keeps less of its run: losses and learning rates, thinned, and no checkpoints."""
    kept = json.loads(path.read_text("utf-8"))
    lines: list[Line] = kept.get("log") or []
    last = lines[-1] if lines else {}
    scored = [held_out(line) for line in lines if "held_out_loss" in line]
    losses = [score for score in scored if score.loss is not None]
    run = RunSummary(
        name=name,
        path=path,
        settings=kept.get("settings") or {},
        lines=lines,
        state="finished" if kept.get("is_finished") else "unfinished",
        steps=int(kept.get("steps") or 0),
        tokens=int(kept.get("tokens") or 0),
        seconds=float(kept.get("seconds") or 0.0),
        skipped=0,
        loss=number(last, "loss"),
        held_out=scored[-1] if scored else None,
        best=min(losses, key=lambda score: score.loss or 0.0) if losses else None,
        date=datetime.fromtimestamp(path.stat().st_mtime),
    )
    return run, kept.get("facts") or {}


class Pace(NamedTuple):
    """How much of its budget a run has spent, what that is in words, and how many seconds are left if it goes on."""

    share: float | None
    budget: str
    seconds_left: float | None


def pace_of(log: Log) -> Pace:
    """From the last quarter of the log: a run that began with short rows is slower now."""
    try:
        budget = Budget(BudgetConfig(**log.run.settings.get("budget", {})))
    except (TypeError, ValueError):
        return Pace(None, "", None)
    lines = [line for line in log.run.lines if line.get("seconds") is not None]
    if not lines:
        return Pace(0.0, str(budget), None)
    last, before = lines[-1], lines[-1 - int(RECENT * len(lines))]
    share = budget.share(spent(last))
    done, seconds = share - budget.share(spent(before)), last["seconds"] - before["seconds"]
    if seconds <= 0 or done <= 0:
        done, seconds = share, last["seconds"]
    left = seconds * max(0.0, 1 - share) / done if done > 0 else None
    return Pace(share, str(budget), left if log.state == "running" else None)


def spent(line: Line) -> Spent:
    return Spent(int(line["step"]), int(line.get("tokens") or 0), float(line["seconds"]))
