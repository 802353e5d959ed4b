"""Where in the model does a difference between two texts decide the answer? (Vig et al. 2020; Meng et al. 2022)

A clean text and a corrupted one of as many pieces are read. Then the corrupted one is read again and again, each time
with one activation of the clean reading put into its place:

restored = (y(patched) − y(corrupted)) / (y(clean) − y(corrupted)),  y = ln p(answer)

found = patching(model, "The cows [MASK] grass.", "The cow [MASK] grass.", answer="eat")
found.restored                            # (L + 1, T): by layer and place, for what each layer passes on
patching(model, clean, corrupted, answer="eat", what="heads").restored      # (L, A)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mini_bert.analysis.question import Answer, Measure, ask
from mini_bert.analysis.reading import Reading, read
from mini_bert.analysis.shown import Shown
from mini_bert.analysis.variants import CONTEXT, Change, Changes, head_columns, layered, told_after
from mini_bert.core.array import Array
from mini_bert.models.mini import MiniBERT
from mini_bert.models.names import short

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HEADS = "heads"
KINDS = {
    "residual": ("embeddings.out", "encoder.layers.{i}.out"),
    "attention": ("encoder.layers.{i}.attn.out",),
    "feed-forward": ("encoder.layers.{i}.ffn.out",),
    HEADS: (CONTEXT,),
}


@dataclass(frozen=True)
class Patching(Shown):
    """`restored` and `values` (rows, columns): rows are activations, columns are places, or heads at all places.

    `values` are the measure after each patch; `clean` and `corrupted` those of the two texts. `restored` is nan where
    both texts have the same answer: then there is nothing to restore.
    """

    clean_pieces: tuple[str, ...]
    corrupted_pieces: tuple[str, ...]
    names: tuple[str, ...]
    measure: Measure
    clean: float
    corrupted: float
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: Array
    restored: Array

    def figure(self) -> Figure:
        from mini_bert.plots.heat import heat

        return heat(self.restored, self.rows, self.columns, "restored (1: all of it)")


def patching(
    model: MiniBERT,
    clean: str | Reading,
    corrupted: str | Reading,
    *,
    answer: Answer | None = None,
    what: str = "residual",
    place: int | None = None,
    measure: Measure = "log-probability",
) -> Patching:
    """Patch each layer at each place.

    `what` is residual (what layers pass on), attention or feed-forward (what these parts write), heads (each head, at
    all places or at one `place`), or a pattern of names of activations, like "V_*". The answer is by default what the
    clean reading tells.
    """
    good, bad = (one if isinstance(one, Reading) else read(model, one) for one in (clean, corrupted))
    check_alike(good, bad)
    question = ask(good, answer, measure)
    T = len(good.pieces)
    if place is not None and not 0 <= place < T:
        raise ValueError(f"place {place}: the texts have places 0 to {T - 1}")
    names = patched_names(model, what)
    if what == HEADS:
        columns = [f"head {head}" for head in range(model.config.num_heads)]
        changes: list[Changes] = [
            {name: head_from(good, name, head, place)} for name in names for head in range(len(columns))
        ]
    else:
        places = list(range(T)) if place is None else [place]
        columns = [named(good.pieces[i], bad.pieces[i], i) for i in places]
        changes = [{name: place_from(good, name, i)} for name in names for i in places]
    corrupted_value, *patched = question.values(told_after(bad, question, [{}, *changes])).tolist()
    clean_value = float(question.values(told_after(good, question, [{}]))[0])
    values = np.array(patched).reshape(len(names), len(columns))
    gap = clean_value - corrupted_value
    return Patching(
        clean_pieces=good.pieces,
        corrupted_pieces=bad.pieces,
        names=question.names,
        measure=measure,
        clean=clean_value,
        corrupted=corrupted_value,
        rows=tuple(map(short, names)),
        columns=tuple(columns),
        values=values,
        restored=(values - corrupted_value) / (gap if gap else np.nan),
    )


def check_alike(clean: Reading, corrupted: Reading) -> None:
    if len(clean.pieces) != len(corrupted.pieces):
        raise ValueError(
            f"the clean text has {len(clean.pieces)} pieces ({' '.join(clean.pieces)}), the corrupted one "
            f"{len(corrupted.pieces)} ({' '.join(corrupted.pieces)}); choose words that are cut into as many"
        )
    if clean.pieces == corrupted.pieces:
        raise ValueError(
            "the clean and the corrupted text are the same pieces; let them differ in what decides the answer"
        )


def patched_names(model: MiniBERT, what: str) -> Sequence[str]:
    if what in KINDS:
        found = [name for pattern in KINDS[what] for name in layered(model, pattern)]
        return sorted(found, key=model.activation_names.index)
    matching = [name for name in model.matching([what]) if not name.startswith("head.")]
    if not matching:
        raise ValueError(f"what={what!r}: the head is behind all places; choose from {', '.join(KINDS)}")
    return matching


def place_from(clean: Reading, name: str, place: int) -> Change:
    """The clean activation at one place: the last axis but one, with or without heads before it."""
    source = clean.passed.arrays[name][0]

    def change(x: Array) -> Array:
        if x.ndim < 2:
            raise ValueError(f"{name}: it has no axis of places; choose another activation")
        x[..., place, :] = source[..., place, :]
        return x

    return change


def head_from(clean: Reading, name: str, head: int, place: int | None) -> Change:
    source = clean.passed.arrays[name][0]
    rows = slice(None) if place is None else slice(place, place + 1)
    at = (rows, head_columns(clean.model, head))

    def change(x: Array) -> Array:
        x[at] = source[at]
        return x

    return change


def named(clean: str, corrupted: str, place: int) -> str:
    return f"{place} {clean}" if clean == corrupted else f"{place} {clean} / {corrupted}"
