"""A run in a few numbers."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from mini_bert.run_reports.history import Line, is_number, lines_of
from mini_bert.training.budget import Budget, Spent
from mini_bert.training.config_groups import BudgetConfig
from mini_bert.training.run_folder import METRICS, RunFolder

State = Literal["running", "finished", "unfinished", "no checkpoint"]

CHECKPOINT_STATE = Path("last", "state.json")


@dataclass(frozen=True)
class HeldOut:
    """What a run scored on held-out text, and after how many steps."""

    step: int
    loss: float | None
    accuracy: float | None
    perplexity: float | None


@dataclass(frozen=True)
class RunSummary:
    """A run; None where its folder does not tell."""

    name: str
    path: Path
    settings: dict[str, Any]
    lines: list[Line]
    state: State
    steps: int
    tokens: int
    seconds: float
    skipped: int
    loss: float | None
    held_out: HeldOut | None
    """the last score"""
    best: HeldOut | None
    """the score with the lowest loss"""
    date: datetime

    @property
    def model(self) -> str:
        """The preset, with a mark if it was changed; or the model that was gone on from."""
        if self.settings.get("init"):
            return f"from {Path(self.settings['init']).name}"
        return f"{self.settings.get('preset', '?')}{'*' if self.settings.get('model') else ''}"

    @property
    def corpus(self) -> str:
        named = self.settings.get("corpus") or ["?"]
        return ", ".join(map(str, named)) if isinstance(named, list) else str(named)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "name": self.name,
            "path": str(self.path),
            "model": self.settings.get("preset"),
            "model_changes": self.settings.get("model") or {},
            "corpus": self.settings.get("corpus"),
            "seed": self.settings.get("seed"),
            "state": self.state,
            "steps": self.steps,
            "tokens": self.tokens,
            "seconds": self.seconds,
            "skipped_steps": self.skipped,
            "loss": self.loss,
            "held_out": asdict(self.held_out) if self.held_out else None,
            "best": asdict(self.best) if self.best else None,
            "date": self.date.astimezone().isoformat(timespec="seconds"),
        }


def summary_of(folder: RunFolder, name: str | None = None) -> RunSummary:
    """Read a run's folder; it may hold a run that is at work, or that was stopped before its first checkpoint."""
    settings, lines, saved = folder.settings(), lines_of(folder), saved_progress(folder)
    last = lines[-1] if lines else {}
    spent = saved.get("spent", {})
    scored = [held_out(line) for line in lines if "held_out_loss" in line]
    losses = [score for score in scored if score.loss is not None]
    written = folder.path / METRICS
    return RunSummary(
        name=name or folder.path.resolve().name,
        path=folder.path,
        settings=settings,
        lines=lines,
        state=state_now(folder, settings, saved),
        steps=int(max(last.get("step", 0), spent.get("steps", 0))),
        tokens=int(max(last.get("tokens") or 0, spent.get("tokens", 0))),
        seconds=float(max(last.get("seconds") or 0.0, spent.get("seconds", 0.0))),
        skipped=int(saved.get("skipped", 0)),
        loss=number(last, "loss"),
        held_out=scored[-1] if scored else None,
        best=min(losses, key=lambda score: score.loss or 0.0) if losses else None,
        date=datetime.fromtimestamp((written if written.exists() else folder.path).stat().st_mtime),
    )


def saved_progress(folder: RunFolder) -> dict[str, Any]:
    """Where the newest checkpoint stands; nothing if there is none, or if it cannot be read."""
    try:
        found = json.loads((folder.checkpoints / CHECKPOINT_STATE).read_text("utf-8"))["progress"]
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    return found if isinstance(found, dict) else {}


def state_now(folder: RunFolder, settings: dict[str, Any], saved: dict[str, Any]) -> State:
    """A run that has spent its budget is finished, though whoever writes its report still holds it."""
    state = state_of(settings, saved)
    return "running" if folder.is_running and state != "finished" else state


def state_of(settings: dict[str, Any], saved: dict[str, Any]) -> State:
    if not saved:
        return "no checkpoint"
    budget = Budget(BudgetConfig(**settings.get("budget", {})))
    return "finished" if budget.share(Spent(**saved["spent"])) >= 1 else "unfinished"


def held_out(line: Line) -> HeldOut:
    score = (number(line, f"held_out_{name}") for name in ("loss", "accuracy", "perplexity"))
    return HeldOut(int(line["step"]), *score)


def number(line: Line, name: str) -> float | None:
    value: Any = line.get(name)
    return float(value) if is_number(value) else None


def last_score(run: RunSummary, metric: str) -> float | None:
    """The number in the last line that tells of a metric; None if it is not one, or if no line does."""
    return next((number(line, metric) for line in reversed(run.lines) if metric in line), None)
