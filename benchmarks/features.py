"""Every way to train, 500 steps each on the embedded world, in one table: python -m benchmarks.features

Each row is a run of `mini-bert train --config demo` with the settings it names. Scores are those of held-out stories;
losses of different rows are not a contest, for each optimizer has a learning rate of its own and few steps to show it.
A batch ramp has as many tokens as the others, and so more steps. Beside the score in a task about two passages stands
that of one who sees only how long both are, and knows which answer such lengths had in the rows to learn from.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

from mini_bert.core.array import Array
from mini_bert.data.pair_rows import PairRows
from mini_bert.training.config import TrainingConfig
from mini_bert.training.materials import materials
from mini_bert.training.run_folder import RunFolder

ROWS_FOR_LENGTHS = 20_000


class Feature(NamedTuple):
    name: str
    settings: tuple[str, ...] = ()
    chance: float | None = None
    """Of the second task's classes."""
    same_tokens: bool = False
    """As many tokens as the others have in their steps."""


FEATURES = (
    Feature("plain (AdamW)"),
    Feature("Lion", ("optimizer.kind=lion", "optimizer.learning_rate=1e-3")),
    Feature("Muon", ("optimizer.kind=muon", "optimizer.learning_rate=5e-3")),
    Feature("Sophia-G", ("optimizer.kind=sophia", "optimizer.learning_rate=1e-3")),
    Feature("LAMB", ("optimizer.kind=lamb", "optimizer.learning_rate=1e-2")),
    Feature(
        "SGD",
        (
            "optimizer.kind=sgd",
            "optimizer.learning_rate=0.3",
            "optimizer.momentum=0.9",
            "optimizer.weight_decay=0",
        ),
    ),
    Feature("Lookahead", ("averaging.kind=lookahead",)),
    Feature("EMA", ("averaging.kind=ema", "averaging.decay=0.99")),
    Feature("adaptive clipping", ("clipping.kind=adaptive", "clipping.factor=0.1")),
    Feature("layer-wise rates", ("optimizer.layer_decay=0.8",)),
    Feature("batch ramp 8 → 32", ("batch.ramp_from=8", "batch.size=32", "batch.micro=8"), same_tokens=True),
    Feature("curriculum: length", ("curriculum.kind=length",)),
    Feature("curriculum: rarity", ("curriculum.kind=rarity",)),
    Feature("adaptive masking", ("masking.final_share=null", "masking.adaptive=true")),
    Feature("next sentence", ("second_task.kind=next-sentence",), 1 / 2),
    Feature("sentence order", ("second_task.kind=sentence-order",), 1 / 2),
    Feature("token order", ("second_task.kind=token-order",), 1 / 6),
)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--config", default="demo", help="what all rows share")
    parser.add_argument("--only", help="rows whose names contain this")
    options = parser.parse_args()
    chosen = [feature for feature in FEATURES if (options.only or "") in feature.name]
    print("| feature | held-out loss | accuracy | second task (chance; who sees only lengths) | seconds |")
    print("| --- | --- | --- | --- | --- |")
    with TemporaryDirectory() as folder:
        steps, tokens = str(options.steps), str(options.steps * tokens_in_step(options.config))
        for number, feature in enumerate(chosen):
            budget = ("--tokens", tokens) if feature.same_tokens else ("--steps", steps)
            changes = [part for setting in feature.settings for part in ("--set", setting)]
            out = str(Path(folder) / str(number))
            show(feature, train("--config", options.config, *budget, *changes, "--out", out))
        if not options.only:
            go_on(Path(folder), options.steps)
            find_rate(options.config, options.steps)


def tokens_in_step(name: str) -> int:
    config = TrainingConfig.named(name)
    T: int = config.model_config_of(vocab_size=1000).max_seq_length
    return config.batch.size * T


def train(*options: str) -> dict[str, Any]:
    return command("train", *options)


def command(*words: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "mini_bert", *words, "--json"], stdout=subprocess.PIPE, check=True
    )
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def show(feature: Feature, summary: dict[str, Any]) -> None:
    folder = RunFolder(Path(summary["run"]))
    line = list(folder.metrics())[-1]
    second = ""
    if feature.chance is not None:
        by_lengths = accuracy_by_lengths(folder)
        told = "" if by_lengths is None else f"; by lengths {by_lengths:.1%}"
        second = f"{line['held_out_second_accuracy']:.1%} ({feature.chance:.1%}{told})"
    row(feature.name, line["held_out_loss"], line["held_out_accuracy"], second, summary["seconds"])


def accuracy_by_lengths(folder: RunFolder) -> float | None:
    """What the lengths of two passages alone tell of the answer, in the exam of a run; None without passages."""
    config = TrainingConfig.parse(folder.settings())
    made = materials(config, folder.tokenizer)
    if not isinstance(made.rows, PairRows) or not isinstance(made.held_out_pairs, PairRows):
        return None
    exam_rows = min(config.logging.exam_rows, made.held_out_pairs.rows_per_epoch)
    lengths, labels = lengths_and_labels(made.rows, ROWS_FOR_LENGTHS)
    asked, answers = lengths_and_labels(made.held_out_pairs, exam_rows)
    T = made.rows.T
    leaning = np.bincount(lengths @ [T, 1], 2 * labels - 1, T * T)
    return float(((leaning[asked @ [T, 1]] > 0) == answers).mean())


def lengths_and_labels(rows: PairRows, count: int) -> tuple[Array, Array]:
    """Of so many rows, the tokens of both passages (count, 2), and the answers (count,)."""
    numbers = np.arange(count)
    lengths = np.concatenate([rows.sizes(epoch, of_epoch) for epoch, of_epoch in rows.by_epoch(numbers)])
    return lengths, rows.classes_numbered(numbers)


def row(name: str, loss: float, accuracy: float, second: str, seconds: float) -> None:
    print(f"| {name} | {loss:.3f} | {accuracy:.1%} | {second} | {seconds:.1f} |", flush=True)


def go_on(folder: Path, steps: int) -> None:
    """The first run, trained on on other text, in its own vocabulary and in one of the new text."""
    for name, vocabulary in (("its own vocabulary", []), ("a new vocabulary", ["--tokenizer", "learned"])):
        run = folder / name.replace(" ", "-")
        options = [
            "--config",
            "finetuning",
            "--init",
            str(folder / "0"),
            "--corpus",
            "python-docs",
            *vocabulary,
        ]
        summary = train(*options, "--steps", str(steps), "--learning-rate", "1e-3", "--out", str(run))
        facts, line = RunFolder(run).facts(), list(RunFolder(run).metrics())[-1]
        new = f"before {facts['start_held_out_loss']:.3f}"
        old = f"old text {facts['start_old_loss']:.3f} → {line['old_loss']:.3f}"
        told = f"--init on python-docs, {name} ({new}; {old})"
        row(told, line["held_out_loss"], line["held_out_accuracy"], "", summary["seconds"])


def find_rate(config: str, steps: int) -> None:
    found = command("find-rate", "--config", config, "--steps", str(steps))
    print(
        f"\nfind-rate, {steps} steps: {json.dumps({k: v for k, v in found.items() if not isinstance(v, list)})}"
    )


if __name__ == "__main__":
    main()
