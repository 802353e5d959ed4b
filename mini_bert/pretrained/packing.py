"""From a run to a folder that can be shipped: `pack("runs/long", "mini-best")`.

    config.json, model.safetensors    the model, its weights in float16
    tokenizer.json, ...               its vocabulary
    training.json                     settings, facts, and the log, thinned
    evaluation.json                   what was measured: storage, leanings, and the results that were given; and a
                                      digest of the weights, by which it is known of which model results tell
    corpus.json                       what it was trained on, if that was given
    README.md, curve.svg              the model card

The folder is there whole or not at all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from mini_bert.evaluation.evaluate import versions
from mini_bert.inference.fill_mask import check_fit
from mini_bert.inference.reading import tokenizer_of
from mini_bert.models.checkpoint import save_model
from mini_bert.models.digest import weights_digest
from mini_bert.models.huggingface.reading import from_pretrained
from mini_bert.models.mini import MiniBERT
from mini_bert.pretrained.agreement import Agreement, agreement_of, is_enough
from mini_bert.pretrained.associations import associations_of, examples_of
from mini_bert.pretrained.card import check_told, write_card
from mini_bert.pretrained.given_results import check_weights, renewed, results_in
from mini_bert.pretrained.hidden_words import ROWS, text_of
from mini_bert.pretrained.own_manifest import manifest_of_text
from mini_bert.pretrained.own_record import check_record
from mini_bert.pretrained.packed_files import (
    EVALUATION,
    MANIFEST,
    read_corpus,
    read_if_there,
    write_json,
)
from mini_bert.pretrained.places import model_folder
from mini_bert.pretrained.rounding import Rounding, rounding_of
from mini_bert.pretrained.sources import with_manifest
from mini_bert.pretrained.training_record import RECORD, WITHOUT_MEASURED, record_in
from mini_bert.pretrained.whole_folder import check_place, whole
from mini_bert.reports import Report, part, silent

LICENCE = "mit"


@dataclass(frozen=True)
class Packed:
    """The folder, how large it is, and by `storage` how far the model in it is from the one that it was made from.

    `replaced` are the names of older results, in whose place are others of the same exam. `compared_before` says that
    `storage` was measured when the model was first packed, and not now.
    """

    folder: Path
    name: str
    files: dict[str, int]
    weights: str
    storage: dict[str, Any]
    replaced: list[str] = field(default_factory=list)
    compared_before: bool = False

    @property
    def bytes(self) -> int:
        return sum(self.files.values())

    @property
    def is_faithful(self) -> bool:
        return is_enough(self.storage["same_first_guess"]["value"])

    def as_dict(self) -> dict[str, Any]:
        return {
            "folder": str(self.folder),
            "name": self.name,
            "bytes": self.bytes,
            "files": self.files,
            "weights": self.weights,
            "replaced": self.replaced,
            "compared_before": self.compared_before,
            **self.storage,
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
    remarks: Sequence[str] = (),
    most_rows: int | None = None,
    replace: bool = False,
    report: Report = silent,
) -> Packed:
    """Pack the model that a name stands for: of a run the best checkpoint, as everywhere.

    `texts` are held-out text of which `most_rows` rows, or 1,024, compare the packed model with the original; without
    them it is stories of the embedded world. `results` are JSON files that our commands wrote of the one or the other,
    `manifest` is the corpus.json of its text; of several stages that of the last, for the model before it has its own.
    `remarks` are what readers of the results should know, beside what was remarked before; a blank one takes that away.
    A model that was packed before keeps what was measured then, of its storage too: to add results, pack it again. A
    folder that is there is refused, or with `replace` replaced, if it holds a model.
    """
    folder, origin = Path(folder), model_folder(source)
    check_place(folder, replace)
    name = name or folder.resolve().name
    if not name.isprintable():
        raise ValueError(f"{name!r}: a name is one line of plain signs; give such a --name")
    given, earlier = results_in(results), read_if_there(origin / EVALUATION, WITHOUT_MEASURED)
    text = text_of(texts)
    model = from_pretrained(origin)
    check_record(origin, lambda: model)
    if earlier.get("storage") and (texts or most_rows is not None):
        given_for_it = "--text" if texts else "--max-rows"
        raise ValueError(
            f"{source}: was compared with its original when it was packed, and that one is not here; leave "
            f"{given_for_it} out, or pack the run anew"
        )
    rounding = rounding_of(model)
    check_fit(model)
    tokenizer_of(model)
    record = record_of(model, origin, name, licence)
    check_told(origin, model.config, record, earlier)
    if manifest is not None:
        record = with_manifest(record, manifest_of_text(record, read_corpus(manifest), manifest))
    data = record.pop("manifest", None)
    with whole(folder) as beside:
        save_model(model, beside, dtype=np.float16)
        stored = from_pretrained(beside)
        packed, original = weights_digest(stored), original_of(model, earlier)
        check_weights(given, {packed, *original.values()}, source)
        all_results, replaced = renewed(
            earlier.get("results") or {}, {file.stem: one for file, one in given.items()}
        )
        storage: dict[str, Any] = earlier.get("storage") or storage_figures(
            rounding, agreement_of(model, stored, text, most_rows or ROWS, part(report, 0.0, 0.95))
        )
        measured = {
            "weights": packed,
            **original,
            "storage": storage,
            "examples": examples_of(stored),
            "associations": associations_of(stored),
            "results": all_results,
            **({"remarks": told} if (told := remarks_of(remarks, earlier)) else {}),
        }
        write_json(beside / RECORD, record)
        write_json(beside / EVALUATION, measured)
        if data:
            write_json(beside / MANIFEST, data)
        write_card(beside, folder)
        report(1.0, "")
    files = {path.name: path.stat().st_size for path in sorted(folder.iterdir())}
    return Packed(folder, name, files, packed, storage, replaced, bool(earlier.get("storage")))


def original_of(model: MiniBERT, earlier: Mapping[str, Any]) -> dict[str, str]:
    """Which weights were packed, for evaluation.json; nothing if the model was packed before and nobody knows any more,
    as where rounded weights are named that would be their own original."""
    storage, told = earlier.get("storage"), earlier.get("packed_from")
    if not storage:
        return {"packed_from": weights_digest(model)}
    if told is None or (told == earlier["weights"] and storage["largest_relative_error"] > 0):
        return {}
    return {"packed_from": told}


def remarks_of(given: Sequence[str], earlier: Mapping[str, Any]) -> list[str]:
    """Those of before and those that were given; a blank one takes away all that stand before it.

    >>> before = {"remarks": ["Chosen with an eye on the exam."]}
    >>> remarks_of(["Twice.", *before["remarks"]], before), remarks_of(["", "Twice."], before)
    (['Chosen with an eye on the exam.', 'Twice.'], ['Twice.'])
    """
    told = list(earlier.get("remarks") or ())
    for remark in given:
        told = [*told, remark] if remark.strip() else []
    return list(dict.fromkeys(told))


def record_of(model: MiniBERT, folder: Path, name: str, licence: str) -> dict[str, Any]:
    """For training.json: what is known of the training, and by what it was packed."""
    about = {
        "name": name,
        "licence": licence,
        "parameters": model.num_parameters,
        "packed_by": versions(),
    }
    return {**about, **(record_in(folder) or {}), **about}


def storage_figures(rounding: Rounding, agreement: Agreement) -> dict[str, Any]:
    return {"dtype": "float16", **asdict(rounding), **agreement.as_dict()}
