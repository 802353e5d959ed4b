"""What an experiment says: each variant's scores in the common exam, and how far they are from those of the base, or of
the variant that the experiment compares with (evaluation/intrinsic/row_scores.py). Intervals do not tell what the same
recipes would score with other seeds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mini_bert.evaluation.estimate import Estimate
from mini_bert.evaluation.intrinsic.row_scores import Measure, RowScores, difference, perplexity, score
from mini_bert.experiments.common_exam import DISGUISED, HIDDEN, ExamScores
from mini_bert.experiments.experiment import BASE, Experiment
from mini_bert.experiments.sameness import apart
from mini_bert.experiments.trials import Trial
from mini_bert.signs import with_sign


@dataclass(frozen=True)
class Contestant:
    """A run in the comparison; `scores` is None if it has not been examined, and `trouble` may say why."""

    title: str
    trial: Trial
    scores: ExamScores | None
    parameters: int | None
    trouble: str = ""

    @property
    def pace(self) -> float | None:
        """Tokens in a second of training."""
        run = self.trial.summary
        return run.tokens / run.seconds if run and run.seconds else None


@dataclass(frozen=True)
class Comparison:
    """An experiment with what its runs have scored; the first is what the others are compared with.

    `notes` are what a reader should know.
    """

    experiment: Experiment
    contestants: tuple[Contestant, ...]
    notes: tuple[str, ...] = ()

    @property
    def texts(self) -> list[str]:
        return next((one.scores.texts for one in self.contestants if one.scores), [])

    @property
    def is_whole(self) -> bool:
        """Whether all that can be known is known: no run is still to go, or to be examined."""
        return all(one.scores or one.trial.state == "stopped" for one in self.contestants)

    def from_first(self, one: Contestant, measure: Measure, how: str = HIDDEN) -> Estimate | None:
        """How much more a variant loses, or finds, than the first; None if one of them was not examined."""
        first = self.contestants[0]
        if one.scores is None or first.scores is None or one is first:
            return None
        return difference(one.scores.of(how=how), first.scores.of(how=how), measure)


def misfit(trial: Trial, base: Trial) -> str:
    """In which settings a variant's run differs from the base's, though the experiment does not say so."""
    if trial.name == BASE or not (trial.run.is_run and base.run.is_run):
        return ""
    found, meant = apart(base.found_config, trial.found_config), apart(base.config, trial.config)
    others = [name for name in found if name not in meant] + [name for name in meant if name not in found]
    others += [name for name in meant if name in found and found[name][1] != meant[name][1]]
    return (
        f"{trial.name} differs from the base otherwise than it should, in {', '.join(others)}"
        if others
        else ""
    )


def seeds_told(base: ExamScores | None, others: Sequence[ExamScores]) -> str:
    """How far other seeds of the base are from it: a difference that is not larger says little."""
    comparable = [one for one in others if base and one.asked == base.asked]
    if base is None or not comparable:
        return ""
    apart_by = [difference(one.of(), base.of(), "loss").value for one in comparable]
    told = ", ".join(with_sign(value, 3) for value in sorted(apart_by))
    return f"The base with other seeds: loss {told} against the base."


def as_dict(comparison: Comparison) -> dict[str, Any]:
    """For JSON."""
    return {
        "experiment": comparison.experiment.name,
        "question": comparison.experiment.question,
        "against": comparison.experiment.against,
        "variants": [contestant_dict(comparison, one) for one in comparison.contestants],
        "notes": list(comparison.notes),
    }


def contestant_dict(comparison: Comparison, one: Contestant) -> dict[str, Any]:
    run, scores = one.trial.summary, one.scores
    return {
        "name": one.trial.name,
        "title": one.title,
        "state": one.trial.state,
        "trouble": one.trouble or None,
        "parameters": one.parameters,
        "steps": run.steps if run else 0,
        "tokens": run.tokens if run else 0,
        "seconds": run.seconds if run else 0.0,
        "tokens_per_second": one.pace,
        "overall": told(scores.of()) if scores else None,
        "overall_disguised": told(scores.of(how=DISGUISED)) if scores else None,
        "texts": {text: told(scores.of(text)) for text in scores.texts} if scores else {},
        "difference": {
            "loss": spelt(comparison.from_first(one, "loss")),
            "accuracy": spelt(comparison.from_first(one, "found")),
            "loss_disguised": spelt(comparison.from_first(one, "loss", DISGUISED)),
        },
    }


def told(rows: RowScores) -> dict[str, Any]:
    return {
        "asked": int(rows.asked.sum()),
        "loss": spelt(score(rows, "loss")),
        "accuracy": spelt(score(rows, "found")),
        "perplexity": perplexity(rows),
    }


def spelt(estimate: Estimate | None) -> dict[str, float | None] | None:
    return estimate._asdict() if estimate else None
