"""Which analogies can be asked of a model: of Google's set, or of the embedded world."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import NamedTuple

import numpy as np

from mini_bert.core.array import Array
from mini_bert.data.tasks.analogies import read_analogies
from mini_bert.data.tasks.examples import Analogy
from mini_bert.data.tasks.lines import files
from mini_bert.evaluation.exam import DoesNotApply
from mini_bert.evaluation.linguistic.word_vectors import pieces_of
from mini_bert.evaluation.linguistic.world_words import relations_of_words
from mini_bert.evaluation.subject import Subject
from mini_bert.evaluation.task_folder import TaskFolder

FEWEST_QUESTIONS = 20
WORDS_OF_ONE = 4

Groups = dict[str, list[tuple[int, ...]]]
"""Questions by section, each four numbers of words."""


class Questions(NamedTuple):
    """Questions (Q, 4) as numbers of words, and the section of each; `possible` of `known` ones could be asked."""

    numbers: Array
    sections: list[str]
    possible: int
    known: int


def read_folder(tasks: TaskFolder) -> list[Analogy]:
    folder = tasks.folder("analogy")
    if folder is None:
        raise DoesNotApply(f"{tasks.path}: no folder analogy with lines of four words; add it")
    return [one for path in sorted(files(folder, ".txt")) for one in read_analogies(path)]


def analogy_words(tasks: TaskFolder | None) -> list[str]:
    """All words of the folder's questions, or of the world's relations."""
    if tasks is None:
        every = (word for pairs in relations_of_words().values() for pair in pairs for word in pair)
    else:
        every = (word for one in read_folder(tasks) for word in (one.a, one.b, one.c, one.d))
    return list(dict.fromkeys(every))


def single_and_distinct(words: Sequence[str], subject: Subject) -> Array:
    """Which words are one piece each, and the first that reads so (W,).

    With words of several pieces one would measure spelling: "cats" shares a piece with "cat", whatever was learned.
    """
    pieces = pieces_of(words, subject.tokenizer)
    first = {ids: number for number, ids in reversed(list(enumerate(pieces)))}
    return np.array([len(ids) == 1 and first[ids] == number for number, ids in enumerate(pieces)])


def drawn_questions(
    tasks: TaskFolder | None, words: Sequence[str], is_choice: Array, most: int, seed: int
) -> Questions:
    """At most so many of each section, of those whose four words are all different and all among the choices."""
    number = {word: i for i, word in enumerate(words) if is_choice[i]}
    groups, known = world_fours(number) if tasks is None else read_fours(read_folder(tasks), number)
    possible = sum(map(len, groups.values()))
    if possible < FEWEST_QUESTIONS:
        raise DoesNotApply(
            f"only {possible} of {known:,} analogies have words that are one piece of this vocabulary and occur in the "
            "text at hand; examine a model with a larger vocabulary"
        )
    chosen = {
        section: Random(f"{seed}/{section}").sample(fours, min(most, len(fours)))
        for section, fours in groups.items()
    }
    return Questions(
        np.array([four for fours in chosen.values() for four in fours]),
        [section for section, fours in chosen.items() for _ in fours],
        possible,
        known,
    )


def split_by_pairs(questions: Questions, seed: int) -> tuple[Array, Array]:
    """Numbers of questions to choose on, and of others to report: no pair of words is in both.

    Half of the pairs of each section, drawn by lot, are for choosing; a question with one of either half is left out.
    """
    rng, sections = np.random.default_rng(seed), np.array(questions.sections)
    is_choosing = np.zeros((len(sections), 2), bool)
    for section in dict.fromkeys(questions.sections):
        at = np.flatnonzero(sections == section)
        pairs, number = np.unique(questions.numbers[at].reshape(-1, 2), axis=0, return_inverse=True)
        is_chosen = rng.permutation(len(pairs)) < len(pairs) // 2
        is_choosing[at] = is_chosen[number.reshape(-1, 2)]
    choosing, reporting = np.flatnonzero(is_choosing.all(1)), np.flatnonzero(~is_choosing.any(1))
    if not len(choosing) or not len(reporting):
        raise DoesNotApply(
            f"{len(sections)} analogies of too few pairs of words to choose a layer by some and judge it by others; "
            "examine a model with a larger vocabulary"
        )
    return choosing, reporting


def world_fours(number: Mapping[str, int]) -> tuple[Groups, int]:
    """Every pair of a relation with every other; and how many there would be if all words had a number."""
    groups: Groups = {}
    known = 0
    for name, pairs in relations_of_words().items():
        known += len(pairs) * (len(pairs) - 1)
        numbered = [(number[a], number[b]) for a, b in pairs if a in number and b in number]
        groups[name] = [
            (*one, *other) for one in numbered for other in numbered if len({*one, *other}) == WORDS_OF_ONE
        ]
    return groups, known


def read_fours(analogies: Sequence[Analogy], number: Mapping[str, int]) -> tuple[Groups, int]:
    groups: Groups = {}
    for one in analogies:
        four = tuple(number[word] for word in (one.a, one.b, one.c, one.d) if word in number)
        if len(set(four)) == WORDS_OF_ONE:
            groups.setdefault(one.section, []).append(four)
    return groups, len(analogies)
