"""Small changes of a sentence: what a careless writer might do, or another speaker.

| name | change |
| --- | --- |
| a typo | two neighbouring letters of a word swapped |
| a word left out | any but the first |
| two words swapped | neighbours, the first word excepted |
| another word | of the same part of speech, and in the same form where that is known |

    perturbed(sentences, seed=0)["a typo"]        # pairs (before, after) of those sentences that can be changed so
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import NamedTuple

CONTENT = frozenset({"NOUN", "PROPN", "VERB", "ADJ", "ADV"})
FEWEST_LETTERS, FEWEST_WORDS = 4, 4
LIKE_WORDS = 2
"""Of a kind, at least, for one to stand for another."""


class Sentence(NamedTuple):
    """Its words, the kind of each (part of speech first, then its form, if known), and where spaces follow."""

    words: tuple[str, ...]
    kinds: tuple[str, ...]
    space_after: tuple[bool, ...]

    @property
    def text(self) -> str:
        pieces = (word + " " * space for word, space in zip(self.words, self.space_after, strict=True))
        return "".join(pieces).strip()

    def replaced(self, place: int, word: str) -> Sentence:
        return self._replace(words=(*self.words[:place], word, *self.words[place + 1 :]))


Pairs = list[tuple[str, str]]
Change = Callable[[Sentence, Random, Mapping[str, Sequence[str]]], Sentence | None]


def perturbed(sentences: Sequence[Sentence], seed: int = 0) -> dict[str, Pairs]:
    """Before and after each kind of change."""
    alike = words_of_kinds(sentences)
    found: dict[str, Pairs] = {}
    for name, change in CHANGES.items():
        rng = Random(f"{name}/{seed}")
        changed = [(one.text, change(one, rng, alike)) for one in sentences if len(one.words) >= FEWEST_WORDS]
        found[name] = [(before, after.text) for before, after in changed if after is not None]
    return {name: pairs for name, pairs in found.items() if pairs}


def words_of_kinds(sentences: Sequence[Sentence]) -> dict[str, list[str]]:
    """The words of each kind whose part of speech carries content, as they are written inside a sentence."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for sentence in sentences:
        for word, kind in list(zip(sentence.words, sentence.kinds, strict=True))[1:]:
            if kind.partition("|")[0] in CONTENT and word.isalpha():
                found[kind].add(word)
    return {kind: sorted(words) for kind, words in found.items() if len(words) >= LIKE_WORDS}


def typo(sentence: Sentence, rng: Random, alike: Mapping[str, Sequence[str]]) -> Sentence | None:
    places = [
        (place, letter)
        for place, word in enumerate(sentence.words)
        if word.isalpha() and len(word) >= FEWEST_LETTERS
        for letter in range(1, len(word) - 1)
        if word[letter] != word[letter + 1]
    ]
    if not places:
        return None
    place, letter = rng.choice(places)
    word = sentence.words[place]
    swapped = word[:letter] + word[letter + 1] + word[letter] + word[letter + 2 :]
    return sentence.replaced(place, swapped)


def left_out(sentence: Sentence, rng: Random, alike: Mapping[str, Sequence[str]]) -> Sentence | None:
    places = [place for place in range(1, len(sentence.words)) if sentence.words[place].isalpha()]
    if not places:
        return None
    place = rng.choice(places)
    spaces = sentence.space_after
    between = (
        spaces[place - 1] and spaces[place]
    )  # a quote before it, or a comma behind, stays glued to its neighbour
    return Sentence(
        sentence.words[:place] + sentence.words[place + 1 :],
        sentence.kinds[:place] + sentence.kinds[place + 1 :],
        (*spaces[: place - 1], between, *spaces[place + 1 :]),
    )


def swapped_words(sentence: Sentence, rng: Random, alike: Mapping[str, Sequence[str]]) -> Sentence | None:
    words = sentence.words
    places = [
        place
        for place in range(1, len(words) - 1)
        if words[place].isalpha() and words[place + 1].isalpha() and words[place] != words[place + 1]
    ]
    if not places:
        return None
    place = rng.choice(places)
    return sentence.replaced(place, words[place + 1]).replaced(place + 1, words[place])


def other_word(sentence: Sentence, rng: Random, alike: Mapping[str, Sequence[str]]) -> Sentence | None:
    places = [
        place
        for place in range(1, len(sentence.words))
        if sentence.words[place] in alike.get(sentence.kinds[place], ())
    ]
    if not places:
        return None
    place = rng.choice(places)
    others = [word for word in alike[sentence.kinds[place]] if word != sentence.words[place]]
    return sentence.replaced(place, rng.choice(others))


CHANGES: dict[str, Change] = {
    "a typo": typo,
    "a word left out": left_out,
    "two words swapped": swapped_words,
    "another word": other_word,
}
