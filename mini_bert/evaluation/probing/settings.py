"""How much is probed, and how often."""

from __future__ import annotations

from pydantic import Field

from mini_bert.checked import Checked
from mini_bert.evaluation.word_states import Pooling


class Settings(Checked):
    """Of the probes of words and pairs; the defaults are those of a full exam.

    With `everywhere`, each layer has an MLP, a control task and a code length of its own; without, the chosen one only.
    """

    tasks: list[str] = Field(default_factory=lambda: ["pos", "relations", "edges", "entities"])
    seeds: int = Field(3, ge=1)
    everywhere: bool = True
    mdl: bool = True
    width: int = Field(64, ge=1)
    epochs: int = Field(8, ge=1)
    pooling: Pooling = "mean"
    layer: int | None = Field(None, ge=0)
    max_sentences: int | None = Field(None, ge=2)
    world_sentences: int = Field(5000, ge=20)
    seed: int = 0
