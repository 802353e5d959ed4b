"""`mini-bert bench inference`: a forward pass here and in HuggingFace, pass by pass in one run."""

from __future__ import annotations

from typing import Any

import click

from mini_bert.cli.bench_shapes import SHAPES
from mini_bert.cli.contest import OURS, hold, part_of, show, summary
from mini_bert.cli.judges import REPOSITORY, judge
from mini_bert.cli.progress import progress
from mini_bert.cli.screen import print_json
from mini_bert.cli.turns import Contestant
from mini_bert.reports import Report

THEIRS = "huggingface"
NAMES = {OURS: "Mini-BERT", THEIRS: "HuggingFace"}

EPILOG = """\b
Examples:
  mini-bert bench inference
  mini-bert bench inference --shape base-1 --shape base-8 --rounds 20
  mini-bert bench inference --shape fill-mask --json

\b
Shapes, all in float32:
""" + "\n".join(f"  {name:<9}  {texts.title}" for name, texts in SHAPES.items())


@click.command(epilog=EPILOG)
@click.option(
    "--shape",
    "shapes",
    type=click.Choice(list(SHAPES)),
    multiple=True,
    help="One of those below; may be given again. Without it, all of them.",
)
@click.option("--rounds", type=click.IntRange(min=1), default=10, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="One JSON object in place of the tables.")
def command(shapes: tuple[str, ...], rounds: int, as_json: bool) -> None:
    """Time a forward pass with random weights, on all cores: ours, and that of BertForMaskedLM in transformers.

    Every contestant is a process of its own, has the same cores, and does one pass when its turn comes. Ratios are
    medians over the rounds; above 1, ours is faster. For a hidden word we compute its logits alone, transformers those
    of all words. The machine's sgemm peak is measured in the same rounds.
    """
    others = judge("inference")
    judges = () if isinstance(others, str) else (THEIRS,)
    chosen = [name for name in SHAPES if name in (shapes or SHAPES)]
    results = {}
    with progress("Inference") as report:
        for number, name in enumerate(chosen):
            results[name] = run(name, judges, rounds, part_of(report, number, len(chosen)))
    note = others if isinstance(others, str) else None
    if as_json:
        print_json({**results, "note": note})
    else:
        show(results, SHAPES, NAMES, rounds, note)


def run(shape: str, judges: tuple[str, ...], rounds: int, report: Report) -> dict[str, Any]:
    """All contestants on one shape: their times, and how they stand to ours."""
    contestants = {
        OURS: Contestant("mini_bert.cli.bench_inference_ours", shape),
        **{name: Contestant("benchmarks.inference", shape, folder=REPOSITORY) for name in judges},
    }
    return summary(SHAPES[shape], *hold(contestants, rounds, report))
