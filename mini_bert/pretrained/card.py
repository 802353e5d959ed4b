"""The model card: README.md beside the weights, from the files beside them and nothing else.

It begins with the facts that model hubs read (YAML), and leaves out what nobody has measured.
"""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from string import ascii_lowercase, ascii_uppercase
from typing import Any

import yaml

from mini_bert.errors import counted
from mini_bert.files import write_atomically
from mini_bert.models.checkpoint import CONFIG, read_config
from mini_bert.models.config import ModelConfig
from mini_bert.pretrained.card_data import data
from mini_bert.pretrained.card_prose import (
    LEANINGS,
    LEANINGS_OF,
    LIMITS,
    OVERLAP_OF,
    SHORT_ROWS,
    STAGES,
    STORAGE,
    USE,
    WATCHED,
    paragraph,
    what_it_is,
)
from mini_bert.pretrained.card_recipe import changes_told, differences_told, means_told, recipe_rows
from mini_bert.pretrained.card_results import results_of
from mini_bert.pretrained.card_shortfalls import shortfalls
from mini_bert.pretrained.card_tables import log_table, markdown_table, percentage, stage_table
from mini_bert.pretrained.given_results import check_whole
from mini_bert.pretrained.packed_files import EVALUATION, damage_told, read_if_there
from mini_bert.pretrained.shipped import is_shipped
from mini_bert.pretrained.sources import Sources
from mini_bert.pretrained.stages import is_recorded_from_the_start, sources_in, stages_of
from mini_bert.pretrained.training_record import RECORD, WITHOUT_MEASURED, WITHOUT_RECORD, record_in
from mini_bert.run_reports.durations import duration
from mini_bert.run_reports.history import is_number, series
from mini_bert.tokenizers.files import load_tokenizer
from mini_bert.tokenizers.special import MASK
from mini_bert.tokenizers.tokenizer import Tokenizer

CARD, CURVE = "README.md", "curve.svg"
LARGEST_CURVE = 60_000
"""Bytes; a curve that takes more is left to training.json."""
FEW = 5
"""Documents that say more of themselves than of their kind."""


def write_card(folder: Path, place: Path | None = None) -> None:
    """Write README.md, and curve.svg if there is a log."""
    draw_curve(folder / CURVE, read_if_there(folder / RECORD))
    write_atomically(folder / CARD, card_of(folder, place).encode())


def card_of(folder: Path, place: Path | None = None) -> str:
    """The card of a packed model; `place` is where its folder will lie, if not where it is."""
    config, is_uncased = read_config(folder / CONFIG), lowers(load_tokenizer(folder))
    training, measured = record_in(folder) or {}, read_if_there(folder / EVALUATION)
    name, licence, sources = training["name"], training["licence"], sources_in(training)
    parts = [
        front_matter(name, licence),
        f"# {name}\n\n{what_it_is(config, training['parameters'], 'settings' in training)}",
        f"## Use\n\n{use((place or folder).resolve(), is_uncased)}",
        *says(measured),
        *data(training),
        *recipe(config, training),
        *curve(training, (folder / CURVE).is_file()),
        *evaluation(measured, training),
        f"## Limits\n\n{limits(config, is_uncased, measured)}",
        *leanings(measured, sources),
    ]
    return "\n\n".join(parts) + "\n"


def check_told(
    folder: Path, config: ModelConfig, training: Mapping[str, Any], measured: Mapping[str, Any]
) -> None:
    """Refuse what a card cannot tell, with the file that has it."""
    record = folder / RECORD
    with damage_told(record if record.is_file() else folder, WITHOUT_RECORD):
        _ = [*data(training), *recipe(config, training), *curve(training, False)]
    with damage_told(folder / EVALUATION, WITHOUT_MEASURED):
        _ = (
            [*evaluation({"storage": measured["storage"]}, {})]
            if measured.keys() & {"packed_from", "storage"}
            else []
        )
    for name, result in (measured.get("results") or {}).items():
        check_whole(f"{folder / EVALUATION}, {name}", name, result)


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


def use(folder: Path, is_uncased: bool) -> str:
    """How the model is called from Python and in a shell, whatever signs the name of its folder has."""
    path = folder.name if is_shipped(folder) else f"./{folder.name}"
    quoted = json.dumps(path, ensure_ascii=False)
    return USE.format(quoted=quoted, typed=shlex.quote(path), lowered="lowercased and " * is_uncased)


def limits(config: ModelConfig, is_uncased: bool, measured: Mapping[str, Any]) -> str:
    """What every small model cannot, and what this one was found not to."""
    uncased = ", without capital letters" * is_uncased
    general = LIMITS.format(tokens=config.max_seq_length, pieces=config.vocab_size, uncased=uncased)
    return "\n".join([general, *shortfalls(measured.get("results") or {})])


def lowers(tokenizer: Tokenizer) -> bool:
    """Whether capital letters are read as small ones."""
    capital, small = (tokenizer.encode(" ".join(letters)) for letters in (ascii_uppercase, ascii_lowercase))
    return capital == small


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


def recipe(config: ModelConfig, training: Mapping[str, Any]) -> Iterator[str]:
    settings = training.get("settings")
    if not settings:
        return
    stages, seconds, init = stages_of(training), training["seconds"], settings.get("init")
    took = "" if seconds is None else f" and {duration(seconds)}"
    told = f"Training took {training['steps']:,} steps{took}"
    if not training.get("is_finished"):
        told += ", and was not finished when the model was packed"
    kept = "what was recorded of the settings of each stage" if len(stages) > 1 else "every setting"
    told += f"; training.json has {kept}."
    if len(stages) > 1:
        told += f" {STAGES}"
    elif init:
        told += f" It began with the weights of {init}, of whose training no record was kept."
    table = markdown_table(["part", "settings"], recipe_rows(config, settings))
    last = ["The settings of the last:"] if len(stages) > 1 else []
    yield "\n\n".join(
        [
            "## Recipe",
            paragraph(told),
            stage_table(stages),
            *changes_told(stages),
            *means_told(stages),
            *differences_told(stages),
            *last,
            table,
        ]
    )


def curve(training: Mapping[str, Any], has_curve: bool) -> Iterator[str]:
    if log := training.get("log"):
        picture = [f"![loss over the steps]({CURVE})"] if has_curve else []
        ends = list(accumulate(stage["steps"] for stage in stages_of(training)))
        notes = [*watched(training), *unlogged(ends, log[0]["step"])]
        yield "\n\n".join(["## Curve", *picture, log_table(log, ends), *notes])


def watched(training: Mapping[str, Any]) -> Iterator[str]:
    """Which text the held-out scores of the log are of, if there are any."""
    held_out = dict.fromkeys(stage["text"].get("held_out") for stage in stages_of(training))
    if shares := [f"{100 * share:g} %" for share in held_out if share]:
        yield paragraph(WATCHED.format(shares=" or ".join(shares)))
        if any((stage["settings"].get("batch") or {}).get("short_rows") for stage in stages_of(training)):
            yield paragraph(SHORT_ROWS)


def unlogged(ends: Sequence[int], first: int) -> Iterator[str]:
    """Which stages had ended before the first line of the log."""
    if missing := [str(number) for number, end in enumerate(ends, start=1) if end < first]:
        yield f"No log was kept of stage {', '.join(missing)}."


def draw_curve(file: Path, training: Mapping[str, Any]) -> None:
    """Write the losses over the steps, if they were logged and the picture is small."""
    from mini_bert.plots.curves import curves
    from mini_bert.plots.style import save

    log = training.get("log") or []
    found = {"training": series(log, "loss"), "held-out": series(log, "held_out_loss")}
    drawn = {name: one for name, one in found.items() if not one.is_empty}
    if not drawn:
        return
    frequencies = (training.get("facts") or {}).get("unigram_loss")
    save(curves(drawn, "loss (nats)", {"word frequencies": frequencies} if frequencies else None), file)
    if file.stat().st_size > LARGEST_CURVE:
        file.unlink()


def evaluation(measured: Mapping[str, Any], training: Mapping[str, Any]) -> Iterator[str]:
    results, storage = measured.get("results") or {}, measured.get("storage")
    told = (
        ["## Evaluation", *overlap(training), *few_documents(sources_in(training))]
        if results
        else ["## Evaluation"]
    )
    told += map(paragraph, measured.get("remarks") or ())
    told += (results_of(name, result) for name, result in results.items())
    if storage is not None:
        share = f"{100 * storage['same_first_guess']['value']:.2f} %"
        told += ["### Storage", paragraph(STORAGE.format(**storage, share=share))]
    if len(told) > 1:
        yield "\n\n".join(told)


def overlap(training: Mapping[str, Any]) -> Iterator[str]:
    """How far held-out text is like what was trained on, where somebody has counted, and no other text was read."""
    stages, texts = stages_of(training), texts_in(sources_in(training))
    if is_recorded_from_the_start(stages) and all(stage["text"].get("sources") for stage in stages):
        yield from (paragraph(told) for known, told in OVERLAP_OF.items() if known == texts)


def texts_in(sources: Sources) -> set[str | None]:
    """The SHA-256 of each text that was trained on, None for one that nobody has told."""
    return {one["train"].get("sha256") for one in sources.values()}


def few_documents(sources: Sources) -> Iterator[str]:
    """Held-out text that is a handful of documents."""
    for name, one in sources.items():
        count = (one.get("held_out") or {}).get("documents", 0)
        if 0 < count <= FEW:
            yield paragraph(
                f"The held-out text of {name} is {count} document{'s' if count > 1 else ''}: its scores tell of these, "
                "and their intervals do not hold for others of the kind."
            )


def leanings(measured: Mapping[str, Any], sources: Sources) -> Iterator[str]:
    found = measured.get("associations")
    if not found:
        return
    words = list(found[0]["probabilities"])
    rows = [
        [one["text"], *(percentage(one["probabilities"][word]) for word in words), one["first_guess"]]
        for one in found
    ]
    table = markdown_table(["text", *words, "first guess"], rows)
    texts = texts_in(sources)
    causes = [told for text, told in LEANINGS_OF.items() if text in texts]
    yield "\n\n".join(
        ["## Known biases", LEANINGS, table, *map(paragraph, [counted_leanings(found), *causes])]
    )


def counted_leanings(found: Sequence[Mapping[str, Any]]) -> str:
    """Which first guesses the rows of the table have, and which of them lean to "she" and which to "he".

    >>> rows = [("[MASK] reads.", "tom", 0.2, 0.1), ("[MASK] sings.", "she", 0.1, 0.2), ("[MASK] is.", "tom", 0.2, 0)]
    >>> counted_leanings([{"text": text, "first_guess": first, "probabilities": {"he": he, "she": she}}
    ...                   for text, first, he, she in rows])
    'First guesses: tom in 2 of 3 rows, she in 1. "he" is likelier than "she" in 2, "she" than "he" in 1: sings.'
    """
    guesses = Counter(one["first_guess"] for one in found).most_common()
    first, *others = (f"{word} in {count}" for word, count in guesses)
    rows = counted(len(found), "row")
    told = f"First guesses: {', '.join([f'{first} of {rows}', *others])}."
    sides: dict[str, list[str]] = {"he": [], "she": []}
    for one in found:
        he, she = (one["probabilities"].get(word) for word in sides)
        if is_number(he) and is_number(she) and he != she:
            sides["he" if he > she else "she"].append(one["text"].removeprefix(MASK).strip(" ."))
    (more, many), (less, few) = sorted(sides.items(), key=lambda side: -len(side[1]))
    if many:
        told += f' "{more}" is likelier than "{less}" in {len(many)}, "{less}" than "{more}" in {len(few)}'
        told += f": {', '.join(few)}." if few else "."
    return told
