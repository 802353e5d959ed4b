"""Findings as plain numbers, with the same names for every task."""

from __future__ import annotations

from typing import Any

import numpy as np

from mini_bert.evaluation.estimate import Estimate, over_seeds
from mini_bert.evaluation.probing.findings import Findings
from mini_bert.evaluation.probing.settings import Settings


def figures_of(found: Findings, settings: Settings) -> dict[str, Any]:
    """`accuracy` is that of the probe that speaks for the task, on test, at the layer that dev chose."""
    task, layer = found.task, found.layer
    random = found.random[found.random_layer]
    told, common = found.majority, found.most_frequent
    accuracy = found.accuracy(found.speaking[layer])
    figures: dict[str, Any] = {
        "task": task.name,
        "source": task.source,
        "pooling": settings.pooling,
        "seeds": settings.seeds,
        "classes": list(task.classes),
        "examples": {"train": len(task.train), "dev": len(task.dev), "test": len(task.test)},
        "layer": layer,
        "probe": found.kind,
        "accuracy": accuracy.value,
        "interval": ends(accuracy),
        "majority": found.told(told).value,
        "most_frequent": found.told(common).value,
        "random_model": found.accuracy(random).value,
        "random_layer": found.random_layer,
        **beside(found, layer),
        "layers": [of_layer(found, number) for number in found.speaking],
    }
    if task.name == "entities":
        f1 = found.f1([one.test for one in found.speaking[layer]])
        figures |= {
            "f1": f1.value,
            "f1_interval": ends(f1),
            "majority_f1": found.f1([told]).value,
            "random_model_f1": found.f1([one.test for one in random]).value,
            "mlp_f1": found.f1([one.test for one in found.probes["mlp"][layer]]).value,
        }
    for name, mask in (("ambiguous", found.ambiguous), ("new", found.unseen)):
        if mask.any():
            figures[name] = {
                "examples": int(mask.sum()),
                "accuracy": found.accuracy(found.speaking[layer], mask).value,
                found.other: found.accuracy(found.probes[found.other][layer], mask).value,
                "majority": found.told(told, mask).value,
                "random_model": found.accuracy(random, mask).value,
            }
    if found.codes:
        figures["mdl"] = {
            "kbit": over_seeds([code.bits / 1000 for code in found.codes[layer]]).value,
            "compression": over_seeds([code.compression for code in found.codes[layer]]).value,
            "control_compression": over_seeds([code.compression for code in found.control_codes]).value,
            "random_model_compression": over_seeds([code.compression for code in found.random_codes]).value,
            "uniform_kbit": found.codes[layer][0].uniform / 1000,
        }
    return figures


def beside(found: Findings, layer: int) -> dict[str, float]:
    """The other kind of probe, and the control task of both."""
    other = found.other
    return {
        "control": found.control_accuracy(layer, found.kind).value,
        "selectivity": found.selectivity(layer, found.kind).value,
        other: found.accuracy(found.probes[other][layer]).value,
        f"{other}_control": found.control_accuracy(layer, other).value,
        f"{other}_selectivity": found.selectivity(layer, other).value,
    }


def of_layer(found: Findings, layer: int) -> dict[str, Any]:
    accuracy = found.accuracy(found.speaking[layer])
    figures: dict[str, Any] = {
        "layer": layer,
        "accuracy": accuracy.value,
        "interval": ends(accuracy),
        "dev": float(np.mean([one.dev for one in found.speaking[layer]])),
        "random_model": found.accuracy(found.random[layer]).value,
    }
    if found.task.name == "entities":
        figures["f1"] = found.f1([one.test for one in found.speaking[layer]]).value
    if layer in found.probes[found.other]:
        figures |= beside(found, layer)
    if layer in found.codes:
        codes = found.codes[layer]
        figures["kbit"] = over_seeds([code.bits / 1000 for code in codes]).value
        figures["compression"] = over_seeds([code.compression for code in codes]).value
    return figures


def ends(one: Estimate) -> list[float] | None:
    return None if one.low is None or one.high is None else [one.low, one.high]
