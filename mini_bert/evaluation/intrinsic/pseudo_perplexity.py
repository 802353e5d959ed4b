"""Pseudo-perplexity of sentences: each token hidden once, the others seen (Salazar et al. 2020).

exp(−(1/n) Σ ln p(w_t | sentence with w_t hidden))          of a causal model, its perplexity
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, pairwise
from typing import Any

import numpy as np

from mini_bert.core.array import Array
from mini_bert.data.corpus import Corpus
from mini_bert.data.sentences import sentence_ends
from mini_bert.evaluation.estimate import Estimate
from mini_bert.evaluation.intrinsic.clustered import ratio
from mini_bert.evaluation.intrinsic.counted_words import ByCounts
from mini_bert.evaluation.intrinsic.exam_text import ExamText
from mini_bert.evaluation.intrinsic.hidden_word_scores import perplexity_of
from mini_bert.evaluation.linguistic.likelihood import SentenceScore, sentence_scores
from mini_bert.evaluation.section import Column, Kind, Row, Section, Table
from mini_bert.evaluation.subject import Subject
from mini_bert.reports import Report, part, silent
from mini_bert.tokenizers.tokenizer import Tokenizer
from mini_bert.training.baselines import Baseline
from mini_bert.training.masking import ordinary_ids

MOST_DOCUMENTS = 2_000
FEWEST_PIECES = 3


def drawn_sentences(text: Corpus, tokenizer: Tokenizer, count: int, seed: int) -> list[str]:
    """So many sentences of a text, drawn by lot; one with a piece that is unknown, or with very few, is left out."""
    special = set(tokenizer.special_ids)
    sentences = [
        sentence
        for document in islice(text, MOST_DOCUMENTS)
        for start, end in pairwise([0, *sentence_ends(document)])
        if (sentence := document[start:end].strip())
    ]
    found: list[str] = []
    for number in np.random.default_rng(seed).permutation(len(sentences)).tolist():
        if len(found) == count:
            break
        pieces = tokenizer.piece_ids(sentences[number])
        if len(pieces) >= FEWEST_PIECES and special.isdisjoint(pieces):
            found.append(sentences[number])
    return found


def section_of(
    subject: Subject,
    twin: Subject,
    text: ExamText,
    counts: ByCounts,
    count: int,
    seed: int,
    report: Report = silent,
) -> Section | None:
    """None if the text has no sentence whose pieces are all known."""
    tokenizer = subject.tokenizer
    sentences = drawn_sentences(text.corpus, tokenizer, count, seed)
    if not sentences:
        return None
    scores = sentence_scores(subject, sentences, part(report, 0.0, 0.5))
    random_scores = sentence_scores(twin, sentences, part(report, 0.5, 1.0))
    pieces = [told_pieces(score, tokenizer) for score in scores]
    entries: dict[str, tuple[str, Kind, Array]] = {"model": ("this model", "model", totals(scores))}
    if counts.baseline is not None:
        near = [by_neighbours(score, counts.baseline, tokenizer) for score in scores]
        entries["neighbours"] = ("neighbouring words, counted", "baseline", np.array(near))
    own_text = counts.baseline is None
    frequencies = np.array([by_frequency(one, counts.counts, tokenizer, own_text) for one in pieces])
    entries["unigram"] = ("word frequencies", "baseline", frequencies)
    entries["random_weights"] = ("this network, random weights", "control", totals(random_scores))
    tokens = np.array([score.tokens for score in scores])
    found = {key: perplexity_of(ratio(-sums, tokens)) for key, (_, _, sums) in entries.items()}
    return Section(
        "pseudo-perplexity",
        "Pseudo-perplexity of sentences",
        f"{text.told}: {len(sentences):,} sentences of {int(tokens.sum()):,} tokens, drawn by lot. Each token is "
        "hidden once while the rest of its sentence is seen; one that sees only what comes before is asked for each "
        "next one. Lower is better.",
        (table_of(entries, found, counts),),
        {
            "sentences": len(sentences),
            "tokens": int(tokens.sum()),
            "cut": sum(score.is_cut for score in scores),
            "pseudo_perplexity": found["model"].value,
            "interval": [found["model"].low, found["model"].high],
            "baselines": {key: one.value for key, one in found.items() if key != "model"},
        },
    )


def table_of(entries: dict[str, Any], found: dict[str, Estimate], counts: ByCounts) -> Table:
    return Table(
        "Sentences",
        (Column("who guesses"), Column("pseudo-perplexity")),
        tuple(Row((name, found[key]), kind) for key, (name, kind, _) in entries.items()),
        "95 % intervals from the spread over sentences. All of them are asked for the same tokens; words were "
        "counted in "
        + (
            "the same text, without the sentence in question."
            if counts.baseline is None
            else f"{counts.told}."
        ),
    )


def totals(scores: Sequence[SentenceScore]) -> Array:
    return np.array([score.total for score in scores])


def told_pieces(score: SentenceScore, tokenizer: Tokenizer) -> Array:
    """The pieces of a sentence that were asked for."""
    ids = np.array(score.ids)
    pieces: Array = ids[ordinary_ids(tokenizer.vocab_size, tokenizer.special_ids)[ids]]
    return pieces


def by_frequency(pieces: Array, counts: Array, tokenizer: Tokenizer, own_text: bool) -> float:
    """Σ ln p of pieces by how often they occur; elsewhere, if they were counted in the same text."""
    is_word = ordinary_ids(tokenizer.vocab_size, tokenizer.special_ids)
    known = counts - np.bincount(pieces, minlength=len(counts)) if own_text else counts
    smoothed = np.where(is_word, np.maximum(known, 0) + 1, 0)
    return float(np.log(smoothed[pieces] / smoothed.sum()).sum())


def by_neighbours(score: SentenceScore, baseline: Baseline, tokenizer: Tokenizer) -> float:
    """Σ ln p of the pieces of a sentence, each by the pieces beside it."""
    ids = np.array(score.ids)
    places = np.flatnonzero(ordinary_ids(tokenizer.vocab_size, tokenizer.special_ids)[ids])
    edged = np.pad(ids, 1, mode="edge")
    probs = baseline(edged[places], edged[places + 2])
    return float(np.log(np.take_along_axis(probs, ids[places][:, None], 1)).sum())
