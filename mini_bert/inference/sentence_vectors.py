"""One vector for each text, close for texts that mean the same, if the model was taught so.

    vectors = sentence_vectors(model, ["A cat sat down.", "Rain is coming."])      # (2, H)
    near, cosines = nearest(vectors, 1)

The vector is the mean over all real tokens, [CLS] and [SEP] among them, as sentence-transformers has it; a folder of
theirs may say otherwise, and is obeyed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from numbers import Integral

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.trace import Trace
from mini_bert.errors import unknown
from mini_bert.inference.forward import TOKENS_AT_ONCE, Predictor
from mini_bert.inference.reading import as_batch, tokenizer_of
from mini_bert.inference.sentence_recipe import Recipe, recipe_in
from mini_bert.models.mini import MiniBERT
from mini_bert.reports import Report, silent
from mini_bert.tokenizers.arguments import checked_texts
from mini_bert.tokenizers.encoding import Encoding

ROWS_AT_ONCE = 1024
TINY = 1e-12


def sentence_vectors(
    model: MiniBERT,
    texts: Iterable[str],
    *,
    pooling: str | None = None,
    normalize: bool | None = None,
    layer: int | None = None,
    max_length: int | None = None,
    report: Report = silent,
) -> Array:
    """Vectors (N, H) of N texts; those longer than `max_length` tokens are cut.

    `pooling` is mean, first or max over the tokens. `layer` takes the states after so many layers, 0 for the
    embeddings; without it the last. What is not given is as the model's folder says: see `recipe_of`.
    """
    recipe = recipe_of(model, pooling=pooling, normalize=normalize, max_length=max_length)
    return vectors_of(model, encoded(model, texts, recipe), recipe, layer=layer, report=report)


def recipe_of(
    model: MiniBERT,
    *,
    pooling: str | None = None,
    normalize: bool | None = None,
    max_length: int | None = None,
) -> Recipe:
    """How this model makes vectors, where the caller does not say otherwise."""
    told = recipe_in(model.folder)
    if told.beyond and pooling is None:
        raise ValueError(
            f"{model.folder}: was taught with {', '.join(told.beyond)}, which we have not; say what to take instead: "
            f"pooling={', '.join(POOLINGS)}"
        )
    reach = model.config.max_seq_length
    if max_length is not None and (not isinstance(max_length, Integral) or max_length < 1):
        raise ValueError(
            f"max_length={max_length!r}: how many tokens of a text are read; choose a whole number from 1 to {reach}"
        )
    length = min(max_length or told.max_length or reach, reach)
    chosen = replace(told, pooling=pooling or told.pooling, max_length=length, beyond=())
    if chosen.pooling not in POOLINGS:
        raise ValueError(unknown("pooling", chosen.pooling, list(POOLINGS)))
    return chosen if normalize is None else replace(chosen, normalize=normalize)


def encoded(model: MiniBERT, texts: Iterable[str], recipe: Recipe) -> list[Encoding]:
    """Each text as the model will read it, cut to the recipe's length."""
    tokenizer = tokenizer_of(model)
    rows = []
    for number, text in enumerate(checked_texts(texts, "sentence_vectors")):
        row = tokenizer.encoding(text.lower() if recipe.lowercase else text, max_length=recipe.max_length)
        if not len(row):
            raise ValueError(
                f"text {number + 1} is empty, and this tokenizer puts nothing around it; leave it out"
            )
        rows.append(row)
    return rows


def vectors_of(
    model: MiniBERT,
    rows: Sequence[Encoding],
    recipe: Recipe,
    *,
    layer: int | None = None,
    report: Report = silent,
) -> Array:
    """Vectors (N, H), in the order of the rows; rows of like length go through the model together."""
    check_layer(model, layer)
    vectors = np.empty((len(rows), model.config.hidden_size), model.dtype)
    pool, done = POOLINGS[recipe.pooling], 0

    def vectors_at_once(ids: Array, t: Trace) -> Array:
        return pool(states(model, ids, t, layer), t.inputs.get("attention_mask", np.ones(ids.shape, bool)))

    with Predictor(model) as predictor:
        for batch in batches([len(row) for row in rows], predictor.team.size * TOKENS_AT_ONCE):
            vectors[batch] = predictor.run(
                vectors_at_once, *as_batch(model, [rows[i] for i in batch]), positions=None
            )
            done += len(batch)
            report(done / len(rows), f"{done:,} of {len(rows):,} texts")
    return unit(vectors) if recipe.normalize else vectors


def check_layer(model: MiniBERT, layer: int | None) -> None:
    depth = model.config.num_layers
    if layer is None:
        return
    is_whole = isinstance(layer, Integral)
    if not is_whole or not 0 <= layer <= depth:
        what = "" if is_whole else " is no whole number"
        raise ValueError(
            f"layer {layer!r}{what}: choose 0, the embeddings, to {depth}, what the last layer says"
        )


def batches(lengths: Sequence[int], tokens: int) -> Iterator[list[int]]:
    """The numbers of the texts, from short to long, in batches of at most so many tokens, padding included."""
    batch: list[int] = []
    for i in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) + 1) * lengths[i] > tokens:
            yield batch
            batch = []
        batch.append(i)
    if batch:
        yield batch


def states(model: MiniBERT, ids: Array, t: Trace, layer: int | None) -> Array:
    """Hidden states (B, T, H): the last ones, or those after so many layers."""
    if layer is None or layer == model.config.num_layers:
        return model.network.encode(ids, t)
    name = f"encoder.layers.{layer - 1}.out" if layer else "embeddings.out"
    model.network.encode(ids, t.but(watch=(name,)))
    return t.acts[name]


def mean_of_tokens(x: Array, mask: Array) -> Array:
    """y = Σ m_i x_i / Σ m_i          x (B, T, H), mask (B, T) → y (B, H)"""
    weights = (mask / mask.sum(1, keepdims=True)).astype(x.dtype)
    mean: Array = (weights[:, None] @ x)[:, 0]
    return mean


def first_token(x: Array, mask: Array) -> Array:
    """y = x_0, which is [CLS] in most models          (B, T, H) → (B, H)"""
    return x[:, 0]


def largest_of_tokens(x: Array, mask: Array) -> Array:
    """y_h = max of x_ih over the real tokens i          x (B, T, H), mask (B, T) → y (B, H)"""
    largest: Array = np.where(mask[..., None], x, -np.inf).astype(x.dtype).max(1)
    return largest


POOLINGS: dict[str, Callable[[Array, Array], Array]] = {
    "mean": mean_of_tokens,
    "first": first_token,
    "max": largest_of_tokens,
}
"""From the vectors of the tokens to that of the text."""


def unit(vectors: Array) -> Array:
    """v / ‖v‖; a vector of zeros stays one"""
    lengths = np.sqrt((vectors * vectors).sum(-1, keepdims=True))
    made: Array = vectors / np.maximum(lengths, TINY)
    return made


def nearest(vectors: Array, top: int = 3) -> tuple[Array, Array]:
    """The numbers (N, k) of the vectors nearest to each, but itself, and their cosines (N, k), the nearest first."""
    directions = unit(vectors)
    k = min(top, len(vectors) - 1)
    near, cosines = np.empty((len(vectors), k), int), np.empty((len(vectors), k), vectors.dtype)
    for start in range(0, len(vectors), ROWS_AT_ONCE):
        rows = np.arange(start, min(start + ROWS_AT_ONCE, len(vectors)))
        all_cosines = directions[rows] @ directions.T
        all_cosines[np.arange(len(rows)), rows] = -np.inf
        near[rows] = np.argsort(-all_cosines, axis=1, kind="stable")[:, :k]
        cosines[rows] = np.take_along_axis(all_cosines, near[rows], axis=1)
    return near, cosines
