"""Who tells the good sentence of a minimal pair from the bad one: the model, and those it must beat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from mini_bert.data.tasks.examples import MinimalPair
from mini_bert.evaluation.linguistic.contrasts import Contrast, contrasts
from mini_bert.evaluation.linguistic.likelihood import SentenceScore, sentence_scores
from mini_bert.evaluation.linguistic.pair_sets import PairSet, some_of
from mini_bert.evaluation.linguistic.verdicts import Verdict
from mini_bert.evaluation.linguistic.word_counts import WordCounts
from mini_bert.evaluation.subject import Subject
from mini_bert.reports import Report, part, silent

MODEL, BIGRAMS, UNIGRAMS, SHORTER, TWIN = (
    "model",
    "word pairs counted",
    "words counted",
    "fewer tokens",
    "random weights",
)
Verdicts = Mapping[str, Verdict]
"""By paradigm."""


class Judged(NamedTuple):
    """The verdicts of each judge; `alike` pairs are the same to the tokenizer, `cut` sentences were too long."""

    by_judge: Mapping[str, Verdicts]
    alike: int
    cut: int


def judged(
    subject: Subject,
    pairs: PairSet,
    counts: WordCounts,
    twin_pairs: int,
    within_word: bool = True,
    report: Report = silent,
) -> Judged:
    """All judges; the model with random weights sees at most `twin_pairs` of a paradigm, 0 leaves it out."""
    twins = some_of(pairs, twin_pairs, 0)
    total, few = (sum(map(len, one.paradigms.values())) for one in (pairs, twins))
    end = total / (total + few)
    scores = pair_scores(subject, pairs, within_word, part(report, 0.0, end))
    differ = {name: contrasts(members) for name, members in pairs.paradigms.items()}
    found = {MODEL: {name: of_totals(two, differ[name]) for name, two in scores.items()}}
    ids = {name: [(good.pieces, bad.pieces) for good, bad in two] for name, two in scores.items()}
    for judge, log_p in ((BIGRAMS, counts.bigram), (UNIGRAMS, counts.unigram)):
        found[judge] = {
            name: Verdict.of(log_p([good for good, _ in two]), log_p([bad for _, bad in two]), differ[name])
            for name, two in ids.items()
        }
    found[SHORTER] = {
        name: Verdict.of([-len(good) for good, _ in two], [-len(bad) for _, bad in two], differ[name])
        for name, two in ids.items()
    }
    if twin_pairs:
        with subject.random_twin() as twin:
            by_twin = pair_scores(twin, twins, within_word, part(report, end, 1.0))
        found[TWIN] = {
            name: of_totals(two, contrasts(twins.paradigms[name])) for name, two in by_twin.items()
        }
    alike = sum(good == bad for two in ids.values() for good, bad in two)
    cut = sum(score.is_cut for two in scores.values() for both in two for score in both)
    return Judged(found, alike, cut)


def scored_by(subject: Subject, within_word: bool = True) -> str:
    """By what the model tells the two sentences apart, in words."""
    if subject.model.config.causal:
        return "log-likelihood"
    hidden = "with the later pieces of its word" if within_word else "by itself"
    return f"pseudo-log-likelihood (each piece hidden {hidden})"


def of_totals(scores: Sequence[tuple[SentenceScore, SentenceScore]], differ: Sequence[Contrast]) -> Verdict:
    return Verdict.of([good.total for good, _ in scores], [bad.total for _, bad in scores], differ)


def pair_scores(
    subject: Subject, pairs: PairSet, within_word: bool = True, report: Report = silent
) -> dict[str, list[tuple[SentenceScore, SentenceScore]]]:
    """(good, bad) of each pair, by paradigm."""
    flat: list[MinimalPair] = [pair for members in pairs.paradigms.values() for pair in members]
    texts = [text for pair in flat for text in (pair.good, pair.bad)]
    scores = sentence_scores(subject, texts, report, within_word=within_word)
    both = iter(zip(scores[::2], scores[1::2], strict=True))
    return {name: [next(both) for _ in members] for name, members in pairs.paradigms.items()}
