"""`mini-bert info`: what a model is made of, and what a training step of it costs."""

from __future__ import annotations

from dataclasses import asdict
from itertools import zip_longest
from math import prod
from typing import Any

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from mini_bert.cli.models import MODELS, chosen_model
from mini_bert.cli.screen import console, print_json, table
from mini_bert.cli.settings_told import parts_told, sizes_told
from mini_bert.cli.step_study import Measurement, Study, finds_hidden_words, measure_step, words_asked
from mini_bert.cli.units import in_bytes, in_flops, percent
from mini_bert.errors import counted
from mini_bert.models.config import DEFAULT_PRESET, ModelConfig
from mini_bert.models.cost import PARTS, by_part
from mini_bert.training.workers import suitable_workers

LAYER_PARTS = ("attention", "feed-forward", "layer norms")

EPILOG = """\b
Examples:
  mini-bert info                               the guide's Mini-BERT
  mini-bert info --preset modern --batch 32
  mini-bert info --preset bert-base --json
  mini-bert info --model runs/stories
"""


@click.command(epilog=EPILOG)
@click.option("--preset", help=f"Which model.  [default: {DEFAULT_PRESET}]")
@click.option("--model", "folder", metavar="MODEL", help=f"Instead of a preset: {MODELS}")
@click.option(
    "--batch", type=click.IntRange(min=1), default=8, show_default=True, help="Sequences in a step."
)
@click.option("--masked", type=click.IntRange(min=1), help="Words to predict in each; without it 15 %.")
@click.option(
    "--workers", type=click.IntRange(min=1), help="Threads that share a step; without it as many as help."
)
@click.option("--measure", is_flag=True, help="Run a real step even if it takes long.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object in place of the tables.")
def command(
    preset: str | None,
    folder: str | None,
    batch: int,
    masked: int | None,
    workers: int | None,
    measure: bool,
    as_json: bool,
) -> None:
    """Count the parameters, memory and FLOPs of a model.

    All of it is computed from the layers, without making a weight. Where a step is quick, a real one is measured too:
    float32, AdamW, sequences of the greatest length.
    """
    if preset and folder:
        raise ValueError("--preset and --model are two models; give one of them")
    config = chosen_model(folder).config if folder else ModelConfig.preset(preset or DEFAULT_PRESET)
    if measure and not finds_hidden_words(config):
        raise ValueError("--measure runs a step of finding hidden words, which this model is not made for")
    study = Study(
        folder or preset or DEFAULT_PRESET,
        config,
        batch,
        words_asked(config, masked),
        workers or suitable_workers(config, batch, batch),
    )
    is_measured = measure or (study.is_quick and finds_hidden_words(config))
    measured = measure_step(study) if is_measured else None
    if as_json:
        print_json(as_dict(study, measured))
    else:
        show(study, measured, console())


def show(study: Study, measured: Measurement | None, screen: Console) -> None:
    screen.print(configuration_table(study))
    screen.print(parts_table(study))
    if study.config == ModelConfig():
        screen.print(f"{guide_sentence(study)}\n")
    screen.print(memory_table(study, measured))
    screen.print(flops_table(study))
    screen.print(
        "Only matrix products count, a multiply-add as 2 FLOPs. Backward is twice forward: the gradient of a "
        "product is two products."
    )
    screen.print(speed_sentence(study, measured))


def configuration_table(study: Study) -> Table:
    made = table(escape(study.name), "size", "", "  part", "")
    made.columns[2].justify = made.columns[3].justify = "left"
    made.columns[3].no_wrap = False
    for size, part in zip_longest(sizes_told(study.config), parts_told(study.config), fillvalue=("", "")):
        made.add_row(*size, f"  {part[0]}" if part[0] else "", part[1])
    return made


def parts_table(study: Study) -> Table:
    counts, flops, kept = map(by_part, (study.parameters, study.cost.flops, study.cost.bytes_by_name))
    made = table(
        f"A training step of {study.B} × {study.T} tokens, {words_told(study)}",
        *("part", "each layer", "parameters", "share", "forward", "kept"),
    )
    for part in (part for part in dict.fromkeys(PARTS.values()) if part in counts | kept):
        layers = len(study.network.encoder.layers) if part in LAYER_PARTS else 0
        made.add_row(
            part,
            f"{counts[part] // layers:,}" if layers else "",
            f"{counts[part]:,}" if counts[part] else "",
            percent(counts[part] / counts.total()) if counts[part] else "",
            in_flops(flops[part]) if flops[part] else "",
            in_bytes(kept[part]) if kept[part] else "",
        )
    made.add_section()
    totals = (f"{counts.total():,}", "", in_flops(flops.total()), in_bytes(kept.total()))
    made.add_row("total", "", *totals, style="bold")
    return made


def guide_sentence(study: Study) -> str:
    """Why the older guide's number of parameters is not ours."""
    weights, L = study.network.all_weights(), study.config.num_layers
    biases = sum(
        prod(weight.shape)
        for name, weight in weights.items()
        if weight.kind == "bias" and weights[name.removesuffix("bias") + "weight"].kind == "matrix"
    )
    norm = sum(size for name, size in study.parameters.items() if name.startswith("final_norm."))
    ours = sum(study.parameters.values())
    return (
        f"The guide counts {ours - biases - L * norm:,} parameters. It leaves out one of the two norms of "
        f"each layer ({L} × {norm}), which makes {ours - biases:,}, and the biases of the linear maps "
        f"({biases:,}), which makes {ours:,}."
    )


def memory_table(study: Study, measured: Measurement | None) -> Table:
    made = table("Memory", "", "predicted", "measured")
    seen = {name: in_bytes(amount) for name, amount in measured.memory.items()} if measured else {}
    names = {
        "gradients": f"gradients of {workers_of(study)}",
        "moments": "two moments of AdamW",
        "activations": "activations kept for backward",
    }
    for name, amount in study.memory.items():
        made.add_row(names.get(name, name), in_bytes(amount), seen.get(name, ""))
    made.add_section()
    peak = in_bytes(measured.peak_bytes) if measured else ""
    made.add_row("sum, and peak of a real step", in_bytes(sum(study.memory.values())), peak, style="bold")
    return made


def flops_table(study: Study) -> Table:
    made = table("Work", "", "step", "per token")
    for name, amount in study.flops.items():
        made.add_row(name, in_flops(amount), in_flops(amount / (study.B * study.T)))
    return made


def words_told(study: Study) -> str:
    if study.config.generator:
        return f"{counted(study.k, 'word')} masked in each, all judged"
    if study.config.streams == 2 and finds_hidden_words(study.config):
        return f"{counted(study.k, 'word')} asked in each"
    if not finds_hidden_words(study.config):
        return "all of them answered" if study.k == study.T else f"{study.k} answered in each"
    return f"{counted(study.k, 'word')} masked in each"


def speed_sentence(study: Study, measured: Measurement | None) -> str:
    work = study.flops["step"]
    if measured:
        return (
            f"A real step took {1000 * measured.seconds:,.0f} ms with {workers_of(study)}: "
            f"{in_flops(work / measured.seconds)} per second."
        )
    if not finds_hidden_words(study.config):
        return "Not measured: only the search for hidden words is, and this model has another task."
    return f"Not measured: a step of {in_flops(work)} takes long. --measure runs it all the same."


def workers_of(study: Study) -> str:
    return "1 worker" if study.workers == 1 else f"{study.workers} workers"


def as_dict(study: Study, measured: Measurement | None) -> dict[str, Any]:
    flops, memory = study.flops, study.memory
    return {
        "preset": study.name,
        "config": study.config.model_dump(),
        "step": {"batch": study.B, "tokens": study.T, "masked": study.k, "workers": study.workers},
        "parameters": {"total": sum(study.parameters.values()), "by_part": by_part(study.parameters)},
        "flops": {
            **flops,
            "step_per_token": flops["step"] / (study.B * study.T),
            "forward_by_part": by_part(study.cost.flops),
        },
        "memory": {
            **memory,
            "sum": sum(memory.values()),
            "activations_by_part": by_part(study.cost.bytes_by_name),
        },
        "measured": asdict(measured) if measured else None,
    }
