"""MiniBERT, the front door: a configuration, its network, its weights, and ways to look at what they do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from mini_bert.core.arena import Arena
from mini_bert.core.array import Array
from mini_bert.core.attention import Attention
from mini_bert.core.layer import Layer
from mini_bert.core.trace import Hook, Trace
from mini_bert.errors import unknown
from mini_bert.models.build import build_initializer, build_network
from mini_bert.models.config import DEFAULT_PRESET, ModelConfig
from mini_bert.models.inputs import check_weights, checked_ids, checked_inputs, checked_labels
from mini_bert.models.names import ByAnyName, short
from mini_bert.models.passes import IGNORED, Pass

EVERYTHING = ("*",)


class MiniBERT:
    """A transformer that can be asked for every number in it.

    `MiniBERT()` is the guide's model, with random weights: L=3, H=192, A=4, I=768, T=64, V=8192. `MiniBERT("debug")`
    is another preset, `MiniBERT(ModelConfig(...))` one of your own. `dtype` is float32 or float64. `seed` draws the
    weights; with None they are zeros, to be filled by the caller.
    """

    def __init__(
        self, config: ModelConfig | str | None = None, *, dtype: DTypeLike = np.float32, seed: int | None = 0
    ) -> None:
        if not isinstance(config, ModelConfig | str | None):
            raise ValueError(f"config {config!r}: give a ModelConfig or the name of a preset, like 'debug'")
        self.config = (
            config if isinstance(config, ModelConfig) else ModelConfig.preset(config or DEFAULT_PRESET)
        )
        self.network = build_network(self.config)
        self.arena = Arena(self.network.all_weights(), checked_dtype(dtype))
        if seed is not None:
            build_initializer(self.config).fill(self.arena, seed)

    @property
    def params(self) -> ByAnyName:
        """The weights by dotted or short name; writing into them changes the model."""
        return ByAnyName(self.arena)

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.arena.flat.dtype

    @property
    def num_parameters(self) -> int:
        return self.arena.flat.size

    @property
    def token_embeddings(self) -> Array:
        """E (V, H)"""
        return self.params["token_embeddings"]

    @property
    def position_embeddings(self) -> Array:
        """P (T, H)"""
        return self.params["position_embeddings"]

    def forward(self, ids: Any, attention_mask: Any = None, token_type_ids: Any = None) -> tuple[Array, Pass]:
        """ids (B, T) → logits (B, T, V), and a cache of every activation by name."""
        cache = self.trace(ids, attention_mask=attention_mask, token_type_ids=token_type_ids)
        return cache.logits, cache

    def trace(
        self,
        ids: Any,
        labels: Any = None,
        *,
        attention_mask: Any = None,
        token_type_ids: Any = None,
        watch: Iterable[str] = EVERYTHING,
        hooks: Mapping[str, Hook] | None = None,
    ) -> Pass:
        """One pass, seen from inside: activations, loss and gradients by dotted or short name.

        `watch` names what to remember (`"Q_0"`, `"attention_weights_*"`, `"encoder.layers.*"`). `hooks` map a name to
        a function that replaces the activation there; gradients pass through it unchanged. Without `labels` every
        token is to predict itself.
        """
        ids = checked_ids(ids, self.config)
        inputs = checked_inputs(ids, attention_mask, token_type_ids, self.config)
        if labels is None:
            labels = np.where(inputs.get("attention_mask", True), ids, IGNORED)
        else:
            labels = checked_labels(labels, ids, self.config, IGNORED)
        check_weights(self.arena)
        watched = (
            EVERYTHING if watch == EVERYTHING else self.matching([watch] if isinstance(watch, str) else watch)
        )
        replaced = {
            name: hook for pattern, hook in (hooks or {}).items() for name in self.matching([pattern])
        }
        trace = Trace(self.arena, inputs=inputs, watch=watched, hooks=replaced)
        logits = self.network.forward(ids, trace)
        if unmet := sorted(replaced.keys() - trace.met):
            raise ValueError(
                f"{unmet[0]}: only the backward pass reads it; hook the activation it is made from"
            )
        return Pass(self.network, trace, logits, labels)

    @cached_property
    def activation_names(self) -> list[str]:
        """The dotted name of every activation, in the order of the forward pass."""
        trace = Trace(self.arena, watch=EVERYTHING)
        self.network.forward(np.zeros((1, 1), int), trace)
        return list(trace.acts)

    def matching(self, patterns: Iterable[str]) -> tuple[str, ...]:
        """The activations whose dotted or short name fits one of the patterns; each pattern must fit some."""
        known = self.activation_names
        found: dict[str, None] = {}
        for pattern in patterns:
            fitting = [
                name for name in known if fnmatchcase(name, pattern) or fnmatchcase(short(name), pattern)
            ]
            if not fitting:
                raise ValueError(unknown("activation", pattern, [*known, *map(short, known)]))
            found |= dict.fromkeys(fitting)
        return tuple(found)

    def block(self, layer: int, t: Trace) -> tuple[Layer, Trace]:
        """One layer of the encoder, and the trace under which its weights and activations are found."""
        calls = list(self.network.encoder.calls(t / "encoder"))
        if not 0 <= layer < len(calls):
            raise ValueError(f"layer {layer}: the model has layers 0 to {len(calls) - 1}")
        return calls[layer]

    def checked_states(self, given: Any) -> Array:
        """Hidden states (B, T, H) in the model's dtype."""
        x: Array = np.asarray(given, self.dtype)
        if x.ndim != 3 or x.shape[-1] != self.config.hidden_size or x.size == 0:
            raise ValueError(
                f"x: expected (batch, tokens, hidden_size={self.config.hidden_size}), got {x.shape}"
            )
        return x

    def multi_head_attention(self, x: Any, layer: int = 0) -> tuple[Array, dict[str, Array]]:
        """One layer's attention on x (B, T, H), before the residual connection, and its Q, K, V and what follows."""
        block, t = self.block(layer, Trace(self.arena, watch=EVERYTHING))
        t = t / "attn"
        output = block.find(Attention).forward(self.checked_states(x), t)
        names = {
            "Q": "q",
            "K": "k",
            "V": "v",
            "scores": "scores",
            "attention_weights": "probs",
            "context": "context",
        }
        return output, {name: t.acts[t.path + key] for name, key in names.items()}

    _multi_head_attention = multi_head_attention
    """As the learning guide spells it."""

    def save(self, folder: str | Path) -> None:
        """Write config.json and model.safetensors."""
        from mini_bert.models.checkpoint import save_model

        save_model(self, folder)

    @classmethod
    def load(cls, folder: str | Path, *, dtype: DTypeLike | None = None) -> MiniBERT:
        """Read what `save` wrote; `dtype` converts the weights."""
        from mini_bert.models.checkpoint import load_model

        return load_model(folder, dtype=dtype)

    def __repr__(self) -> str:
        c = self.config
        sizes = f"L={c.num_layers}, H={c.hidden_size}, A={c.num_heads}, I={c.intermediate_size}"
        return (
            f"MiniBERT({sizes}, T={c.max_seq_length}, V={c.vocab_size}: {self.num_parameters:,} parameters)"
        )


def checked_dtype(dtype: DTypeLike) -> np.dtype[Any]:
    try:
        found = np.dtype(dtype)
    except TypeError:
        found = None
    if found not in (np.float32, np.float64):
        raise ValueError(f"dtype {dtype!r}: choose float32 or float64")
    return found
