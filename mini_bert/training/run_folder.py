"""The folder of a run: its resolved configuration, one line of metrics per logged step, its checkpoints.

RUN/config.yaml         what was asked for, with every default written out
RUN/facts.json          sizes, and what the most ignorant model would score
RUN/before.json         which model it went on from, if it did, and how that was trained, if it is known
RUN/metrics.jsonl       {"step": 10, "loss": 6.1, ...}
RUN/tokenizer/          the vocabulary
RUN/checkpoints/        see checkpoints.py
RUN/events/             the same metrics for TensorBoard, if they are wanted
RUN/report.html         at the end
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO

import yaml

from mini_bert.files import try_lock, write_atomically
from mini_bert.plain_json import portable
from mini_bert.settings import read_yaml
from mini_bert.training.tensorboard import EventFile, flattened

CONFIG, FACTS, BEFORE, METRICS, TOKENIZER, CHECKPOINTS, EVENTS, REPORT = (
    "config.yaml",
    "facts.json",
    "before.json",
    "metrics.jsonl",
    "tokenizer",
    "checkpoints",
    "events",
    "report.html",
)

WITHOUT_BEFORE = (
    "restore it, or remove it: the model that the run went on from is then asked, if it is still there"
)
LOCK = ".lock"
PATIENCE = 1.0
"""Seconds: someone who only looks whether a run is going on has the lock for a moment."""


class RunFolder:
    """Paths and metrics of one run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.begun_with: list[str] = []

    @property
    def checkpoints(self) -> Path:
        return self.path / CHECKPOINTS

    @property
    def tokenizer(self) -> Path:
        return self.path / TOKENIZER

    @property
    def events(self) -> Path:
        return self.path / EVENTS

    @property
    def report(self) -> Path:
        return self.path / REPORT

    @property
    def is_run(self) -> bool:
        return (self.path / CONFIG).is_file()

    def refuse_second_run(self) -> None:
        if self.is_run:
            raise ValueError(
                f"{self.path}: holds a run already; resume it with --resume {self.path}, or choose another --out"
            )
        if self.checkpoints.exists():
            raise ValueError(
                f"{self.path}: holds the checkpoints of a run without its {CONFIG}; restore that, or choose another"
                " --out"
            )

    def create(self, settings: dict[str, Any]) -> None:
        """Begin a run here; a folder that already holds one is refused."""
        self.refuse_second_run()
        self.path.mkdir(parents=True, exist_ok=True)
        self.begun_with = [name for name in (CONFIG, BEFORE, TOKENIZER) if not (self.path / name).exists()]
        self.write_settings(settings)

    def write_settings(self, settings: dict[str, Any]) -> None:
        write_atomically(self.path / CONFIG, yaml.safe_dump(settings, sort_keys=False).encode())

    def discard(self) -> None:
        """Take away what `create` began; what the folder held before stays."""
        for name in self.begun_with:
            if name == TOKENIZER:
                shutil.rmtree(self.tokenizer, ignore_errors=True)
            else:
                (self.path / name).unlink(missing_ok=True)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Inside, no other process trains here; ValueError if one does. The lock dies with the process, and leaves no
        trace where no run has begun."""
        self.path.mkdir(parents=True, exist_ok=True)
        with (self.path / LOCK).open("ab") as file:
            patience = time.monotonic() + PATIENCE
            while not try_lock(file):
                if time.monotonic() > patience:
                    raise ValueError(
                        f"{self.path}: another process is training here; wait for it, or stop it"
                    )
                time.sleep(PATIENCE / 20)
            try:
                yield
            finally:
                if not self.is_run:
                    file.close()  # Windows removes no open file
                    (self.path / LOCK).unlink(missing_ok=True)
                    with suppress(OSError):  # it holds something else
                        self.path.rmdir()

    @property
    def is_running(self) -> bool:
        """Whether a process trains here now."""
        try:
            with (self.path / LOCK).open("rb") as file:
                return not try_lock(file)
        except (OSError, ValueError):  # nobody can have locked what cannot be opened or locked
            return False

    def settings(self) -> dict[str, Any]:
        """The configuration of the run, as it was resolved when it began."""
        path = self.path / CONFIG
        try:
            found = read_yaml(path.read_text("utf-8"), str(path))
        except (FileNotFoundError, NotADirectoryError):
            raise ValueError(
                f"{self.path}: no run here ({CONFIG} is missing); name the --out of a run"
            ) from None
        if not found:
            raise ValueError(f"{path}: empty; restore it, or begin the run anew")
        return found

    def write_facts(self, facts: dict[str, Any]) -> None:
        write_atomically(self.path / FACTS, json.dumps(portable(facts), indent=1).encode())

    def facts(self) -> dict[str, Any]:
        """What was known before the first step; nothing if the run never came so far."""
        try:
            found = json.loads((self.path / FACTS).read_bytes())
        except (FileNotFoundError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def write_before(self, record: dict[str, Any]) -> None:
        write_atomically(self.path / BEFORE, json.dumps(portable(record), indent=1).encode())

    def before(self) -> dict[str, Any] | None:
        """The record of the training before this run, as it was when the run began, and `weights`, the digest of those
        that it began with; None if none was kept."""
        path = self.path / BEFORE
        if not path.is_file():
            return None
        try:
            found = json.loads(path.read_bytes())
        except ValueError as error:
            raise ValueError(f"{path}: not JSON ({error}); {WITHOUT_BEFORE}") from None
        if not isinstance(found, dict):
            raise ValueError(f"{path}: expected one object with names; {WITHOUT_BEFORE}")
        return found

    def metrics(self) -> Iterator[dict[str, Any]]:
        """Every line that was written whole."""
        path = self.path / METRICS
        if path.exists():
            for line in path.read_text("utf-8").splitlines():
                try:
                    yield json.loads(line)
                except json.JSONDecodeError:
                    continue  # the last line of a run that was killed while it wrote

    def forget_after(self, step: int) -> None:
        """Drop the metrics of steps that will be done again."""
        kept = [line for line in self.metrics() if line["step"] <= step]
        write_atomically(self.path / METRICS, "".join(map(as_line, kept)).encode())

    def open_metrics(self, *, tensorboard: bool = False, resumed_at: int = 0) -> MetricsFile:
        """The metrics go on from a step; TensorBoard's events, if they are wanted, are written beside."""
        file = (self.path / METRICS).open("a", encoding="utf-8", newline="\n")
        return MetricsFile(file, EventFile(self.events, resumed_at) if tensorboard else None)


class MetricsFile:
    """Lines that are on their way to the disk as soon as they are written."""

    def __init__(self, file: TextIO, events: EventFile | None = None) -> None:
        self.file, self.events = file, events

    def write(self, metrics: dict[str, Any]) -> None:
        self.file.write(as_line(metrics))
        self.file.flush()
        if self.events:
            self.events.scalars(metrics["step"], flattened(metrics))

    def __enter__(self) -> MetricsFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()
        if self.events:
            self.events.close()


def as_line(metrics: dict[str, Any]) -> str:
    """One line of JSON; a number that is not finite becomes null."""
    return json.dumps(portable(metrics)) + "\n"


def run_of_checkpoint(folder: Path) -> RunFolder | None:
    """The run that a model is a checkpoint of: not any model that lies somewhere in its folder."""
    run = RunFolder(folder.resolve().parent.parent)
    return run if run.is_run and folder.resolve().parent == run.checkpoints.resolve() else None
