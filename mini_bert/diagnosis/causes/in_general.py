"""What remains if no other cause explains it: something was computed, but not as it is here; or the loss climbs."""

from __future__ import annotations

from math import inf

from mini_bert.diagnosis.bands import Band
from mini_bert.diagnosis.causes import in_data, in_models, in_steps
from mini_bert.diagnosis.causes.cause import Cause, Evidence, Look, Weight
from mini_bert.diagnosis.causes.in_settings import learning_rate_too_high

EXACT = {
    "replayed_attention": Band(-inf, 0.01),
    "replayed_exam": Band(-0.01, 0.01),
    "replayed_update": Band(1 / 1.1, 1.1),
}
"""The same weights, moments and words give the same numbers: another machine changes the sixth digit."""
COMPARED = ("replayed_loss", "replayed_norm")
SHORT_WINDOW = 0.1
"""Of the steps so far. A line is a mean over its steps; one over much of the run is of a model that has long gone."""
CLIMBED = 1.0
"""Nats: the model gives the right words less than e⁻¹ = 0.37 of the probability that it gave them before."""


def computed_otherwise(look: Look) -> list[Evidence]:
    """Any recomputed number that is not the logged one, unless a cause that says more has it for its evidence."""
    found = [entry for name, band in EXACT.items() for entry in look.beyond(name, band)]
    if is_steady(look):
        found += [entry for name in COMPARED for entry in look.outside(name)]
    special = (*in_data.CAUSES, *in_steps.CAUSES, *in_models.CAUSES)
    explained = {entry.name for cause in special for entry in cause.evidence(look)}
    return [entry for entry in found if entry.name not in explained]


def loss_climbs(look: Look) -> list[Evidence]:
    """At its end the run is worse than it was, for longer than chance could make it, and the rate does not say why."""
    return [] if learning_rate_too_high(look) else look.above("climb", CLIMBED)


def is_steady(look: Look) -> bool:
    """Whether the loss and the gradient of other batches must be like those of the last ones."""
    replayed = look.case.figures.get("replayed_loss")
    if replayed is None or not replayed.step:
        return False
    if learning_rate_too_high(look) or loss_climbs(look) or look.burst():
        return False
    return look.case.config.logging.every <= SHORT_WINDOW * replayed.step


CAUSES = (
    Cause(
        "computed-otherwise",
        "The run was not computed as this package computes it",
        Weight.RECOMPUTED,
        "From the same weights, moments and text, sound code gets other numbers than the run has logged: its forward"
        " pass, its gradients or its optimizer do something else than the settings say.",
        "Compare the code of the run with that of this package, part by part: attention scores are divided by √D,"
        " `mini-bert gradcheck` proves gradients. Or the package has changed since: train again.",
        computed_otherwise,
        is_general=True,
    ),
    Cause(
        "loss-climbs",
        "The loss climbs: the model was better before",
        Weight.SYMPTOM,
        "Steps lead uphill. Their sign is wrong, or they are too long for the place that the weights have come to: the"
        " learning rate rises, or its warm-up was too short. Or what is asked has become harder by that much: other"
        " text, or more hidden words.",
        "Look at the step where the loss is lowest: what changes there, the text, the learning rate, or what is hidden?"
        " Check that updates are subtracted. Then go back to the best checkpoint (checkpoints/best), and on with a"
        " third of optimizer.learning_rate and a longer schedule.warmup.",
        loss_climbs,
        is_general=True,
    ),
)
