"""Put a set in its place: from files as they were published, or in plain form, that are on this machine.

The plain files are written in a folder beside the set's own, read once to see that they are sound, and moved
there when all of them are: a set is there whole, or not at all.
"""

import gzip
import os
import shutil
import zlib
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from mini_bert.data.catalogue import DataSet, Part
from mini_bert.data.conversion import Conversion, unchanged
from mini_bert.data.records import Record, anew, digest, digests, is_here, set_folder, write_record
from mini_bert.data.tasks import read_blimp, read_conllu, read_sst2
from mini_bert.files import only_one
from mini_bert.reports import Report

Sources = dict[Part, tuple[Conversion, list[Path]]]

READERS: dict[str, Callable[[Path], object]] = {
    ".tsv": read_sst2,
    ".conllu": read_conllu,
    ".jsonl": read_blimp,
}


def install_copy(dataset: DataSet, copy: Path, report: Report, *, force: bool = False) -> Record:
    """Install from a file or folder; of a set in several files, those that are there."""
    if not copy.exists():
        raise ValueError(f"{copy}: no such file or folder; check the name (seen from {Path.cwd()})")
    files = [copy] if copy.is_file() else sorted(path for path in copy.rglob("*") if path.is_file())
    sources = {part: found for part in dataset.parts if (found := source_of(part, dataset, files))}
    if not sources:
        raise ValueError(f"{copy}: no file of {dataset.name}; name {known_names(dataset)}")
    origins = {path.name: digest(path) for _, paths in sources.values() for path in paths}
    with alone(dataset, report):
        if is_here(dataset.name) and not force:
            raise ValueError(
                f"{dataset.name} is here already ({set_folder(dataset.name)}); --force replaces it"
            )
        return install(dataset, sources, Record("", "", origins, {}), report)


def source_of(part: Part, dataset: DataSet, files: Sequence[Path]) -> tuple[Conversion, list[Path]] | None:
    """The files that make a part, and how: in plain form, as published, or as they are called elsewhere."""
    if plain := all_of([part.plain], files):
        return unchanged, plain
    last_names = [name.rpartition("/")[2] for name in dataset.published]
    names = [part.published, *((name,) for name in part.elsewhere)]
    if len(set(last_names)) == len(last_names):
        names.append(tuple(name.rpartition("/")[2] for name in part.published))
    for candidate in names:
        if found := all_of(candidate, files):
            return dataset.convert, found
    return None


def all_of(names: Sequence[str], files: Sequence[Path]) -> list[Path]:
    """For each name the first file that ends in it, plain or .gz, or nothing if one is missing."""
    endings = [tuple(name.split("/")) for name in names]
    found = [
        next((file for file in files if uncompressed(file).parts[-len(ending) :] == ending), None)
        for ending in endings
    ]
    return [file for file in found if file] if all(found) else []


def uncompressed(file: Path) -> Path:
    """The name of a file without .gz."""
    return file.with_suffix("") if file.suffix == ".gz" else file


def plain_names(dataset: DataSet) -> str:
    """The names of files that need no conversion from parquet."""
    return ", ".join(name for part in dataset.parts[:2] for name in (*part.elsewhere, part.plain))


def known_names(dataset: DataSet) -> str:
    """The names under which the first part of a set is looked for."""
    first = dataset.parts[0]
    names = ", ".join(dict.fromkeys((*first.published, *first.elsewhere, first.plain)))
    rest = len(dataset.parts) - 1
    return f"a folder or file with {names} (and so on, {rest} more)" if rest else names


def install(dataset: DataSet, sources: Sources, record: Record, report: Report) -> Record:
    """Write the plain files and move them to their place; the record gets their checksums."""
    plain = gathering_folder(dataset) / "plain"
    shutil.rmtree(plain, ignore_errors=True)
    plain.mkdir(parents=True)
    for number, (part, (convert, paths)) in enumerate(sources.items()):
        report(number / len(sources), f"writing {part.plain}")
        try:
            convert(paths, plain / part.plain)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise ValueError(f"{paths[0]}: broken gzip file ({error}); fetch it again") from error
        check(plain / part.plain, paths[0], anew(dataset.name, copied=not record.repo))
    files = digests(plain, [part.plain for part in sources])
    record = Record(record.repo, record.revision, record.published, files)
    write_record(plain, record)
    folder = set_folder(dataset.name)
    shutil.rmtree(folder, ignore_errors=True)
    os.replace(plain, folder)
    shutil.rmtree(gathering_folder(dataset))
    return record


def check(plain: Path, origin: Path, remedy: str) -> None:
    """Read a plain file as it will be read: what is malformed must not be installed."""
    try:
        if reader := READERS.get(plain.suffix):
            reader(plain)
        elif not plain.stat().st_size:
            raise ValueError(f"{plain}: no text in it")
    except ValueError as error:
        raise ValueError(f"{origin} does not hold what it should: {error}; {remedy}") from error


def alone(dataset: DataSet, report: Report) -> AbstractContextManager[None]:
    """No other process brings the same set meanwhile."""
    lock = set_folder(dataset.name).with_name(f"{dataset.name}.lock")
    return only_one(lock, lambda: report(0.0, "waiting for another process that brings it"))


def gathering_folder(dataset: DataSet) -> Path:
    return set_folder(dataset.name).with_name(f"{dataset.name}.partial")
