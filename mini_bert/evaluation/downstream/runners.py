"""The runs of a contest, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mini_bert.evaluation.downstream.sweep import Sweep, Tried, tried
from mini_bert.finetuning.config import FinetuningConfig
from mini_bert.finetuning.encoded import EncodedTask
from mini_bert.finetuning.learning import Finetuned, finetune
from mini_bert.finetuning.side_by_side import Run, side_by_side
from mini_bert.models.mini import MiniBERT
from mini_bert.reports import Report

MODEL, TWIN = "model", "random_model"
TOLD = {MODEL: "pretrained", TWIN: "without pretraining"}


@dataclass(frozen=True)
class Runners:
    """All runs of a contest; each has one worker, if there are several, so that it is the same beside others."""

    model: MiniBERT
    config: FinetuningConfig
    seeds: tuple[int, ...]
    at_once: int | None

    def sweeps(
        self, trials: EncodedTask, contestants: Sequence[str], rates: Sequence[float], report: Report
    ) -> dict[str, Sweep]:
        def trial(key: str, rate: float) -> Run[Tried]:
            return lambda report: tried(
                self.model,
                trials,
                self.config.changed(learning_rate=rate),
                self.seeds[0],
                prefixed(report, f"trying rate {rate:g}, {TOLD[key]}: "),
                pretrained=key == MODEL,
            )

        asked = [(key, rate) for key in contestants for rate in rates]
        found = side_by_side([trial(*one) for one in asked], report, self.at_once)
        return {
            key: Sweep(tuple(one for (whose, _), one in zip(asked, found, strict=True) if whose == key))
            for key in contestants
        }

    def finals(
        self, material: EncodedTask, chosen: Mapping[str, float | None], report: Report
    ) -> dict[str, list[Finetuned]]:
        asked = [(key, seed) for key in chosen for seed in self.seeds]
        workers = 1 if len(asked) > 1 else None

        def final(key: str, seed: int) -> Run[Finetuned]:
            told_seed = f", seed {seed}" if len(self.seeds) > 1 else ""
            return lambda report: finetune(
                self.model,
                material,
                self.config.changed(learning_rate=chosen[key]),
                seed=seed,
                pretrained=key == MODEL,
                workers=workers,
                report=prefixed(report, f"{TOLD[key]}{told_seed}: "),
            )

        runs = [final(*one) for one in asked]
        found = side_by_side(runs, report, self.at_once) if len(runs) > 1 else [runs[0](report)]
        return {key: found[i * len(self.seeds) : (i + 1) * len(self.seeds)] for i, key in enumerate(chosen)}


def prefixed(report: Report, told: str) -> Report:
    """The same report, in which each note says first what it is about."""
    return lambda done, note: report(done, f"{told}{note}")
