"""The figures of a run: few numbers that mean the same in every run, whatever its model, text and learning rate."""

from __future__ import annotations

from typing import Literal, NamedTuple

Scale = Literal["ratio", "replay", "loss", "nats", "share", "count"]
RATIOS: tuple[Scale, ...] = ("ratio", "replay", "loss")


class Figure(NamedTuple):
    """A measured number, the step it was measured at, and where in the model, if that matters."""

    value: float
    step: int | None = None
    where: str = ""


class Meaning(NamedTuple):
    """What a figure says, and on which scale two of them are compared: by their ratio or by their difference.

    Two kinds of ratios hardly vary: `replay`, of a logged number and the recomputed one, and `loss`, of a loss to ln V.
    """

    title: str
    scale: Scale


Figures = dict[str, Figure]

MEANINGS = {
    "first_loss": Meaning("first loss / ln V", "loss"),
    "worst_loss": Meaning("highest later loss / ln V", "loss"),
    "progress": Meaning("way from guessing (0) to word frequencies (1) that the loss has gone", "share"),
    "rebound": Meaning("last loss − lowest loss", "nats"),
    "climb": Meaning("last loss − lowest mean loss of as many lines", "nats"),
    "gap": Meaning("held-out loss − training loss", "nats"),
    "not_finite": Meaning("steps whose loss or gradient was not finite", "count"),
    "epochs": Meaning("times the text was read", "ratio"),
    "first_norm": Meaning("first gradient norm", "ratio"),
    "norm_growth": Meaning("gradient norm, last quarter / first quarter", "ratio"),
    "largest_update": Meaning("largest |change of the weights| / |weights| in a step", "ratio"),
    "path": Meaning("Σ |change of the weights| / |weights| over the run", "ratio"),
    "depth": Meaning("first gradient of the first layer / of the last layer", "ratio"),
    "stillest": Meaning("smallest gradient of a layer / of the whole model", "ratio"),
    "stride": Meaning("length of a step at the highest learning rate / first weights", "ratio"),
    "size": Meaning("matrices of the encoder, now / at first", "ratio"),
    "attention": Meaning("attention entropy / ln T, mean of all heads", "share"),
    "dead": Meaning("feed-forward units that are never positive, worst layer, mostly", "share"),
    "hidden": Meaning("asked words that show [MASK], beside what the settings say", "share"),
    "kept": Meaning("asked words that show the true word, beside what the settings say", "share"),
    "unknown": Meaning("words that are [UNK]", "share"),
    "repeated": Meaning("rows that were there before", "share"),
    "replayed_loss": Meaning("loss of the same text by sound code − logged loss", "nats"),
    "replayed_norm": Meaning("logged gradient norm / that by sound code", "replay"),
    "replayed_update": Meaning("logged change of the weights / that by sound code", "replay"),
    "uncorrected_update": Meaning(
        "logged change of the weights / that without bias correction, worst fit", "replay"
    ),
    "replayed_exam": Meaning("held-out loss by sound code − logged", "nats"),
    "replayed_attention": Meaning("attention entropy, logged − by sound code, largest", "nats"),
    "turned_attention": Meaning("attention entropy, logged − by softmax over queries, largest", "nats"),
    "shifted": Meaning("accuracy at the neighbouring word − at the asked word", "share"),
}
