"""Which processes train together: those that an MPI launcher started, or this one alone."""

from __future__ import annotations

import os
import shutil
import sys
from functools import cache
from pathlib import Path

from mini_bert.data.optional import optional
from mini_bert.training.cluster.mpi import MPIRanks
from mini_bert.training.cluster.ranks import Alone, Ranks

TELL_SIZE = ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE")
"""Set by the launchers of MPICH, Intel MPI and Slurm's pmi2, and of Open MPI."""
TELL_RANK = "PMIX_RANK"
"""Set by Slurm's pmix and others, which do not tell how many there are."""
OF_SLURM = "SLURM_STEP_NUM_TASKS"
"""Set by srun, whether it connects its processes or not."""


def launcher() -> str | None:
    """The mpiexec that belongs to this Python, else any on the path; None if there is none."""
    beside = Path(sys.executable).with_name("mpiexec")
    return str(beside) if beside.exists() else shutil.which("mpiexec")


def started_ranks() -> int | None:
    """How many processes a launcher says it started: 1 without one, None if it does not say."""
    for name in TELL_SIZE:
        if os.environ.get(name, "").isdigit():
            return int(os.environ[name])
    by_srun = os.environ.get(OF_SLURM, "1")
    if TELL_RANK in os.environ:
        return 1 if by_srun == "1" and OF_SLURM in os.environ else None
    if by_srun != "1":
        raise ValueError(
            f"srun started {by_srun} processes that do not know of each other: each would train alone; start them with"
            " srun --mpi=pmi2 (srun --mpi=list tells what there is)"
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


@cache
def launched_ranks() -> Ranks:
    """The ranks of this process. MPI is imported, and so begun, only where a launcher has started more than one."""
    started = started_ranks()
    if started == 1:
        return Alone()
    ranks = MPIRanks(optional("mpi4py.MPI", f"training on {started or 'several'} ranks", "mpi"))
    if started is not None and ranks.size != started:
        raise ValueError(
            f"the launcher started {started} processes, but mpi4py knows {ranks.size}: they belong to different MPIs;"
            " start with the mpiexec that stands beside this python, or install mpi4py for the cluster's own MPI"
        )
    return ranks if ranks.size > 1 else Alone()
