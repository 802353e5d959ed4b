"""What the hidden states of a model are like, whatever they are used for.

| function | tells |
| --- | --- |
| `compute_token_diversity` | how different the tokens of a text are |
| `compute_layer_similarity` | how alike what two layers say is (CKA) |
| `compute_attention_entropy` | how widely each head looks around |
| `compute_effective_dimensionality` | over how many directions the states spread |
| `compute_effective_rank` | the same of a matrix as it stands |
| `compute_representation_geometry` | these and more of one layer: anisotropy, lengths, intrinsic dimension |
| `detect_mode_collapse` | whether states have become all alike, over layers or checkpoints |
| `measure_representation_stability` | how far states move if the text changes a little |
"""

from mini_bert.evaluation.representations.attention import AttentionEntropy, compute_attention_entropy
from mini_bert.evaluation.representations.collapse import CollapseVerdict, detect_mode_collapse
from mini_bert.evaluation.representations.dimensions import (
    compute_effective_dimensionality,
    compute_effective_rank,
)
from mini_bert.evaluation.representations.directions import compute_token_diversity
from mini_bert.evaluation.representations.geometry import Geometry, compute_representation_geometry
from mini_bert.evaluation.representations.similarity import compute_layer_similarity, linear_cka
from mini_bert.evaluation.representations.stability import Stability, measure_representation_stability

__all__ = [
    "AttentionEntropy",
    "CollapseVerdict",
    "Geometry",
    "Stability",
    "compute_attention_entropy",
    "compute_effective_dimensionality",
    "compute_effective_rank",
    "compute_layer_similarity",
    "compute_representation_geometry",
    "compute_token_diversity",
    "detect_mode_collapse",
    "linear_cka",
    "measure_representation_stability",
]
