"""On which words is the loss made? By frequency, part of speech, place in the row, and how they are hidden.

found = word_losses(model, texts)
found.by("part of speech")          # mean loss, words and share of the whole loss for each group
found.groupings                     # all there are
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mini_bert.analysis.lessons import lesson_of
from mini_bert.analysis.shown import Shown
from mini_bert.core.array import Array
from mini_bert.core.trace import Trace
from mini_bert.errors import unknown
from mini_bert.evaluation.intrinsic.answers import judged
from mini_bert.evaluation.intrinsic.exam_text import Tagged
from mini_bert.evaluation.intrinsic.one_batch import Lesson
from mini_bert.evaluation.intrinsic.word_groups import (
    BANDS,
    FIRST,
    LATER,
    UNTAGGED,
    WHOLE,
    band_name,
    by_frequency,
    pieces_told,
    tags_of,
)
from mini_bert.inference.reading import tokenizer_of
from mini_bert.models.mini import MiniBERT
from mini_bert.tokenizers.encoding import Encoding, Piece
from mini_bert.training.masking import BERTS_DISGUISE, MASKED_SHARE, Disguise
from mini_bert.training.objectives import MaskedBatch

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HIDDEN, REPLACED, KEPT = "behind [MASK]", "replaced by another word", "left as it is"
FREQUENCY, PART_OF_SPEECH, PIECE, PLACE, SHOWN = (
    "frequency",
    "part of speech",
    "piece of a word",
    "place in the row",
    "what is shown",
)
ROWS_AT_ONCE, FIFTHS = 16, 5


class Group(NamedTuple):
    """Words of one kind: the mean of −ln p, how many there are, and their share of the loss of all."""

    name: str
    loss: float
    words: int
    share: float


@dataclass(frozen=True)
class WordLosses(Shown):
    """Of n words: `losses` (n,), the ids of the `words` (n,), `rows` and `places` (n,) in the batch, and groupings.

    Each grouping names the group of every word (n,), and its order is that of its groups.
    """

    losses: Array
    words: Array
    rows: Array
    places: Array
    groupings: Mapping[str, tuple[tuple[str, ...], Array]]

    @property
    def loss(self) -> float:
        return float(self.losses.mean())

    def by(self, grouping: str) -> list[Group]:
        """The groups that have words."""
        if grouping not in self.groupings:
            raise ValueError(unknown("grouping", grouping, list(self.groupings)))
        order, member = self.groupings[grouping]
        whole = float(self.losses.sum()) or 1.0
        return [
            Group(name, float(own.mean()), len(own), float(own.sum()) / whole)
            for name in order
            if len(own := self.losses[member == name])
        ]

    def figure(self, grouping: str | None = None) -> Figure:
        """The mean loss of each group; without a name, of the groups of all groupings."""
        from mini_bert.plots.bars import Bar, bars

        chosen = [grouping] if grouping else list(self.groupings)
        entries = [
            Bar(f"{group.name} ({group.words:,})", group.loss) for one in chosen for group in self.by(one)
        ]
        return bars([*entries, Bar("all", self.loss, kind="reference")], "−ln p(word), mean (nats)")


def word_losses(
    model: MiniBERT,
    texts: Sequence[str],
    *,
    tags: Sequence[Sequence[Tagged]] | None = None,
    counts: Array | None = None,
    share: float = MASKED_SHARE,
    disguise: Disguise = BERTS_DISGUISE,
    seed: int = 0,
) -> WordLosses:
    """Some words of each text are hidden as in training, and asked for.

    `tags` are the words of each text with their parts of speech; `counts` (V,) how often each piece occurs in the text
    that the model has learned from, else they are counted in these texts.
    """
    lesson = lesson_of(model, texts, share=share, disguise=disguise, seed=seed)
    tokenizer = tokenizer_of(model)
    encodings = tokenizer.encodings(texts, max_length=model.config.max_seq_length)
    if tags is not None and len(tags) != len(texts):
        raise ValueError(f"tags: of {len(tags)} texts, but there are {len(texts)}; give a list for each")
    tagged = None if tags is None else [tags_in(one, own) for one, own in zip(encodings, tags, strict=True)]
    return losses_of(model, lesson, counts, tagged)


def losses_of(
    model: MiniBERT,
    lesson: Lesson,
    counts: Array | None = None,
    tags: Sequence[Sequence[str]] | None = None,
) -> WordLosses:
    """Of a batch of any origin; `tags` are a part of speech for each token of each row."""
    batch, config, tokenizer = lesson.batch, model.config, tokenizer_of(model)
    if config.head != "words":
        raise ValueError(f"head={config.head}: this model tells no words; give one with head=words")
    asked = batch.weights > 0
    rows = np.nonzero(asked)[0]
    places = batch.positions[asked] + config.causal
    words = batch.labels[asked]
    text = batch.ids if config.causal else batch.text()
    found: dict[str, tuple[tuple[str, ...], Array]] = {}
    if not config.causal and "order" not in (batch.inputs or {}):
        seen = batch.ids[rows, places]
        shown = np.where(seen == tokenizer.mask_id, HIDDEN, np.where(seen == words, KEPT, REPLACED))
        found[SHOWN] = (HIDDEN, REPLACED, KEPT), shown
    if tags is not None:
        parts = np.array(
            [tags[row][place] for row, place in zip(rows.tolist(), places.tolist(), strict=True)]
        )
        found[PART_OF_SPEECH] = (*sorted(set(parts.tolist()) - {UNTAGGED}), UNTAGGED), parts
    pieces = pieces_told(text, rows, places, tokenizer)
    found[PIECE] = (WHOLE, FIRST, LATER), pieces
    own_counts = counts is None
    counts = np.bincount(text.reshape(-1), minlength=config.vocab_size) if counts is None else counts
    bands = tuple(f"occurs {band_name(band)}" for band in range(len(BANDS)))
    told = f"{FREQUENCY} (in these texts)" if own_counts else FREQUENCY
    found[told] = bands, np.array(bands)[by_frequency(counts[words])]
    lengths = real_lengths(batch)
    fifths = tuple(f"place in the row: {fifth} of {FIFTHS}" for fifth in range(1, FIFTHS + 1))
    found[PLACE] = fifths, np.array(fifths)[np.minimum(FIFTHS * places // lengths[rows], FIFTHS - 1)]
    return WordLosses(surprisals(model, batch), words, rows, places, found)


def surprisals(model: MiniBERT, batch: MaskedBatch) -> Array:
    """−ln p of each word asked for (n,)"""
    found = []
    for start in range(0, len(batch.ids), ROWS_AT_ONCE):
        some = batch.rows(start, start + ROWS_AT_ONCE)
        t = Trace(model.arena, inputs=some.inputs, queries=some.positions, keeps=False)
        asked = some.weights > 0
        logits = model.network.forward(some.ids, t)[asked]
        found.append(-judged(logits, some.labels[asked]).log_prob)
    return np.concatenate(found)


def real_lengths(batch: MaskedBatch) -> Array:
    mask = (batch.inputs or {}).get("attention_mask")
    return np.full(len(batch.ids), batch.ids.shape[1]) if mask is None else np.asarray(mask).sum(1)


def tags_in(encoding: Encoding, words: Sequence[Tagged]) -> list[str]:
    """The part of speech of each token; special tokens have none."""
    pieces = [Piece(0, start, end, None) for start, end in encoding.offsets]
    tags = tags_of(pieces, words)
    return [
        UNTAGGED if special else tag for tag, special in zip(tags, encoding.special_tokens_mask, strict=True)
    ]
