"""Have states become all alike? Then nothing that is read from them can tell tokens apart.

    verdict = detect_mode_collapse([states_at_step_100, states_at_step_200, ...])
    verdict.collapsed, verdict.reasons

The history may go over checkpoints of a run, at one layer, or over the layers of a model. Early in training, and in
sound models, diversity is above 0.4 and variance lies in four directions or more; the thresholds keep well away.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mini_bert.core.array import Array
from mini_bert.evaluation.representations.dimensions import compute_effective_dimensionality
from mini_bert.evaluation.representations.directions import compute_token_diversity
from mini_bert.evaluation.representations.tokens import as_tokens, centred

LEAST_DIVERSITY = 0.05
"""Below, two tokens of a text have a cosine of 0.95 on average: the text is one point."""
LEAST_DIMENSIONS = 1.5
"""Below, nearly all variance lies in a single direction."""
LARGEST_FALL = 0.1
"""Of the highest value before: a tenth of it is left."""
LOUD = 0.5


@dataclass(frozen=True)
class CollapseVerdict:
    """Whether the last states have collapsed, why it is thought so, and the figures of each moment, or layer.

    `loudest` is the share of the last states' variance that one of the H numbers has by itself. Large models of others
    have such a number, which hides the rest (Timkey & van Schijndel 2021): then look closer before mourning.
    """

    collapsed: bool
    reasons: tuple[str, ...]
    diversity: tuple[float, ...]
    effective_dimensionality: tuple[float, ...]
    loudest: float


def detect_mode_collapse(hidden_states_history: Sequence[Any], mask: Any = None) -> CollapseVerdict:
    """Collapsed if the last token diversity or effective dimensionality is next to nothing, or a tenth of its highest.

    Each entry of the history is (B, T, H), of the same texts, or (T, H) of one; mask (B, T) leaves padding out.
    """
    if not len(hidden_states_history):
        raise ValueError("the history is empty; give the states of at least one moment")
    return verdict(
        [compute_token_diversity(states, mask) for states in hidden_states_history],
        [compute_effective_dimensionality(states, mask) for states in hidden_states_history],
        as_tokens(hidden_states_history[-1], mask),
    )


def verdict(diversity: Sequence[float], dimensions: Sequence[float], last: Array) -> CollapseVerdict:
    reasons = [
        *fallen("token diversity", diversity, LEAST_DIVERSITY),
        *fallen("effective dimensionality", dimensions, LEAST_DIMENSIONS),
    ]
    variance = (centred(last) ** 2).mean(0)
    loudest = float(variance.max() / variance.sum()) if variance.any() else 0.0
    if reasons and loudest > LOUD:
        reasons.append(
            f"but one number of {len(variance)} has {loudest:.0%} of the variance, and may hide the rest"
        )
    return CollapseVerdict(bool(reasons), tuple(reasons), tuple(diversity), tuple(dimensions), loudest)


def fallen(name: str, values: Sequence[float], least: float) -> list[str]:
    """Why a figure says that states have collapsed; nothing if it does not."""
    last, highest = values[-1], max(values)
    if last < least:
        return [f"{name} is {last:.3g}, below {least:g}"]
    if last < LARGEST_FALL * highest:
        return [f"{name} has fallen from {highest:.3g} to {last:.3g}, below a tenth"]
    return []
