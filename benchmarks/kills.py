"""A run that is killed again and again against one that never was: python -m benchmarks.kills --kills 30

Each time the training process gets SIGKILL, at a random moment: while it starts, trains or saves. Then it is resumed.
After every kill the newest checkpoint must be sound and no older than the one before, and in the end the weights and
all logged losses must have the same bits as those of the run that was left in peace.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from mini_bert.training.checkpoints import UNFINISHED, Checkpoints
from mini_bert.training.run_folder import RunFolder

OPTIONS = ["--preset", "debug", "--corpus", "world:2000", "--seed", "1", "--save-every", "2"]
LONGEST_START, LONGEST_WORK = 3.0, 1.5
"""Seconds: a third of the kills come while the process starts, the others while it trains and saves."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--steps", type=int, default=2500)
    parser.add_argument("--seed", type=int, default=0, help="of the moments to kill at")
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        found = compare(Path(folder), options.kills, options.steps, random.Random(options.seed))
    print(json.dumps(found, indent=2))
    sys.exit(0 if found["same_weights"] and found["same_losses"] and not found["lost_checkpoints"] else 1)


def compare(folder: Path, kills: int, steps: int, rng: random.Random) -> dict[str, Any]:
    whole, killed = folder / "whole", folder / "killed"
    begin = [*OPTIONS, "--steps", str(steps)]
    assert start(*begin, "--out", str(whole)).wait() == 0
    at_saving = lost = 0
    newest, restarts = 0, 0
    for number in range(kills):
        going_on = RunFolder(killed).is_run
        process = start("--resume", str(killed)) if going_on else start(*begin, "--out", str(killed))
        wait_somewhat(process, killed, rng, is_early=number % 3 == 0)
        if process.poll() is not None:
            raise SystemExit(f"the run was over after {number} kills; choose more --steps")
        process.kill()
        process.wait()
        restarts += 1
        at_saving += any(killed.glob(f"checkpoints/{UNFINISHED}*"))
        checkpoints = Checkpoints(killed / "checkpoints")
        found = checkpoints.newest()
        step = found.step if found else 0
        lost += bool(checkpoints.damaged) or step < newest
        newest = max(newest, step)
        print(f"kill {number + 1}: newest checkpoint from step {step}", file=sys.stderr, flush=True)
    assert start("--resume", str(killed)).wait() == 0
    return {
        "kills": restarts,
        "while_saving": at_saving,
        "lost_checkpoints": lost,
        "steps": steps,
        "same_weights": weights(whole) == weights(killed),
        "same_losses": losses(whole) == losses(killed),
        "logged_losses": len(losses(whole)),
    }


def start(*options: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "mini_bert", "train", *options]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def wait_somewhat(process: subprocess.Popen[bytes], run: Path, rng: random.Random, *, is_early: bool) -> None:
    """Until a random moment: of the start, or of the work, which has begun when a new checkpoint is there."""
    if is_early:
        time.sleep(rng.uniform(0, LONGEST_START))
        return
    before = changed(run)
    while changed(run) == before and process.poll() is None:
        time.sleep(0.01)
    time.sleep(rng.uniform(0, LONGEST_WORK))


def changed(run: Path) -> float:
    """When the newest checkpoint was put into its place."""
    try:
        return (run / "checkpoints" / "last").stat().st_mtime
    except FileNotFoundError:
        return 0.0


def weights(run: Path) -> bytes:
    return (run / "checkpoints" / "last" / "model.safetensors").read_bytes()


def losses(run: Path) -> list[float]:
    return [line["loss"] for line in RunFolder(run).metrics()]


if __name__ == "__main__":
    main()
