"""Jobs of several ranks on this machine, for what is measured and killed: train(2, "--config", "debugging", ...)"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from uuid import uuid4

from mini_bert.training.cluster.launch import launcher
from mini_bert.training.run_folder import RunFolder

MARK = "MINI_BERT_BENCHMARK_JOB"
PATIENCE = 300.0


class Job:
    """A running mpiexec. Its ranks are found by a mark in their environment (Linux only)."""

    def __init__(self, command: Sequence[str], environment: dict[str, str] | None = None) -> None:
        self.mark = uuid4().hex
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, **(environment or {}), MARK: self.mark},
        )

    def ranks(self) -> dict[int, int]:
        """The process of each rank that is alive."""
        found = {}
        for folder in Path("/proc").iterdir():
            try:
                settings = (folder / "environ").read_bytes().split(b"\0") if folder.name.isdigit() else []
            except OSError:  # gone meanwhile, or another's
                continue
            rank = next((one[9:] for one in settings if one.startswith(b"PMI_RANK=")), None)
            if rank is not None and f"{MARK}={self.mark}".encode() in settings:
                found[int(rank)] = int(folder.name)
        return found

    def signal(self, rank: int, number: signal.Signals) -> None:
        os.kill(self.ranks()[rank], number)

    def said(self) -> str:
        """All it printed; waits for its end, and ends it if that takes too long."""
        try:
            return self.process.communicate(timeout=PATIENCE)[0]
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.communicate()[0]

    def finish(self) -> str:
        said = self.said()
        if self.process.returncode:
            raise SystemExit(f"a job failed with code {self.process.returncode}:\n{said}")
        return said


def mpiexec() -> str:
    found = launcher()
    if found is None:
        raise SystemExit('no mpiexec; install it: pip install -e ".[mpi]"')
    return found


def job_of(size: int, *arguments: str) -> Job:
    """So many ranks of `python ...`."""
    return Job([mpiexec(), "-n", str(size), sys.executable, *arguments])


def train(size: int, *options: str) -> Job:
    return job_of(size, "-m", "mini_bert", "train", *options)


def losses(run: Path) -> list[float]:
    return [line["loss"] for line in RunFolder(run).metrics()]
