"""What every contestant of `mini-bert bench inference` computes: a model, a batch of texts, and the words to tell."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from mini_bert.cli.bench_batches import random_batches
from mini_bert.core.array import Array
from mini_bert.models.build import build_network
from mini_bert.models.config import ModelConfig
from mini_bert.models.cost import ID_BYTES, Rehearsal, Shape, rehearse


class Texts(NamedTuple):
    """A batch for a preset: logits of all words, or of the `hidden` ones in each text."""

    title: str
    preset: str
    rows: int
    length: int
    hidden: int | None = None

    @property
    def tokens(self) -> int:
        return self.rows * self.length

    @property
    def config(self) -> ModelConfig:
        return ModelConfig.preset(self.preset)

    @property
    def flops(self) -> int:
        """Of one forward pass of ours: at the hidden words only, where that is enough."""
        network = replace(build_network(self.config), second_head=None)
        rehearsal = Rehearsal(asked=self.hidden)
        rehearse(network, Shape((self.rows, self.length), ID_BYTES), rehearsal)
        return rehearsal.forward_flops

    def draw(self) -> tuple[Array, Array | None]:
        """ids (B, T), and the places (B, k) of the hidden words; None when all words are asked."""
        [(ids, positions, _)] = random_batches(self.rows, 1, self.config.vocab_size, self.length)
        return ids, None if self.hidden is None else positions[:, : self.hidden]


SHAPES = {
    "base-1": Texts("BERT-base, 1 × 128 tokens, all logits", "bert-base", 1, 128),
    "base-8": Texts("BERT-base, 8 × 128 tokens, all logits", "bert-base", 8, 128),
    "mini-8": Texts("MiniBERT, 8 × 64 tokens, all logits", "mini", 8, 64),
    "fill-mask": Texts("MiniBERT, 8 × 64 tokens, one hidden word in each text", "mini", 8, 64, 1),
}
