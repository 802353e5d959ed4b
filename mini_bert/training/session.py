"""A run from Python: all that must stand before the first step, and be put away after the last.

    with new_run(TrainingConfig.named("debugging"), "RUN") as trainer:
        trainer.run()
    with resumed_run("RUN") as trainer:
        trainer.run()

A run that cannot begin, because its text or its settings will not do, leaves no folder behind. The same script trains
on many ranks when an MPI launcher starts it: `mpiexec -n 4 python script.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from mini_bert.errors import counted
from mini_bert.models.digest import weights_digest
from mini_bert.models.mini import MiniBERT
from mini_bert.pretrained.own_record import check_record
from mini_bert.pretrained.training_record import record_in
from mini_bert.reports import Report, silent
from mini_bert.tokenizers.tokenizer import Tokenizer
from mini_bert.training.checkpoints import Checkpoints
from mini_bert.training.cluster.batches import refuse_idle_ranks
from mini_bert.training.cluster.beginning import (
    materials_for_all,
    refuse_other_settings,
    refuse_other_task,
    refuse_other_text,
    workers_beside,
)
from mini_bert.training.cluster.folder import run_folder
from mini_bert.training.cluster.launch import launched_ranks
from mini_bert.training.cluster.ranks import Ranks
from mini_bert.training.config import TrainingConfig
from mini_bert.training.goals import check_goal
from mini_bert.training.going_on import carried_over, copy_layers, going_on, origin_of, with_teacher
from mini_bert.training.parallel import Team
from mini_bert.training.run_folder import RunFolder
from mini_bert.training.trainer import Trainer


@contextmanager
def new_run(
    config: TrainingConfig, folder: str | Path, report: Report = silent, ranks: Ranks | None = None
) -> Iterator[Trainer]:
    """A new run in a folder that holds none yet. It is on the disk before the text is read, so that it can be resumed
    from then on. `ranks` are those of the launcher, unless others are given."""
    ranks = ranks or launched_ranks()
    with ranks.together(), ExitStack() as held:
        refuse_other_task("a new run", ranks)
        config, run = ranks.agreed(lambda: with_teacher(going_on(config))), run_folder(folder, ranks)
        refuse_other_settings(config, ranks)
        ranks.agreed(lambda: refuse_idle_ranks(config, ranks))
        ranks.agreed(lambda: check_goal(config))
        ranks.agreed(run.refuse_second_run)
        has_begun = False
        try:
            ranks.agreed(lambda: held.enter_context(run.alone()))
            ranks.agreed(lambda: run.create(config.model_dump()))
            ranks.lead(lambda: keep_history(config, run))
            made = materials_for_all(config, run.tokenizer, ranks, report)
            resolved = config.with_workers(workers_beside(config, made.tokenizer, ranks))
            team = held.enter_context(Team(resolved.workers))
            model = ranks.agreed(lambda: begun_model(config, made.tokenizer))
            ranks.spread(model.arena.flat)
            trainer = ranks.agreed(lambda: Trainer(resolved, run, made, team, model, ranks=ranks))
            refuse_other_text(trainer, ranks)
            ranks.lead(lambda: write_beginning(trainer, config))
            has_begun = True
            yield trainer
        except BaseException:
            if not has_begun:
                run.discard()
            raise


@contextmanager
def resumed_run(
    folder: str | Path,
    report: Report = silent,
    ranks: Ranks | None = None,
    budget: Mapping[str, Any] | None = None,
) -> Iterator[Trainer]:
    """A run that goes on from its newest sound checkpoint, or starts over if it never came to one.

    The number of ranks may be another than before, and so may the budget: {"tokens": 80_000_000}. It must be more than
    is done already; schedules go by it from here on, and config.yaml has it.
    """
    ranks = ranks or launched_ranks()
    with ranks.together(), ExitStack() as held:
        refuse_other_task("a run to resume", ranks)
        run = run_folder(folder, ranks)
        settings = ranks.first(ranks.lead(run.settings))
        assert settings is not None
        wanted = settings | {"budget": budget} if budget else settings
        config = ranks.agreed(lambda: TrainingConfig.parse(wanted))
        refuse_other_settings(config, ranks)
        ranks.agreed(lambda: refuse_idle_ranks(config, ranks))
        ranks.agreed(lambda: check_goal(config))
        ranks.agreed(lambda: held.enter_context(run.alone()))
        made = materials_for_all(config, run.tokenizer, ranks, report)
        resolved = config.with_workers(workers_beside(config, made.tokenizer, ranks))
        is_new = ranks.first(ranks.lead(lambda: Checkpoints(run.checkpoints).newest() is None))
        team = held.enter_context(Team(resolved.workers))
        model = ranks.agreed(lambda: begun_model(config, made.tokenizer) if is_new else None)
        if model is not None:
            ranks.spread(model.arena.flat)
        trainer = ranks.agreed(lambda: Trainer(resolved, run, made, team, model, ranks=ranks))
        refuse_other_text(trainer, ranks)
        trainer.resume()
        if is_new:
            ranks.lead(lambda: write_beginning(trainer, config))
        elif budget:
            ranks.agreed(lambda: refuse_spent_budget(trainer))
            ranks.lead(lambda: run.write_settings(config.model_dump()))
        yield trainer


def refuse_spent_budget(trainer: Trainer) -> None:
    spent = trainer.progress.spent
    if trainer.done >= 1:
        raise ValueError(
            f"{trainer.folder.path}: {trainer.budget}: so much is done already ({counted(spent.steps, 'step')},"
            f" {counted(spent.tokens, 'token')}, {spent.seconds / 60:.1f} minutes); choose a budget of more"
        )


def keep_history(config: TrainingConfig, run: RunFolder) -> None:
    """How the model was trained that a run goes on from, and which one it was; another may lie there tomorrow."""
    if config.init is not None:
        origin = origin_of(config.init)
        check_record(origin.folder, lambda: origin.model)
        run.write_before({**(record_in(origin.folder) or {}), "weights": weights_digest(origin.model)})


def write_beginning(trainer: Trainer, asked: TrainingConfig) -> None:
    """The vocabulary, and the settings with the number of workers written out; of several ranks as it was asked for,
    since how many suit depends on how many ranks go on with it."""
    trainer.materials.tokenizer.save(trainer.folder.tokenizer)
    settings = trainer.config if trainer.ranks.size == 1 else asked
    trainer.folder.write_settings(settings.model_dump())


def begun_model(config: TrainingConfig, tokenizer: Tokenizer) -> MiniBERT:
    """What a run begins with."""
    found = first_model(config, tokenizer)
    return found or MiniBERT(config.model_config_of(tokenizer), seed=config.seed, dtype=config.dtype)


def first_model(config: TrainingConfig, tokenizer: Tokenizer) -> MiniBERT | None:
    """What a run with `init` begins with, or one with layers of its teacher; None without them."""
    model_config = config.model_config_of(tokenizer)
    settings = config.distillation
    if settings.teacher is not None and settings.copies_layers:
        student = MiniBERT(model_config, seed=config.seed, dtype=config.dtype)
        copy_layers(origin_of(settings.teacher).model, student)
        return student
    if config.init is None:
        return None
    return carried_over(origin_of(config.init), tokenizer, model_config, seed=config.seed, dtype=config.dtype)
