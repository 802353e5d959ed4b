"""A model under examination."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from mini_bert.inference.forward import Predictor
from mini_bert.inference.reading import tokenizer_of
from mini_bert.models.mini import MiniBERT

if TYPE_CHECKING:
    from mini_bert.evaluation.word_states import WordsRead

TWIN_SEED = 1000
MOST_REMEMBERED = 2 << 30
"""Bytes of vectors that are kept for the next exam of the same sentences."""


class Memory:
    """What one exam leaves to the next: the words that a model, and each of its twins, has read last."""

    def __init__(self) -> None:
        self.read: dict[int | None, WordsRead] = {}

    def keep(self, who: int | None, words: WordsRead) -> None:
        """Of a twin's seed, or None for the model itself. Where there is no room for all, the oldest is let go."""
        self.read.pop(who, None)
        if words.states.nbytes > MOST_REMEMBERED:
            return
        self.read[who] = words
        while sum(one.states.nbytes for one in self.read.values()) > MOST_REMEMBERED:
            del self.read[next(iter(self.read))]


class Subject:
    """A model, its tokenizer and a predictor; close it, or use it in a `with`, when done.

    with Subject(model) as subject, subject.random_twin() as twin: ...
    """

    def __init__(self, model: MiniBERT, memory: Memory | None = None, twin: int | None = None) -> None:
        self.model, self.tokenizer = model, tokenizer_of(model)
        self.predictor = Predictor(model)
        self.memory, self.twin = memory or Memory(), twin

    def random_twin(self, seed: int = 0) -> Subject:
        """The same network with random weights, drawn as if it were to be trained: what the parts alone can do."""
        twin = MiniBERT(self.model.config, dtype=self.model.dtype, seed=TWIN_SEED + seed)
        twin.tokenizer = self.tokenizer
        return Subject(twin, self.memory, seed)

    def close(self) -> None:
        self.predictor.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()
