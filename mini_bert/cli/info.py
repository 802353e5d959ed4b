"""`mini-bert info`: what a model is made of, and what a training step of it costs."""

from __future__ import annotations

import tracemalloc
from dataclasses import asdict, dataclass
from functools import cached_property
from math import prod
from time import perf_counter
from typing import Any

import click
import numpy as np
from rich.console import Console
from rich.table import Table

from mini_bert.cli.screen import console, print_json, table
from mini_bert.cli.threads import one_blas_thread
from mini_bert.cli.units import in_bytes, in_flops, percent
from mini_bert.core.functions.dropout import Noise
from mini_bert.core.network import Network
from mini_bert.models.build import build_network
from mini_bert.models.config import DEFAULT_PRESET, ModelConfig
from mini_bert.models.cost import PARTS, Rehearsal, by_part, measured_bytes, parameters, rehearse_training
from mini_bert.models.mini import MiniBERT
from mini_bert.training.masking import FIRST_WORD_ID, mask_for_training, masked_words
from mini_bert.training.objectives import MaskedBatch, masked_word_loss
from mini_bert.training.optimizers import AdamW
from mini_bert.training.parallel import Team
from mini_bert.training.step import TrainingStep
from mini_bert.training.workers import suitable_workers

QUICK_FLOPS = 2e11
ITEMSIZE = np.dtype(np.float32).itemsize
LAYER_PARTS = ("attention", "feed-forward", "layer norms")

EPILOG = """\b
Examples:
  mini-bert info                               the guide's Mini-BERT
  mini-bert info --preset modern --batch 32
  mini-bert info --preset bert-base --json
"""


@dataclass(frozen=True)
class Study:
    """A model, and a training step of B sequences of T tokens with k masked words in each, as predicted.

    The sequences are split between the workers, who keep together what one would; only gradients each has of its own.
    """

    preset: str
    config: ModelConfig
    B: int
    k: int
    workers: int

    @property
    def T(self) -> int:
        return self.config.max_seq_length

    @cached_property
    def network(self) -> Network:
        return build_network(self.config)

    @cached_property
    def parameters(self) -> dict[str, int]:
        return parameters(self.network)

    @cached_property
    def cost(self) -> Rehearsal:
        return rehearse_training(self.network, self.B, self.T, self.k, itemsize=ITEMSIZE)

    @property
    def flops(self) -> dict[str, int]:
        forward, backward = self.cost.forward_flops, self.cost.backward_flops
        return {"forward": forward, "backward": backward, "step": forward + backward}

    @property
    def memory(self) -> dict[str, int]:
        """Bytes, by what they hold."""
        arena = ITEMSIZE * sum(self.parameters.values())
        return {
            "weights": arena,
            "gradients": self.workers * arena,
            "moments": 2 * arena,
            "activations": self.cost.kept_bytes,
        }


@dataclass(frozen=True)
class Measurement:
    """What a real training step took."""

    memory: dict[str, int]
    peak_bytes: int
    seconds: float


@click.command(epilog=EPILOG)
@click.option("--preset", default=DEFAULT_PRESET, show_default=True, help="Which model.")
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
    preset: str, batch: int, masked: int | None, workers: int | None, measure: bool, as_json: bool
) -> None:
    """Count the parameters, memory and FLOPs of a model.

    All of it is computed from the layers, and the memory is measured too, on a real training step: float32,
    AdamW, sequences of the greatest length.
    """
    config = ModelConfig.preset(preset)
    k = words_to_predict(config.max_seq_length, masked)
    study = Study(preset, config, batch, k, workers or suitable_workers(config, batch, batch))
    measured = measure_step(study) if measure or study.flops["step"] <= QUICK_FLOPS else None
    if as_json:
        print_json(as_dict(study, measured))
    else:
        show(study, measured, console())


def words_to_predict(T: int, wanted: int | None) -> int:
    if wanted is not None and wanted > T:
        raise ValueError(f"--masked {wanted}: a sequence of this model has {T} tokens; choose from 1 to {T}")
    return wanted or masked_words(T)


def measure_step(study: Study) -> Measurement:
    """Two training steps on random words: the memory of the first, the time of the second."""
    rng = np.random.default_rng(0)
    V = study.config.vocab_size
    batch = mask_for_training(rng.integers(FIRST_WORD_ID, V, (study.B, study.T)), study.k, rng, V)
    with Team(study.workers) as team:
        tracemalloc.start()
        try:
            model = MiniBERT(study.config)
            step, optimizer = TrainingStep(model.network, model.arena, team), AdamW(model.arena)
            tracemalloc.reset_peak()
            train(step, batch, optimizer)
            _, peak_bytes = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        start = perf_counter()
        train(step, batch, optimizer)
        seconds = perf_counter() - start
    held = {
        "weights": model.arena.flat.nbytes,
        "gradients": sum(arena.flat.nbytes for arena in step.arenas),
        "moments": sum(arena.flat.nbytes for arena in optimizer.moments().values()),
        "activations": kept_bytes(model, batch),
    }
    return Measurement(held, peak_bytes, seconds)


def train(step: TrainingStep, batch: MaskedBatch, optimizer: AdamW) -> None:
    """One step of the whole batch at once, by the step's team."""
    team, grads = step.team, step.gradients(batch, len(batch.ids), Noise()).grads
    optimizer.begin()
    team.each(lambda worker: optimizer.update(grads, worker, team.size))


def kept_bytes(model: MiniBERT, batch: MaskedBatch) -> int:
    """What a forward pass keeps for its backward pass."""
    with one_blas_thread():
        _, trace = masked_word_loss(model.network, model.arena, batch, Noise())
    return measured_bytes(trace.kept)


def show(study: Study, measured: Measurement | None, screen: Console) -> None:
    screen.print(configuration_table(study.preset, study.config))
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


def configuration_table(preset: str, c: ModelConfig) -> Table:
    sizes = [
        ("L  layers", c.num_layers),
        ("H  hidden size", c.hidden_size),
        ("A  attention heads", c.num_heads),
        ("D  size of a head", c.head_size),
        ("I  feed-forward size", c.intermediate_size),
        ("T  tokens at most", c.max_seq_length),
        ("V  word pieces", c.vocab_size),
    ]
    parts = [
        ("positions", c.positions),
        ("residual", f"{c.residual}, {c.norm} norm"),
        ("feed-forward", f"{c.feed_forward}, {c.activation}"),
        ("head", ("transform, " if c.head_transform else "") + ("tied" if c.tied else "untied")),
        ("biases", "yes" if c.bias else "no"),
        ("dropout", f"{c.dropout:g}, attention {c.attention_dropout:g}"),
        ("sharing", f"{c.layer_groups} of {c.num_layers} layers" if c.layer_groups else "none"),
    ]
    made = table(f"Preset {preset}", "size", "", "  part", "")
    made.columns[2].justify = made.columns[3].justify = "left"
    for (size, number), (part, choice) in zip(sizes, parts, strict=True):
        made.add_row(size, f"{number:,}", f"  {part}", choice)
    return made


def parts_table(study: Study) -> Table:
    counts, flops, kept = map(by_part, (study.parameters, study.cost.flops, study.cost.bytes_by_name))
    made = table(
        f"A training step of {study.B} × {study.T} tokens, {study.k} words masked in each",
        *("part", "each layer", "parameters", "share", "forward", "kept"),
    )
    for part in (part for part in PARTS.values() if part in counts | kept):
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
    """Why the learning guide's number of parameters is not ours."""
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


def speed_sentence(study: Study, measured: Measurement | None) -> str:
    work = study.flops["step"]
    if measured is None:
        return f"Not measured: a step of {in_flops(work)} takes long. --measure runs it all the same."
    return (
        f"A real step took {1000 * measured.seconds:,.0f} ms with {workers_of(study)}: "
        f"{in_flops(work / measured.seconds)} per second."
    )


def workers_of(study: Study) -> str:
    return "1 worker" if study.workers == 1 else f"{study.workers} workers"


def as_dict(study: Study, measured: Measurement | None) -> dict[str, Any]:
    flops, memory = study.flops, study.memory
    return {
        "preset": study.preset,
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
