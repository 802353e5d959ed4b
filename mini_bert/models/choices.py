"""The parts that a setting names by itself."""

from __future__ import annotations

from collections.abc import Callable

from mini_bert.core.heads import next_sentence_head, token_order_head
from mini_bert.core.initializers import DepthScaled, He, Initializer, Normal, TruncatedNormal, Xavier
from mini_bert.core.layer import Layer
from mini_bert.core.layers import GELU, GELUTanh, LayerNorm, Linear, ReLU, RMSNorm, SiLU, Tanh
from mini_bert.core.pooling import FirstToken, LastToken, MeanOfTokens, Pooler
from mini_bert.core.residual import PostNorm, PreNorm

RESIDUALS: dict[str, type[PostNorm] | type[PreNorm]] = {"post-norm": PostNorm, "pre-norm": PreNorm}
NORMS: dict[str, type[LayerNorm] | type[RMSNorm]] = {"layer": LayerNorm, "rms": RMSNorm}
ACTIVATIONS: dict[str, Layer] = {"relu": ReLU(), "gelu": GELU(), "gelu-tanh": GELUTanh(), "silu": SiLU()}
POOLERS: dict[str, Layer] = {"tanh": Tanh(), "relu": ReLU(), "gelu": GELU()}
POOLED: dict[str, Layer] = {"first": FirstToken(), "last": LastToken(), "mean": MeanOfTokens()}
BIASED: dict[str, tuple[str, ...]] = {
    "all": ("query", "key", "value", "output"),
    "not-key": ("query", "value", "output"),
    "none": (),
}
SECOND_HEADS: dict[str, Callable[[int], Layer | None]] = {
    "none": lambda H: None,
    "pairs": next_sentence_head,
    "order": token_order_head,
    "pooler": lambda H: Pooler(Linear(H, H)),
}
INITIALIZERS: dict[str, Callable[[float, int], Initializer]] = {
    "normal": lambda std, depth: Normal(std),
    "truncated": lambda std, depth: TruncatedNormal(std),
    "xavier": lambda std, depth: Xavier(std),
    "he": lambda std, depth: He(std),
    "depth-scaled": lambda std, depth: DepthScaled(std, depth),
}
