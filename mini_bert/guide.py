"""The names of the older guide (docs/from_the_scripts.md), each leading to the one model there is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any
from warnings import catch_warnings, filterwarnings

import numpy as np
from numpy.typing import DTypeLike

from mini_bert.core.array import Array
from mini_bert.core.functions.norm import layer_norm_backward
from mini_bert.core.functions.softmax import cross_entropy, cross_entropy_backward
from mini_bert.core.gradcheck import Method
from mini_bert.core.trace import Trace
from mini_bert.models.config import ModelConfig
from mini_bert.models.inputs import check_range, checked_inputs, integers, ones_and_zeros
from mini_bert.models.mini import EVERYTHING, MiniBERT
from mini_bert.models.names import ByAnyName
from mini_bert.models.passes import Pass
from mini_bert.tokenizers.wordpiece import WordPieceTokenizer
from mini_bert.training.verification import GradientReport, verify_gradients

layernorm_backward = layer_norm_backward


def mlm_cross_entropy(logits: Array, targets: Array, mask_positions: Array) -> float:
    """loss = −mean ln p[target] over the masked positions          logits (B, T, V), the others (B, T)"""
    return float(cross_entropy(logits, *mlm_targets(logits, targets, mask_positions))[0])


def mlm_targets(logits: Array, targets: Any, mask_positions: Any) -> tuple[Array, Array]:
    """Labels and weights: 1/N at each of the N masked positions, 0 elsewhere."""
    targets = integers("targets", targets)
    masked = ones_and_zeros("mask_positions", mask_positions, "masked", "not masked")
    for name, given in (("targets", targets), ("mask_positions", masked)):
        if given.shape != logits.shape[:-1]:
            raise ValueError(f"{name}: shape {given.shape} does not match the logits' {logits.shape[:-1]}")
    if not masked.any():
        raise ValueError("mask_positions: no position is masked, so there is nothing to predict")
    labels = np.where(masked, targets, 0)
    check_range("targets", labels, logits.shape[-1], "give each masked position the word that stood there")
    return labels, (masked / masked.sum()).astype(logits.dtype)


class MiniBERTGradients:
    """The backward pass in steps: logits → loss and its gradient → the gradient of every weight.

    `gradients["W_Q_0"]` is oriented like `model.params["W_Q_0"]`; gradients accumulate until `zero_gradients()`.
    `activation_gradients["attention_weights_0"]` are those of the last backward pass.
    """

    def __init__(self, model: MiniBERT) -> None:
        self.model = model
        self.arena = model.arena.zeros_like()
        self.activation_gradients = ByAnyName({})

    @property
    def gradients(self) -> ByAnyName:
        return ByAnyName(self.arena)

    def zero_gradients(self) -> None:
        self.arena.flat[:] = 0

    def compute_mlm_loss_and_gradients(
        self, logits: Array, targets: Array, mask_positions: Array
    ) -> tuple[float, Array]:
        """The masked-word loss, and dLoss/dlogits (B, T, V)."""
        labels, weights = mlm_targets(logits, targets, mask_positions)
        loss, probs = cross_entropy(logits, labels, weights)
        return float(loss), cross_entropy_backward(probs, labels, weights)

    def backward_from_logits(self, grad_logits: Array, cache: Pass) -> None:
        """Add the gradient of every weight, given dLoss/dlogits and the cache of the forward pass."""
        grad_logits = np.asarray(grad_logits, self.model.dtype)
        if grad_logits.shape != cache.logits.shape:
            raise ValueError(
                f"grad_logits: shape {grad_logits.shape} does not match the logits' {cache.logits.shape}"
            )
        self.activation_gradients = cache.backward(grad_logits, self.arena)


class LayerCache(Mapping[str, Array]):
    """What one layer remembers of its forward pass, its number left out: `cache["Q"]`, `cache["attention_weights"]`"""

    def __init__(self, trace: Trace, layer: int) -> None:
        self.trace, self.ending = trace, f"_{layer}"
        self.activations = ByAnyName(trace.acts)

    def __getitem__(self, name: str) -> Array:
        return self.activations[name + self.ending if name + self.ending in self.activations else name]

    def __iter__(self) -> Iterator[str]:
        return (name.removesuffix(self.ending) for name in self.activations)

    def __len__(self) -> int:
        return len(self.activations)


class MiniTransformerLayer:
    """One block of a model: x → attention → add x → LayerNorm → feed-forward → add → LayerNorm."""

    def __init__(self, model: MiniBERT | None = None, layer: int = 0) -> None:
        self.model = model if model is not None else MiniBERT()
        self.layer = layer
        self.block, _ = self.model.block(layer, Trace(self.model.arena))

    def forward(self, x: Any, attention_mask: Any = None) -> tuple[Array, LayerCache]:
        """x (B, T, H) → y (B, T, H)"""
        x = self.model.checked_states(x)
        inputs = checked_inputs(x[..., 0], attention_mask, None, self.model.config)
        whole = Trace(self.model.arena, inputs=inputs, watch=EVERYTHING)
        _, t = self.model.block(self.layer, whole)
        y = self.block.forward(x, t)
        return y, LayerCache(t, self.layer)

    def backward(self, dy: Array, cache: LayerCache) -> tuple[Array, ByAnyName]:
        """dy (B, T, H) → dx (B, T, H), and the gradients of this layer's weights by name"""
        grads = self.model.arena.zeros_like()
        dx = self.block.backward(self.model.checked_states(dy), cache.trace.but(grads=grads))
        return dx, ByAnyName(
            {name: grad for name, grad in grads.items() if name.startswith(cache.trace.home)}
        )


def gradient_check(
    model: MiniBERT | str | None = None,
    *,
    method: Method = "complex",
    samples: int | None = 40,
    seed: int = 0,
) -> GradientReport:
    """Compare the hand-derived gradient of every weight with a numeric one; `samples` entries of each, None for all.

    A model is checked at its own weights, a preset (by default "debug") at random ones of a lively size.
    `print(gradient_check())` shows a row per weight; `.passed` and `.worst` tell the verdict.
    """
    if isinstance(model, MiniBERT):
        return verify_gradients(model.config, model.arena, method=method, samples=samples, seed=seed)
    return verify_gradients(ModelConfig.preset(model or "debug"), method=method, samples=samples, seed=seed)


class ModelFactory:
    """One place to make, load and save things by name."""

    @staticmethod
    def create_model(name: str = "mini", *, dtype: DTypeLike = np.float32, seed: int = 0) -> MiniBERT:
        """A preset with random weights; "default" and "base" mean Mini-BERT itself."""
        return MiniBERT("mini" if name in ("default", "base") else name, dtype=dtype, seed=seed)

    @staticmethod
    def load_model(path: str | Path, *, dtype: DTypeLike | None = None) -> MiniBERT:
        """A model folder that `model.save(path)` wrote."""
        return MiniBERT.load(path, dtype=dtype)

    @staticmethod
    def create_tokenizer(
        vocab_size: int = 8192, vocab_path: str | Path | None = None, *, texts: Iterable[str] | None = None
    ) -> WordPieceTokenizer:
        """Load a vocabulary from `vocab_path`, or learn at most `vocab_size` pieces from `texts`.

        Without either, it is learned from stories of the embedded world, which have about 5,700 different pieces.
        """
        if vocab_path is not None:
            return WordPieceTokenizer.load(vocab_path)
        if texts is not None:
            return WordPieceTokenizer.train(texts, vocab_size=vocab_size)
        from mini_bert.data.world import texts as stories

        with catch_warnings():
            filterwarnings("ignore", "the text has pieces for only")
            return WordPieceTokenizer.train(stories(2000), vocab_size=vocab_size)
