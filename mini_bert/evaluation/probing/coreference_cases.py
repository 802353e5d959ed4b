"""Pronouns of the embedded world and whom they may mean.

A story is read in windows of whole sentences, as many as go through the model together. A case is a pronoun of the
third person whose referent the gold labels know; its candidates are the names and nouns before it in the window that
speak of somebody or something, and some, but not all, of them are right. Other pronouns are no candidates: "he" is easy
to tell from "she".

In this world the gender of a name nearly always settles the case, so a probe that learns by heart which names are men's
needs no model that understands anything. Therefore words fall into two halves by lot, *known* and *new* ones: a probe
is trained on known candidates, and asked about pronouns whose candidates are all new to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, islice
from typing import NamedTuple

import numpy as np

from mini_bert.core.array import Array
from mini_bert.data.tasks.alignment import align
from mini_bert.data.world import Sentence, Story, Token, stories
from mini_bert.evaluation.probing.control import chance_of
from mini_bert.tokenizers.tokenizer import Tokenizer

FORMS = {
    "he": ("he", "him", "his", "himself"),
    "she": ("she", "her", "hers", "herself"),
    "it": ("it", "its", "itself"),
    "they": ("they", "them", "their", "theirs", "themselves"),
}
GENDER = {form: gender for gender, forms in FORMS.items() for form in forms}
PRONOUN = "PRON"
HALVES = 1_000_003
"""Added to the seed, so that the halves of the words have nothing to do with the groups of the control task."""


class Mention(NamedTuple):
    """A word of a window that speaks of a referent; words and sentences are counted from the window's start."""

    word: int
    sentence: int
    text: str
    is_pronoun: bool
    referent: int
    gender: str


class Case(NamedTuple):
    """A pronoun and its candidates, in the order of the text."""

    pronoun: Mention
    candidates: tuple[Mention, ...]

    @property
    def right(self) -> list[bool]:
        return [candidate.referent == self.pronoun.referent for candidate in self.candidates]

    @property
    def of_gender(self) -> list[bool]:
        """Which candidates the pronoun's gender allows, as the gold labels tell it."""
        gender = GENDER[self.pronoun.text]
        return [candidate.gender == gender for candidate in self.candidates]

    @property
    def sentences_back(self) -> int:
        """To the nearest right candidate."""
        right = (one for one, is_right in zip(self.candidates, self.right, strict=True) if is_right)
        return self.pronoun.sentence - max(candidate.sentence for candidate in right)

    @property
    def has_rival(self) -> bool:
        """Whether a wrong candidate has the right gender."""
        return any(fits and not right for fits, right in zip(self.of_gender, self.right, strict=True))


class Window(NamedTuple):
    """Sentences that are read together, and the cases in them; `story` is the number of the story."""

    words: tuple[str, ...]
    cases: tuple[Case, ...]
    story: int


Choice = Callable[[Case], Case | None]
"""A case as it is wanted, or None"""


@dataclass(frozen=True)
class Cases:
    """Pairs (pronoun, candidate) come case after case, `starts` is where each case begins.

    `pairs` (N, 2) are numbers of words, counted through all windows; `labels` (N,) is 1 for a right candidate;
    `stories` (cases,) says which story a case is from.
    """

    cases: tuple[Case, ...]
    pairs: Array
    labels: Array
    starts: Array
    stories: Array

    @classmethod
    def of(cls, windows: Sequence[Window], first_word: int, choose: Choice) -> Cases:
        """From windows, the first word of which has that number; a case may be changed, or left out."""
        firsts = np.cumsum([first_word, *(len(window.words) for window in windows)]).tolist()
        found = [
            (case, first, window.story)
            for first, window in zip(firsts, windows, strict=False)
            for case in map(choose, window.cases)
            if case is not None
        ]
        pairs = [
            (first + case.pronoun.word, first + candidate.word)
            for case, first, _ in found
            for candidate in case.candidates
        ]
        return cls(
            tuple(case for case, _, _ in found),
            np.array(pairs, np.int64).reshape(-1, 2),
            np.array([right for case, _, _ in found for right in case.right], np.int64),
            np.cumsum([0, *(len(case.candidates) for case, _, _ in found)])[:-1],
            np.array([story for _, _, story in found], np.int64),
        )

    def __len__(self) -> int:
        return len(self.cases)

    def hits(self, scores: Array) -> Array:
        """1 where the candidate that scores highest is right, 0 where not (cases,); of equals, the share that is right.

        scores (N,)
        """
        highest = np.maximum.reduceat(scores, self.starts)
        is_highest = scores == np.repeat(highest, np.diff(np.append(self.starts, len(scores))))
        right: Array = np.add.reduceat(is_highest & (self.labels == 1), self.starts, dtype=float)
        return right / np.add.reduceat(is_highest, self.starts, dtype=float)


@cache
def is_known(text: str, seed: int) -> bool:
    """Whether a word is of the half that probes are trained on."""
    return bool(chance_of([text], HALVES + seed)[0] < 0.5)


def known_candidates(case: Case, seed: int) -> Case | None:
    """The case with its known candidates alone, to learn from."""
    known = tuple(candidate for candidate in case.candidates if is_known(candidate.text, seed))
    return case._replace(candidates=known) if known else None


def if_all(case: Case, known: bool, seed: int) -> Case | None:
    """The case if its candidates are all known, or all new."""
    return case if all(is_known(candidate.text, seed) == known for candidate in case.candidates) else None


def world_windows(seed: int, count: int, tokenizer: Tokenizer, T: int) -> list[Window]:
    """Those of so many stories that have cases, each of at most T tokens."""
    told = islice(stories(seed), count)
    windows = chain.from_iterable(windows_of(story, i, tokenizer, T) for i, story in enumerate(told))
    return [window for window in windows if window.cases]


def windows_of(story: Story, number: int, tokenizer: Tokenizer, T: int) -> Iterator[Window]:
    genders = {referent.id: referent.gender for referent in story.referents}
    for sentences in fitting(story.sentences, tokenizer, T):
        words = tuple(token.text for sentence in sentences for token in sentence)
        yield Window(words, tuple(cases_of(mentions(sentences, genders))), number)


def fitting(sentences: Sequence[Sentence], tokenizer: Tokenizer, T: int) -> Iterator[list[tuple[Token, ...]]]:
    """Sentences in their order, as many together as have room; one that has none is left out."""
    room = T - tokenizer.frame.size(False)
    window: list[tuple[Token, ...]] = []
    used = 0
    for sentence in sentences:
        tokens = sentence.tokens
        # the first word may be cut otherwise behind a space: one piece to spare
        size = len(align([token.text for token in tokens], tokenizer)) - tokenizer.frame.size(False) + 1
        if window and used + size > room:
            yield window
            window, used = [], 0
        if size <= room:
            window.append(tokens)
            used += size
    if window:
        yield window


def mentions(sentences: Sequence[Sequence[Token]], genders: dict[int, str]) -> list[Mention]:
    tokens = [(number, token) for number, sentence in enumerate(sentences) for token in sentence]
    return [
        Mention(i, number, token.text.lower(), token.upos == PRONOUN, token.coref, genders[token.coref])
        for i, (number, token) in enumerate(tokens)
        if token.coref is not None
    ]


def cases_of(told: Sequence[Mention]) -> Iterator[Case]:
    for i, mention in enumerate(told):
        if mention.is_pronoun and mention.text in GENDER:
            case = Case(mention, tuple(earlier for earlier in told[:i] if not earlier.is_pronoun))
            if any(case.right) and not all(case.right):
                yield case
