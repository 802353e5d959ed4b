"""What neighbours alone tell of a hidden word: enough to learn from, far from all of it."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from random import Random

from mini_bert.data.world import texts

TRAINING_WORDS, HELD_OUT_WORDS = 1_000_000, 60_000
Context = tuple[str, ...]


def stories(seed: int, words: int) -> Iterator[list[str]]:
    told = 0
    for text in texts(1_000_000, seed=seed):
        yield (found := re.findall(r"[a-z]+|[^a-z\s]", text.lower()))
        told += sum(token.isalpha() for token in found)
        if told >= words:
            return


def contexts(left: str, right: str) -> tuple[Context, Context, Context]:
    """The two neighbours, then only the left or the right one: the order of backing off."""
    return (left, right), (left, ""), ("", right)


class Trigrams:
    """Predicts a word from its two neighbours by counts, backing off to one neighbour, then to none."""

    def __init__(self, seed: int, words: int) -> None:
        counts: defaultdict[Context, Counter[str]] = defaultdict(Counter)
        for tokens in stories(seed, words):
            for left, word, right in zip(("", *tokens), tokens, (*tokens[1:], ""), strict=False):
                if word.isalpha():
                    for context in contexts(left, right):
                        counts[context][word] += 1
        self.best = {
            context: max(words.items(), key=lambda item: item[1])[0] for context, words in counts.items()
        }

    def __call__(self, left: str, right: str) -> str:
        return next((self.best[context] for context in contexts(left, right) if context in self.best), "the")


def test_neighbours_leave_clear_room() -> None:
    model = Trigrams(seed=1, words=TRAINING_WORDS)
    rng = Random(0)
    asked = right = repeated = repeated_missed = 0
    for tokens in stories(2, HELD_OUT_WORDS):
        for place in range(1, len(tokens) - 1):
            word = tokens[place]
            if not word.isalpha() or rng.random() > 0.5:
                continue
            asked += 1
            hit = model(tokens[place - 1], tokens[place + 1]) == word
            right += hit
            if len(word) > 3 and word in tokens[max(0, place - 60) : max(0, place - 4)]:
                repeated += 1
                repeated_missed += not hit
    print(
        f"trigram cloze: {right / asked:.1%} of {asked}; decided further away but missed {repeated_missed / asked:.1%}"
    )
    assert 0.3 < right / asked < 0.6
    assert repeated_missed / asked > 0.05
    assert repeated_missed / repeated > 0.5
