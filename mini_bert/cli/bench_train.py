"""`mini-bert bench train`: a training step here, in HuggingFace and in PyTorch, step by step in one run."""

from __future__ import annotations

from contextlib import ExitStack
from statistics import median
from typing import Any, NamedTuple

import click

from mini_bert.cli.bench_ours import SGEMM_SIZE
from mini_bert.cli.judges import REPOSITORY, judge
from mini_bert.cli.progress import progress
from mini_bert.cli.screen import console, print_json, table
from mini_bert.cli.stopwatch import ratio
from mini_bert.cli.turns import Contestant, take_turns
from mini_bert.cli.units import in_bytes, in_flops, percent
from mini_bert.models.build import build_network
from mini_bert.models.config import ModelConfig
from mini_bert.models.cost import rehearse_training
from mini_bert.reports import Report
from mini_bert.training.masking import masked_words

WARM_UP = 3
OURS, SGEMM = "ours", "sgemm"
JUDGES = ("huggingface", "pytorch")
NAMES = {OURS: "Mini-BERT", "huggingface": "HuggingFace", "pytorch": "tuned PyTorch"}

EPILOG = """\b
Examples:
  mini-bert bench train
  mini-bert bench train --rounds 40 --json

HuggingFace is BertForMaskedLM with AdamW. Tuned PyTorch is what an expert writes: fused AdamW,
scaled_dot_product_attention, and the output words at the masked positions only.
"""


class Case(NamedTuple):
    """One logical batch of so many sequences, `micro_batch` of them at a time."""

    title: str
    rows: int
    micro_batch: int

    @property
    def tokens(self) -> int:
        return self.rows * ModelConfig().max_seq_length

    @property
    def flops(self) -> int:
        """Of forward and backward, as they are executed: at the masked positions only, where that is enough."""
        T = ModelConfig().max_seq_length
        cost = rehearse_training(build_network(ModelConfig()), self.rows, T, masked_words(T))
        return cost.forward_flops + cost.backward_flops


CASES = {"b8": Case("8 × 64 tokens", 8, 8), "logical32": Case("4 micro-batches of 8 × 64 tokens", 32, 8)}


@click.command(epilog=EPILOG)
@click.option("--rounds", type=click.IntRange(min=1), default=20, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="One JSON object in place of the tables.")
def command(rounds: int, as_json: bool) -> None:
    """Time a training step of the mini preset: float32, AdamW, gradients clipped, all cores.

    Every contestant is a process of its own, has the same cores, and does one step when its turn comes. Ratios are
    medians over the rounds; above 1, ours is faster. The machine's sgemm peak is measured in the same rounds.
    """
    others = judge("train")
    judges = () if isinstance(others, str) else JUDGES
    results = {}
    with progress("Training") as report:
        for number, (key, case) in enumerate(CASES.items()):
            results[key] = run(case, judges, rounds, part_of(report, number, len(CASES)))
    note = others if isinstance(others, str) else None
    if as_json:
        print_json({**results, "note": note})
    else:
        show(results, rounds, note)


def run(case: Case, judges: tuple[str, ...], rounds: int, report: Report) -> dict[str, Any]:
    """All contestants on one case: their times, and how they stand to ours."""
    size = (case.rows, case.micro_batch)
    with ExitStack() as opened:
        contestants = {
            OURS: Contestant("mini_bert.cli.bench_ours", *size),
            **{name: Contestant("benchmarks.train", name, *size, folder=REPOSITORY) for name in judges},
            SGEMM: Contestant("mini_bert.cli.bench_ours", SGEMM),
        }
        for contestant in contestants.values():
            opened.enter_context(contestant)
        for _ in range(WARM_UP):
            for contestant in contestants.values():
                contestant.ask("step")
        seconds = take_turns(contestants, rounds, report)
        memory = {name: contestants[name].ask("memory") for name in (OURS, *judges)}
    return summary(case, seconds, memory)


def summary(
    case: Case, seconds: dict[str, list[float]], memory: dict[str, dict[str, int | None]]
) -> dict[str, Any]:
    sgemm_flops = 2 * SGEMM_SIZE**3
    found: dict[str, Any] = {"tokens": case.tokens, "flops": case.flops}
    for name, peaks in memory.items():
        found |= {
            f"{name}_ms": 1e3 * median(seconds[name]),
            f"{name}_min_ms": 1e3 * min(seconds[name]),
            f"{name}_tokens_per_second": case.tokens / median(seconds[name]),
            f"{name}_resident_bytes": peaks["resident"],
        }
        if name != OURS:
            found[f"ratio_{name}"] = ratio(seconds[name], seconds[OURS])
    found["ours_array_bytes"] = memory[OURS]["arrays"]
    found["sgemm_flops_per_second"] = sgemm_flops / median(seconds[SGEMM])
    found["sgemm_fraction"] = case.flops / sgemm_flops * ratio(seconds[SGEMM], seconds[OURS])
    return found


def show(results: dict[str, dict[str, Any]], rounds: int, note: str | None) -> None:
    screen = console()
    for key, found in results.items():
        made = table(
            f"{CASES[key].title}, {rounds} rounds",
            *("", "ms per step", "fastest", "tokens/s", "× our time", "memory"),
        )
        for name in (name for name in NAMES if f"{name}_ms" in found):
            resident = found[f"{name}_resident_bytes"]
            made.add_row(
                NAMES[name],
                f"{found[f'{name}_ms']:.1f}",
                f"{found[f'{name}_min_ms']:.1f}",
                f"{found[f'{name}_tokens_per_second']:,.0f}",
                f"{found.get(f'ratio_{name}', 1.0):.2f}",
                in_bytes(resident) if resident else "",
            )
        screen.print(made)
        screen.print(
            f"Ours: {percent(found['sgemm_fraction'])} of this machine's sgemm peak, "
            f"{in_flops(found['sgemm_flops_per_second'])} per second, in the whole step; "
            f"arrays of {in_bytes(found['ours_array_bytes'])}.\n"
        )
    if note:
        screen.print(f"Ours alone: {note}.", markup=False)


def part_of(report: Report, number: int, count: int) -> Report:
    """Reports one of several equal parts of the work."""
    return lambda done, note: report((number + done) / count, note)
