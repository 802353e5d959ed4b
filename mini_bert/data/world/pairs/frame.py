"""What a minimal pair is made of: a sentence, the word that matters, and the wrong one."""

from collections.abc import Sequence
from typing import NamedTuple

from mini_bert.data.world.closed import PERIOD
from mini_bert.data.world.leaves import leaves
from mini_bert.data.world.lexicon import (
    Noun,
)
from mini_bert.data.world.scenes.nominals import member
from mini_bert.data.world.teller import Teller
from mini_bert.data.world.tree import Part, Phrase, Word, after, finished

Contrast = tuple[Part, Word, Word]  # a sentence, the word in it that matters, and the wrong one in its place


class Pair(NamedTuple):
    good: str
    bad: str


def text_of(words: Sequence[Word]) -> str:
    """Words as a printed sentence."""
    return finished("".join([word.text for word in words]))


def written(contrast: Contrast) -> Pair:
    """The sentence, and the same with the wrong word."""
    tree, right, wrong = contrast
    good = [leaf.word for leaf in leaves(tree)]
    place = next(i for i, word in enumerate(good) if word is right)
    return Pair(text_of(good), text_of([*good[:place], wrong, *good[place + 1 :]]))


def countable(t: Teller, kind: str) -> Noun:
    while True:
        found = member(t, kind)
        if not (found.mass or found.pair) and found.one.form != found.many.form:
            return found


def one_or_many(t: Teller, noun_: Noun) -> Word:
    return noun_.one if t.random() < 0.5 else noun_.many


def ended(tree: Phrase, end: Word = PERIOD) -> Phrase:
    return after(tree, ("punct", end))
