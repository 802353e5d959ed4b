"""The diagnosis of a run: healthy, or its likely causes, the likeliest first."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite, log
from pathlib import Path
from typing import Any

from mini_bert.diagnosis.bands import Band, bands
from mini_bert.diagnosis.causes import CAUSES
from mini_bert.diagnosis.causes.cause import Cause, Evidence, Look, Weight
from mini_bert.diagnosis.figures import MEANINGS, RATIOS
from mini_bert.diagnosis.measuring import Case, examined
from mini_bert.training.goals import FILLING_GAPS
from mini_bert.training.run_folder import RunFolder

FEW_STEPS = 80
"""The shortest of the runs that the bands were measured on."""


@dataclass(frozen=True)
class Finding:
    """A cause to be suspected, and why."""

    cause: Cause
    evidence: list[Evidence]

    def as_dict(self) -> dict[str, Any]:
        return {
            "cause": self.cause.name,
            "title": self.cause.title,
            "meaning": self.cause.meaning,
            "remedy": self.cause.remedy,
            "evidence": [
                {
                    "figure": entry.name,
                    "title": MEANINGS[entry.name].title,
                    "value": entry.figure.value,
                    "low": entry.band.low,
                    "high": entry.band.high,
                    "step": entry.figure.step,
                    "where": entry.figure.where or None,
                }
                for entry in self.evidence
            ],
        }


@dataclass(frozen=True)
class Diagnosis:
    """What is to be said about a run."""

    case: Case
    findings: list[Finding]

    @property
    def is_healthy(self) -> bool:
        return not self.findings

    @property
    def is_early(self) -> bool:
        """Whether so few steps were taken that nothing to be seen does not mean much."""
        return self.case.steps < FEW_STEPS

    @property
    def top(self) -> str | None:
        """The name of the likeliest cause."""
        return self.findings[0].cause.name if self.findings else None

    def _repr_markdown_(self) -> str:
        """What a notebook shows."""
        if self.is_healthy and self.is_early:
            return f"**too early to judge**: only {self.case.steps:,} steps were taken"
        if self.is_healthy:
            return f"**healthy**: nothing in {self.case.steps:,} steps is out of the ordinary"
        return "\n".join(
            f"{number}. **{cause.title}** (`{cause.name}`). What it means: {cause.meaning} What to do: {cause.remedy}"
            for number, cause in enumerate((finding.cause for finding in self.findings), 1)
        )

    def as_dict(self) -> dict[str, Any]:
        figures = {
            name: {"value": figure.value, "step": figure.step, "where": figure.where or None}
            for name, figure in self.case.figures.items()
        }
        return {
            "run": str(self.case.run),
            "healthy": self.is_healthy,
            "too_early_to_judge": self.is_healthy and self.is_early,
            "steps": self.case.steps,
            "causes": [finding.as_dict() for finding in self.findings],
            "figures": figures,
            "notes": self.case.notes,
        }


def diagnose(folder: Path, go_on: Callable[[], None] = lambda: None) -> Diagnosis:
    """Examine a run and judge it; ValueError if there is none, or if it is of a kind that has no bands.

    `go_on` is called between its parts, and may end it all by raising.
    """
    objective = RunFolder(folder).facts().get("objective", FILLING_GAPS)
    if objective != FILLING_GAPS:
        raise ValueError(
            f"{folder}: a run of {objective}, and what is sound was measured on runs of {FILLING_GAPS};"
            f" look at {folder / 'report.html'}"
        )
    return judged(examined(folder, go_on))


def judged(case: Case, reference: Mapping[str, Band] | None = None) -> Diagnosis:
    look = Look(case, bands() if reference is None else reference)
    findings = [Finding(cause, evidence) for cause in CAUSES if (evidence := cause.evidence(look))]
    return Diagnosis(case, ranked(findings))


def ranked(findings: list[Finding]) -> list[Finding]:
    """Evidence that is nearer to the mistake comes first; then what says more; then what is farther outside.

    A general cause is behind symptoms as well: they are the state that a wrong computation has led to, and say which.
    """
    has_symptom = any(
        finding.cause.weight == Weight.SYMPTOM and not finding.cause.is_general for finding in findings
    )

    def rank(finding: Finding) -> tuple[int, bool, float]:
        cause, outside = finding.cause, max(map(excess, finding.evidence))
        return 0 if cause.is_general and has_symptom else cause.weight, not cause.is_general, outside

    return sorted(findings, key=rank, reverse=True)


def excess(entry: Evidence) -> float:
    """How far a figure is outside: of a ratio the logarithm, of a difference the distance."""
    value, (low, high) = entry.figure.value, entry.band
    if not isfinite(value):
        return float("inf")
    limit = low if value < low else high
    if MEANINGS[entry.name].scale in RATIOS:
        return abs(log(max(value, 1e-30) / max(limit, 1e-30)))
    return abs(value - limit)
