"""`mini-bert demo`: a small model learns to read stories in two minutes."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from mini_bert.cli.demo_story import Counted, Outcome, Standing, as_dict, introduce, show
from mini_bert.cli.progress import progress
from mini_bert.cli.screen import console, print_json
from mini_bert.cli.threads import one_blas_thread
from mini_bert.cli.train import Listener, stopping_at_signals
from mini_bert.evaluation.cloze_baselines import NeighbourCounts
from mini_bert.evaluation.clozes import Cloze, clozes
from mini_bert.files import cache_folder, if_nobody_is_in
from mini_bert.inference.fill_mask import guesses
from mini_bert.training.baselines import score
from mini_bert.training.config import TrainingConfig
from mini_bert.training.run_folder import RunFolder
from mini_bert.training.session import new_run
from mini_bert.training.trainer import Trainer, TrainingStopped
from mini_bert.training.validation import examine

CLOZES, TOP = 6, 3
HOME = RECIPE = "demo"

EPILOG = """\b
Examples:
  mini-bert demo
  mini-bert demo --minutes 0.2
  mini-bert demo --steps 500 --seed 1 --json
  mini-bert demo --corpus "letters/*.txt" --out runs/letters
  mini-bert demo --save storyteller
"""


@click.command(epilog=EPILOG)
@click.option(
    "--minutes",
    type=click.FloatRange(min=0, min_open=True),
    help="How long to train.",
)
@click.option(
    "--steps",
    type=click.IntRange(min=1),
    help=f"How many steps instead.  [default: {TrainingConfig.named(RECIPE).budget.steps}]",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Draws everything.")
@click.option(
    "--corpus",
    multiple=True,
    help="Your own text: a file, folder or glob.  [default: stories of a small world]",
)
@click.option("--out", type=click.Path(path_type=Path), help="Keep the run here, else until the next demo.")
@click.option("--save", "model_folder", type=click.Path(path_type=Path), help="Write the trained model here.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object in place of the story.")
def command(
    minutes: float | None,
    steps: int | None,
    seed: int,
    corpus: tuple[str, ...],
    out: Path | None,
    model_folder: Path | None,
    as_json: bool,
) -> None:
    """Train a small model for two minutes and show what it learned.

    It reads stories of a small world, in which some words are hidden, and learns to say which. It is examined
    on stories it has never read, and so are those who only count words. It is a run like any other: `mini-bert train
    --config demo` does the same.
    """
    changes: dict[str, Any] = {"seed": seed}
    length = {"steps": steps, "minutes": minutes}
    if budget := {name: value for name, value in length.items() if value is not None}:
        changes["budget"] = budget
    if corpus:
        changes["corpus"] = list(corpus)
    config = TrainingConfig.named(RECIPE, changes)
    if model_folder:
        model_folder.mkdir(parents=True, exist_ok=True)
    screen = console(quiet=as_json)
    with one_blas_thread(), run_folder(out) as folder:
        outcome = lesson(config, folder, screen)
    if model_folder:
        outcome.trainer.model.save(model_folder)
        outcome.trainer.materials.tokenizer.save(model_folder)
    if as_json:
        print_json(as_dict(outcome))
    else:
        show(outcome, screen)


@contextmanager
def run_folder(out: Path | None) -> Iterator[Path]:
    """Where the run is kept: as the user says, or in place of the last demo, which can be made again."""
    if out is not None:
        yield out
        return
    home = cache_folder() / HOME
    with if_nobody_is_in(home.with_suffix(".lock")) as nobody:
        if not nobody:
            raise ValueError(f"{home}: another demo is at work there; name another folder with --out")
        if home.exists():
            shutil.rmtree(home)
        yield home


def lesson(config: TrainingConfig, folder: Path, screen: Console) -> Outcome:
    """Examine, train, examine again, and examine those who only count words."""
    with ExitStack() as opened:
        with progress("reading") as report:
            trainer = opened.enter_context(new_run(config, folder, report))
        made = trainer.materials
        questions = clozes(made.held_out, made.tokenizer, CLOZES, config.seed)
        introduce(trainer, screen)
        before = standing(trainer, questions)
        losses = train(trainer, screen)
        after = standing(trainer, questions)
        return Outcome(
            trainer, losses, questions, before, after, counting(trainer), report_of(trainer.folder)
        )


def counting(trainer: Trainer) -> Counted:
    """The exam of the model, for counts of the text that it learned from."""
    made, exam = trainer.materials, trainer.exams["held_out"]
    neighbours = NeighbourCounts.of(made.rows, made.tokenizer)
    word = made.tokenizer.id_to_token[neighbours.words.most_frequent]
    return Counted(word, score(neighbours.words, exam), score(neighbours, exam))


def standing(trainer: Trainer, questions: list[Cloze]) -> Standing:
    """How well the model does now."""
    model, tokenizer = trainer.model, trainer.materials.tokenizer
    fills = []
    for cloze in questions:
        logits, _ = model.forward(cloze.ids)
        fills.append(guesses(logits[0, cloze.place], tokenizer, TOP))
    return Standing(examine(model.network, model.arena, trainer.exams["held_out"], trainer.team), fills)


def train(trainer: Trainer, screen: Console) -> list[float]:
    """The loss of each step. Ctrl-C saves the run, and ends the demo."""
    losses: list[float] = []
    with progress("training") as report, stopping_at_signals(trainer.stop) as caught:
        listener = Listener(report, screen)

        def listen(now: dict[str, Any]) -> None:
            losses.extend([now["loss"]] if "loss" in now else [])
            listener(now)

        trainer.listen = listen
        try:
            trainer.run()
        except TrainingStopped as trouble:
            raise ValueError(str(trouble)) from None
    if caught:
        click.echo(f"stopped and saved; go on with: mini-bert train --resume {trainer.folder.path}", err=True)
        click.get_current_context().exit(128 + caught[0])
    return losses


def report_of(folder: RunFolder) -> Path:
    from mini_bert.run_reports.report import write_report  # draws, which takes a second to import

    return write_report(folder)
