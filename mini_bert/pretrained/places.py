"""Where a model is that somebody names: the one place in which names are looked up.

model_folder("mini-best")          # a model that comes with the package
model_folder("last")               # the run that has saved a checkpoint last, of those under ./runs and the last demo
model_folder("runs/stories")       # the best checkpoint of a run, else its last
model_folder("some/folder")        # a folder with config.json

Such a name goes before a folder that is called the same: that one is ./mini, or Path("mini").
"""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from mini_bert.files import cache_folder
from mini_bert.models.checkpoint import CONFIG
from mini_bert.pretrained.shipped import NAMES, refuse_misspelt, shipped_folder

LAST = "last"
VARIABLE = "MINI_BERT_MODEL"
"""Of the environment: the model that is meant where none is named."""
RUNS = Path("runs")
CHECKPOINTS = "checkpoints"


def is_name(model: str | PathLike[str]) -> bool:
    """Whether this is a name of ours, and not a path."""
    return model == LAST or model in NAMES


def place_of(model: str | PathLike[str]) -> Path:
    """The folder that a name stands for, or the path itself."""
    if model == LAST:
        return newest_run()
    return shipped_folder(model) or Path(model).expanduser()


def lasting_name(model: str) -> str:
    """What means the same model from any folder, and next week: the name of a shipped one, else a whole path."""
    return model if model in NAMES else str(place_of(model).resolve())


def model_folder(model: str | PathLike[str]) -> Path:
    """Where the model is: in the place of that name, or in the best checkpoint of the run there, or in its last."""
    place = place_of(model)
    places = [place, place / CHECKPOINTS / "best", place / CHECKPOINTS / "last"]
    folder = next((one for one in places if (one / CONFIG).is_file()), None)
    if folder is None:
        if not place.exists():
            refuse_misspelt(str(model))
        raise ValueError(
            f"{place}: no model here; name a run's folder, one of its checkpoints, a folder with {CONFIG}, "
            f"or {' or '.join(NAMES)}"
        )
    return folder


def newest_run() -> Path:
    """The run that has saved a checkpoint last."""
    from mini_bert.run_reports.search import walk  # it reads YAML; a shipped model is there without

    saved = {last_saved(run): run for run in (*walk(RUNS), cache_folder() / "demo")}
    newest = max(saved)
    if not newest:
        raise ValueError(
            f"{LAST}: no run under ./{RUNS} has saved a checkpoint yet; begin one with `mini-bert train`, or name a "
            f"model: {', '.join(NAMES)}, or a folder"
        )
    return saved[newest]


def last_saved(run: Path) -> float:
    """When a run's last checkpoint was written; 0 if it has none."""
    checkpoint = run / CHECKPOINTS / "last" / CONFIG
    return checkpoint.stat().st_mtime if checkpoint.is_file() else 0.0
