"""A model under examination."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from mini_bert.inference.forward import Predictor
from mini_bert.inference.reading import tokenizer_of
from mini_bert.models.mini import MiniBERT

if TYPE_CHECKING:
    from mini_bert.evaluation.word_states import WordsRead

TWIN_SEED = 1000


@dataclass
class Memory:
    """What one exam leaves to the next: the words a model has read last, and its twins with what they have read."""

    words: WordsRead | None = None
    twins: dict[int, tuple[MiniBERT, Memory]] = field(default_factory=dict)


class Subject:
    """A model, its tokenizer and a predictor; close it, or use it in a `with`, when done.

    with Subject(model) as subject, subject.random_twin() as twin: ...
    """

    def __init__(self, model: MiniBERT, memory: Memory | None = None) -> None:
        self.model, self.tokenizer = model, tokenizer_of(model)
        self.predictor = Predictor(model)
        self.memory = memory or Memory()

    def random_twin(self, seed: int = 0) -> Subject:
        """The same network with random weights, drawn as if it were to be trained: what the parts alone can do."""
        if seed not in self.memory.twins:
            twin = MiniBERT(self.model.config, dtype=self.model.dtype, seed=TWIN_SEED + seed)
            twin.tokenizer = self.tokenizer
            self.memory.twins[seed] = twin, Memory()
        return Subject(*self.memory.twins[seed])

    def close(self) -> None:
        self.predictor.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()
