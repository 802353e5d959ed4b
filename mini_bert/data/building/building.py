"""A corpus from its sources.

    build(Path("corpus"), {"tatoeba": [Path("eng_sentences.tsv.bz2")], "books": [Path("gutenberg")]})

Two passes over all sources: the first finds the key of each document, the second writes it to its side. What stays in
memory is 8 bytes for each document, and the document that is being read.
"""

import os
import shutil
from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from secrets import token_hex

import numpy as np

from mini_bert.core.array import Array
from mini_bert.data.building.manifest import NAME, Manifest, Part, read_manifest, verify
from mini_bert.data.building.opening import Meter, fingerprint
from mini_bert.data.building.sources import NAMES, Text, located, source_named
from mini_bert.data.building.splitting import Sides, kept_apart, key, sides
from mini_bert.data.building.writing import Writer, Written, writer_of
from mini_bert.files import make_folder
from mini_bert.reports import Report, silent

TRAIN, HELD_OUT = "train", "held_out"
PASSES = 2


def build(
    out: Path,
    places: Mapping[str, Sequence[Path]],
    held_out: Mapping[str, float] | None = None,
    limits: Mapping[str, int] | None = None,
    report: Report = silent,
) -> Manifest:
    """Make the corpus in a folder that is not there yet; one that is there, of the same sources, is verified.

    `held_out` are other shares than the sources have of their own, `limits` the most documents to take of one.
    The folder appears when all of it is written.
    """
    shares, most = checked_shares(held_out or {}, places), checked_limits(limits or {}, places)
    texts = [located(name, places[name]) for name in sorted(places, key=NAMES.index)]
    if not texts:
        raise ValueError(f"no sources; name one or more of {', '.join(NAMES)}, each with its file or folder")
    hashes = {text.source.name: fingerprint(text.files) for text in texts}
    requests = {name: (hashes[name], shares[name], most.get(name)) for name in hashes}
    if already := corpus_in(out, requests):
        return already
    meter = Meter(PASSES * sum(text.bytes for text in texts), report)
    with folder_beside(out) as folder:
        chosen = chosen_sides(texts, shares, most, meter)
        parts = {}
        for text in texts:
            name = text.source.name
            parts[name] = build_part(folder, text, *requests[name], chosen[name], meter)
        manifest = Manifest(parts)
        manifest.write(folder)
    return manifest


def chosen_sides(
    texts: Sequence[Text], shares: Mapping[str, float], limits: Mapping[str, int], meter: Meter
) -> dict[str, Sides]:
    """Where each document of each source belongs."""
    keys: dict[str, Array] = {}
    chosen: dict[str, Sides] = {}
    for text in texts:
        name = text.source.name
        keys[name] = np.array(array("Q", map(key, text.documents(meter))), dtype=np.uint64)
        if not len(keys[name]):
            raise ValueError(f"{name}: {text.files[0]}: no text in it; check that it is what you meant")
        chosen[name] = sides(keys[name], shares[name], limits.get(name), name)
    return kept_apart(keys, chosen)


def build_part(
    folder: Path, text: Text, sha256: str, share: float, limit: int | None, chosen: Sides, meter: Meter
) -> Part:
    train, held_out = write_sides(folder, text, chosen, meter)
    return Part(
        licence=text.source.licence,
        attribution=text.source.attribution,
        files=len(text.files),
        bytes=text.bytes,
        sha256=sha256,
        held_out_share=share,
        limit=limit,
        read=len(chosen.written),
        copies=chosen.copies,
        train=train,
        held_out=held_out,
        passed_over=text.passed_over,
    )


def write_sides(folder: Path, text: Text, chosen: Sides, meter: Meter) -> tuple[Written, Written | None]:
    names = {TRAIN: f"{TRAIN}/{text.source.name}.txt.gz"}
    if chosen.held_out.any():
        names[HELD_OUT] = f"{HELD_OUT}/{text.source.name}.txt.gz"
    with ExitStack() as stack:
        writers: dict[str, Writer] = {}
        for side, name in names.items():
            (folder / side).mkdir(exist_ok=True)
            writers[side] = stack.enter_context(writer_of(folder / name))
        read = 0
        for read, document in enumerate(text.documents(meter), 1):
            if read > len(chosen.written):
                break
            if chosen.written[read - 1]:
                writers[HELD_OUT if chosen.held_out[read - 1] else TRAIN].write(document)
        if read != len(chosen.written):
            raise ValueError(
                f"{text.source.name}: {text.files[0]}: changed while it was read; build again when it rests"
            )
    made = {
        side: Written(names[side], writer.documents, writer.characters, writer.hash.hexdigest())
        for side, writer in writers.items()
    }
    return made[TRAIN], made.get(HELD_OUT)


def corpus_in(out: Path, requests: Mapping[str, tuple[object, ...]]) -> Manifest | None:
    """The corpus that is in a folder, if it is the one that is asked for; another one is refused."""
    if not out.exists():
        return None
    if not out.is_dir():
        raise ValueError(f"{out}: is a file, not a folder; choose another place")
    if not (out / NAME).exists():
        if any(out.iterdir()):
            raise ValueError(f"{out}: not empty, and no corpus; choose a folder that is not there yet")
        return None
    manifest = read_manifest(out)
    found = {name: part.request for name, part in manifest.parts.items()}
    if found != requests:
        others = sorted(
            name for name in found.keys() | requests.keys() if found.get(name) != requests.get(name)
        )
        raise ValueError(
            f"{out}: holds another corpus, which differs in {', '.join(others)}; choose another folder, or delete it"
        )
    verify(out, manifest)
    return manifest


@contextmanager
def folder_beside(out: Path) -> Iterator[Path]:
    """A folder to work in, which takes the place of `out` at the end, and is gone if something failed."""
    make_folder(out.parent)
    working = out.with_name(f".{out.name}.{os.getpid()}.{token_hex(4)}.tmp")
    make_folder(working)
    try:
        yield working
        if out.exists():
            out.rmdir()  # it was empty, see corpus_in
        os.replace(working, out)
    finally:
        shutil.rmtree(working, ignore_errors=True)


def checked_shares(given: Mapping[str, float], places: Mapping[str, Sequence[Path]]) -> dict[str, float]:
    """The share to hold out of each source."""
    for name, share in given.items():
        refuse_unnamed(name, places, "held out of")
        if not 0 <= share < 1:
            raise ValueError(f"{name}: held out {share:g}; choose a share from 0 to less than 1, like 0.02")
    return {name: source_named(name).held_out for name in places} | dict(given)


def checked_limits(given: Mapping[str, int], places: Mapping[str, Sequence[Path]]) -> dict[str, int]:
    for name, limit in given.items():
        refuse_unnamed(name, places, "limited to")
        if limit < 1:
            raise ValueError(f"{name}: limited to {limit} documents; choose 1 or more")
    return dict(given)


def refuse_unnamed(name: str, places: Mapping[str, Sequence[Path]], what: str) -> None:
    source_named(name)
    if name not in places:
        raise ValueError(f"{name}: nothing can be {what} it; name its text first (--source {name}=FILE)")
