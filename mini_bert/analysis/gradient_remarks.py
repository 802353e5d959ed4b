"""What stands out in a flow of gradients, in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from mini_bert.analysis.gradient_flow import ActivationGradient, GradientFlow

MANY_TIMES, ABOUT = 8.0, 4.0
"""A layer that changes the gradient so much is told; sizes that differ by less than ABOUT explain one another."""
SATURATED = 1e-3
NOTHING = 1e-6
"""Of the whole gradient: what a weight with less gets is nothing but rounding."""


def remarks(flow: GradientFlow) -> list[str]:
    return [*where_it_goes(flow), *size_changes(flow), *saturated_attention(flow), *without_gradient(flow)]


def where_it_goes(flow: GradientFlow) -> Iterator[str]:
    """Shares of ‖g‖², which add up, as norms do not."""
    if not flow.norm > 0 or flow.norm == float("inf"):
        return
    shares: dict[str, float] = {}
    for weight in flow.weights:
        shares[weight.kind] = shares.get(weight.kind, 0.0) + (weight.norm / flow.norm) ** 2
    told = ", ".join(
        f"{share:.0%} {kind}"
        for kind, share in sorted(shares.items(), key=lambda one: -one[1])
        if share >= 0.005
    )
    yield f"Of the gradient of all weights (‖g‖²): {told}."


def size_changes(flow: GradientFlow) -> Iterator[str]:
    """Layers in which the gradient grows or shrinks a lot, and whether the size of their numbers explains it."""
    for above, below in zip(flow.stream, flow.stream[1:], strict=False):
        if not above.norm > 0 or not below.norm > 0:
            continue
        ratio = below.norm / above.norm
        if 1 / MANY_TIMES < ratio < MANY_TIMES:
            continue
        told = f"{ratio:,.0f} times as large" if ratio > 1 else f"{ratio:.2g} of what it was"
        yield f"In layer {above.layer} the gradient becomes {told} on its way down{reason(above, below, ratio)}."


def reason(above: ActivationGradient, below: ActivationGradient, ratio: float) -> str:
    if not above.activation_rms or not below.activation_rms:
        return ""
    sizes = above.activation_rms / below.activation_rms
    if not 1 / ABOUT < ratio / sizes < ABOUT:
        return ""
    return (
        f", because the layer reads numbers of {below.activation_rms:.2g} and says numbers of "
        f"{above.activation_rms:.2g}: the smaller a number, the more a change of it matters"
    )


def saturated_attention(flow: GradientFlow) -> Iterator[str]:
    """Layers whose softmax lets next to nothing through: heads that are sure where to look."""
    norms = {one.dotted: one.norm for one in flow.activations}
    for dotted, norm in norms.items():
        if not dotted.endswith(".attn.scores"):
            continue
        weights = norms.get(dotted.replace(".scores", ".probs"), 0.0)
        if weights > 0 and norm < SATURATED * weights:
            layer = dotted.split(".layers.")[1].split(".")[0]
            yield (
                f"Attention in layer {layer} is sure where to look: {norm / weights:.1g} of the gradient at its "
                "weights passes the softmax, so that Q and K hardly learn from this."
            )


def without_gradient(flow: GradientFlow) -> Iterator[str]:
    """Key biases add the same to all scores of a query, which softmax does not see."""
    still = [weight.name for weight in flow.weights if weight.norm < NOTHING * flow.norm]
    keys = [name for name in still if name.startswith("b_K_")]
    if keys:
        yield f"{keys[0]} and its like have no gradient but rounding: a key's bias changes all scores alike."
    others = [name for name in still if name not in keys]
    if others:
        shown = ", ".join(others[:4]) + (f" and {len(others) - 4} more" if len(others) > 4 else "")
        yield f"Next to no gradient: {shown}."
