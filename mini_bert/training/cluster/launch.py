"""Which processes train together: those that an MPI launcher started, or this one alone."""

from __future__ import annotations

import shutil
import sys
from functools import cache
from pathlib import Path

from mini_bert.data.optional import optional
from mini_bert.training.cluster.mpi import MPIRanks
from mini_bert.training.cluster.ranks import Alone, Ranks
from mini_bert.training.cluster.started import started_ranks


def launcher() -> str | None:
    """The mpiexec that belongs to this Python, else any on the path; None if there is none."""
    beside = Path(sys.executable).with_name("mpiexec")
    return str(beside) if beside.exists() else shutil.which("mpiexec")


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
    if ranks.size == 1:
        return Alone()
    ranks.end_with_script()
    return ranks
