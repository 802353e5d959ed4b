"""`mini-bert train`: a run from its configuration to its last checkpoint."""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from datetime import datetime
from itertools import chain, count
from pathlib import Path
from statistics import fmean
from typing import Any

import click
from rich.console import Console
from rich.markup import escape

from mini_bert.cli.progress import progress
from mini_bert.cli.screen import console, print_json
from mini_bert.cli.units import percent
from mini_bert.errors import counted
from mini_bert.metrics.perplexity import perplexity_of_loss
from mini_bert.reports import Report, silent
from mini_bert.settings import assignments, merged
from mini_bert.training.changes import in_words
from mini_bert.training.cluster.beginning import cores_of_ranks
from mini_bert.training.cluster.launch import launched_ranks
from mini_bert.training.cluster.ranks import OtherRankFailed, Ranks
from mini_bert.training.config import DEFAULT_TRAINING, TrainingConfig, templates
from mini_bert.training.session import new_run, resumed_run
from mini_bert.training.trainer import Trainer, TrainingStopped

RECENT = 50
FAILED = 2

EPILOG = """\b
Examples:
  mini-bert train
  mini-bert train --preset debug --corpus world --steps 200 --save-every 20 --seed 1 --out RUN
  mini-bert train --corpus "books/*.txt" --minutes 30 --out runs/books
  mini-bert train --config pretraining --set optimizer.kind=lion --set optimizer.learning_rate=3e-4
  mini-bert train --set optimizer.kind=muon
  mini-bert train --set second_task.kind=sentence-order --set curriculum.kind=length
  mini-bert train --preset albert-mini --minutes 5
  mini-bert train --preset distilbert-mini --teacher RUN --out student
  mini-bert train --config finetuning --init RUN --corpus "letters/*.txt" --out runs/letters
  mini-bert train --resume RUN
  mini-bert train --resume RUN --steps 400
  mpiexec -n 4 mini-bert train --preset small --out RUN
"""


@click.command(epilog=EPILOG)
@click.option(
    "--config", "template", help=f"{', '.join(templates())}, or a YAML file.  [default: {DEFAULT_TRAINING}]"
)
@click.option("--preset", help="Which model.")
@click.option("--corpus", multiple=True, help="world, python-docs, a file, folder or glob; may be repeated.")
@click.option("--tokenizer", help="A tokenizer's folder or file.  [default: learned from the corpus]")
@click.option("--init", help="Go on from a model: mini, mini-best, a run, or a folder.")
@click.option("--teacher", help="Learn also from the answers of a larger model: a run, or a folder.")
@click.option(
    "--old-corpus", multiple=True, help="With --init: text it was trained on, to see what is forgotten."
)
@click.option("--steps", type=click.IntRange(min=1), help="How long: so many steps,")
@click.option("--tokens", type=click.IntRange(min=1), help="or tokens,")
@click.option("--minutes", type=click.FloatRange(min=0, min_open=True), help="or minutes.")
@click.option("--learning-rate", type=click.FloatRange(min=0, min_open=True))
@click.option("--batch", type=click.IntRange(min=1), help="Sequences in a step.")
@click.option("--save-every", type=click.IntRange(min=1), help="Steps between checkpoints.")
@click.option("--seed", type=click.IntRange(min=0))
@click.option("--dtype", type=click.Choice(["float32", "float64"]))
@click.option(
    "--set", "changes", multiple=True, metavar="NAME=VALUE", help="Any setting, like batch.micro=16."
)
@click.option("--out", type=click.Path(path_type=Path), help="The run's folder.  [default: runs/DATE-TIME]")
@click.option(
    "--resume",
    type=click.Path(path_type=Path),
    help="Go on with the run in this folder, in its budget or another.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object in place of the story.")
@click.pass_context
def command(
    ctx: click.Context,
    /,
    template: str | None,
    changes: tuple[str, ...],
    out: Path | None,
    resume: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Train a model to find hidden words, or what else it was made for.

    A causal model learns to tell the next word, ELECTRA to find replaced ones, XLNet to tell words in any order.

    The run's folder holds its configuration, metrics.jsonl, and checkpoints/last; Ctrl-C saves and stops, and --resume
    goes on as if it had never stopped.
    """
    settings = merged(from_options(options), assignments(changes))
    ranks = launched_ranks()
    screen = console(quiet=as_json or not ranks.leads)

    def config() -> TrainingConfig:
        if resume is not None and (template or settings.keys() - {"budget"} or out):
            raise ValueError(
                "--resume goes on with the run as it was configured; leave the other options out, but for a new budget"
            )
        return TrainingConfig.named(template or DEFAULT_TRAINING, settings)

    try:
        with ExitStack() as opened, told_by_leader("reading text", ranks) as report:
            chosen = ranks.agreed(config)
            if resume is not None:
                trainer = opened.enter_context(resumed_run(resume, report, budget=settings.get("budget")))
            else:
                folder = out or free_name(Path("runs") / f"{datetime.now():%Y-%m-%d-%H%M%S}")
                trainer = opened.enter_context(new_run(chosen, folder, report))
            kept = opened.pop_all()
        with kept:
            if resume is None:
                introduce(trainer, screen, is_text_named="corpus" in chosen.model_fields_set)
            else:
                announce_resumption(trainer, screen)
            code = train(trainer, screen, as_json)
    except OtherRankFailed:  # the leader says why
        code = FAILED
    ctx.exit(code)


def told_by_leader(title: str, ranks: Ranks, begun: float = 0.0) -> AbstractContextManager[Report]:
    return progress(title, begun) if ranks.leads else nullcontext(silent)


def from_options(options: dict[str, Any]) -> dict[str, Any]:
    """The settings that options stand for; those not given stay as the configuration has them."""
    budget = {name: options[name] for name in ("steps", "tokens", "minutes") if options[name] is not None}
    batch = {"size": options["batch"]} if options["batch"] else {}
    if options["batch"] and options["batch"] < TrainingConfig().batch.micro:
        batch["micro"] = options["batch"]
    groups = {
        "preset": options["preset"],
        "corpus": list(options["corpus"]) or None,
        "tokenizer": options["tokenizer"],
        "init": options["init"],
        "old_corpus": list(options["old_corpus"]) or None,
        "distillation": {"teacher": options["teacher"]} if options["teacher"] else None,
        "budget": budget or None,
        "optimizer": {"learning_rate": options["learning_rate"]} if options["learning_rate"] else None,
        "batch": batch or None,
        "saving": {"every": options["save_every"]} if options["save_every"] else None,
        "seed": options["seed"],
        "dtype": options["dtype"],
    }
    return {name: value for name, value in groups.items() if value is not None}


def train(trainer: Trainer, screen: Console, as_json: bool) -> int:
    """The run itself; returns the exit code."""
    from mini_bert.run_reports.report import write_report  # it draws, and to import that takes a second

    ranks = trainer.ranks
    with (
        told_by_leader("training", ranks, trainer.done) as report,
        stopping_at_signals(trainer.stop) as caught,
    ):
        trainer.listen = Listener(report, screen)
        try:
            ending = trainer.run()
        except TrainingStopped as trouble:
            if not ranks.leads:
                raise OtherRankFailed(str(trouble)) from None
            raise ValueError(f"{trouble}\nreport: {write_report(trainer.folder)}") from None
        signals = [number for of_rank in ranks.tell(caught) for number in of_rank]
        ranks.lead(lambda: write_report(trainer.folder))
    if ranks.leads:
        summary = summarize(trainer, ending)
        print_json(summary) if as_json else show(summary, screen)
    return 128 + signals[0] if signals and ending == "interrupted" else 0


class Listener:
    """Turns what the trainer tells into a line of progress, and troubles into notes."""

    def __init__(self, report: Report, screen: Console) -> None:
        self.report, self.screen = report, screen
        self.losses: deque[float] = deque(maxlen=RECENT)
        self.accuracies: deque[float] = deque(maxlen=RECENT)

    def __call__(self, now: dict[str, Any]) -> None:
        if "trouble" in now:
            self.screen.print(f"[yellow]{escape(now['trouble'])}[/] ({now['action']})", soft_wrap=True)
            return
        self.losses.append(now["loss"])
        self.accuracies.append(now["accuracy"])
        loss = fmean(self.losses)
        note = (
            f"step {now['step']:,}  loss {loss:.3f}  perplexity {perplexity_of_loss(loss):,.1f}"
            f"  found {percent(fmean(self.accuracies), 0)}  rate {now['learning_rate']:.1e}"
            f"  |g| {now['gradient_norm']:.2f}"
            f"  {now['tokens_per_second']:,.0f} tokens/s"
        )
        self.report(now["done"], note)


@contextmanager
def stopping_at_signals(stop: Callable[[], None]) -> Iterator[list[int]]:
    """SIGINT, SIGTERM and SIGHUP end the run after the present step; a second Ctrl-C ends it at once."""
    caught: list[int] = []

    def handle(number: int, frame: object) -> None:
        if caught and number == signal.SIGINT:
            raise KeyboardInterrupt
        caught.append(number)
        stop()

    hangup = getattr(signal, "SIGHUP", signal.SIGTERM)  # the terminal is gone; Windows does not say so
    before = {number: signal.signal(number, handle) for number in {signal.SIGINT, signal.SIGTERM, hangup}}
    try:
        yield caught
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def introduce(trainer: Trainer, screen: Console, is_text_named: bool) -> None:
    contents, config = trainer.materials.cache.contents, trainer.config
    screen.print(f"[bold]{escape(str(trainer.model))}[/]")
    screen.print(
        f"{escape(contents.source_name)}: {counted(contents.tokens, 'token')} in"
        f" {counted(contents.documents, 'document')}, {100 * config.held_out:g} % held out;"
        f" {trainer.budget} with {config.optimizer.kind}"
    )
    if not is_text_named:
        screen.print("no --corpus was given: it learns from the embedded world")
    if contents.replaced_bytes:
        screen.print(
            f"[yellow]{contents.replaced_bytes:,} bytes of the text are not UTF-8[/] and were replaced;"
            " `mini-bert data prepare --strict` says where"
        )
    screen.print(f"run folder: {escape(str(trainer.folder.path))}", soft_wrap=True)
    tell_of_ranks(trainer, screen)


def tell_of_ranks(trainer: Trainer, screen: Console) -> None:
    """What only several ranks need to know: one that dies takes the others with it, and can say nothing then."""
    size = trainer.ranks.size
    if size > 1:
        if min(cores_of_ranks(trainer.ranks)) < 1:
            screen.print("[yellow]there are more ranks than cores: they take turns, and gain nothing[/]")
        screen.print(
            f"{size} ranks, {counted(trainer.team.size, 'thread')} each; should one die, all end at once:"
            f" go on, with as many or others, by: {escape(resuming(trainer))}",
            soft_wrap=True,
        )


def resuming(trainer: Trainer) -> str:
    return trainer.ranks.as_typed(f"mini-bert train --resume {trainer.folder.path}")


def announce_resumption(trainer: Trainer, screen: Console) -> None:
    found = trainer.resumed_from
    for folder, fault in trainer.passed_over.items():
        screen.print(
            f"[yellow]{escape(str(folder))}: {fault}; the checkpoint before it is used[/]", soft_wrap=True
        )
    if found is None:
        screen.print("no checkpoint yet: the run starts over")
    elif trainer.done >= 1:
        screen.print(f"the run is finished: {counted(found.step, 'step')}")
    else:
        screen.print(f"going on from step {found.step:,}")
        for change in trainer.progress.changes:
            if change["step"] == found.step:
                screen.print(f"from here on: {escape(in_words(change))}", soft_wrap=True)
        tell_of_ranks(trainer, screen)


def summarize(trainer: Trainer, ending: str) -> dict[str, Any]:
    lines = list(trainer.folder.metrics())
    scored = [line for line in lines if "held_out_loss" in line]
    spent, exams = trainer.progress.spent, trainer.exams
    return {
        "run": str(trainer.folder.path),
        "resume": resuming(trainer),
        "ending": ending,
        "steps": spent.steps,
        "tokens": spent.tokens,
        "seconds": spent.seconds,
        "loss": lines[-1]["loss"] if lines else None,
        "asks": trainer.goal.asks,
        "told": trainer.goal.objective.told,
        "held_out": part_of(scored[-1], "held_out_") if scored else None,
        "old": part_of(scored[-1], "old_") if scored and "old" in exams else None,
        "start": part_of(trainer.folder.facts(), "start_") or None,
        "skipped_steps": trainer.progress.skipped,
        "checkpoint": str(trainer.folder.checkpoints / "last"),
        "report": str(trainer.folder.report),
    }


def part_of(numbers: dict[str, Any], prefix: str) -> dict[str, Any]:
    """The entries whose names begin so, without the beginning."""
    return {name.removeprefix(prefix): value for name, value in numbers.items() if name.startswith(prefix)}


def show(summary: dict[str, Any], screen: Console) -> None:
    pace = summary["tokens"] / max(summary["seconds"], 1e-9)
    screen.print(
        f"{counted(summary['steps'], 'step')}, {counted(summary['tokens'], 'token')}, {pace:,.0f} tokens a second"
    )
    held_out = summary["held_out"]
    if held_out and held_out["loss"] is None:
        screen.print("held-out text: the loss is not finite")
    elif held_out:
        screen.print(
            f"held-out text: {percent(held_out['accuracy'])} of the {summary['asks']} found,"
            f" perplexity {held_out['perplexity']:.1f}"
        )
        if "second_accuracy" in held_out:
            screen.print(summary["told"].format(percent(held_out["second_accuracy"])))
        if "auc" in held_out:
            screen.print(f"replaced tokens told from real ones: area under the curve {held_out['auc']:.3f}")
    if held_out and held_out["loss"] is not None and (start := summary["start"]):
        told = [f"new text {start['held_out_loss']:.3f} → {held_out['loss']:.3f}"]
        if old := summary["old"]:
            told.append(f"old text {start['old_loss']:.3f} → {old['loss']:.3f}")
        screen.print(f"loss since it went on: {', '.join(told)}")
    if summary["ending"] == "interrupted":
        screen.print(
            f"stopped and saved; go on with: {escape(summary['resume'])}",
            soft_wrap=True,
        )
    else:
        screen.print(f"model: {escape(summary['checkpoint'])}", soft_wrap=True)
        screen.print(f"report: {escape(summary['report'])}", soft_wrap=True)


def free_name(folder: Path) -> Path:
    """The folder, or where a run of the same second has it, the next number behind its name."""
    numbered = (folder.with_name(f"{folder.name}-{number}") for number in count(2))
    return next(one for one in chain([folder], numbered) if not one.exists())
