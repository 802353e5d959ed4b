"""Entities as CoNLL counts them: one is found if its first word, its last word and its kind are all right."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

OUTSIDE = "O"


class Entity(NamedTuple):
    """Words `start` to `end` − 1 of a sentence, and what they name."""

    kind: str
    start: int
    end: int


class EntityScores(NamedTuple):
    """`right` entities are among the `told` ones and among the `true` ones."""

    right: int
    told: int
    true: int

    @property
    def precision(self) -> float:
        """right / told; 0 if none was told"""
        return self.right / self.told if self.told else 0.0

    @property
    def recall(self) -> float:
        """right / true; 0 if there is none"""
        return self.right / self.true if self.true else 0.0

    @property
    def f1(self) -> float:
        """2 right / (told + true); 0 if there are neither"""
        return 2 * self.right / (self.told + self.true) if self.told + self.true else 0.0


def entities(tags: Sequence[str]) -> list[Entity]:
    """The entities of one sentence, from IOB2 tags.

    An I- without one of its kind before it begins an entity, as in conlleval: a tagger may say anything.

    >>> entities(["B-PER", "I-PER", "O", "I-LOC", "B-LOC"])
    [Entity(kind='PER', start=0, end=2), Entity(kind='LOC', start=3, end=4), Entity(kind='LOC', start=4, end=5)]
    """
    found: list[Entity] = []
    start, inside = 0, ""
    for place, tag in enumerate([*tags, OUTSIDE]):
        mark, _, kind = tag.partition("-")
        if tag != OUTSIDE and (mark not in ("B", "I") or not kind):
            raise ValueError(f"tag {tag!r} of word {place + 1} is not IOB2; write O, B-KIND or I-KIND")
        if inside and (mark != "I" or kind != inside):
            found.append(Entity(inside, start, place))
            inside = ""
        if kind and not inside:
            start, inside = place, kind
    return found


def entity_scores(
    true: Iterable[Sequence[str]], told: Iterable[Sequence[str]], kind: str | None = None
) -> EntityScores:
    """Of the sentences' tags; with `kind`, of its entities alone."""
    right = told_count = true_count = 0
    for number, (gold, guess) in enumerate(zip(true, told, strict=True), 1):
        if len(gold) != len(guess):
            raise ValueError(f"sentence {number}: {len(guess)} tags for {len(gold)} words; give one for each")
        wanted, found = (
            {one for one in entities(tags) if kind in (None, one.kind)} for tags in (gold, guess)
        )
        right += len(wanted & found)
        told_count += len(found)
        true_count += len(wanted)
    return EntityScores(right, told_count, true_count)
