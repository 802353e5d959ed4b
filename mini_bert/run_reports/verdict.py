"""What a run came to, in one sentence or two."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from mini_bert.metrics.perplexity import perplexity_of_loss
from mini_bert.run_reports.summary import RunSummary

Tone = Literal["good", "poor", "plain"]

WORTH_TELLING = 0.02
"""nats: a smaller difference of losses is chance"""


@dataclass(frozen=True)
class Verdict:
    """The sentence, and whether it is good news."""

    text: str
    tone: Tone


def verdict_of(run: RunSummary, facts: Mapping[str, Any]) -> Verdict:
    """From the last score on held-out text, against what one scores by word frequencies alone."""
    if not run.lines:
        return Verdict("No step has been logged yet.", "plain")
    if run.loss is None:
        return Verdict("The loss is not a number any more: the run has diverged.", "poor")
    score = run.held_out
    if score is None or score.loss is None or score.accuracy is None:
        return Verdict(f"Training loss {run.loss:.3f} after {run.steps:,} steps; not examined yet.", "plain")
    found = (
        f"It finds {100 * score.accuracy:.1f} % of the {facts.get('asks', 'hidden words')} in held-out text"
        f" (perplexity {perplexity_of_loss(score.loss):,.1f})."
    )
    if run.best and run.best.loss is not None and score.loss > run.best.loss + 5 * WORTH_TELLING:
        worse = f" It was better before: {run.best.loss:.3f} at step {run.best.step:,}, {score.loss:.3f} now."
        return Verdict(found + worse, "poor")
    ignorant = facts.get("unigram_loss")
    if ignorant is None:
        return Verdict(found, "plain")
    if score.loss > ignorant - WORTH_TELLING:
        return Verdict(f"{found} That is no better than guessing by word frequencies: train longer.", "poor")
    return Verdict(
        f"{found} Guessing by word frequencies gives perplexity {perplexity_of_loss(ignorant):,.1f}.", "good"
    )
