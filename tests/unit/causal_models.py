"""Small causal models for tests of generation."""

import numpy as np
import pytest

from mini_bert.models.config import ModelConfig
from mini_bert.models.mini import MiniBERT

T, V = 24, 50
SMALL = {
    "vocab_size": V,
    "hidden_size": 16,
    "num_layers": 3,
    "num_heads": 2,
    "intermediate_size": 24,
    "max_seq_length": T,
}
VARIANTS = {
    "GPT-2": {},
    "rotary": {"positions": "rotary"},
    "relative": {"positions": "relative", "reach": 5},
    "Transformer-XL's distances": {"positions": "transformer-xl"},
    "DeBERTa's distances": {"positions": "disentangled", "reach": 6},
    "after padding": {"positions": "after-padding", "padding_id": 1},
    "post-norm, gated": {"residual": "post-norm", "attention": "gated", "feed_forward": "gated"},
    "one layer called three times": {"layer_groups": 1},
    "checkpointed": {"checkpoint_activations": True},
    "narrow tables, untied": {"embedding_size": 8, "tied": False, "token_types": 2},
}
TEXT = np.random.default_rng(5).integers(2, V, (3, 17))

every_variant = pytest.mark.parametrize("settings", VARIANTS.values(), ids=VARIANTS)


def lively(**settings):
    """A small GPT-2 whose next word depends on all that came before."""
    model = MiniBERT(ModelConfig.preset("gpt2-mini", **SMALL | settings), dtype=np.float64)
    model.arena.flat[:] = 0.4 * np.random.default_rng(0).standard_normal(model.arena.flat.size)
    return model
