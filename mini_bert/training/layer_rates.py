"""Lower layers learn more slowly: they hold what is general, which fine-tuning should not wash away."""

from __future__ import annotations

import re
from collections.abc import Iterable

from mini_bert.models.mini import MiniBERT
from mini_bert.models.names import dotted

LAYER = re.compile(r"encoder\.layers\.(\d+)\.")


def compute_layer_wise_learning_rates(
    model: MiniBERT | Iterable[str], base_rate: float = 1.0, decay: float = 0.9
) -> dict[str, float]:
    """η of each weight: η₀ in the head, η₀ dᴸ⁻¹⁻ˡ in layer l of L, η₀ dᴸ in the embeddings  (Howard & Ruder 2018)

    L counts the layers that have weights of their own, so that a layer which is called many times has one rate.
    With the `base_rate` 1 these are the `rates` of an optimizer, which follow its schedule.

    >>> names = ["embeddings.token.weight", "W_Q_0", "W_Q_1", "head.decoder.weight"]
    >>> compute_layer_wise_learning_rates(names, base_rate=0.1, decay=0.5)
    {'embeddings.token.weight': 0.025, 'W_Q_0': 0.05, 'W_Q_1': 0.1, 'head.decoder.weight': 0.1}
    """
    if not 0 < decay <= 1:
        raise ValueError(f"decay={decay}: choose above 0 and at most 1 (all layers alike)")
    names = list(model.arena if isinstance(model, MiniBERT) else model)
    layers = {name: int(found[1]) for name in names if (found := LAYER.match(dotted(name)))}
    depth = max(layers.values(), default=-1) + 1

    def layers_above(name: str) -> int:
        if name in layers:
            return depth - 1 - layers[name]
        return depth if dotted(name).startswith("embeddings.") else 0

    return {name: base_rate * decay ** layers_above(name) for name in names}
