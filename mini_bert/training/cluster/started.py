"""What a launcher has told this process: whether others were started with it. Nothing is imported to find out."""

from __future__ import annotations

import os
import signal
import sys
import time

TELL_SIZE = ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE")
"""Set by the launchers of MPICH, Intel MPI and Slurm's pmi2, and of Open MPI."""
TELL_RANK = "PMIX_RANK"
"""Set by Slurm's pmix and others, which do not tell how many there are."""
TELL_STARTER = "PMIX_NAMESPACE"
OF_SLURM = "SLURM_STEP_NUM_TASKS"
"""Set by srun, whether it connects its processes or not."""
HEARD_SECONDS = 0.2
"""Until a launcher has passed on what was said: it drops the rest when it ends."""


def started_ranks() -> int | None:
    """How many processes a launcher says it started: 1 without one, None if it does not say."""
    for name in TELL_SIZE:
        if os.environ.get(name, "").isdigit():
            return int(os.environ[name])
    by_srun = os.environ.get(OF_SLURM, "1")
    if TELL_RANK in os.environ:
        is_srun = os.environ.get(TELL_STARTER, "").startswith("slurm") and OF_SLURM in os.environ
        return int(by_srun) if is_srun else None
    if by_srun != "1":
        raise ValueError(
            f"srun started {by_srun} processes that do not know of each other: each would train alone; start them with"
            f" srun --mpi=pmi2 (srun --mpi=list tells what there is), or take {OF_SLURM} out of the environment if"
            " each is to train a model of its own"
        )
    return 1


def is_waited_for() -> bool:
    """Whether others were started beside this process, which has not joined them: they cannot begin without it."""
    if "mpi4py.MPI" in sys.modules:
        return False
    try:
        return started_ranks() != 1
    except ValueError:
        return False


def end_those_who_wait() -> None:
    """Die, if others wait for this process: a launcher ends them when one dies, and not when one exits."""
    if is_waited_for():
        sys.stdout.flush()
        sys.stderr.flush()
        time.sleep(HEARD_SECONDS)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTERM)
