"""Kill a rank of a run again and again, and go on with other numbers of ranks: python -m benchmarks.cluster_kills

Each time one rank, drawn by lot, gets SIGKILL while the run trains or saves. The job must end within seconds, with a
sound checkpoint that is no older than the one before; then it goes on, with as many ranks or with others. In the
end its losses are compared with those of a run on one rank that was left in peace.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.cluster_launch import Job, losses, train
from mini_bert.training.checkpoints import UNFINISHED, Checkpoints
from mini_bert.training.run_folder import RunFolder

OPTIONS = ("--config", "debugging", "--corpus", "world:500", "--dtype", "float64", "--save-every", "2")
SIZES = (2, 2, 3, 1, 4, 4, 2, 3, 3, 2)
LONGEST_WORK = 1.0
START_SECONDS, END_SECONDS = 120.0, 10.0


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--seed", type=int, default=0, help="of the moments to kill at, and of the ranks")
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        found = killed_and_whole(Path(folder), options.kills, options.steps, random.Random(options.seed))
    print(json.dumps(found, indent=2))
    sys.exit(0 if found["worst_difference"] < 1e-5 and not found["lost_checkpoints"] else 1)


def killed_and_whole(folder: Path, kills: int, steps: int, rng: random.Random) -> dict[str, Any]:
    whole, killed = folder / "whole", folder / "killed"
    begin = (*OPTIONS, "--steps", str(steps), "--set", "logging.every=1")
    train(1, *begin, "--out", str(whole)).finish()
    newest = lost = at_saving = 0
    seconds_to_end, sizes = [], []
    for number in range(kills):
        size = SIZES[number % len(SIZES)]
        going_on = RunFolder(killed).is_run
        job = train(size, *(("--resume",) if going_on else (*begin, "--out")), str(killed))
        victim = rng.randrange(size)
        wait_for_checkpoint(job, killed)
        time.sleep(rng.uniform(0, LONGEST_WORK))
        seconds_to_end.append(kill(job, victim))
        sizes.append(size)
        at_saving += any(killed.glob(f"checkpoints/{UNFINISHED}*"))
        checkpoints = Checkpoints(killed / "checkpoints")
        found = checkpoints.newest()
        step = found.step if found else 0
        lost += bool(checkpoints.damaged) or step < newest
        newest = max(newest, step)
        print(
            f"kill {number + 1}: rank {victim} of {size}, the job ended after {seconds_to_end[-1]:.1f} s, "
            f"newest checkpoint from step {step}",
            file=sys.stderr,
            flush=True,
        )
    train(2, "--resume", str(killed)).finish()
    differences = [abs(a - b) for a, b in zip(losses(whole), losses(killed), strict=True)]
    return {
        "kills": kills,
        "ranks": sizes,
        "while_saving": at_saving,
        "lost_checkpoints": lost,
        "most_seconds_to_end": max(seconds_to_end),
        "steps": steps,
        "worst_difference": max(differences),
    }


def wait_for_checkpoint(job: Job, run: Path) -> None:
    """Until the job has saved its first one."""
    before, patience = changed(run), time.monotonic() + START_SECONDS
    while changed(run) == before:
        if job.process.poll() is not None or time.monotonic() > patience:
            raise SystemExit(f"the run ended, or never saved; choose more --steps\n{job.said()}")
        time.sleep(0.01)


def changed(run: Path) -> float:
    """When the newest checkpoint was put into its place."""
    try:
        return (run / "checkpoints" / "last").stat().st_mtime
    except FileNotFoundError:
        return 0.0


def kill(job: Job, rank: int) -> float:
    """End a rank at once; returns the seconds until all of the job is gone."""
    job.signal(rank, signal.SIGKILL)
    start = time.monotonic()
    job.process.wait(END_SECONDS)
    while job.ranks():
        assert time.monotonic() < start + END_SECONDS, "some ranks live on"
        time.sleep(0.01)
    return time.monotonic() - start


if __name__ == "__main__":
    main()
