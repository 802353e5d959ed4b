"""The runs of a research question: each variant with several seeds, trained once, and examined on the same rows.

    args = arguments("Does width help?")
    by_variant = trained("width", {"wide": {"model": {"hidden_size": 128}}}, args)
    by_variant["wide"]                   # a Finished run for each seed; BASE is small.yaml as it stands

All five questions share a folder, and the base in it: what is finished there is not trained again.
"""

import argparse
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from mini_bert import MiniBERT, TrainingConfig, from_pretrained
from mini_bert.experiments.common_exam import RowScores
from mini_bert.experiments.experiment import BASE, Experiment
from mini_bert.experiments.ground import Ground
from mini_bert.experiments.search import Search
from mini_bert.plots.series import Series
from mini_bert.run_reports.history import lines_of, series
from mini_bert.training.run_folder import RunFolder

SMALL = Path(__file__).with_name("small.yaml")
SMOKE = {"steps": 6, "corpus": ["world:300"], "held_out": ["world:60"], "exam_rows": 16}


class Finished(NamedTuple):
    """A run, and what it scored in the common exam."""

    folder: RunFolder
    rows: RowScores

    @property
    def loss(self) -> float:
        """−ln p(hidden word), in nats"""
        return float(self.rows.loss.sum() / self.rows.asked.sum())

    @property
    def found(self) -> float:
        """The share of hidden words that were guessed right."""
        return float(self.rows.found.sum() / self.rows.asked.sum())

    @property
    def held_out(self) -> Series:
        """The loss on held-out text over the steps."""
        return series(lines_of(self.folder), "held_out_loss")

    def model(self) -> MiniBERT:
        return from_pretrained(self.folder.checkpoints / "last")


def arguments(question: str) -> argparse.Namespace:
    """The options that all experiments have."""
    parser = argparse.ArgumentParser(description=question)
    parser.add_argument(
        "--out", type=Path, default=Path("runs/research"), help="the runs, shared by all five questions"
    )
    parser.add_argument("--seeds", type=int, default=3, help="runs of each variant")
    parser.add_argument(
        "--parallel", type=int, default=os.cpu_count() or 1, help="runs at a time, one core each"
    )
    parser.add_argument(
        "--keep", action="store_true", help="write the figure beside the script, the table into README.md"
    )
    parser.add_argument(
        "--smoke", action="store_true", help="six steps, one seed, two variants: does it run?"
    )
    return parser.parse_args()


def trained(name: str, variants: Mapping[str, Any], args: argparse.Namespace) -> dict[str, list[Finished]]:
    """Every variant with every seed, the base first; ValueError if a run came to nothing."""
    seeds = range(1 if args.smoke else args.seeds)
    if args.smoke:
        variants = dict(list(variants.items())[:1])
    with_seed = {
        f"{variant}-seed-{seed}": {**changes, "seed": seed}
        for variant, changes in variants.items()
        for seed in seeds
    }
    asked = {"seed": {str(seed): {"seed": seed} for seed in seeds if seed}, name: with_seed}
    experiments = [
        Experiment.parse({"name": key, "question": name, "variants": some})
        for key, some in asked.items()
        if some
    ]
    ground = smoke_ground(args.out) if args.smoke else Ground(base=str(SMALL), exam_seed=0)
    search = Search(experiments, ground, args.out)
    search.train(args.parallel)
    search.examine()
    if search.troubles:
        raise ValueError("\n".join(f"{trial}: {trouble}" for trial, trouble in search.troubles.items()))
    done = {trial.name: Finished(trial.run, search.kept(trial).of()) for trial in search.trials}
    return {
        BASE: [done["seed." + str(seed) if seed else BASE] for seed in seeds],
        **{variant: [done[f"{name}.{variant}-seed-{seed}"] for seed in seeds] for variant in variants},
    }


def smoke_ground(out: Path) -> Ground:
    """A few steps of the base on little text, with a checkpoint after every second one."""
    base = out / "smoke.yaml"
    base.parent.mkdir(parents=True, exist_ok=True)
    config = TrainingConfig.named(str(SMALL), {"saving": {"every": 2, "keep": 3}})
    base.write_text(yaml.safe_dump(config.model_dump()), "utf-8")
    return Ground(base=str(base), **SMOKE)
