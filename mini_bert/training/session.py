"""A run from Python: all that must stand before the first step, and be put away after the last.

    with new_run(TrainingConfig.named("debugging"), "RUN") as trainer:
        trainer.run()
    with resumed_run("RUN") as trainer:
        trainer.run()

A run that cannot begin, because its text or its settings will not do, leaves no folder behind.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mini_bert.models.mini import MiniBERT
from mini_bert.reports import Report, silent
from mini_bert.tokenizers.tokenizer import Tokenizer
from mini_bert.training.assembly import workers_of
from mini_bert.training.checkpoints import Checkpoints
from mini_bert.training.config import TrainingConfig
from mini_bert.training.going_on import carried_over, copy_layers, going_on, origin_of, with_teacher
from mini_bert.training.materials import materials
from mini_bert.training.parallel import Team
from mini_bert.training.run_folder import RunFolder
from mini_bert.training.trainer import Trainer


@contextmanager
def new_run(config: TrainingConfig, folder: str | Path, report: Report = silent) -> Iterator[Trainer]:
    """A new run in a folder that holds none yet. It is on the disk before the text is read, so that it can be resumed
    from then on."""
    config, run = with_teacher(going_on(config)), RunFolder(Path(folder))
    run.refuse_second_run()
    has_begun = False
    try:
        with run.alone():
            run.create(config.model_dump())
            made = materials(config, run.tokenizer, report)
            config = config.with_workers(workers_of(config, made.tokenizer))
            with Team(config.workers) as team:
                trainer = Trainer(config, run, made, team, first_model(config, made.tokenizer))
                made.tokenizer.save(run.tokenizer)
                run.write_settings(config.model_dump())
                has_begun = True
                yield trainer
    except BaseException:
        if not has_begun:
            run.discard()
        raise


@contextmanager
def resumed_run(folder: str | Path, report: Report = silent) -> Iterator[Trainer]:
    """A run that goes on from its newest sound checkpoint, or starts over if it never came to one."""
    run = RunFolder(Path(folder))
    config = TrainingConfig.parse(run.settings())
    with run.alone():
        made = materials(config, run.tokenizer, report)
        config = config.with_workers(workers_of(config, made.tokenizer))
        is_new = Checkpoints(run.checkpoints).newest() is None
        with Team(config.workers) as team:
            model = first_model(config, made.tokenizer) if is_new else None
            trainer = Trainer(config, run, made, team, model)
            trainer.resume()
            if is_new:
                made.tokenizer.save(run.tokenizer)
                run.write_settings(config.model_dump())
            yield trainer


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
