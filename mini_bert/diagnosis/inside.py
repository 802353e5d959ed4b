"""Figures from the inspections in metrics.jsonl: layers, attention, units, and what the batches show and ask."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, isfinite, sqrt
from statistics import fmean, median
from typing import Any

from mini_bert.diagnosis.curves import Line
from mini_bert.diagnosis.figures import Figure, Figures
from mini_bert.training.config_groups import MaskingConfig

Layers = dict[str, dict[str, float]]
ENCODER = "encoder.layers."
ENOUGH_ASKED = 600
"""Asked words, for shares of them to be worth a judgement."""


def figures_from_inside(lines: Sequence[Line], masking: MaskingConfig) -> Figures:
    inspected = [line for line in lines if line.get("inspection") and is_whole(line["inspection"])]
    if not inspected:
        return {}
    return {
        **of_updates(inspected),
        **of_layers(inspected),
        **of_activity(inspected),
        **of_data(inspected, masking),
    }


def is_whole(inspection: dict[str, Any]) -> bool:
    """Whether all numbers of its layers were finite: JSON has null for the others."""
    return all(value is not None for layer in inspection["layers"].values() for value in layer.values())


def of_updates(inspected: Sequence[Line]) -> Figures:
    ratios = [total_update(line["inspection"]["layers"]) for line in inspected]
    largest = max(range(len(ratios)), key=ratios.__getitem__)
    last = inspected[-1]["step"]
    return {
        "largest_update": Figure(ratios[largest], inspected[largest]["step"]),
        "path": Figure(fmean(ratios) * last, last),
    }


def total_update(layers: Layers) -> float:
    """|Δw| / |w| of all layers together."""
    return norm_of_change(layers) / max(
        sqrt(sum(layer["weight_norm"] ** 2 for layer in layers.values())), 1e-30
    )


def norm_of_change(layers: Layers) -> float:
    return sqrt(sum((layer["update_ratio"] * layer["weight_norm"]) ** 2 for layer in layers.values()))


def of_layers(inspected: Sequence[Line]) -> Figures:
    """How the gradient is spread over the depth."""
    all_layers = [line["inspection"]["layers"] for line in inspected]
    last = inspected[-1]["step"]
    stillest: dict[str, float] = {}
    for layers in all_layers:
        whole = sqrt(sum(layer["gradient_norm"] ** 2 for layer in layers.values()))
        for name, layer in layers.items():
            share = layer["gradient_norm"] / max(whole, 1e-30)
            stillest[name] = max(stillest.get(name, 0.0), share)
    found = {}
    encoders = sorted((name for name in stillest if name.startswith(ENCODER)), key=depth_of)
    if encoders:
        name = min(encoders, key=stillest.__getitem__)
        found["stillest"] = Figure(stillest[name], last, name)
    if len(encoders) > 1:
        top, bottom = encoders[-1], encoders[0]
        layers = all_layers[0]
        ratio = layers[bottom]["gradient_norm"] / max(layers[top]["gradient_norm"], 1e-30)
        found["depth"] = Figure(ratio, inspected[0]["step"])
    return found


def depth_of(layer: str) -> int:
    return int(layer.removeprefix(ENCODER))


def of_activity(inspected: Sequence[Line]) -> Figures:
    found = {}
    last = inspected[-1]
    inspection = last["inspection"]
    heads = [head for layer in inspection["attention_entropy"] for head in layer]
    if heads and all(head is not None and isfinite(head) for head in heads):
        found["attention"] = Figure(fmean(heads) / inspection["most_entropy"], last["step"])
    if inspection["dead_units"]:
        dead = [
            median(shares)
            for shares in zip(*(line["inspection"]["dead_units"] for line in inspected), strict=True)
        ]
        worst = max(range(len(dead)), key=dead.__getitem__)
        found["dead"] = Figure(dead[worst], last["step"], f"{ENCODER}{worst}")
    return found


def of_data(inspected: Sequence[Line], masking: MaskingConfig) -> Figures:
    batches, last = [line["inspection"]["data"] for line in inspected], inspected[-1]["step"]
    found = {
        "unknown": Figure(fmean(batch["unknown"] for batch in batches), last),
        "repeated": Figure(median(batch["repeated"] for batch in batches), last),
    }
    if sum(map(asked_words, inspected)) >= ENOUGH_ASKED:
        expected = {"hidden": masking.hidden, "kept": max(0.0, 1 - masking.hidden - masking.replaced)}
        for name, share in expected.items():
            found[name] = Figure(fmean(batch[name] for batch in batches) - share, last)
    return found


def asked_words(line: Line) -> float:
    """How many words the inspected batch asks for; e to the most entropy is T."""
    inspection = line["inspection"]
    return float(inspection["data"]["asked"] * line["batch_size"] * exp(inspection["most_entropy"]))
