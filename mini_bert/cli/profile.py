"""`mini-bert profile`: where the time of a training step goes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from mini_bert.cli.screen import console, print_json, table
from mini_bert.cli.trial_options import chosen_config, step_title, trial_options
from mini_bert.cli.units import in_bytes, in_flops, percent
from mini_bert.files import write_atomically
from mini_bert.models.config import ModelConfig
from mini_bert.profiling.flame import html, svg
from mini_bert.profiling.profile import Profile, by_function, by_layer, profile
from mini_bert.profiling.trial import Trial
from mini_bert.training.parallel import Team
from mini_bert.training.workers import suitable_workers

FIGURES = {".svg": svg, ".html": html}
SHOWN = 14
COLUMNS = ("", "ms", "share", "forward", "backward", "work", "GFLOP/s")

EPILOG = """\b
Examples:
  mini-bert profile
  mini-bert profile --preset large --batch 32 --micro 8
  mini-bert profile --figure profile.html

Times are means over the workers, so that they add up to the time of the step. Only matrix products count as FLOPs.
"""


@click.command(epilog=EPILOG)
@trial_options
@click.option("--steps", type=click.IntRange(min=1), default=5, show_default=True, help="Steps to look at.")
@click.option("--figure", type=click.Path(path_type=Path), help="Draw it: a file .svg or .html.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object in place of the tables.")
def command(
    preset: str,
    batch: int,
    micro: int,
    seq: int | None,
    workers: int | None,
    steps: int,
    figure: Path | None,
    as_json: bool,
) -> None:
    """Time a real training step by layer and by function.

    Forward, backward, clipping and AdamW in float32 on random words, dropout as the model has it.
    """
    if figure is not None and figure.suffix not in FIGURES:
        raise ValueError(f"--figure {figure}: choose a name that ends in .svg or .html")
    config = chosen_config(preset, seq)
    size = workers or suitable_workers(config, batch, micro)
    with Team(size) as team:
        found = profile(Trial(config, batch, micro, team), steps)
    title = step_title(preset, config, batch, micro, size)
    if figure is not None:
        write_atomically(figure, FIGURES[figure.suffix](found, f"{title}: {summary(found)}").encode())
    if as_json:
        print_json(as_dict(found, config, batch, micro, size))
    else:
        show(found, title, figure, console())


def summary(found: Profile) -> str:
    seconds, flops = found.times.seconds, found.flops.total()
    return f"{1e3 * seconds:.1f} ms, {in_flops(flops)}, {in_flops(flops / seconds)} per second"


def show(found: Profile, title: str, figure: Path | None, screen: Console) -> None:
    screen.print(f"[bold]{title}[/]")
    screen.print(f"{summary(found)}; {percent(found.times.explained)} of it explained below\n")
    screen.print(layers_table(found))
    screen.print(functions_table(found))
    arenas = sum(found.arena_bytes.values())
    screen.print(
        f"Memory: {in_bytes(arenas)} of weights, gradients and moments, {in_bytes(found.kept_measured.total())} kept"
        f" for the backward pass, {in_bytes(found.peak_bytes)} at the peak."
    )
    screen.print(
        f"Watching adds {percent(found.overhead)}: a step that is not watched takes {1e3 * found.plain_seconds:.1f} ms."
    )
    if figure is not None:
        screen.print(f"figure: {figure}", soft_wrap=True, markup=False)


def layers_table(found: Profile) -> Table:
    made = table("By layer", *COLUMNS, "kept", "rehearsed")
    rows = by_layer(found)
    kept, rehearsed = found.kept_measured, found.kept_predicted
    for name, row in rows.items():
        memory = (
            (in_bytes(kept[name]), in_bytes(rehearsed[name])) if kept[name] + rehearsed[name] else ("", "")
        )
        made.add_row(name.removeprefix("encoder."), *numbers(row, found.times.seconds), *memory)
    made.add_section()
    total = {key: sum(row[key] for row in rows.values()) for key in next(iter(rows.values()))}
    sums = (in_bytes(kept.total()), in_bytes(rehearsed.total()))
    made.add_row("step", *numbers(total, found.times.seconds), *sums, style="bold")
    return made


def functions_table(found: Profile) -> Table:
    made = table("By function", *COLUMNS, "calls")
    rows = list(by_function(found).items())
    for name, row in rows[:SHOWN]:
        made.add_row(name, *numbers(row, found.times.seconds), f"{row['calls']:,.0f}")
    if rest := rows[SHOWN:]:
        total = {key: sum(row[key] for _, row in rest) for key in rest[0][1]}
        made.add_row(f"{len(rest)} more", *numbers(total, found.times.seconds), f"{total['calls']:,.0f}")
    return made


def numbers(row: dict[str, float], whole: float) -> tuple[str, ...]:
    seconds, flops = row["seconds"], row["flops"]
    return (
        f"{1e3 * seconds:.2f}",
        percent(seconds / whole),
        f"{1e3 * row['forward_seconds']:.2f}" if row["forward_seconds"] else "",
        f"{1e3 * row['backward_seconds']:.2f}" if row["backward_seconds"] else "",
        in_flops(flops) if flops else "",
        f"{flops / seconds / 1e9:.1f}" if flops and seconds > 0 else "",
    )


def as_dict(found: Profile, config: ModelConfig, batch: int, micro: int, workers: int) -> dict[str, Any]:
    return {
        "config": config.model_dump(),
        "step": {"batch": batch, "micro": micro, "tokens": config.max_seq_length, "workers": workers},
        "seconds": found.times.seconds,
        "plain_seconds": found.plain_seconds,
        "overhead": found.overhead,
        "explained": found.times.explained,
        "flops": found.flops.total(),
        "flops_per_second": found.flops.total() / found.times.seconds,
        "by_layer": by_layer(found),
        "by_function": by_function(found),
        "memory": {
            **found.arena_bytes,
            "kept_by_layer": found.kept_measured,
            "kept_by_layer_rehearsed": found.kept_predicted,
            "peak": found.peak_bytes,
        },
    }
