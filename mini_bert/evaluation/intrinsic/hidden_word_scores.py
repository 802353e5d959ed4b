"""Who was asked for hidden words, what each is called, and what each reached."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mini_bert.core.array import Array
from mini_bert.evaluation.estimate import Estimate
from mini_bert.evaluation.intrinsic.answers import Answers
from mini_bert.evaluation.intrinsic.clustered import clustered_mean, clustered_share
from mini_bert.evaluation.intrinsic.counted_words import ByCounts
from mini_bert.evaluation.intrinsic.metrics import compute_perplexity
from mini_bert.evaluation.intrinsic.questions import Questions
from mini_bert.evaluation.section import Kind
from mini_bert.inference.fill_mask import word_of
from mini_bert.tokenizers.tokenizer import Tokenizer
from mini_bert.training.baselines import WordFrequencies

FIRST_FEW = 5


@dataclass(frozen=True)
class Score:
    """What one contender reached in the whole exam."""

    accuracy: Estimate
    top5_accuracy: Estimate
    loss: Estimate
    mean_rank: Estimate

    @classmethod
    def of(cls, answers: Answers, row: Array) -> Score:
        return cls(
            clustered_share(answers.right, row),
            clustered_share(answers.among(FIRST_FEW), row),
            clustered_mean(-answers.log_prob, row),
            clustered_mean(answers.rank, row),
        )

    @property
    def perplexity(self) -> Estimate:
        return perplexity_of(self.loss)

    def figures(self) -> dict[str, Any]:
        found = {
            "masked_accuracy": self.accuracy,
            "top5_accuracy": self.top5_accuracy,
            "loss": self.loss,
            "perplexity": self.perplexity,
            "mean_rank": self.mean_rank,
        }
        return {
            **{name: one.value for name, one in found.items()},
            "intervals": {name: [one.low, one.high] for name, one in found.items()},
        }


def perplexity_of(loss: Estimate) -> Estimate:
    """e to a loss, and to the ends of its interval."""
    low, high = (None if end is None else compute_perplexity(max(end, 0.0)) for end in loss[1:])
    return Estimate(compute_perplexity(loss.value), low, high)


@dataclass(frozen=True)
class Contenders:
    """The answers of a model and of all it must beat."""

    model: Answers
    random_weights: Answers
    counts: ByCounts


Named = Mapping[str, tuple[str, Kind, Answers]]
"""By a key for programs: what a contender is called, its kind, and its answers."""


def called(questions: Questions, tokenizer: Tokenizer, found: Contenders) -> Named:
    frequent = most_frequent(found, tokenizer)
    return {
        "model": ("this model", "model", found.model),
        "neighbours": (beside_told(questions), "baseline", found.counts.neighbours),
        "unigram": (f"word frequencies (always “{frequent}”)", "baseline", found.counts.words),
        "random_weights": ("this network, random weights", "control", found.random_weights),
    }


def most_frequent(found: Contenders, tokenizer: Tokenizer) -> str:
    return word_of(WordFrequencies.counted(found.counts.counts, tokenizer).most_frequent, tokenizer)


def beside_told(questions: Questions) -> str:
    return "the word before (bigrams)" if questions.is_causal else "the words beside it (trigrams)"
