"""`mini-bert experiment`: the recipe search, one question at a time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.markup import escape

from mini_bert.cli.experiment_tables import show_comparison, show_experiment, show_list
from mini_bert.cli.progress import progress
from mini_bert.cli.screen import console, print_json
from mini_bert.experiments.comparison import Comparison, as_dict
from mini_bert.experiments.experiment import Experiment, experiment_names
from mini_bert.experiments.ground import EXAM_ROWS, KEPT, ground_in, kept_ground
from mini_bert.experiments.search import Search
from mini_bert.experiments.side_by_side import EndedAtOnce
from mini_bert.experiments.tables import markdown
from mini_bert.experiments.trials import check_same
from mini_bert.marked_page import check_page, rewrite
from mini_bert.training.parallel import available_cores
from mini_bert.training.run_folder import CONFIG

EPILOG = f"""\b
Examples:
  mini-bert experiment
  mini-bert experiment norm
  mini-bert experiment norm --steps 200 --out search
  mini-bert experiment norm activation --corpus "corpus/train/*.txt.gz" --held-out "corpus/held_out/*.txt.gz" \\
      --tokenizer vocab --out search
  mini-bert experiment --all --out search --table
  mini-bert experiment --all --out search --table --write docs/recipe_search.md

Without names, the experiments are listed; without --out, those named are described. With --out, the base and each
variant that is not there yet is trained in a folder of its own below it (begun ones go on, finished ones stay), and
all sit the same exam: at most {EXAM_ROWS:,} rows of each held-out file, with 15 % of their tokens hidden. Ctrl-C stops
and saves all runs, and the same command goes on. --corpus, --held-out and the other settings of a search are
remembered in its folder; without any, the text is the embedded world.

± is half of a 95 % interval of the difference on the same questions: what other text would say of these models, not
what other seeds would.
"""


OF_THE_EXAM = {"held_out", "exam_rows"}
"""Settings of a search that its runs are not trained by."""


@click.command(epilog=EPILOG)
@click.argument("names", nargs=-1, metavar="[EXPERIMENT]...")
@click.option("--all", "everything", is_flag=True, help="All experiments of the package.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="The folder of the search.")
@click.option("--corpus", multiple=True, help="Text to learn from: a file, folder or glob; may be repeated.")
@click.option("--held-out", multiple=True, help="Text for the exam, each file by itself; may be repeated.")
@click.option("--tokenizer", help="A tokenizer's folder.  [default: learned from the corpus, once for all]")
@click.option("--base", help="The base's training configuration, or a YAML file.  [default: search]")
@click.option(
    "--steps", type=click.IntRange(min=1), help="As many tokens for all as the base has in so many steps."
)
@click.option(
    "--exam-rows", type=click.IntRange(min=2), help=f"Rows of each held-out file.  [default: {EXAM_ROWS}]"
)
@click.option("--parallel", type=click.IntRange(min=1), help="Runs at a time.  [default: one for each core]")
@click.option("--table", "only_table", is_flag=True, help="Train nothing: the tables of what is there.")
@click.option("--markdown", "as_markdown", is_flag=True, help="Tables for a page.")
@click.option(
    "--write",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Put the tables between the marks of this page; one with runs still to go is left as it was.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object in place of the tables.")
@click.pass_context
def command(
    ctx: click.Context,
    /,
    names: tuple[str, ...],
    everything: bool,
    out: Path | None,
    parallel: int | None,
    only_table: bool,
    as_markdown: bool,
    write: Path | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Ask which recipe trains best: short runs that differ in one thing, and one exam for all of them."""
    if everything and names:
        raise ValueError("--all are all experiments; leave the names out, or --all")
    if as_json and as_markdown:
        raise ValueError("--json and --markdown are two ways to tell the same; choose one")
    settings = {
        name: list(value) if isinstance(value, tuple) else value for name, value in given.items() if value
    }
    chosen = [Experiment.named(name) for name in dict.fromkeys(names)]
    if everything or not names:
        chosen = [Experiment.named(name) for name in experiment_names()]
    if out is None:
        if only_table or write or settings or parallel:
            raise ValueError("where are the runs, or where shall they be? Name a folder with --out")
        return describe(chosen, bool(names), as_json)
    if not names and not everything:
        raise ValueError("which experiment? Name some, or give --all; `mini-bert experiment` lists them")
    if only_table and not out.is_dir():
        raise ValueError(f"{out}: no such folder; leave --table out to begin a search there")
    if write is not None:
        check_page(write, [mark(experiment) for experiment in chosen])
    check_folder(out)
    has_ground = bool(kept_ground(out)) or "held_out" in settings
    search = Search(chosen, ground_in(out, settings), out)
    if only_table and settings.keys() - OF_THE_EXAM:
        check_same(search.trials, search.ground)
    if not only_table:
        train(search, parallel or len(available_cores()))
    if not only_table or has_ground:
        with progress("exam") as report:
            search.examine(report)
        if only_table:
            search.ground.keep(out)
    tell(search, search.compare(), as_json, as_markdown, write)
    if not only_table and search.troubles:
        ctx.exit(1)


def check_folder(out: Path) -> None:
    """Refuse a folder that holds something, and no search."""
    if (
        out.is_dir()
        and any(out.iterdir())
        and not (out / KEPT).is_file()
        and not any(out.glob(f"*/{CONFIG}"))
    ):
        raise ValueError(f"{out}: is not empty, and no search; choose another --out, one that is made here")


def train(search: Search, parallel: int) -> None:
    try:
        with progress("training") as report:
            search.train(parallel, report)
    except EndedAtOnce:
        click.echo(
            "ended at once, and not saved; the same command goes on from the last checkpoint, or begins anew",
            err=True,
        )
        raise
    except KeyboardInterrupt:
        click.echo("stopped and saved; the same command goes on", err=True)
        raise


def mark(experiment: Experiment) -> str:
    """What its place on a page is marked with."""
    return f"experiment: {experiment.name}"


def describe(chosen: list[Experiment], in_full: bool, as_json: bool) -> None:
    if as_json:
        return print_json({"experiments": [experiment.model_dump() for experiment in chosen]})
    screen = console()
    if not in_full:
        return show_list(chosen, screen)
    for experiment in chosen:
        show_experiment(experiment, screen)


def tell(
    search: Search, found: list[Comparison], as_json: bool, as_markdown: bool, write: Path | None
) -> None:
    if write is not None:
        write_whole(found, write)
    if as_json:
        return print_json({"experiments": [as_dict(one) for one in found]})
    if as_markdown:
        return click.echo("\n".join(map(markdown, found)), nl=False)
    screen = console()
    for one in found:
        show_comparison(one, screen)
    if search.missing:
        screen.print(f"[yellow]{escape(search.missing)}[/]", soft_wrap=True)


def write_whole(found: list[Comparison], page: Path) -> None:
    """Put tables into a page, but none with runs still to go in the place of one that was whole."""
    whole = [one for one in found if one.is_whole]
    if whole:
        rewrite(page, {mark(one.experiment): markdown(one) for one in whole})
        click.echo(f"written into {page}: {names_of(whole)}", err=True)
    if left := [one for one in found if not one.is_whole]:
        click.echo(f"left as it was in {page}, for not all runs are examined: {names_of(left)}", err=True)


def names_of(comparisons: list[Comparison]) -> str:
    return ", ".join(one.experiment.name for one in comparisons)
