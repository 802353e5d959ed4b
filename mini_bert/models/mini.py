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
from mini_bert.models.inputs import (
    check_told_of_others,
    check_weights,
    checked_ids,
    checked_inputs,
    checked_labels,
    checked_memory,
    not_the_first,
)
from mini_bert.models.names import ByAnyName, short
from mini_bert.models.passes import IGNORED, Pass
from mini_bert.tokenizers.tokenizer import Tokenizer

EVERYTHING = ("*",)


class MiniBERT:
    """A transformer that can be asked for every number in it.

    `MiniBERT()` is the guide's model, with random weights: L=3, H=192, A=4, I=768, T=64, V=8192. `MiniBERT("debug")`
    is another preset, `MiniBERT(ModelConfig(...))` one of your own. `dtype` is float32 or float64. `seed` draws the
    weights; with None they are zeros, to be filled by the caller. `tokenizer`, `label_names` and `architecture` (the
    class of transformers) are those of the `folder` a model was loaded from, if it told them.
    """

    tokenizer: Tokenizer | None = None
    label_names: tuple[str, ...] = ()
    architecture: str | None = None
    folder: Path | None = None

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
        """ids (B, T) → logits, and a cache of every activation by name.

        Logits are (B, T, V) of a model that tells words, (B, C) or (B, T, C) of one that tells classes or tags, (B, T)
        of one that tells replaced tokens; one without a head gives its hidden states (B, T, H).
        """
        cache = self.trace(ids, attention_mask=attention_mask, token_type_ids=token_type_ids)
        return cache.logits, cache

    def trace(
        self,
        ids: Any,
        labels: Any = None,
        *,
        attention_mask: Any = None,
        token_type_ids: Any = None,
        position_ids: Any = None,
        order: Any = None,
        memory: Mapping[str, Array] | None = None,
        watch: Iterable[str] = EVERYTHING,
        hooks: Mapping[str, Hook] | None = None,
    ) -> Pass:
        """One pass, seen from inside: activations, loss and gradients by dotted or short name.

        `watch` names what to remember (`"Q_0"`, `"attention_weights_*"`, `"encoder.layers.*"`). `hooks` map a name to
        a function that replaces the activation there; gradients pass through it unchanged. `labels` are what is to be
        told, in the place where it is told; without them a model of words is to predict each token itself, or the next
        one if it is causal. `position_ids` say where each token stands, if padding comes before it.
        `order` (B, T) are ranks, of a model with two streams: each token is asked for by one who sees only tokens of
        lower rank, and those of the lowest are given. `memory` is `remembered(length)` of the pass over the segment
        before, {} for the first segment.
        """
        ids = checked_ids(ids, self.config)
        inputs = checked_inputs(ids, attention_mask, token_type_ids, self.config, position_ids, order)
        memory = None if memory is None else checked_memory(memory, ids, self.network)
        check_weights(self.arena)
        watched = (
            EVERYTHING if watch == EVERYTHING else self.matching([watch] if isinstance(watch, str) else watch)
        )
        replaced = {
            name: hook for pattern, hook in (hooks or {}).items() for name in self.matching([pattern])
        }
        trace = Trace(self.arena, inputs=inputs, watch=watched, hooks=replaced, memory=memory)
        logits = self.network.forward(ids, trace)
        if unmet := sorted(replaced.keys() - trace.met):
            raise ValueError(
                f"{unmet[0]}: only the backward pass reads it; hook the activation it is made from"
            )
        expected = self.labels_of(labels, ids, inputs, logits)
        if "order" in inputs and not memory:
            check_told_of_others(expected, inputs, IGNORED)
        return Pass(self.network, trace, logits, expected)

    def labels_of(self, given: Any, ids: Array, inputs: Mapping[str, Array], logits: Array) -> Array | None:
        """What the logits are compared with."""
        if given is not None:
            if self.config.head == "none":
                raise ValueError(
                    "labels: this model has no head, and nothing to compare them with; leave them out"
                )
            tells_yes_or_no = self.config.head == "replaced"
            shape, classes = (logits.shape, 2) if tells_yes_or_no else (logits.shape[:-1], logits.shape[-1])
            return checked_labels(given, shape, classes, IGNORED)
        if self.config.head != "words":
            return None
        expected = np.where(inputs.get("attention_mask", True) & not_the_first(inputs), ids, IGNORED)
        if self.config.causal:
            expected = np.pad(expected[:, 1:], ((0, 0), (0, 1)), constant_values=IGNORED)
        return expected

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
    """As the older guide spells it."""

    def generate(self, prompt: Any, **choices: Any) -> Any:
        """The prompt and what follows, if the model is causal: `model.generate("Once upon a time", top_k=50, seed=1)`.

        The choices are those of `mini_bert.generate`: max_new_tokens, temperature, top_k, top_p, greedy, seed, stop.
        """
        from mini_bert.generation.generate import generate

        return generate(self, prompt, **choices)

    def save(self, folder: str | Path) -> None:
        """Write config.json and model.safetensors, and the tokenizer if the model has one."""
        from mini_bert.models.checkpoint import save_model

        save_model(self, folder)

    @classmethod
    def load(cls, folder: str | Path, *, dtype: DTypeLike | None = None) -> MiniBERT:
        """Read what `save` wrote; `dtype` converts the weights."""
        from mini_bert.models.checkpoint import load_model

        return load_model(folder, dtype=dtype)

    def save_pretrained(self, folder: str | Path) -> None:
        """Write a folder that transformers can load, with the tokenizer if the model has one."""
        from mini_bert.models.huggingface.writing import save_pretrained

        save_pretrained(self, folder)

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
