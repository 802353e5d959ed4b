"""One run in a process of its own: `python -m mini_bert.experiments.worker`, started by `side_by_side`.

It is told on standard input what to train, in one line of JSON, and tells on standard output how far it has come, in
lines of JSON. When standard input ends, whoever started it wants it to stop, or is gone: it saves and ends.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any

from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from mini_bert.plain_json import portable
from mini_bert.run_reports.report import write_report
from mini_bert.training.config import TrainingConfig
from mini_bert.training.run_folder import RunFolder
from mini_bert.training.session import new_run, resumed_run
from mini_bert.training.trainer import TrainingStopped


def main() -> None:
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # Ctrl-C reaches all processes; the one that started us decides
    order = json.loads(sys.stdin.buffer.readline())
    with threadpool_limits(1, user_api="blas"):
        try:
            say(ending=trained(order["folder"], order["config"]))
        except (ValueError, TrainingStopped) as error:
            say(error=str(error))


def trained(folder: str, settings: dict[str, Any]) -> str:
    """Begin the run in a folder, or go on with it; returns how it ended."""

    def prepared(done: float, note: str) -> None:
        say(done=0.0, note=note)

    def listen(now: dict[str, Any]) -> None:
        if "loss" in now:
            say(done=now["done"], step=now["step"], loss=now["loss"])

    run = RunFolder(Path(folder))
    config = TrainingConfig.parse(settings)
    begun = resumed_run(folder, prepared) if run.is_run else new_run(config, folder, prepared)
    with begun as trainer:
        Thread(target=wait_for_end, args=(trainer.stop,), daemon=True).start()
        trainer.listen = listen
        try:
            return trainer.run()
        finally:
            write_report(run)


def wait_for_end(stop: Callable[[], None]) -> None:
    """Stop when nobody is at the other end; nothing more is ever sent."""
    while os.read(sys.stdin.fileno(), 1):
        pass
    stop()


def say(**told: Any) -> None:
    sys.stdout.write(json.dumps(portable(told)) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
