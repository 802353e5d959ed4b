"""Analyses: each returns numbers, with a figure beside them that a notebook shows by itself.

The guide's names, and those that stories of single numbers begin with. Every other analysis is the function of its
module's name: `from mini_bert.analysis.attention import attention`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mini_bert.analysis.cell_story import explain_cell
    from mini_bert.analysis.feed_forward import feed_forward_patterns
    from mini_bert.analysis.geometry import representation_geometry
    from mini_bert.analysis.gradient_story import explain_gradient
    from mini_bert.analysis.guide import (
        MathematicalAnalyzer,
        MathematicalExplorer,
        RepresentationAnalyzer,
        TrainingAnalyzer,
        analyze_gradient_magnitudes_by_layer,
        analyze_learning_rate_sensitivity,
        analyze_loss_landscape,
        analyze_representation_geometry,
        analyze_weight_evolution,
        create_attention_heatmap,
        plot_gradient_flow,
        track_weight_changes,
        visualize_attention_patterns,
    )
    from mini_bert.analysis.layer_norms import layer_norm_statistics
    from mini_bert.analysis.neighbours import nearest_words, self_similarity
    from mini_bert.analysis.reading import Reading, read
    from mini_bert.analysis.unit_words import promoted_words

HOMES = {
    "MathematicalAnalyzer": "guide",
    "MathematicalExplorer": "guide",
    "Reading": "reading",
    "RepresentationAnalyzer": "guide",
    "TrainingAnalyzer": "guide",
    "analyze_gradient_magnitudes_by_layer": "guide",
    "analyze_learning_rate_sensitivity": "guide",
    "analyze_loss_landscape": "guide",
    "analyze_representation_geometry": "guide",
    "analyze_weight_evolution": "guide",
    "create_attention_heatmap": "guide",
    "explain_cell": "cell_story",
    "explain_gradient": "gradient_story",
    "feed_forward_patterns": "feed_forward",
    "layer_norm_statistics": "layer_norms",
    "nearest_words": "neighbours",
    "plot_gradient_flow": "guide",
    "promoted_words": "unit_words",
    "read": "reading",
    "representation_geometry": "geometry",
    "self_similarity": "neighbours",
    "track_weight_changes": "guide",
    "visualize_attention_patterns": "guide",
}
"""Where each name lives; nothing is imported until it is asked for."""

__all__ = [
    "MathematicalAnalyzer",
    "MathematicalExplorer",
    "Reading",
    "RepresentationAnalyzer",
    "TrainingAnalyzer",
    "analyze_gradient_magnitudes_by_layer",
    "analyze_learning_rate_sensitivity",
    "analyze_loss_landscape",
    "analyze_representation_geometry",
    "analyze_weight_evolution",
    "create_attention_heatmap",
    "explain_cell",
    "explain_gradient",
    "feed_forward_patterns",
    "layer_norm_statistics",
    "nearest_words",
    "plot_gradient_flow",
    "promoted_words",
    "read",
    "representation_geometry",
    "self_similarity",
    "track_weight_changes",
    "visualize_attention_patterns",
]


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module 'mini_bert.analysis' has no attribute {name!r}")
    return getattr(import_module(f"mini_bert.analysis.{HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
