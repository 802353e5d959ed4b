"""A model under examination."""

from __future__ import annotations

from typing import Self

from mini_bert.inference.forward import Predictor
from mini_bert.inference.reading import tokenizer_of
from mini_bert.models.mini import MiniBERT

TWIN_SEED = 1000


class Subject:
    """A model, its tokenizer and a predictor; close it, or use it in a `with`, when done.

    with Subject(model) as subject, subject.random_twin() as twin: ...
    """

    def __init__(self, model: MiniBERT) -> None:
        self.model, self.tokenizer = model, tokenizer_of(model)
        self.predictor = Predictor(model)

    def random_twin(self, seed: int = 0) -> Subject:
        """The same network with random weights, drawn as if it were to be trained: what the parts alone can do."""
        twin = MiniBERT(self.model.config, dtype=self.model.dtype, seed=TWIN_SEED + seed)
        twin.tokenizer = self.tokenizer
        return Subject(twin)

    def close(self) -> None:
        self.predictor.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()
