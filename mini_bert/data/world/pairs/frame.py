"""What a minimal pair is made of: a sentence, the word that matters, and the wrong one."""

from mini_bert.data.world.closed import PERIOD
from mini_bert.data.world.lexicon import (
    Noun,
)
from mini_bert.data.world.scenes.nominals import member
from mini_bert.data.world.teller import Teller
from mini_bert.data.world.tree import Part, Phrase, Word, after

Contrast = tuple[Part, Word, Word]  # a sentence, the word in it that matters, and the wrong one in its place


def countable(t: Teller, kind: str) -> Noun:
    while True:
        found = member(t, kind)
        if not (found.mass or found.pair) and found.one.form != found.many.form:
            return found


def one_or_many(t: Teller, noun_: Noun) -> Word:
    return noun_.one if t.random() < 0.5 else noun_.many


def ended(tree: Phrase, end: Word = PERIOD) -> Phrase:
    return after(tree, ("punct", end))
