"""`mini-bert compare`: two models side by side, and the parts in which they differ."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import click
import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from mini_bert.cli.models import chosen_model
from mini_bert.cli.screen import console, print_json, table
from mini_bert.cli.units import in_bytes, in_flops
from mini_bert.cli.zoo import value
from mini_bert.core.network import Network
from mini_bert.errors import counted, unknown
from mini_bert.models.build import build_network
from mini_bert.models.comparison import (
    Change,
    Distance,
    distance,
    part_changes,
    setting_changes,
    weight_distances,
)
from mini_bert.models.config import ModelConfig, presets
from mini_bert.models.cost import PARTS, Rehearsal, by_part, parameters, rehearse_training
from mini_bert.models.mini import MiniBERT

ITEMSIZE = np.dtype(np.float32).itemsize
TOKENS = 128
COLUMN_WIDTH = 20

EPILOG = """\b
Examples:
  mini-bert compare bert-base gpt2
  mini-bert compare bert-base albert-base --tokens 512
  mini-bert compare mini modern --json
  mini-bert compare runs/before runs/after           how far their weights are apart
"""


@dataclass(frozen=True)
class Contender:
    """A preset, or a model with its weights; and the cost of a batch of B texts of T tokens."""

    name: str
    config: ModelConfig
    model: MiniBERT | None
    B: int
    T: int

    @cached_property
    def network(self) -> Network:
        return build_network(self.config)

    @cached_property
    def parameters(self) -> dict[str, int]:
        return parameters(self.network)

    @cached_property
    def cost(self) -> Rehearsal:
        """Of a training pass in which every position is answered."""
        return rehearse_training(self.network, self.B, self.T, itemsize=ITEMSIZE)

    @property
    def figures(self) -> dict[str, int]:
        return {
            "parameters": sum(self.parameters.values()),
            "weights_bytes": ITEMSIZE * sum(self.parameters.values()),
            "forward_flops": self.cost.forward_flops,
            "step_flops": self.cost.forward_flops + self.cost.backward_flops,
            "activations_bytes": self.cost.kept_bytes,
        }


@click.command(epilog=EPILOG)
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@click.option("--batch", type=click.IntRange(min=1), default=8, show_default=True, help="Texts in a step.")
@click.option(
    "--tokens",
    type=click.IntRange(min=1),
    help=f"In each text.  [default: {TOKENS}, or as many as both read]",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object in place of the tables.")
def command(first: str, second: str, batch: int, tokens: int | None, as_json: bool) -> None:
    """Compare A and B: presets, or folders of models or runs.

    Parameters by part, the FLOPs and memory of a training step in which every position is answered, the settings and
    parts that differ; and, where both have weights of one shape, how far they are apart.
    """
    given = [described(name) for name in (first, second)]
    longest = min(config.max_seq_length for config, _ in given)
    if tokens is not None and tokens > longest:
        raise ValueError(
            f"--tokens {tokens}: one of the two reads at most {longest}; choose from 1 to {longest}"
        )
    T = tokens or min(TOKENS, longest)
    a, b = (Contender(name, *one, batch, T) for name, one in zip((first, second), given, strict=True))
    if as_json:
        print_json(as_dict(a, b))
    else:
        show(*briefly_named(a, b, screen := console()), screen)


def briefly_named(a: Contender, b: Contender, screen: Console) -> tuple[Contender, Contender]:
    """The two under names that columns have room for; a path is told above them."""
    if a.name != b.name and max(len(a.name), len(b.name)) <= COLUMN_WIDTH:
        return a, b
    screen.print(f"A: {escape(a.name)}\nB: {escape(b.name)}\n", soft_wrap=True)
    return replace(a, name="A"), replace(b, name="B")


def described(name: str) -> tuple[ModelConfig, MiniBERT | None]:
    """A preset by its name, which is without weights; all else is a model to be loaded."""
    if name in presets():
        return ModelConfig.preset(name), None
    try:
        model = chosen_model(name)
    except ValueError as error:
        if Path(name).expanduser().exists():
            raise
        told = unknown("preset", name, presets())
        raise ValueError(f"{told}{'' if told.endswith('?') else '.'} As a folder: {error}") from None
    return model.config, model


def distances(a: Contender, b: Contender) -> dict[str, Distance]:
    return weight_distances(a.model.arena, b.model.arena) if a.model and b.model else {}


def show(a: Contender, b: Contender, screen: Console) -> None:
    screen.print(parameters_table(a, b))
    screen.print(cost_table(a, b))
    changed = setting_changes(a.config, b.config)
    changes = part_changes(a.network, b.network)
    if changed:
        screen.print(settings_table(a, b, changed))
    tell_changes("Parts that differ", [change for change in changes if not change.of_size], screen)
    tell_changes(
        "The same parts with other numbers", [change for change in changes if change.of_size], screen
    )
    if not changed and not changes:
        screen.print("Both are made of the same parts, in the same sizes.\n")
    if apart := distances(a, b):
        screen.print(distances_table(a, b, apart))


def parameters_table(a: Contender, b: Contender) -> Table:
    made = table("Parameters", "part", escape(a.name), escape(b.name), "B / A")
    first, second = by_part(a.parameters), by_part(b.parameters)
    for part in (part for part in dict.fromkeys(PARTS.values()) if first[part] or second[part]):
        made.add_row(
            part,
            *(f"{count:,}" if count else "" for count in (first[part], second[part])),
            ratio(first[part], second[part]),
        )
    made.add_section()
    totals = first.total(), second.total()
    made.add_row("total", *(f"{total:,}" for total in totals), ratio(*totals), style="bold")
    return made


def cost_table(a: Contender, b: Contender) -> Table:
    made = table(f"A training step of {a.B} × {a.T} tokens", "", escape(a.name), escape(b.name), "B / A")
    rows = {
        "weights_bytes": ("weights", in_bytes),
        "activations_bytes": ("activations kept", in_bytes),
        "forward_flops": ("forward", in_flops),
        "step_flops": ("forward and backward", in_flops),
    }
    for key, (name, unit) in rows.items():
        amounts = a.figures[key], b.figures[key]
        made.add_row(name, *map(unit, amounts), ratio(*amounts))
    return made


def ratio(first: int, second: int) -> str:
    return f"{second / first:.2f}" if first and second else ""


def settings_table(a: Contender, b: Contender, changed: dict[str, tuple[Any, Any]]) -> Table:
    made = table("Settings that differ", "setting", escape(a.name), escape(b.name))
    made.columns[1].justify = made.columns[2].justify = "left"
    for name, values in changed.items():
        made.add_row(name, *map(value, values))
    return made


def tell_changes(title: str, changes: Sequence[Change], screen: Console) -> None:
    """Each on one line if it has room there, else with what was and what is below each other."""
    if not changes:
        return
    screen.print(f"[bold]{title}[/]\n")
    for change in changes:
        place = escape(", ".join(gathered(change.places)))
        before, after = f"[red]{escape(change.before)}[/]", f"[green]{escape(change.after)}[/]"
        line = f"{place}: {before} → {after}"
        if 2 + Text.from_markup(line).cell_len <= screen.width:
            screen.print(indented(line, 2))
        else:
            screen.print(indented(f"{place}:", 2), indented(f"− {before}", 4), indented(f"+ {after}", 4))
    screen.print()


def indented(text: str, by: int) -> Padding:
    return Padding(text, (0, 0, 0, by), expand=False)


def gathered(places: Sequence[str]) -> list[str]:
    """Places below one part on one line.

    >>> gathered(["attn.query", "attn.key", "norm"])
    ['attn.{query, key}', 'norm']
    """
    below: dict[str, list[str]] = defaultdict(list)
    for place in places:
        parent, _, name = place.rpartition(".")
        below[parent].append(name)
    joined = {
        parent: names[0] if len(names) == 1 else "{" + ", ".join(names) + "}"
        for parent, names in below.items()
    }
    return [f"{parent}.{name}".removeprefix(".") for parent, name in joined.items()]


def distances_table(a: Contender, b: Contender, apart: dict[str, Distance]) -> Table:
    """By part, and the weight that is farthest away."""
    assert a.model
    assert b.model
    shared = f"{counted(len(apart), 'weight')} of one shape"
    made = table(f"How far apart they are: {shared}", "part", "‖A − B‖ / ‖A‖", "cosine", "farthest weight")
    made.columns[3].justify = "left"
    names: dict[str, list[str]] = defaultdict(list)
    for name in apart:
        names[next(iter(by_part({name: 1})))].append(name)
    for part, members in names.items():
        whole = distance(
            *(np.concatenate([c.model.arena[n].ravel() for n in members]) for c in (a, b) if c.model)
        )
        farthest = max(members, key=lambda name: apart[name].relative)
        made.add_row(part, f"{whole.relative:.4f}", f"{whole.cosine:.4f}", farthest)
    return made


def as_dict(a: Contender, b: Contender) -> dict[str, Any]:
    return {
        "step": {"batch": a.B, "tokens": a.T},
        "models": [
            {"name": one.name, **one.figures, "parameters_by_part": by_part(one.parameters)} for one in (a, b)
        ],
        "settings": {name: list(values) for name, values in setting_changes(a.config, b.config).items()},
        "parts": [asdict(change) for change in part_changes(a.network, b.network)],
        "weights": {name: asdict(found) for name, found in distances(a, b).items()},
    }
