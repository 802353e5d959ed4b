"""A run whose log tells of a checkpoint that is not there: to start over would throw the log away as well."""

from __future__ import annotations

from mini_bert.training.run_folder import CONFIG, RunFolder


def refuse_lost_checkpoints(run: RunFolder, every: int, judged_by: str) -> None:
    """Refuse to start over a run without a checkpoint, if it had come to its first one.

    That was due after `every` steps, or with the first score in the log: the best until then is always saved. The line
    of a step is written before its checkpoint, and the folder of checkpoints in between: a run that ended while it
    saved its first one has both, and lost nothing. A step after which the guard stopped the run was never to be
    saved.
    """
    lines = [line for line in run.metrics() if not any(map(is_stop, line.get("troubles") or ()))]
    first = min([every, *(line["step"] for line in lines if line.get(judged_by) is not None)])
    made = max((line["step"] for line in lines), default=0)
    if made > first or (made == first and not run.checkpoints.exists()):
        raise ValueError(
            f"{run.checkpoints}: no checkpoint here, and the log tells of {made:,} steps; restore one, or "
            f"{begun_anew(run)}"
        )


def is_stop(trouble: str) -> bool:
    """Whether the trainer ended the run for it."""
    return trouble.endswith("(stop)")


def begun_anew(run: RunFolder) -> str:
    """The remedy where no checkpoint is left."""
    return f"begin a new run: mini-bert train --config {run.path / CONFIG} --out NEW"
