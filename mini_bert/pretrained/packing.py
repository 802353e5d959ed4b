"""From a run to a folder that can be shipped: `pack("runs/long", "mini-best")`.

    config.json, model.safetensors    the model, its weights in float16
    tokenizer.json, ...               its vocabulary
    training.json                     settings, facts, and the log, thinned
    evaluation.json                   what was measured: storage, leanings, and the results that were given
    corpus.json                       what it was trained on, if that was given
    README.md, curve.svg              the model card

The folder is there whole or not at all.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mini_bert.data.corpus import Corpus, World, corpus
from mini_bert.data.world.parts import WORLD_SEEDS
from mini_bert.files import make_folder, write_atomically
from mini_bert.inference.fill_mask import check_fit
from mini_bert.inference.reading import tokenizer_of
from mini_bert.models.checkpoint import CONFIG, WEIGHTS, save_model
from mini_bert.models.huggingface.reading import from_pretrained
from mini_bert.plain_json import portable
from mini_bert.pretrained.associations import associations_of, examples_of
from mini_bert.pretrained.card import write_card
from mini_bert.pretrained.half_precision import Agreement, Rounding, agreement_of, rounding_of
from mini_bert.pretrained.places import CHECKPOINTS, model_folder, place_of
from mini_bert.pretrained.plain_names import without_folders
from mini_bert.pretrained.training_record import RECORD, record_of
from mini_bert.reports import Report, part, silent
from mini_bert.tokenizers.files import save_tokenizer

EVALUATION, MANIFEST = "evaluation.json", "corpus.json"
ROWS, WORLD_STORIES = 1024, 2_000
LICENCE = "mit"


@dataclass(frozen=True)
class Packed:
    """The folder, how large it is, and how far the model in it is from the one that it was made from."""

    folder: Path
    name: str
    files: dict[str, int]
    rounding: Rounding
    agreement: Agreement

    @property
    def bytes(self) -> int:
        return sum(self.files.values())

    def as_dict(self) -> dict[str, Any]:
        return {
            "folder": str(self.folder),
            "name": self.name,
            "bytes": self.bytes,
            "files": self.files,
            **storage_figures(self.rounding, self.agreement),
        }


def pack(
    source: str | Path,
    folder: str | Path,
    *,
    name: str | None = None,
    texts: Sequence[str | Path] = (),
    results: Sequence[Path] = (),
    manifest: Path | None = None,
    licence: str = LICENCE,
    most_rows: int = ROWS,
    replace: bool = False,
    report: Report = silent,
) -> Packed:
    """Pack a run's last checkpoint, or the model in a folder.

    `texts` are held-out text on which the packed model is compared with the original; without them it is stories of
    the embedded world. `results` are JSON files that our commands wrote of it, `manifest` is a corpus.json. A model
    that was packed before keeps what was measured then, of its storage too: to add results, pack it again. A folder
    that is there is refused, or with `replace` replaced, if it holds a model.
    """
    folder = Path(folder)
    check_place(folder, replace)
    told, data = results_in(results), None if manifest is None else read_json(manifest)
    origin = source_folder(source)
    earlier = read_json(origin / EVALUATION) if (origin / EVALUATION).is_file() else {}
    if data is None and (origin / MANIFEST).is_file():
        data = read_json(origin / MANIFEST)
    model = from_pretrained(origin)
    check_fit(model)
    name = name or folder.resolve().name
    beside = folder.with_name(f".{folder.name}.{os.getpid()}.tmp")
    make_folder(folder.parent)
    shutil.rmtree(beside, ignore_errors=True)
    try:
        rounding = rounding_of(model)
        save_model(model, beside, dtype=np.float16)
        save_tokenizer(tokenizer_of(model), beside, max_length=model.config.max_seq_length)
        stored = from_pretrained(beside)
        agreement = agreement_of(model, stored, text_of(texts), most_rows, part(report, 0.0, 0.95))
        record = record_of(model, name)
        measured = {
            "storage": earlier.get("storage") or storage_figures(rounding, agreement),
            "examples": examples_of(stored),
            "associations": associations_of(stored),
            "results": {**earlier.get("results", {}), **told},
        }
        write_json(beside / RECORD, record)
        write_json(beside / EVALUATION, measured)
        if data is not None:
            write_json(beside / MANIFEST, data)
        write_card(beside, model.config, record, without_folders(measured), data or {}, licence)
        report(1.0, "")
        put_in_place(beside, folder)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    files = {path.name: path.stat().st_size for path in sorted(folder.iterdir())}
    return Packed(folder, name, files, rounding, agreement)


def source_folder(source: str | Path) -> Path:
    """The last checkpoint of a run: at the end of a schedule, the last is what was trained for."""
    last = place_of(source) / CHECKPOINTS / "last"
    return last if (last / CONFIG).is_file() else model_folder(source)


def text_of(texts: Sequence[str | Path]) -> Corpus:
    return corpus(*texts) if texts else World(WORLD_STORIES, WORLD_SEEDS["test"])


def storage_figures(rounding: Rounding, agreement: Agreement) -> dict[str, Any]:
    return {"dtype": "float16", **asdict(rounding), **agreement.as_dict(), "is_enough": agreement.is_enough}


def results_in(files: Sequence[Path]) -> dict[str, Any]:
    """The content of each file, by the name of the file."""
    found: dict[str, Any] = {}
    for file in files:
        if file.stem in found:
            raise ValueError(f"{file}: another result has that name already; give each file its own")
        found[file.stem] = read_json(file)
    return found


def read_json(file: Path) -> dict[str, Any]:
    try:
        found = json.loads(file.read_text("utf-8"))
    except OSError as error:
        raise ValueError(f"{file}: {(error.strerror or str(error)).lower()}; name a file of JSON") from None
    except ValueError as error:
        raise ValueError(
            f"{file}: not JSON ({error}); name what a command wrote with --json, or a report.json"
        ) from None
    if not isinstance(found, dict):
        raise ValueError(f"{file}: expected one object with names; name what a command wrote with --json")
    return found


def write_json(file: Path, content: dict[str, Any]) -> None:
    plain = json.dumps(portable(without_folders(content)), ensure_ascii=False, indent=1, allow_nan=False)
    write_atomically(file, f"{plain}\n".encode())


def check_place(folder: Path, replace: bool) -> None:
    """Refuse a place that is taken, before anything is computed."""
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    is_model = (folder / CONFIG).is_file() and (folder / WEIGHTS).is_file()
    if not is_model or (folder / CHECKPOINTS).exists():
        raise ValueError(f"{folder}: is there already, and no packed model; choose another --out")
    if not replace:
        raise ValueError(f"{folder}: is there already; choose another --out, or --replace it")


def put_in_place(beside: Path, folder: Path) -> None:
    """What was there before goes when the new one stands."""
    old = folder.with_name(f".{folder.name}.{os.getpid()}.old")
    if folder.exists():
        os.replace(folder, old)
    try:
        os.replace(beside, folder)
    except OSError:
        if old.exists():
            os.replace(old, folder)
        raise
    shutil.rmtree(old, ignore_errors=True)
