"""`mini-bert minimal-pairs`: does a model tell a sentence from the same one with a mistake?"""

from __future__ import annotations

from pathlib import Path

import click

from mini_bert.cli.models import chosen_model, model_option, told_of
from mini_bert.cli.progress import progress
from mini_bert.cli.screen import console, print_json
from mini_bert.cli.section_tables import show_section
from mini_bert.data.corpus import corpus
from mini_bert.evaluation.linguistic.minimal_pairs import Settings, joined_figures, sections
from mini_bert.evaluation.linguistic.pair_sets import pair_sets, world_pairs
from mini_bert.evaluation.linguistic.word_counts import text_to_count
from mini_bert.evaluation.subject import Subject

EPILOG = """\b
Examples:
  mini-bert minimal-pairs
  mini-bert minimal-pairs --data blimp --max-pairs 100
  mini-bert minimal-pairs --data tasks --counts-from "corpus/train/*.txt.gz" --json
  mini-bert minimal-pairs --data blimp --model ~/models/bert-base-uncased --by-piece

DIR holds BLiMP's .jsonl, Zorro's .txt or Marvin and Linzen's .tsv files, or folders blimp, zorro, marvin_linzen.
"""


@click.command(epilog=EPILOG)
@model_option
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Minimal pairs.  [default: the embedded world's]",
)
@click.option(
    "--max-pairs", type=click.IntRange(min=1), help="Of each paradigm.  [default: all; 200 of the world]"
)
@click.option(
    "--counts-from",
    multiple=True,
    metavar="FILE",
    help="Let the baselines count in this text; may be repeated, or a glob in quotes.  [default: what the model "
    "learned from, if it is there, else stories of the embedded world]",
)
@click.option(
    "--by-piece",
    is_flag=True,
    help="Hide one piece at a time (Salazar et al. 2020), not the later pieces of its word with it (Kauf & Ivanova "
    "2023).",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object in place of the tables.")
def command(
    model_path: str | None,
    data: Path | None,
    max_pairs: int | None,
    counts_from: tuple[str, ...],
    by_piece: bool,
    as_json: bool,
) -> None:
    """Tell how often a model prefers the good one of two sentences, for each phenomenon of grammar.

    A sentence is scored by hiding each of its words in turn (pseudo-log-likelihood), and of a word in several pieces
    each piece with those that follow it; a causal model reads it from left to right. Beside it stand the same network
    with random weights, and what counting words would reach.
    """
    settings = Settings(
        max_pairs=max_pairs,
        world_pairs=max_pairs or Settings().world_pairs,
        within_word=not by_piece,
    )
    sets = pair_sets(data) if data else [world_pairs(settings.world_pairs, settings.seed)]
    model = chosen_model(model_path)
    told, counted_in = (
        (", ".join(counts_from), corpus(*counts_from))
        if counts_from
        else text_to_count(model, None, settings.counted_stories)
    )
    with Subject(model) as subject, progress("minimal pairs") as report:
        found = sections(subject, sets, told, counted_in, settings, report)
    if as_json:
        print_json({**told_of(model), "counted_in": told, **joined_figures(found)})
        return
    for section in found:
        show_section(section, console())
