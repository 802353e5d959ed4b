"""`mini-bert bench inference`: a forward pass here and in HuggingFace, pass by pass in one run."""

from __future__ import annotations

from contextlib import ExitStack
from statistics import median, quantiles
from typing import Any

import click

from mini_bert.cli.bench_ours import SGEMM_SIZE
from mini_bert.cli.bench_shapes import SHAPES, Texts
from mini_bert.cli.bench_train import OURS, SGEMM, part_of
from mini_bert.cli.judges import REPOSITORY, judge
from mini_bert.cli.progress import progress
from mini_bert.cli.screen import console, print_json, table
from mini_bert.cli.stopwatch import ratio
from mini_bert.cli.turns import Contestant, take_turns
from mini_bert.cli.units import in_bytes, in_flops, percent
from mini_bert.reports import Report

WARM_UP = 3
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
        show(results, rounds, note)


def run(shape: str, judges: tuple[str, ...], rounds: int, report: Report) -> dict[str, Any]:
    """All contestants on one shape: their times, and how they stand to ours."""
    with ExitStack() as opened:
        contestants = {
            OURS: Contestant("mini_bert.cli.bench_inference_ours", shape),
            **{name: Contestant("benchmarks.inference", shape, folder=REPOSITORY) for name in judges},
            SGEMM: Contestant("mini_bert.cli.bench_ours", SGEMM),
        }
        for contestant in contestants.values():
            opened.enter_context(contestant)
        for _ in range(WARM_UP):
            for contestant in contestants.values():
                contestant.ask("step")
        seconds = take_turns(contestants, rounds, report)
        memory = {name: contestants[name].ask("memory") for name in (OURS, *judges)}
    return summary(SHAPES[shape], seconds, memory)


def summary(texts: Texts, seconds: dict[str, list[float]], memory: dict[str, int | None]) -> dict[str, Any]:
    """Medians and fastest of each; the ratio's quartiles say how far the rounds agree."""
    sgemm_flops = 2 * SGEMM_SIZE**3
    found: dict[str, Any] = {"tokens": texts.tokens, "flops": texts.flops}
    for name, resident in memory.items():
        spent = seconds[name]
        found |= {
            f"{name}_ms": 1e3 * median(spent),
            f"{name}_min_ms": 1e3 * min(spent),
            f"{name}_tokens_per_second": texts.tokens / median(spent),
            f"{name}_resident_bytes": resident,
        }
        if name != OURS:
            found[f"ratio_{name}"] = ratio(spent, seconds[OURS])
            found[f"ratio_{name}_quartiles"] = quartiles(spent, seconds[OURS])
            found[f"ratio_{name}_fastest"] = min(spent) / min(seconds[OURS])
    found["sgemm_flops_per_second"] = sgemm_flops / median(seconds[SGEMM])
    found["sgemm_fraction"] = texts.flops / sgemm_flops * ratio(seconds[SGEMM], seconds[OURS])
    return found


def quartiles(theirs: list[float], ours: list[float]) -> list[float]:
    """Half of the rounds have a ratio between these two."""
    ratios = [their / our for their, our in zip(theirs, ours, strict=True)]
    if len(ratios) == 1:
        return ratios * 2
    lower, _, upper = quantiles(ratios, method="inclusive")
    return [lower, upper]


def show(results: dict[str, dict[str, Any]], rounds: int, note: str | None) -> None:
    screen = console()
    for name, found in results.items():
        made = table(
            f"{SHAPES[name].title}, {rounds} rounds",
            *("", "ms", "fastest", "tokens/s", "× our time", "memory"),
        )
        for key in (key for key in NAMES if f"{key}_ms" in found):
            resident = found[f"{key}_resident_bytes"]
            made.add_row(
                NAMES[key],
                f"{found[f'{key}_ms']:.1f}",
                f"{found[f'{key}_min_ms']:.1f}",
                f"{found[f'{key}_tokens_per_second']:,.0f}",
                f"{found.get(f'ratio_{key}', 1.0):.2f}",
                in_bytes(resident) if resident else "",
            )
        screen.print(made)
        if between := found.get(f"ratio_{THEIRS}_quartiles"):
            fastest = found[f"ratio_{THEIRS}_fastest"]
            screen.print(
                f"Half of the rounds: {between[0]:.2f} to {between[1]:.2f}; fastest by fastest: {fastest:.2f}."
            )
        screen.print(
            f"Ours: {percent(found['sgemm_fraction'])} of this machine's sgemm peak, "
            f"{in_flops(found['sgemm_flops_per_second'])} per second.\n"
        )
    if note:
        screen.print(f"Ours alone: {note}.", markup=False)
