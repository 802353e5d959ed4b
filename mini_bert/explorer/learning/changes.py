"""What steps have done to a model: which parts moved, which words' rows, and what it says of other sentences now."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mini_bert.analysis.places import kind_of, place_name
from mini_bert.analysis.sizes import norm_of, together
from mini_bert.core.arena import Arena
from mini_bert.core.array import Array
from mini_bert.core.functions.softmax import softmax
from mini_bert.explorer.learning.bench import Walked
from mini_bert.inference.fill_mask import check_fit, mask_of, word_of
from mini_bert.inference.forward import Predictor
from mini_bert.inference.reading import Batch, as_batch, tokenizer_of
from mini_bert.models.mini import MiniBERT
from mini_bert.models.names import ByAnyName, as_short, short
from mini_bert.tokenizers.special import MASK
from mini_bert.training.blocks import places
from mini_bert.training.inspection import layer_of

OTHERS = (
    f"She drank a cup of {MASK}.",
    f"He opened the {MASK} and went in.",
    f"The king lived in a large {MASK}.",
)
ROWS = 10
READ, TOLD = "embeddings.token.weight", "head.decoder.weight"
WORD_TABLES = (READ, TOLD)
"""Weights that are stored with a row for each word."""


def weight_changes(model: MiniBERT, walked: Walked) -> list[dict[str, Any]]:
    """For each weight ‖g‖ here, ‖w‖ at the start, and ‖Δw‖ / ‖w‖: of the last step, and of all of them."""
    start, now, before = model.arena.flat, walked.last.weights, walked.before
    found = []
    at_of = places(model.arena)
    for name in model.arena:
        at = at_of[name]
        size = norm_of(start[at])
        found.append(
            {
                "name": short(name),
                "dotted": name,
                "layer": layer_of(name),
                "kind": kind_of(name),
                "shape": list(as_short(name, model.arena[name].shape)),
                "gradient": norm_of(walked.last.gradient[at]),
                "size": size,
                "moved": 0.0 if now is start else norm_of(now[at] - start[at]),
                "moved_last": 0.0 if before is None else norm_of(now[at] - before[at]),
            }
        )
    return found


def by_part(weights: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same for all weights of a layer together, from the embeddings up."""
    layers = dict.fromkeys(one["layer"] for one in weights)
    found = []
    for layer in layers:
        own = [one for one in weights if one["layer"] == layer]
        sizes = {
            key: together(one[key] for one in own) for key in ("gradient", "size", "moved", "moved_last")
        }
        found.append({"part": place_name(layer)} | sizes)
    return found


def words_moved(model: MiniBERT, walked: Walked) -> list[dict[str, Any]]:
    """For each table with a row for each word: the rows that have moved most."""
    tokenizer, arena = tokenizer_of(model), model.arena
    roles = {READ: "as they are read", TOLD: "as they are told"}
    if TOLD not in arena:
        roles[READ] += " and told"
    found = []
    for name in (name for name in WORD_TABLES if name in arena):
        at = places(arena)[name]
        shape = arena[name].shape
        moved, size = np.zeros(tokenizer.vocab_size), np.zeros(tokenizer.vocab_size)
        if walked.steps:
            change = (walked.last.weights[at] - arena.flat[at]).reshape(shape)
            moved = np.sqrt(np.einsum("vh,vh->v", change, change))[: tokenizer.vocab_size]
            size = np.linalg.norm(arena[name][: tokenizer.vocab_size], axis=1)
        rows = [int(row) for row in np.argsort(-moved, kind="stable")[:ROWS] if moved[row] > 0]
        found.append(
            {
                "name": short(name),
                "role": roles[name],
                "moved": int((moved > 0).sum()),
                "words": [
                    {
                        "word": word_of(row, tokenizer),
                        "moved": float(moved[row]),
                        "share": float(moved[row] / size[row]) if size[row] else None,
                    }
                    for row in rows
                ],
            }
        )
    return found


def other_sentences(model: MiniBERT, twin: MiniBERT, texts: Sequence[str]) -> list[dict[str, Any]]:
    """For the first [MASK] of each text: the best word before and now, and what became of the first one's p."""
    check_fit(model)
    tokenizer = tokenizer_of(model)
    mask = tokenizer.token_to_id[mask_of(tokenizer)]
    rows = [tokenizer.encoding(text.replace(MASK, mask_of(tokenizer))) for text in texts]
    for text, row in zip(texts, rows, strict=True):
        if mask not in row.ids or len(row) > model.config.max_seq_length:
            raise ValueError(
                f"{text!r}: write a sentence with one {MASK} and at most {model.config.max_seq_length} pieces"
            )
    positions = np.array([[row.ids.index(mask)] for row in rows])
    batch = as_batch(model, rows)
    known = tokenizer.vocab_size
    before, now = (softmax(told(one, batch, positions)[:, 0])[:, :known] for one in (model, twin))
    found = []
    for text, p, q in zip(texts, before, now, strict=True):
        first, last = int(p.argmax()), int(q.argmax())
        found.append(
            {
                "text": text,
                "before": {"word": word_of(first, tokenizer), "probability": float(p[first])},
                "now": {"word": word_of(last, tokenizer), "probability": float(q[last])},
                "kept": float(q[first]),
                "overlap": float(np.minimum(p, q).sum()),
            }
        )
    return found


def told(model: MiniBERT, batch: Batch, positions: Array) -> Array:
    with Predictor(model, workers=1) as predictor:
        return predictor.logits(batch.ids, batch.attention_mask, batch.token_type_ids, positions)


def most_moved_rows(arena: Arena, name: str, now: Array, most: int) -> tuple[list[int], Array, Array]:
    """Of a weight, the rows that have moved most, in their order: before, and now.

    Tables of words have a row for each word, other weights stand as their short names show them.
    """
    after = now[places(arena)[name]].reshape(arena[name].shape)
    called = name if name in WORD_TABLES else short(name)
    shown = [ByAnyName({name: array})[called] for array in (arena[name], after)]
    first, last = (array.reshape(len(array) if array.ndim > 1 else 1, -1) for array in shown)
    moved = np.linalg.norm(last - first, axis=1)
    count = min(most, max(int(np.count_nonzero(moved)), 1))
    rows = np.sort(np.argsort(-moved, kind="stable")[:count])
    return rows.tolist(), first[rows], last[rows]
