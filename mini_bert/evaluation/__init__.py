"""How good is a model? Exams, what simple methods reach in them, and one report; the guide's names for all metrics."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mini_bert.evaluation.forgetting import measure_catastrophic_forgetting
    from mini_bert.evaluation.intrinsic.metrics import (
        compute_gradient_norm,
        compute_perplexity,
        masked_accuracy,
    )
    from mini_bert.evaluation.linguistic.composition import measure_compositional_understanding
    from mini_bert.evaluation.linguistic.knowledge import (
        probe_factual_knowledge,
        probe_semantic_knowledge,
        probe_syntactic_knowledge,
    )
    from mini_bert.evaluation.probing.linguistic_probes import analyze_linguistic_probes
    from mini_bert.evaluation.representations.attention import compute_attention_entropy
    from mini_bert.evaluation.representations.collapse import detect_mode_collapse
    from mini_bert.evaluation.representations.dimensions import (
        compute_effective_dimensionality,
        compute_effective_rank,
    )
    from mini_bert.evaluation.representations.directions import compute_token_diversity
    from mini_bert.evaluation.representations.geometry import compute_representation_geometry
    from mini_bert.evaluation.representations.similarity import compute_layer_similarity
    from mini_bert.evaluation.representations.stability import measure_representation_stability

HOMES = {
    "analyze_linguistic_probes": "probing.linguistic_probes",
    "compute_attention_entropy": "representations.attention",
    "compute_effective_dimensionality": "representations.dimensions",
    "compute_effective_rank": "representations.dimensions",
    "compute_gradient_norm": "intrinsic.metrics",
    "compute_layer_similarity": "representations.similarity",
    "compute_perplexity": "intrinsic.metrics",
    "compute_representation_geometry": "representations.geometry",
    "compute_token_diversity": "representations.directions",
    "detect_mode_collapse": "representations.collapse",
    "masked_accuracy": "intrinsic.metrics",
    "measure_catastrophic_forgetting": "forgetting",
    "measure_compositional_understanding": "linguistic.composition",
    "measure_representation_stability": "representations.stability",
    "probe_factual_knowledge": "linguistic.knowledge",
    "probe_semantic_knowledge": "linguistic.knowledge",
    "probe_syntactic_knowledge": "linguistic.knowledge",
}
"""Where each name of the guide lives; nothing is imported until it is asked for."""

__all__ = [
    "analyze_linguistic_probes",
    "compute_attention_entropy",
    "compute_effective_dimensionality",
    "compute_effective_rank",
    "compute_gradient_norm",
    "compute_layer_similarity",
    "compute_perplexity",
    "compute_representation_geometry",
    "compute_token_diversity",
    "detect_mode_collapse",
    "masked_accuracy",
    "measure_catastrophic_forgetting",
    "measure_compositional_understanding",
    "measure_representation_stability",
    "probe_factual_knowledge",
    "probe_semantic_knowledge",
    "probe_syntactic_knowledge",
]


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
