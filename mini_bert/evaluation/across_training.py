"""When does a model learn what? The same measures at every checkpoint of a run, over the tokens it had seen.

    measures = {"words found (%)": masked_words_measure(None), ...}
    across_training(Path("runs/stories"), measures, report)

A measure is a function of a `Subject` that gives figures by name; its own name says the unit, and where that is
percent, shares are shown as such. A figure whose name begins with "baseline: " is a level to compare with: with the
first of the others, or with the one that it names in brackets at its end.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import nan
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from mini_bert.core.array import Array
from mini_bert.evaluation.exam import DoesNotApply
from mini_bert.evaluation.section import Cell, Column, Picture, Row, Section, Table
from mini_bert.evaluation.subject import Subject
from mini_bert.models.huggingface.reading import from_pretrained
from mini_bert.models.mini import MiniBERT
from mini_bert.reports import Report, part, silent
from mini_bert.tokenizers.files import load_tokenizer
from mini_bert.training.checkpoints import Checkpoints
from mini_bert.training.config import TrainingConfig
from mini_bert.training.run_folder import RunFolder
from mini_bert.training.session import begun_model

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Measure = Callable[[Subject], Mapping[str, float]]
BASELINE, PERCENT = "baseline: ", "(%)"
FEWEST = 3
"""Checkpoints, for a curve to show when something was learned."""
MANY_TIMES = 20
"""Between the lowest and the highest value, from which on an axis is logarithmic."""
STATE = "state.json"


@dataclass(frozen=True)
class Moment:
    """A checkpoint: its step, how many tokens had been seen, the training loss there, and all figures by measure."""

    step: int
    tokens: int
    training_loss: float | None
    found: dict[str, dict[str, float]]


def across_training(
    run: Path,
    measures: Mapping[str, Measure],
    report: Report = silent,
    remarks: Mapping[str, Callable[[], str]] = MappingProxyType({}),
) -> list[Section]:
    """A section for each measure that applies, with the remark on it; ValueError if the run kept too few checkpoints.

    Remarks are asked for when everything is measured.
    """
    folder = RunFolder(Path(run))
    saved = sound_checkpoints(folder)
    losses = [(line["tokens"], line["loss"]) for line in folder.metrics() if line.get("loss") is not None]
    before = untrained(folder, saved)
    moments: list[Moment] = []
    applying = dict(measures)
    refused: dict[str, str] = {}
    starts: list[tuple[int, int, Path | MiniBERT]] = [
        (0, 0, before),
        *((step, tokens_of(place), place) for step, place in saved),
    ]
    for number, (step, tokens, model) in enumerate(starts):
        within = part(report, number / len(starts), (number + 1) / len(starts))
        with Subject(from_pretrained(model) if isinstance(model, Path) else model) as subject:
            found: dict[str, dict[str, float]] = {}
            for order, (name, measure) in enumerate(list(applying.items())):
                within(order / len(measures), f"step {step:,}: {name.removesuffix(PERCENT).strip()}")
                try:
                    found[name] = dict(measure(subject))
                except DoesNotApply as reason:
                    refused[name] = str(reason)
                    del applying[name]
        moments.append(Moment(step, tokens, loss_at(losses, tokens), found))
    if not applying:
        raise DoesNotApply(f"{run}: none of the measures applies: {'; '.join(refused.values())}")
    return [section_of(name, moments, str(run), remarks.get(name, str)()) for name in applying]


def sound_checkpoints(run: RunFolder, go_on: Callable[[], None] = lambda: None) -> list[tuple[int, Path]]:
    """One for each step that was saved, the first one first. `go_on` is called before each is read."""
    keep = run.settings().get("saving", {}).get("keep")
    checkpoints = Checkpoints(run.checkpoints)
    found = {}
    for step, place in sorted(checkpoints.candidates()):
        go_on()
        if checkpoints.fault_of(place) is None and (place / STATE).is_file():
            found[step] = place
    if len(found) < FEWEST:
        raise ValueError(
            f"{run.path}: {len(found)} of its checkpoints can be read, and to see it learn takes {FEWEST} at least "
            f"(saving.keep is {keep}); train with more of them: mini-bert train ... --set saving.keep=20 "
            "--set saving.every=100"
        )
    return [(step, found[step]) for step in sorted(found)]


def untrained(run: RunFolder, saved: Sequence[tuple[int, Path]]) -> MiniBERT:
    """The model as it was before its first step."""
    tokenizer = load_tokenizer(saved[-1][1])
    model = begun_model(TrainingConfig.parse(run.settings()), tokenizer)
    model.tokenizer = tokenizer
    return model


def tokens_of(checkpoint: Path) -> int:
    """How many tokens had been seen when a checkpoint was saved."""
    try:
        return int(json.loads((checkpoint / STATE).read_bytes())["progress"]["spent"]["tokens"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ValueError(
            f"{checkpoint / STATE}: does not tell how many tokens were seen ({error}); was it saved by another version?"
        ) from None


def loss_at(losses: Sequence[tuple[int, float]], tokens: int) -> float | None:
    """The training loss that was logged last up to a number of tokens; None before the first."""
    return next((loss for seen, loss in reversed(losses) if seen <= tokens), None)


def section_of(measure: str, moments: Sequence[Moment], run: str, remark: str = "") -> Section:
    names = list(moments[-1].found[measure])
    curves = {
        name: np.array([one.found.get(measure, {}).get(name, nan) for one in moments])
        for name in names
        if not name.startswith(BASELINE)
    }
    levels = {
        name.removeprefix(BASELINE): moments[-1].found[measure][name]
        for name in names
        if name.startswith(BASELINE)
    }
    is_share = measure.endswith(PERCENT)
    title = measure.removesuffix(PERCENT).strip()
    learned = ", ".join(told_halfway(name, values, moments) for name, values in curves.items())
    return Section(
        f"across-training-{slug(title)}",
        f"Across training: {title}",
        f"{run}: {len(moments) - 1} checkpoints and the model before its first step. Half of what it learned was there "
        f"{learned}. {remark}".rstrip(),
        (table_of(title, is_share, curves, levels, moments),),
        {
            "run": run,
            "measure": title,
            "steps": [one.step for one in moments],
            "tokens": [one.tokens for one in moments],
            "training_loss": [one.training_loss for one in moments],
            "curves": {name: values.tolist() for name, values in curves.items()},
            "baselines": levels,
        },
        (
            Picture(
                f"{title[0].upper()}{title[1:]} over tokens seen",
                partial(drawn, measure, moments, curves, levels),
                "Dashed: what it must beat; “before training” is the same network at its first step.",
            ),
        ),
    )


def table_of(
    title: str,
    is_share: bool,
    curves: Mapping[str, Array],
    levels: Mapping[str, float],
    moments: Sequence[Moment],
) -> Table:
    rows = [
        Row(
            (
                "before training" if one.tokens == 0 else f"step {one.step:,}",
                one.tokens,
                *(cell(values[number]) for values in curves.values()),
                one.training_loss,
            ),
            "control" if one.tokens == 0 else "model",
        )
        for number, one in enumerate(moments)
    ]
    rows += [
        Row(
            (name, None, *(level if curve == beaten(name, curves) else None for curve in curves), None),
            "baseline",
        )
        for name, level in levels.items()
    ]
    return Table(
        title[0].upper() + title[1:],
        (
            Column("checkpoint"),
            Column("tokens seen"),
            *(Column(name, is_share, 1 if is_share else 2) for name in curves),
            Column("training loss", decimals=2),
        ),
        tuple(rows),
        "The training loss is the last one logged there; the measures are asked of text that was not trained on.",
    )


def beaten(level: str, curves: Mapping[str, Array]) -> str | None:
    """The curve that a level is to be compared with: the one it names in brackets, else the first."""
    named = (curve for curve in curves if level.endswith(f" ({curve})"))
    return next(named, next(iter(curves), None))


def cell(value: float) -> Cell:
    return None if np.isnan(value) else float(value)


def told_halfway(name: str, values: Array, moments: Sequence[Moment]) -> str:
    """When a curve had first gone half of its way from the first to its last value."""
    known = np.flatnonzero(np.isfinite(values)).tolist()
    if len(known) < 2 or values[known[0]] == values[known[-1]]:
        return f"never ({name})"
    half = (values[known[0]] + values[known[-1]]) / 2
    is_rising = values[known[-1]] > values[known[0]]
    there = next(at for at in known if (values[at] >= half if is_rising else values[at] <= half))
    return f"after {moments[there].tokens:,} tokens ({name})"


def drawn(
    measure: str, moments: Sequence[Moment], curves: Mapping[str, Array], levels: Mapping[str, float]
) -> Figure:
    from mini_bert.plots.over_tokens import over_tokens

    factor = 100.0 if measure.endswith(PERCENT) else 1.0
    seen = np.array([one.tokens for one in moments[1:]], float)
    shown = {name: factor * values[1:] for name, values in curves.items()}
    first, values = next(iter(curves.items()))
    beside = {name: factor * level for name, level in levels.items()}
    if np.isfinite(values[0]):
        beside[f"before training ({first})" if len(curves) > 1 else "before training"] = factor * float(
            values[0]
        )
    every = np.concatenate([*shown.values(), np.array(list(beside.values()))])
    every = every[np.isfinite(every)]
    is_wide = bool(
        every.size and every.min() > 0 and every.max() > MANY_TIMES * every.min() and factor == 1.0
    )
    return over_tokens(seen, shown, measure, beside, is_logarithmic=is_wide)


def slug(title: str) -> str:
    return "-".join("".join(letter if letter.isalnum() else " " for letter in title.lower()).split())
