"""`mini-bert bench train`: a training step here, in HuggingFace and in PyTorch, step by step in one run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import click

from mini_bert.cli.contest import OURS, hold, part_of, show, summary
from mini_bert.cli.judges import REPOSITORY, judge
from mini_bert.cli.progress import progress
from mini_bert.cli.screen import print_json
from mini_bert.cli.turns import Contestant
from mini_bert.cli.units import in_bytes
from mini_bert.models.build import build_network
from mini_bert.models.config import ModelConfig
from mini_bert.models.cost import rehearse_training
from mini_bert.reports import Report
from mini_bert.training.masking import masked_words

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
        show(results, CASES, NAMES, rounds, note, arrays)


def run(case: Case, judges: tuple[str, ...], rounds: int, report: Report) -> dict[str, Any]:
    """All contestants on one case: their times, and how they stand to ours."""
    size = (case.rows, case.micro_batch)
    contestants = {
        OURS: Contestant("mini_bert.cli.bench_ours", *size),
        **{name: Contestant("benchmarks.train", name, *size, folder=REPOSITORY) for name in judges},
    }
    seconds, memory = hold(contestants, rounds, report)
    found = summary(case, seconds, {name: peaks["resident"] for name, peaks in memory.items()})
    return found | {"ours_array_bytes": memory[OURS]["arrays"]}


def arrays(found: Mapping[str, Any]) -> str:
    return f", in the whole step; arrays of {in_bytes(found['ours_array_bytes'])}"
