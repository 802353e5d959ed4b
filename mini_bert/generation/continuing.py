"""The loop of generation: feed, choose, and again, for several texts at once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

import numpy as np

from mini_bert.core.array import Array
from mini_bert.generation.decoder import Decoder
from mini_bert.generation.sampling import Choice


def continued(
    prompts: Sequence[Sequence[int]],
    start: Callable[[], Decoder],
    choose: Choice,
    *,
    limit: int,
    stops: Collection[int] = (),
    known: int | None = None,
    padding_id: int = 0,
) -> Iterator[dict[int, int]]:
    """At each of at most `limit` steps, the next token of every text that has not met one of `stops`, by its number.

    `start` gives a decoder that has read nothing; `known` is how many ids there are to choose from. When a decoder is
    full a new one reads the end of each text: all of it if it fits, else as much as half of what fits, so that the
    window seldom moves.
    """
    texts, begins = [list(prompt) for prompt in prompts], [0] * len(prompts)
    live = list(range(len(texts)))
    decoder = None
    for step in range(limit):
        if decoder is None or decoder.room < 1:
            decoder = start()
            for text in live:
                if len(texts[text]) - begins[text] > decoder.room:
                    begins[text] = len(texts[text]) - max(decoder.room // 2, 1)
            ids, is_real = padded_left([texts[text][begins[text] :] for text in live], padding_id)
        else:
            ids, is_real = padded_left([texts[text][-1:] for text in live], padding_id)
        chosen = choose(decoder.feed(ids, is_real)[:, :known], np.array(live), step)
        for text, token in zip(live, chosen.tolist(), strict=True):
            texts[text].append(token)
        yield {text: texts[text][-1] for text in live}
        going = np.flatnonzero([texts[text][-1] not in stops for text in live])
        if len(going) == 0:
            return
        if len(going) < len(live):
            decoder.keep_rows(going)
            live = [live[i] for i in going]


def padded_left(rows: Sequence[Sequence[int]], padding_id: int) -> tuple[Array, Array]:
    """Rows of unequal lengths as ids (B, T) that end together, and which of them are real (B, T)."""
    T = max(map(len, rows))
    is_real = np.arange(T) >= T - np.array([len(row) for row in rows])[:, None]
    ids = np.full(is_real.shape, padding_id)
    ids[is_real] = np.concatenate([np.asarray(row, int) for row in rows])
    return ids, is_real
