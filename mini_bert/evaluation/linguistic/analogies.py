"""a is to b as c is to what? (Mikolov et al. 2013; Levy & Goldberg 2014)

    3CosAdd   argmax_x  cos(x, b) − cos(x, a) + cos(x, c)
    3CosMul   argmax_x  cos(x, b) cos(x, c) / (cos(x, a) + ε)          cosines moved to 0 ... 1

The answer is looked for among the words of all questions, without a, b and c. Leaving those out helps: often the
nearest neighbour of c is the answer, whatever a and b are (Linzen 2016). So that stands beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from pydantic import Field

from mini_bert.checked import Checked
from mini_bert.core.array import Array
from mini_bert.evaluation.estimate import Estimate
from mini_bert.evaluation.exam import Pace
from mini_bert.evaluation.intrinsic.clustered import clustered_share
from mini_bert.evaluation.linguistic.analogy_questions import (
    Questions,
    analogy_words,
    drawn_questions,
    read_folder,
    single_and_distinct,
    split_by_pairs,
)
from mini_bert.evaluation.linguistic.correlation import best
from mini_bert.evaluation.linguistic.word_vectors import (
    IN_TEXT,
    STATIC,
    sentences_with,
    text_of_words,
    word_vectors,
)
from mini_bert.evaluation.section import Column, Kind, Picture, Row, Section, Table
from mini_bert.evaluation.subject import Subject
from mini_bert.evaluation.task_folder import TaskFolder
from mini_bert.reports import Report, part, silent

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EPSILON = 0.001
AT_ONCE = 2000


class Settings(Checked):
    max_questions: int = Field(1000, ge=2, description="of each section")
    sentences: int = Field(4000, ge=1, description="at most so many, to see words in")
    occurrences: int = Field(10, ge=1, description="of each word, as far as there are")
    stories: int = Field(1000, ge=1, description="of the world, in which to look for words")
    seed: int = 101


Method = Callable[[Array, Array, Array], Array]
METHODS: dict[str, Method] = {
    "3CosAdd": lambda a, b, c: b - a + c,
    "3CosMul": lambda a, b, c: (b + 1) * (c + 1) / (a + 1 + 2 * EPSILON),
    "nearest to c": lambda a, b, c: c,
}
"""From the cosines (Q, W) of every word with a, b and c to the scores of every word."""


class Solved(NamedTuple):
    """How many are right, in all and by section, with these vectors by this method."""

    vectors: str
    method: str
    kind: Kind
    layer: int | None
    right: Estimate
    by_section: dict[str, Estimate]

    @property
    def name(self) -> str:
        return f"{self.vectors}, {self.method}"


def examine(
    subject: Subject, tasks: TaskFolder | None, settings: Settings, report: Report = silent
) -> list[Section]:
    words = analogy_words(tasks)
    source, text = text_of_words(tasks, settings.stories, settings.seed)
    sentences = sentences_with(words, text, settings.sentences, settings.occurrences)
    vectors = {one.name: one for one in word_vectors(subject, words, sentences, part(report, 0.0, 0.6))}
    with subject.random_twin() as twin:
        random = {one.name: one for one in word_vectors(twin, words, sentences, part(report, 0.6, 0.95))}
    contextual = vectors.get(IN_TEXT, vectors[STATIC])
    is_choice = vectors[STATIC].is_known & contextual.is_known & single_and_distinct(words, subject)
    questions = drawn_questions(tasks, words, is_choice, settings.max_questions, settings.seed)
    halves = split_by_pairs(questions, settings.seed)
    found = [
        solved(name, one.layers, method, kind, is_choice, questions, halves)
        for name, one, kind in (
            (STATIC, vectors[STATIC], "model"),
            (IN_TEXT, contextual, "model"),
            (f"random weights, {STATIC}", random[STATIC], "control"),
            (f"random weights, {IN_TEXT}", random.get(IN_TEXT, random[STATIC]), "control"),
        )
        for method in METHODS
        if kind == "model" or method == "3CosAdd"
    ]
    report(1.0, "")
    choices = int(is_choice.sum())
    told = (
        f"a is to b as c is to what? The answer is looked for among the {choices:,} of {len(words):,} words of the "
        f"questions that are one piece of the vocabulary and occur in {len(sentences):,} sentences of {source}; a, b "
        f"and c are left out. Of {questions.known:,} questions {questions.possible:,} have no other words, and "
        f"{len(questions.numbers):,} of those were drawn. The layer is chosen on {len(halves[0]):,} of one half of the "
        f"pairs of words, all figures are of {len(halves[1]):,} of the other half. Questions for the same pair hang "
        "together: the intervals are over pairs."
    )
    return [
        Section(
            name="analogies",
            title="Analogies",
            told=told,
            tables=(overall_table(found, choices), section_table(found)),
            figures=figures(found, questions, choices),
            pictures=(Picture("Analogies", lambda: drawn(found)),),
        )
    ]


def solved(
    name: str,
    layers: Array,
    method: str,
    kind: str,
    is_choice: Array,
    questions: Questions,
    halves: tuple[Array, Array],
) -> Solved:
    choosing, reporting = halves
    hits = [right_answers(vectors, METHODS[method], is_choice, questions.numbers) for vectors in layers]
    layer = best([float(hit[choosing].mean()) for hit in hits])
    right, pair = hits[layer], np.unique(questions.numbers[:, 2:], axis=0, return_inverse=True)[1].ravel()
    by_section = {}
    for section in dict.fromkeys(questions.sections):
        at = reporting[np.array([questions.sections[i] == section for i in reporting], bool)]
        if len(at):
            by_section[section] = clustered_share(right[at], pair[at])
    return Solved(
        name,
        method,
        "control" if kind == "control" else "baseline" if method == "nearest to c" else "model",
        layer if len(hits) > 1 else None,
        clustered_share(right[reporting], pair[reporting]),
        by_section,
    )


def right_answers(vectors: Array, method: Method, is_choice: Array, questions: Array) -> Array:
    """Whether each question (Q, 4) is answered right, (Q,)"""
    cosines = vectors @ vectors.T
    found = []
    for start in range(0, len(questions), AT_ONCE):
        a, b, c, d = questions[start : start + AT_ONCE].T
        scores = method(cosines[a], cosines[b], cosines[c])
        scores = np.where(is_choice, scores, -np.inf)
        for given in (a, b, c):
            scores[np.arange(len(scores)), given] = -np.inf
        found.append(scores.argmax(1) == d)
    return np.concatenate(found)


def overall_table(found: Sequence[Solved], words: int) -> Table:
    ordered = sorted(found, key=lambda one: one.kind != "model")
    return Table(
        "Analogies that are right",
        (Column("vectors, by"), Column("layer"), Column("right", is_share=True)),
        (
            *(Row((one.name, one.layer, one.right), one.kind) for one in ordered),
            Row(("chance", None, 1 / max(1, words - 3)), "baseline"),
        ),
        "Nearest to c: the word nearest to the third, without a look at the first two.",
    )


def section_table(found: Sequence[Solved]) -> Table:
    shown = [one for one in found if one.kind != "control" and one.method != "3CosMul"]
    return Table(
        "By section",
        (Column("section"), *(Column(one.name, is_share=True) for one in shown)),
        tuple(
            Row(
                (
                    section,
                    *(
                        one.by_section[section] if one.kind == "model" else one.by_section[section].value
                        for one in shown
                    ),
                )
            )
            for section in shown[0].by_section
        ),
    )


def figures(found: Sequence[Solved], questions: Questions, words: int) -> dict[str, Any]:
    return {
        "questions": len(questions.numbers),
        "possible_questions": questions.possible,
        "known_questions": questions.known,
        "words": words,
        "right": {
            one.name: {
                **one.right._asdict(),
                "layer": one.layer,
                "sections": {section: right.value for section, right in one.by_section.items()},
            }
            for one in found
        },
    }


def drawn(found: Sequence[Solved]) -> Figure:
    from mini_bert.plots.bars import Bar, bars

    entries = []
    for one in found:
        value, low, high = (None if end is None else 100 * end for end in one.right)
        assert value is not None
        entries.append(Bar(one.name, value, low, high, one.kind))
    return bars(entries, "analogies right (%)")


def seconds(subject: Subject, tasks: TaskFolder | None, settings: Settings, pace: Pace) -> float:
    if tasks is not None and tasks.folder("analogy") is None:
        read_folder(tasks)
    questions = settings.max_questions * (14 if tasks else 9)
    return (2 * settings.sentences * 18 + 10_000) / pace.forward_tokens + questions * 2e-4 * (
        subject.model.config.num_layers + 2
    )
