"""The folder of a run for those who do not lead: it is elsewhere, and nothing is written."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mini_bert.training.cluster.ranks import Ranks
from mini_bert.training.run_folder import MetricsFile, RunFolder


class FolderElsewhere(RunFolder):
    """Does nothing where the leader's folder is written, and knows nothing of what stands in it."""

    def refuse_second_run(self) -> None:
        pass

    def create(self, settings: dict[str, Any]) -> None:
        pass

    def write_settings(self, settings: dict[str, Any]) -> None:
        pass

    def write_facts(self, facts: dict[str, Any]) -> None:
        pass

    def forget_after(self, step: int) -> None:
        pass

    def discard(self) -> None:
        pass

    @contextmanager
    def alone(self) -> Iterator[None]:
        yield

    def open_metrics(self, *, tensorboard: bool = False, resumed_at: int = 0) -> MetricsFile:
        return MetricsFile(Path(os.devnull).open("w", encoding="utf-8"))


def run_folder(path: str | Path, ranks: Ranks) -> RunFolder:
    """The folder that the leader names, for this rank."""
    place = Path(ranks.first(str(path)))
    return RunFolder(place) if ranks.leads else FolderElsewhere(place)
