"""What a unit of the feed-forward layer says when it is active: its output vector, read as words.

A feed-forward layer is a memory: row i of W1 is a key that waits for a pattern, row i of W2 the value it gives (Geva et
al. 2021). Through the head a value is a score for each word: the words it promotes, and those it holds back.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mini_bert.analysis.shown import Shown
from mini_bert.core.array import Array
from mini_bert.core.heads import MaskedWordHead
from mini_bert.core.trace import Trace
from mini_bert.inference.fill_mask import TELLS
from mini_bert.inference.reading import tokenizer_of
from mini_bert.models.mini import MiniBERT

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class WordScore(NamedTuple):
    word: str
    score: float


@dataclass(frozen=True)
class PromotedWords(Shown):
    """The words with the highest and with the lowest scores for the output of one unit.

    Scores are those of the head without its bias, centred over the vocabulary: a constant for all words says nothing.
    """

    layer: int
    unit: int
    promoted: tuple[WordScore, ...]
    suppressed: tuple[WordScore, ...]

    def figure(self) -> Figure:
        from mini_bert.plots.terms import term_bars

        both = [*self.promoted, *reversed(self.suppressed)]
        values = np.array([one.score for one in both])
        return term_bars([one.word for one in both], values, f"score of unit {self.unit}, layer {self.layer}")


def promoted_words(model: MiniBERT, layer: int, unit: int, *, top: int = 10) -> PromotedWords:
    """score = W_mlm head(norm(W2[unit])): as if the unit's output were all that is in the stream"""
    if not isinstance(model.network.head, MaskedWordHead):
        raise ValueError(
            f"this model tells {TELLS.get(model.config.head, model.config.head)}, not words; "
            "read the units of one with a head of words"
        )
    if top < 1:
        raise ValueError(f"top={top}: how many words to tell; choose 1 or more")
    _, t = model.block(layer, Trace(model.arena))
    values = (t / "ffn" / "down").param("weight").T  # (I, H)
    if not 0 <= unit < len(values):
        raise ValueError(f"unit {unit}: layer {layer} has units 0 to {len(values) - 1}")
    scores = word_scores(model, values[unit])
    order = np.argsort(-scores, kind="stable")
    words = tokenizer_of(model).id_to_token
    known = order[order < len(words)]  # a table may have rows to spare
    best, worst = (
        tuple(WordScore(words[int(one)], float(scores[one])) for one in some)
        for some in (known[:top], known[: -top - 1 : -1])
    )
    return PromotedWords(layer, unit, best, worst)


def word_scores(model: MiniBERT, vector: Array) -> Array:
    """The score of each word for a vector (H,) of the stream, without what every vector would get."""
    network, head = model.network, model.network.head
    assert isinstance(head, MaskedWordHead)
    t = Trace(model.arena, keeps=False)
    x = network.final_norm.forward(vector[None, None].astype(model.dtype), t / "final_norm")
    x = head.transform.forward(x, t / "head" / "transform")
    t = t / "head" / "decoder"
    logits = head.decoder.forward(x, t)[0, 0] - head.decoder.forward(np.zeros_like(x), t)[0, 0]
    found: Array = (logits - logits.mean()).astype(np.float64)
    return found
