"""The judge: what a ModelConfig describes, in PyTorch, from the equations; autograd does the calculus."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F

from mini_bert.core.array import Array
from mini_bert.models.config import ModelConfig

ACTIVATIONS = {
    "relu": F.relu,
    "gelu": F.gelu,
    "gelu-tanh": lambda x: F.gelu(x, approximate="tanh"),
    "silu": F.silu,
}


def tensors(weights: Mapping[str, Array]) -> dict[str, Tensor]:
    """Copies of the weights, by the same names, that collect gradients."""
    return {name: torch.tensor(weight, requires_grad=True) for name, weight in weights.items()}


def gradients(weights: Mapping[str, Tensor]) -> dict[str, Array]:
    """What `backward()` left on each weight; one that the loss never met has none, which is an error."""
    return {name: weight.grad.numpy() for name, weight in weights.items()}


@dataclass(frozen=True)
class Reference:
    """A model as plain functions of weights with our dotted names."""

    config: ModelConfig
    weights: Mapping[str, Tensor]

    def hidden_states(
        self, ids: Tensor, attention_mask: Tensor | None = None, token_type_ids: Tensor | None = None
    ) -> Tensor:
        """ids (B, T) → (B, T, H)"""
        c, w = self.config, self.weights
        x = F.embedding(ids, w["embeddings.token.weight"])
        if c.token_types:
            types = torch.zeros_like(ids) if token_type_ids is None else token_type_ids
            x = x + F.embedding(types, w["embeddings.token_type.weight"])
        if c.positions in ("learned", "learned-and-disentangled"):
            x = x + w["embeddings.position.weight"][: ids.shape[1]]
        if c.embedding_norm:
            x = self.norm("embeddings.norm", x)
        groups = c.layer_groups or c.num_layers
        decodes = c.mask_decoder == "enhanced"
        for i in range(c.num_layers - decodes):
            layer = f"encoder.layers.{i * groups // c.num_layers}"  # ALBERT: consecutive layers share
            x = self.residual(f"{layer}.attn", x, lambda at, y: self.attention(at, y, y, attention_mask))
            x = self.residual(f"{layer}.ffn", x, self.feed_forward)
        if decodes:
            x = self.decoded(f"encoder.layers.{groups - 1}", x, attention_mask)
        return self.norm("final_norm", x) if c.final_norm else x

    def decoded(self, layer: str, x: Tensor, attention_mask: Tensor | None) -> Tensor:
        """The last layer, called twice: places ask x, then the answers do"""
        before = self.config.residual == "pre-norm"
        source = self.norm(f"{layer}.attn.norm", x) if before else x
        y = x + self.weights["encoder.position.weight"][: x.shape[1]]
        for _ in range(2):
            y = self.residual(f"{layer}.attn", y, lambda at, q: self.attention(at, q, source, attention_mask))
            y = self.residual(f"{layer}.ffn", y, self.feed_forward)
        return y

    def residual(self, at: str, x: Tensor, f: Callable[[str, Tensor], Tensor]) -> Tensor:
        if self.config.residual == "pre-norm":
            return x + f(at, self.norm(f"{at}.norm", x))
        return self.norm(f"{at}.norm", x + f(at, x))

    def attention(self, at: str, x: Tensor, source: Tensor, attention_mask: Tensor | None) -> Tensor:
        c = self.config
        q, k, v = (
            self.heads(f"{at}.{name}", y)  # (B, A, T, D)
            for name, y in (("query", x), ("key", source), ("value", source))
        )
        if c.positions == "rotary":
            q, k = rotary(q), rotary(k)
        scores = q @ k.transpose(-1, -2) / c.head_size**0.5
        if c.positions == "relative":
            place = torch.arange(x.shape[1])
            distance = place[:, None] - place
            scores = scores + self.weights[f"{at}.relative.table"][:, distance + c.max_seq_length - 1]
        if "disentangled" in c.positions:
            scores = self.disentangled(at, q, k)
        if attention_mask is not None:
            scores = scores.masked_fill(~attention_mask[:, None, None, :], -torch.inf)
        return self.linear(f"{at}.output", (scores.softmax(-1) @ v).transpose(1, 2).flatten(2))

    def disentangled(self, at: str, q: Tensor, k: Tensor) -> Tensor:
        """(q_i · k_j + q_i · k^r_δ + k_j · q^r_δ) / √(3D) with δ = i − j, or two of these / √(2D)"""
        c, place = self.config, torch.arange(k.shape[-2])
        farthest, distance = c.reach or c.max_seq_length, place[:, None] - place
        if c.buckets:
            distance = bucket(distance, c.buckets, farthest)
        reach = c.buckets or farthest
        table = self.weights["encoder.relative.weight"]
        table = self.norm("encoder.relative.norm", table) if c.relative_norm else table
        distances = table[distance.clamp(-reach, reach - 1) + reach]  # (T, T, H)
        scores, own = [q @ k.transpose(-1, -2)], c.relative_projection == "own"
        if c.disentangled != "p2c":
            project = f"{at}.content_to_position.project" if own else f"{at}.key"
            told = self.heads(project, distances, first=0)  # (A, T, T, D)
            scores.append((q[..., None, :] * told).sum(-1))
        if c.disentangled != "c2p":
            project = f"{at}.position_to_content.project" if own else f"{at}.query"
            asked = self.heads(project, distances, first=0)
            scores.append((asked * k[..., None, :, :]).sum(-1))
        return sum(scores) / (len(scores) * c.head_size) ** 0.5

    def heads(self, at: str, x: Tensor, first: int = 1) -> Tensor:
        """(B, T, H) → (B, A, T, D): an axis for the heads, the first but one"""
        return self.linear(at, x).unflatten(-1, (self.config.num_heads, -1)).movedim(-2, first)

    def feed_forward(self, at: str, x: Tensor) -> Tensor:
        f = ACTIVATIONS[self.config.activation]
        if self.config.feed_forward == "gated":
            hidden = f(self.linear(f"{at}.gate", x)) * self.linear(f"{at}.up", x)
        else:
            hidden = f(self.linear(f"{at}.up", x))
        return self.linear(f"{at}.down", hidden)

    def word_logits(self, x: Tensor) -> Tensor:
        """(B, T, H) → (B, T, V)"""
        c, w = self.config, self.weights
        if c.head_transform:
            x = ACTIVATIONS[c.activation](self.linear("head.transform.dense", x))
            x = self.norm("head.transform.norm", x)
        decoder = w["embeddings.token.weight" if c.tied else "head.decoder.weight"]
        return F.linear(x, decoder, w["head.decoder.bias"] if c.bias else None)

    def class_logits(self, x: Tensor) -> Tensor:
        """(B, T, H) → (B, C), from the first token; this head always has biases"""
        w = self.weights
        pooled = torch.tanh(F.linear(x[:, 0], w["head.pooler.dense.weight"], w["head.pooler.dense.bias"]))
        return self.tag_logits(pooled)

    def tag_logits(self, x: Tensor) -> Tensor:
        """(..., H) → (..., C)"""
        return F.linear(x, self.weights["head.output.weight"], self.weights["head.output.bias"])

    def linear(self, at: str, x: Tensor) -> Tensor:
        bias = self.weights.get(f"{at}.bias")
        return F.linear(x, self.weights[f"{at}.weight"], bias)

    def norm(self, at: str, x: Tensor) -> Tensor:
        H, eps, gain = (self.config.hidden_size,), self.config.norm_eps, self.weights[f"{at}.weight"]
        if self.config.norm == "rms":
            return F.rms_norm(x, H, gain, eps)
        return F.layer_norm(x, H, gain, self.weights[f"{at}.bias"], eps)


def weighted_loss(logits: Tensor, labels: Array, weights: Array) -> Tensor:
    """−Σ w ln p[label], logits (..., V)"""
    losses = F.cross_entropy(logits.flatten(0, -2), torch.tensor(labels).flatten(), reduction="none")
    return losses @ torch.tensor(weights).flatten()


def bucket(distance: Tensor, buckets: int, farthest: int) -> Tensor:
    """Itself up to half of the buckets, then in steps of its logarithm"""
    half = buckets // 2
    steps = (distance.abs() / half).log() / torch.tensor((farthest - 1) / half).log() * (half - 1)
    return torch.where(distance.abs() <= half, distance, distance.sign() * (half + steps.ceil())).long()


def rotary(x: Tensor, positions: Tensor | None = None, base: float = 10000.0) -> Tensor:
    """RoPE as complex numbers: (x_j + i x_{j+D/2}) · exp(i · position · base^(−2j/D)), x (..., T, D)"""
    T, D = x.shape[-2:]
    positions = torch.arange(T) if positions is None else positions
    angles = positions[..., None] * base ** (-torch.arange(0, D, 2, dtype=torch.float64) / D)
    turned = torch.complex(*x.chunk(2, -1)) * torch.polar(torch.ones_like(angles), angles)
    return torch.cat([turned.real, turned.imag], -1)
