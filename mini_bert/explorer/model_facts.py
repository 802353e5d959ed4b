"""What a model is, in a few words for somebody who has never seen it."""

from __future__ import annotations

from typing import Any

from mini_bert.errors import counted
from mini_bert.models.config import ModelConfig
from mini_bert.models.mini import MiniBERT

POSITIONS = {
    "learned": "a learned vector for each place",
    "after-padding": "a learned vector for each place",
    "rotary": "queries and keys turned by their place",
    "relative": "a bias for each distance",
    "disentangled": "distances, scored apart from words",
    "learned-and-disentangled": "places and distances, scored apart from words",
    "transformer-xl": "distances as sine waves",
}
TELLS = {
    "words": "the hidden words",
    "classes": "the class of a text",
    "tags": "a tag of each piece",
    "replaced": "which words were replaced",
    "none": "nothing; it makes vectors",
}


def facts_of(model: MiniBERT) -> dict[str, Any]:
    c = model.config
    return {
        "title": title_of(c, model.num_parameters),
        "family": c.family,
        "parameters": model.num_parameters,
        "sizes": {
            "layers": c.num_layers,
            "heads": c.num_heads,
            "hidden": c.hidden_size,
            "intermediate": c.intermediate_size,
            "places": c.max_seq_length,
            "vocabulary": c.vocab_size,
        },
        "activation": c.activation,
        "positions": POSITIONS[c.positions],
        "residual": c.residual,
        "causal": c.causal,
        "tells": "the next word" if c.causal else TELLS[c.head],
        "head": c.head,
        "dtype": str(model.dtype),
        "mask": None if model.tokenizer is None else model.tokenizer.roles.mask,
        "readable": model.tokenizer is not None,
        "labels": list(model.label_names),
    }


def title_of(config: ModelConfig, size: int) -> str:
    weights = f"{size / 1e6:.1f} million weights" if size >= 1e6 else f"{size:,} weights"
    return f"{counted(config.num_layers, 'layer')} of {counted(config.num_heads, 'head')}, {weights}"
