"""The runs of a search: which there must be, and how far each has come.

trials = trials_of([Experiment.named("norm")], ground, Path("search"))
[trial.state for trial in trials]                  # new, unfinished, finished, ...
check_same(trials, ground)                         # refuses runs that were configured otherwise
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

from mini_bert.experiments.experiment import BASE, Experiment
from mini_bert.experiments.ground import Ground
from mini_bert.experiments.sameness import apart, has_vocabulary, told
from mini_bert.run_reports.summary import RunSummary, summary_of
from mini_bert.training.config import TrainingConfig
from mini_bert.training.run_folder import RunFolder

State = Literal["new", "running", "unfinished", "stopped", "finished"]
STOPPED = "(stop)"


@dataclass(frozen=True)
class Trial:
    """One run: the base, or a variant of an experiment."""

    name: str
    config: TrainingConfig
    run: RunFolder

    @cached_property
    def summary(self) -> RunSummary | None:
        """What its folder tells; None if there is no run yet."""
        return summary_of(self.run, self.name) if self.run.is_run else None

    @property
    def state(self) -> State:
        """`stopped`: its guard found numbers that are not finite, and would again."""
        if self.summary is None:
            return "new"
        if self.summary.state in ("running", "finished"):
            return self.summary.state
        return "stopped" if self.trouble else "unfinished"

    @property
    def trouble(self) -> str:
        """Why its guard ended the run, if it did."""
        lines = self.summary.lines if self.summary else []
        troubles = lines[-1].get("troubles", []) if lines else []
        return troubles[-1] if troubles and troubles[-1].endswith(STOPPED) else ""

    @property
    def found_config(self) -> TrainingConfig:
        """As the run in its folder is configured."""
        return TrainingConfig.parse(self.run.settings())


def trials_of(experiments: Sequence[Experiment], ground: Ground, out: Path) -> list[Trial]:
    """The base, then every variant of every experiment; ValueError if one cannot be configured so."""
    base = ground.config()
    trials = [Trial(BASE, base, RunFolder(out / BASE))]
    for experiment in experiments:
        for variant, changes in experiment.variants.items():
            name = experiment.folder_of(variant)
            try:
                config = ground.config(changes)
                config.described_model  # noqa: B018  it is checked when it is made
            except ValueError as error:
                raise ValueError(f"{name}: {error}") from None
            if not apart(base, config):
                raise ValueError(f"{name}: the base ({ground.base}) is so already; change one of them")
            trials.append(Trial(name, config, RunFolder(out / name)))
    return trials


def check_same(trials: Sequence[Trial], ground: Ground) -> None:
    """Refuse a search in which runs are there already that differ from those that would be trained."""
    faults = []
    for trial in trials:
        if trial.state == "new":
            continue
        if trial.state == "running":
            faults.append(f"{trial.run.path}: another process is training here; wait for it")
        elif differences := apart(trial.found_config, trial.config):
            faults.append(f"{trial.run.path}: holds another run ({told(differences)})")
        elif ground.tokenizer is not None and not has_vocabulary(trial.run, ground.tokenizer):
            faults.append(f"{trial.run.path}: holds a run with another vocabulary than {ground.tokenizer}")
    if faults:
        raise ValueError("\n".join([*faults, "choose another --out, or remove what is not wanted"]))
