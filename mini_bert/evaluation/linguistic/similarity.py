"""Are words that people find similar near each other?

Spearman's ρ between people's scores and cosines (SimLex-999: Hill et al. 2015; WordSim-353: Finkelstein et al. 2002;
MEN: Bruni et al. 2014). The layer is chosen on half of the pairs and reported on the other half, as is all beside it.
The embedded world has no such scores: there, the kinds of its nouns are the gold; see word_kinds.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from pydantic import Field

from mini_bert.checked import Checked
from mini_bert.core.array import Array
from mini_bert.data.tasks.examples import WordPair
from mini_bert.data.tasks.lines import files, stem
from mini_bert.data.tasks.word_pairs import read_word_pairs
from mini_bert.evaluation.estimate import Estimate
from mini_bert.evaluation.exam import DoesNotApply, Pace
from mini_bert.evaluation.linguistic import word_kinds
from mini_bert.evaluation.linguistic.correlation import best, halves, spearman_estimate, trigram_overlap
from mini_bert.evaluation.linguistic.word_vectors import (
    IN_TEXT,
    STATIC,
    WordVectors,
    pieces_of,
    sentences_with,
    text_of_words,
    word_vectors,
)
from mini_bert.evaluation.section import Column, Headline, Kind, Picture, Row, Section, Table
from mini_bert.evaluation.subject import Subject
from mini_bert.evaluation.task_folder import TaskFolder
from mini_bert.metrics.ranking import spearman
from mini_bert.reports import Report, part, silent

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FEWEST_PAIRS = 40
"""Half of them choose the layer, half are reported."""
FEWEST_IN_TEXT = 60
"""Of pairs whose words all occur in the text; where they are fewer, words are not looked for there."""
RHO = "Spearman's ρ"
TWIN_NAME = "random weights"

Named = tuple[str, WordVectors, Kind]


class Settings(Checked):
    sentences: int = Field(4000, ge=0, description="at most so many, to see words in; 0: see them alone only")
    occurrences: int = Field(10, ge=1, description="of each word, as far as there are")
    stories: int = Field(1000, ge=1, description="of the world, in which to look for words")
    resamples: int = Field(1000, ge=10, description="for the intervals")
    seed: int = 101


class Correlated(NamedTuple):
    """One way to compare words, and how it agrees with people on the half that is reported."""

    name: str
    kind: Kind
    rho: Estimate
    pairs: int
    layer: int | None = None


class Outcome(NamedTuple):
    """Of one set: all ways, the curves over layers on all pairs compared, how many these are, and in single pieces."""

    correlated: list[Correlated]
    curves: Mapping[str, Array]
    pairs: int
    compared: int
    in_one_piece: int


def examine(
    subject: Subject, tasks: TaskFolder | None, settings: Settings, report: Report = silent
) -> list[Section]:
    if tasks is None:
        return [
            word_kinds.section(
                subject, settings.sentences, settings.occurrences, settings.stories, settings.seed, report
            )
        ]
    sets = word_pair_sets(tasks)
    words = list(
        dict.fromkeys(word for pairs in sets.values() for pair in pairs for word in (pair.a, pair.b))
    )
    source, text = text_of_words(tasks, settings.stories, settings.seed)
    sentences = (
        sentences_with(words, text, settings.sentences, settings.occurrences) if settings.sentences else []
    )
    vectors = word_vectors(subject, words, sentences, part(report, 0.0, 0.5))
    with subject.random_twin() as twin:
        random = word_vectors(twin, words, sentences, part(report, 0.5, 0.9))
    found, left_out = {}, []
    for number, (name, pairs) in enumerate(sets.items()):
        try:
            found[name] = outcome(subject, pairs, words, vectors, random, settings)
        except DoesNotApply as reason:
            left_out.append(f"{name}: {reason}")
        report(0.9 + 0.1 * (number + 1) / len(sets), name)
    if not found:
        raise DoesNotApply("; ".join(left_out))
    told = (
        "Spearman's ρ between people's scores and the cosine of two words' vectors, from which the mean of all is "
        f"taken away. In text: the mean over occurrences in {len(sentences):,} sentences of {source}. The layer is "
        "chosen on half of the pairs, all figures are of the other half; all rows are of the same pairs."
    )
    if left_out:
        told += f" Left out: {'; '.join(left_out)}."
    return [
        Section(
            name="similarity",
            title=f"Word similarity: {name}",
            told=told,
            tables=(table(one),),
            figures={"set": name, **figures(one)},
            pictures=(picture(one),),
            headline=Headline(column=RHO),
        )
        for name, one in found.items()
    ]


def word_pair_sets(tasks: TaskFolder) -> dict[str, list[WordPair]]:
    folder: Path | None = tasks.folder("wordsim")
    if folder is None:
        raise DoesNotApply(f"{tasks.path}: no folder wordsim with pairs of words and people's scores; add it")
    return {stem(path, ".txt"): read_word_pairs(path) for path in sorted(files(folder, ".txt"))}


def outcome(
    subject: Subject,
    pairs: Sequence[WordPair],
    words: Sequence[str],
    vectors: Sequence[WordVectors],
    random: Sequence[WordVectors],
    settings: Settings,
) -> Outcome:
    number = {word: i for i, word in enumerate(words)}
    a, b = (
        np.array([number[word] for word in side]) for side in zip(*((p.a, p.b) for p in pairs), strict=True)
    )
    scores = np.array([pair.score for pair in pairs])
    named: list[Named] = [(one.name, one, "model") for one in vectors]
    named += [(f"{TWIN_NAME}, {one.name}", one, "control") for one in random]
    named, is_known = comparable(named, a, b)
    compared = np.flatnonzero(is_known)
    if len(compared) < FEWEST_PAIRS:
        raise DoesNotApply(
            f"of its {len(pairs)} pairs the model knows the words of {len(compared)}; {FEWEST_PAIRS} are needed"
        )
    chosen, kept = (compared[half] for half in halves(len(compared), settings.seed))
    found: list[Correlated] = []
    curves: dict[str, Array] = {}
    for name, one, kind in named:
        cosines = np.einsum("lph,lph->lp", one.layers[:, a], one.layers[:, b])
        layer = best([spearman(layer[chosen], scores[chosen]) for layer in cosines])
        rho = spearman_estimate(cosines[layer, kept], scores[kept], settings.resamples)
        found.append(
            Correlated(
                name,
                kind,
                rho,
                len(kept),
                layer if len(cosines) > 1 else None,
            )
        )
        curves[name] = np.array([spearman(layer[compared], scores[compared]) for layer in cosines])
    spelled = np.array([trigram_overlap(pair.a, pair.b) for pair in pairs])
    by_spelling = spearman_estimate(spelled[kept], scores[kept], settings.resamples)
    found.append(Correlated("spelling (letter trigrams)", "baseline", by_spelling, len(kept)))
    pieces, unknown = pieces_of(words, subject.tokenizer), subject.tokenizer.unk_id
    is_one = np.array([len(ids) == 1 and unknown not in ids for ids in pieces])
    return Outcome(found, curves, len(pairs), len(compared), int((is_one[a] & is_one[b]).sum()))


def comparable(named: list[Named], a: Array, b: Array) -> tuple[list[Named], Array]:
    """The ways to compare words, and the pairs (P,) that all of them know; not in text if too few words occur there."""
    is_known = np.logical_and.reduce([one.is_known[a] & one.is_known[b] for _, one, _ in named])
    if is_known.sum() >= FEWEST_IN_TEXT or all(one.name != IN_TEXT for _, one, _ in named):
        return named, is_known
    return comparable([way for way in named if way[1].name != IN_TEXT], a, b)


def table(found: Outcome) -> Table:
    return Table(
        f"{found.compared:,} of {found.pairs:,} pairs compared; {found.in_one_piece:,} are of words in single pieces",
        (Column("vectors"), Column("layer"), Column(RHO, decimals=3), Column("pairs")),
        (
            *(Row((one.name, one.layer, one.rho, one.pairs), one.kind) for one in found.correlated),
            Row(("chance", None, 0.0, None), "baseline"),
        ),
    )


def figures(found: Outcome) -> dict[str, Any]:
    return {
        "pairs": found.pairs,
        "compared_pairs": found.compared,
        "pairs_in_one_piece": found.in_one_piece,
        "spearman": {
            one.name: {**one.rho._asdict(), "pairs": one.pairs, "layer": one.layer}
            for one in found.correlated
        },
        "by_layer": {name: curve.tolist() for name, curve in found.curves.items() if len(curve) > 1},
    }


def picture(found: Outcome) -> Picture:
    def draw() -> Figure:
        from mini_bert.plots.over_layers import LayerCurve, over_layers

        curves = [LayerCurve(each, values) for each, values in found.curves.items() if len(values) > 1]
        levels = {
            one.name: one.rho.value
            for one in found.correlated
            if one.name == STATIC or one.kind == "baseline"
        }
        return over_layers(curves, "Spearman's ρ", levels)

    return Picture("Agreement with people, by layer", draw, "Curves are of all pairs compared.")


def seconds(subject: Subject, tasks: TaskFolder | None, settings: Settings, pace: Pace) -> float:
    if tasks is not None and tasks.folder("wordsim") is None:
        word_pair_sets(tasks)
    words = 3000 if tasks else 450
    return (2 * settings.sentences * 18 + 2 * words * 4) / pace.forward_tokens + settings.resamples * (
        0.003 if tasks else 0
    )
