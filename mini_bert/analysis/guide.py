"""The guide's names for analyses: each leads to the one there is, and what comes back draws itself.

explorer = MathematicalExplorer(model)
explorer.step_through_forward_pass("The cat sat on the mat.")
create_attention_heatmap(model, "The cat sat on the mat.", layer=1, head=2).save("head.png")
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mini_bert.analysis.attention import AttentionWeights, HeadWeights, attention
from mini_bert.analysis.attention_computation import AttentionComputation, attention_computation
from mini_bert.analysis.feed_forward import FeedForwardPatterns, feed_forward_patterns, patterns_of_states
from mini_bert.analysis.forward_steps import ForwardSteps, forward_steps
from mini_bert.analysis.geometry import RepresentationGeometry, geometry_of_layers, representation_geometry
from mini_bert.analysis.given_arrays import (
    Batch,
    GradientsAtStep,
    gradients_at_step,
    history_of_params,
    lesson_from,
)
from mini_bert.analysis.gradient_flow import GradientFlow, gradient_flow
from mini_bert.analysis.history import Course
from mini_bert.analysis.landscape import (
    POINTS_ALONG,
    REACH,
    LossLine,
    LossSurface,
    distances,
    filter_normalized,
    loss_surface,
    losses_on,
)
from mini_bert.analysis.layer_norms import LayerNorms, as_rows, of_arrays
from mini_bert.analysis.loss_components import LossComponents, loss_components
from mini_bert.analysis.neighbours import NearestWords, SelfSimilarity, nearest_words, self_similarity
from mini_bert.analysis.rate_sensitivity import RATES, RateSensitivity, rate_sensitivity
from mini_bert.analysis.reading import read
from mini_bert.analysis.update_sizes import UpdateSizes, logged_updates, updates_between
from mini_bert.analysis.weight_evolution import WeightEvolution, evolution_of, weight_evolution
from mini_bert.core.functions.norm import layer_norm
from mini_bert.data.world import texts as stories
from mini_bert.diagnosis.diagnosis import Diagnosis, diagnose
from mini_bert.errors import unknown
from mini_bert.evaluation.representations.stability import Stability, measure_representation_stability
from mini_bert.models.mini import MiniBERT
from mini_bert.models.names import dotted, short
from mini_bert.pretrained.loading import load

UNSEEN_STORIES, STORIES = 7919, 4
"""The seed of stories that no run trains on, and how many a loss is asked of when no text is given."""


def visualize_attention_patterns(
    attention_weights: Any, tokens: Sequence[str], layer: int = 0, head: int = 0
) -> HeadWeights:
    """One head's weights, from those of all layers (L, A, T, T), of one layer (A, T, T), or of the head (T, T)."""
    weights = np.asarray(attention_weights)
    if weights.ndim not in (2, 3, 4) or weights.shape[-2:] != (len(tokens), len(tokens)):
        raise ValueError(
            f"attention weights of shape {weights.shape} for {len(tokens)} tokens: give (layers, heads, tokens, tokens)"
        )
    for name, number, size in (("layer", layer, weights.shape[-4:-3]), ("head", head, weights.shape[-3:-2])):
        if size and not 0 <= number < size[0]:
            raise ValueError(f"{name} {number}: the weights are of {name}s 0 to {size[0] - 1}")
    of_layer = weights[layer] if weights.ndim == 4 else weights
    return HeadWeights(layer, head, tuple(tokens), of_layer[head] if of_layer.ndim == 3 else of_layer)


def create_attention_heatmap(model: MiniBERT, text: str, layer: int = 0, head: int = 0) -> HeadWeights:
    """A[i, j] = softmax(Q_i · K_j / √D): how much each token of a text looks at each other, in one head"""
    return attention(model, text).head(layer, head)


def plot_gradient_flow(gradients: Mapping[str, Any], step: int | None = None) -> GradientsAtStep:
    """The sizes of gradients by layer and kind of part, at a step of training."""
    return gradients_at_step(gradients, step)


def analyze_gradient_magnitudes_by_layer(gradients: Mapping[str, Any]) -> GradientsAtStep:
    """The same without a step: which layers learn, and which have nothing to learn from."""
    return gradients_at_step(gradients)


def analyze_weight_evolution(
    params_history: Iterable[Any], steps: Sequence[int] | None = None
) -> WeightEvolution:
    """How weights move, from models or from weights by name at several steps."""
    return evolution_of(history_of_params(params_history, steps))


def track_weight_changes(model_checkpoints: Course) -> WeightEvolution:
    """The same over a run's checkpoints, by its folder, or over models in their order."""
    return weight_evolution(model_checkpoints)


def analyze_loss_landscape(
    model: MiniBERT, data_batch: Batch, param_name: str | None = None, *, reach: float = REACH, seed: int = 0
) -> LossLine | LossSurface:
    """The loss around a model: over a plane of random directions, or along one in which a single weight moves."""
    lesson = lesson_from(model, data_batch)
    if param_name is None:
        return loss_surface(model, lesson, reach=reach, seed=seed)
    name = dotted(param_name)
    if name not in model.arena:
        raise ValueError(unknown("weight", param_name, [*map(short, model.arena), *model.arena]))
    drawn, direction = filter_normalized(model, seed), model.arena.zeros_like()
    direction[name][...] = drawn[name]
    if not direction.flat.any():
        raise ValueError(f"{param_name}: gains and biases stay in a landscape; choose a matrix or a table")
    x = distances(reach, POINTS_ALONG)
    losses = losses_on(model, lesson, x[:, None], [direction.flat])
    return LossLine(x, losses, f"distance along a random direction of {short(name)}", ((0.0, "model"),))


def analyze_learning_rate_sensitivity(
    model: MiniBERT, data_batch: Batch, lr_range: Sequence[float] = RATES, *, steps: int = 1
) -> RateSensitivity:
    """The loss after a step, or some, at each of several learning rates."""
    return rate_sensitivity(model, lesson_from(model, data_batch), rates=lr_range, steps=steps)


def analyze_representation_geometry(hidden_states: Any) -> RepresentationGeometry:
    """Of the states (N, H) or (B, T, H) of one layer, or a list of those of several."""
    several = isinstance(hidden_states, list | tuple) or np.ndim(hidden_states) == 4
    return geometry_of_layers(hidden_states if several else [hidden_states])


class MathematicalAnalyzer:
    """Parts of the model by themselves, on arrays that are at hand."""

    def __init__(self, model: MiniBERT | None = None) -> None:
        self.model = model

    def analyze_attention_computation(self, Q: Any, K: Any, V: Any) -> AttentionComputation:
        """softmax(Q Kᵀ / √D) V, step by step"""
        return attention_computation(Q, K, V)

    def analyze_layer_norm_statistics(self, x: Any, gamma: Any, beta: Any) -> LayerNorms:
        """What y = γ (x − μ)/σ + β does to states (..., H), and to gradients on their way back."""
        states, gains, shifts = (np.asarray(one, np.float64) for one in (x, gamma, beta))
        if gains.shape != states.shape[-1:] or shifts.shape != gains.shape:
            raise ValueError(
                f"x {states.shape}, gamma {gains.shape}, beta {shifts.shape}: give x (..., H), and H numbers in both"
            )
        rows, eps = as_rows(states), 1e-12
        y, x_hat, _ = layer_norm(rows, gains, shifts, eps)
        found = of_arrays("layer norm", "", rows, y, x_hat, gains, shifts, eps, rms=False)
        return LayerNorms(tuple(map(str, range(len(rows)))), (found,))

    def analyze_ffn_activation_patterns(self, x: Any, layer: int = 0) -> FeedForwardPatterns:
        """How one layer's feed-forward units answer to states (B, T, H), or to a text or several."""
        if self.model is None:
            raise ValueError("the units of which model? MathematicalAnalyzer(model)")
        if isinstance(x, str) or (isinstance(x, Sequence) and all(isinstance(one, str) for one in x)):
            found = feed_forward_patterns(self.model, [x] if isinstance(x, str) else x)
            if not 0 <= layer < len(found):
                raise ValueError(f"layer {layer}: the model has layers 0 to {len(found) - 1}")
            return FeedForwardPatterns(found.tokens, (found[layer],))
        patterns = patterns_of_states(self.model, x, layer)
        return FeedForwardPatterns(patterns.tokens, (patterns,))


class MathematicalExplorer:
    """A model and a text, seen from inside."""

    def __init__(self, model: MiniBERT) -> None:
        self.model = model

    def explore_attention_heads(self, text: str) -> AttentionWeights:
        """Where each head looks."""
        return attention(self.model, text)

    def step_through_forward_pass(self, text: str) -> ForwardSteps:
        """Every step from the tokens to the logits, with its equation and its numbers."""
        return forward_steps(read(self.model, text))

    def analyze_gradient_flow(self, text: str) -> GradientFlow:
        """The gradient on its way back, if every token is to be told itself."""
        return gradient_flow(self.model, text)

    def compare_layer_representations(self, text: str) -> RepresentationGeometry:
        """Where the words stand in each layer, and how alike layers are."""
        return representation_geometry(self.model, [text])


class TrainingAnalyzer:
    """A run, by its folder. `texts` are what its loss is taken apart on: unseen stories, if none are given."""

    def __init__(self, run: str | Path, texts: Sequence[str] | None = None) -> None:
        self.run = Path(run)
        self.texts = list(stories(STORIES, seed=UNSEEN_STORIES)) if texts is None else list(texts)

    def plot_loss_components(self) -> LossComponents:
        """How many nats of the loss attention, feed-forward layers and embeddings take away, at the best checkpoint."""
        model = load(self.run)
        return loss_components(model, lesson_from(model, self.texts))

    def analyze_parameter_updates(self) -> UpdateSizes:
        """Which layers learn fastest: by the log if steps were inspected, else by the checkpoints."""
        try:
            return logged_updates(self.run)
        except ValueError:
            return updates_between(self.run, by_layer=True)

    def detect_training_issues(self) -> Diagnosis:
        """What is wrong with the run, the likeliest cause first; `.is_healthy` if nothing is."""
        return diagnose(self.run)


class RepresentationAnalyzer:
    """What words are to a model, layer by layer."""

    def __init__(self, model: MiniBERT) -> None:
        self.model = model

    def analyze_representation_geometry(self, texts: Sequence[str]) -> RepresentationGeometry:
        """The words of texts in each layer's plane of most variance, and the figures of each layer."""
        return representation_geometry(self.model, texts)

    def find_nearest_words(
        self, text: str, word: str | int, texts: Sequence[str], top: int = 5
    ) -> NearestWords:
        """The words of other texts that are nearest to one of this text, in each layer."""
        return nearest_words(self.model, text, word, texts, top=top)

    def compare_contexts(self, word: str, texts: Sequence[str]) -> SelfSimilarity:
        """How much a word stays itself from text to text."""
        return self_similarity(self.model, word, texts)

    def measure_representation_stability(self, perturbations: Any) -> Stability:
        """How far small changes of texts move what is made of them."""
        return measure_representation_stability(self.model, perturbations)
