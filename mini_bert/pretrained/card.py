"""The model card: README.md beside the weights, from what was measured and nothing else.

It begins with the facts that model hubs read (YAML), and leaves out what nobody has measured.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from mini_bert.files import write_atomically
from mini_bert.models.config import ModelConfig
from mini_bert.pretrained.card_prose import (
    LEANINGS,
    LEANINGS_OF,
    LIMITS,
    STORAGE,
    USE,
    what_it_is,
)
from mini_bert.pretrained.card_tables import log_table, markdown_table, percentage, results_of, stage_table
from mini_bert.pretrained.shipped import NAMES
from mini_bert.run_reports.durations import duration
from mini_bert.run_reports.history import series

CARD, CURVE = "README.md", "curve.svg"
RECIPE = (
    "masking",
    "optimizer",
    "schedule",
    "batch",
    "clipping",
    "averaging",
    "curriculum",
    "budget",
    "seed",
)
LARGEST_CURVE = 60_000
"""Bytes; a curve that takes more is left to training.json."""


def write_card(
    folder: Path,
    config: ModelConfig,
    training: Mapping[str, Any],
    measured: Mapping[str, Any],
    corpus: Mapping[str, Any],
    licence: str,
) -> None:
    """Write README.md, and curve.svg if there is a log."""
    has_curve = draw_curve(folder / CURVE, training)
    text = card(config, training, measured, corpus, licence, has_curve)
    write_atomically(folder / CARD, text.encode())


def card(
    config: ModelConfig,
    training: Mapping[str, Any],
    measured: Mapping[str, Any],
    corpus: Mapping[str, Any],
    licence: str,
    has_curve: bool,
) -> str:
    name = str(training["name"])
    parts = [
        front_matter(name, licence),
        f"# {name}\n\n{what_it_is(config, training['parameters'])}",
        f"## Use\n\n{USE.format(name=name if name in NAMES else f'./{name}')}",
        *says(measured),
        *data(training, corpus),
        *recipe(config, training),
        *curve(training, has_curve),
        *evaluation(measured),
        f"## Limits\n\n{LIMITS.format(tokens=config.max_seq_length, pieces=config.vocab_size)}",
        *leanings(measured, corpus),
    ]
    return "\n\n".join(parts) + "\n"


def front_matter(name: str, licence: str) -> str:
    told = {
        "license": licence,
        "language": "en",
        "library_name": "mini-bert",
        "pipeline_tag": "fill-mask",
        "tags": ["bert", "masked-language-modeling", "numpy", "education"],
        "model_name": name,
    }
    return f"---\n{yaml.safe_dump(told, sort_keys=False).strip()}\n---"


def says(measured: Mapping[str, Any]) -> Iterator[str]:
    if examples := measured.get("examples"):
        rows = [
            [
                one["text"],
                ", ".join(f"{guess['word']} {100 * guess['probability']:.0f} %" for guess in one["guesses"]),
            ]
            for one in examples
        ]
        yield f"## What it says\n\n{markdown_table(['text', 'first guesses'], rows)}"


def data(training: Mapping[str, Any], corpus: Mapping[str, Any]) -> Iterator[str]:
    facts, sources = training.get("facts") or {}, corpus.get("sources") or {}
    if not facts and not sources:
        return
    told = ["## Data and licences"]
    if facts:
        told.append(
            f"{facts['tokens']:,} tokens in {facts['documents']:,} documents ({facts['corpus']}), of which "
            f"{(training.get('settings') or {}).get('held_out', 0):.1%} were held out to watch the run."
        )
    if sources:
        rows = [
            [
                name,
                one["licence"],
                f"{one['train']['documents']:,}",
                f"{one['train']['characters'] / 1e6:.1f}",
                f"{one['held_out']['documents'] if one.get('held_out') else 0:,}",
                one["attribution"],
            ]
            for name, one in sources.items()
        ]
        header = ["source", "licence", "documents", "million characters", "held out", "attribution"]
        told += [
            markdown_table(header, rows),
            "None of the text is in this folder. Documents that are held out are in no part of training; "
            "corpus.json has the checksum of each text.",
        ]
    yield "\n\n".join(told)


def recipe(config: ModelConfig, training: Mapping[str, Any]) -> Iterator[str]:
    settings = training.get("settings")
    if not settings:
        return
    plain = ModelConfig().model_dump()
    changed = {key: value for key, value in config.model_dump().items() if value != plain[key]}
    architecture = flat(changed)
    told = {"model": architecture or "every setting is the learning guide's"}
    told |= {key: flat(settings[key]) for key in RECIPE if key in settings}
    rows = [[key, value] for key, value in told.items()]
    spent = f"{training['steps']:,} steps, {training['tokens']:,} tokens, {duration(training['seconds'])}"
    workers = settings.get("workers")
    ending = "" if training.get("is_finished") else ", and was not finished when the model was packed"
    yield "\n\n".join(
        [
            "## Recipe",
            f"Training took {spent}"
            + (f" with {workers} worker{'s' if workers != 1 else ''}" if workers else "")
            + f"{ending}; training.json has every setting.",
            *stages(training.get("stages") or []),
            markdown_table(["part", "settings"], rows),
        ]
    )


def stages(stages: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if stages:
        yield (
            "It went in stages, each of which began with the weights that the one before had packed, and with moments "
            "of zero; its learning rate rises and falls anew:"
        )
        yield stage_table(stages)
        yield "The settings of the last:"


def flat(value: Any) -> str:
    """Settings in one line; those that say nothing are left out."""
    if not isinstance(value, Mapping):
        return str(value)
    if value.get("kind") == "none":
        return "none"
    return ", ".join(f"{key} {flat(inner)}" for key, inner in value.items() if inner not in (None, {}, []))


def curve(training: Mapping[str, Any], has_curve: bool) -> Iterator[str]:
    if log := training.get("log"):
        picture = f"![loss over the steps]({CURVE})\n\n" if has_curve else ""
        yield f"## Curve\n\n{picture}{log_table(log)}"


def draw_curve(file: Path, training: Mapping[str, Any]) -> bool:
    """Write the losses over the steps, if they were logged and the picture is small."""
    from mini_bert.plots.curves import curves
    from mini_bert.plots.style import save

    log = training.get("log") or []
    found = {"training": series(log, "loss"), "held-out": series(log, "held_out_loss")}
    drawn = {name: one for name, one in found.items() if not one.is_empty}
    if not drawn:
        return False
    frequencies = (training.get("facts") or {}).get("unigram_loss")
    save(curves(drawn, "loss (nats)", {"word frequencies": frequencies} if frequencies else None), file)
    if file.stat().st_size > LARGEST_CURVE:
        file.unlink()
        return False
    return True


def evaluation(measured: Mapping[str, Any]) -> Iterator[str]:
    results, storage = measured.get("results") or {}, measured.get("storage")
    told = ["## Evaluation"]
    for name, result in results.items():
        told += [f"### {name}", results_of(name, result)]
    if storage:
        same = storage["same_first_guess"]
        told += [
            "### Storage",
            STORAGE.format(
                share=percentage(same["value"], [same["low"], same["high"]]),
                positions=storage["positions"],
                text=storage["text"],
                error=storage["largest_relative_error"],
                before=storage["loss_before"],
                after=storage["loss_after"],
            ),
        ]
    if len(told) > 1:
        yield "\n\n".join(told)


def leanings(measured: Mapping[str, Any], corpus: Mapping[str, Any]) -> Iterator[str]:
    found = measured.get("associations")
    if not found:
        return
    words = list(found[0]["probabilities"])
    rows = [
        [one["text"], *(percentage(one["probabilities"][word]) for word in words), one["first_guess"]]
        for one in found
    ]
    table = markdown_table(["text", *words, "first guess"], rows)
    causes = [told for source, told in LEANINGS_OF.items() if source in (corpus.get("sources") or {})]
    yield "\n\n".join(["## Known biases", LEANINGS, table, *causes])
