"""Hidden states of every layer: 0 is what goes into the first one, the last is what the model's head reads."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.trace import Trace
from mini_bert.inference.forward import Predictor
from mini_bert.inference.reading import Batch

EMBEDDED, READ_BY_HEAD = "embeddings.out", "hidden"


def layer_states(predictor: Predictor, batch: Batch, layers: Sequence[int] | None = None) -> Array:
    """States (B, layers, T, H) of a batch, by default of all, 0 to L; those at padding mean nothing."""
    network, L = predictor.model.network, predictor.model.config.num_layers
    between = [f"encoder.layers.{layer}.out" for layer in range(L - 1)]
    names = (EMBEDDED, *between, READ_BY_HEAD)
    watch = names if layers is None else tuple(names[layer] for layer in layers)

    def forward(ids: Array, t: Trace) -> Array:
        t = t.but(watch=watch, acts={})
        network.encode(ids, t)
        return np.stack([t.acts[name] for name in watch], axis=1)

    return predictor.run(forward, batch.ids, batch.attention_mask, batch.token_type_ids, None)
