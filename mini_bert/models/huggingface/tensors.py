"""The tensors of a HuggingFace folder: one safetensors file, or several with an index. Nothing is ever unpickled."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from safetensors import SafetensorError, safe_open

from mini_bert.core.array import Array
from mini_bert.models.checkpoint import refuse_pointer

ONE_FILE, INDEX = "model.safetensors", "model.safetensors.index.json"
PICKLES = ("pytorch_model.bin", "pytorch_model.bin.index.json")
OTHERS = ("model.ckpt.index", "tf_model.h5", "flax_model.msgpack")
FLOATS = ("F64", "F32", "F16", "BF16")


class Header(NamedTuple):
    """What a file tells of a tensor before it is read."""

    file: Path
    kind: str
    shape: tuple[int, ...]


class Tensors(Mapping[str, Array]):
    """name → array, read from the disk when asked for, one at a time. Half precision, bfloat16 too, comes as float32.

    `headers` tell shapes and kinds of numbers without reading any. `architecture` is the class of transformers that
    the folder names, for advice.
    """

    def __init__(self, folder: Path, architecture: str | None = None) -> None:
        self.folder = folder
        self.headers: dict[str, Header] = {}
        for file in files_of(folder, architecture):
            with opened(file) as tensors:
                for name in tensors.keys():  # noqa: SIM118 (a file is no mapping)
                    part = tensors.get_slice(name)
                    self.headers[name] = Header(file, part.get_dtype(), tuple(part.get_shape()))

    @property
    def widest(self) -> type[np.float32] | type[np.float64]:
        """float64 if any tensor is, else float32."""
        return np.float64 if any(header.kind == "F64" for header in self.headers.values()) else np.float32

    def __getitem__(self, name: str) -> Array:
        header = self.headers[name]
        if header.kind not in FLOATS:
            raise ValueError(
                f"{header.file}: {name} holds {header.kind}, but weights are {', '.join(FLOATS)}"
            )
        if header.kind == "BF16":
            return brain_floats(header.file, name)
        with opened(header.file) as tensors:
            found: Array = tensors.get_tensor(name)
        return found.astype(np.float32) if found.dtype == np.float16 else found

    def __iter__(self) -> Iterator[str]:
        return iter(self.headers)

    def __len__(self) -> int:
        return len(self.headers)


def files_of(folder: Path, architecture: str | None) -> list[Path]:
    if (folder / ONE_FILE).is_file():
        return [folder / ONE_FILE]
    if (folder / INDEX).is_file():
        return shards(folder / INDEX)
    for name in PICKLES:
        if (folder / name).exists():
            raise ValueError(
                f"{folder / name}: not read, for such a file can run code when it is loaded; "
                f"{ways_out(folder, architecture)}"
            )
    for name in OTHERS:
        if (folder / name).exists():
            raise ValueError(
                f"{folder / name}: not read, for it needs another framework; look for a copy of the model with "
                f"{ONE_FILE}"
            )
    raise ValueError(f"{folder}: no {ONE_FILE} here; name the folder of a model")


def ways_out(folder: Path, architecture: str | None) -> str:
    """How to get a file that can be read. The class matters: another one would drop the head."""
    name = architecture or "BertForMaskedLM"
    other = f"{folder.resolve().name}-safetensors"
    call = f'transformers.{name}.from_pretrained("{folder.as_posix()}").save_pretrained("{other}")'
    which = "" if architecture else ", with the class that the model has in place of this one,"
    return f"if you trust it, and where transformers is installed, {call}{which} writes {ONE_FILE} to another folder"


def shards(index: Path) -> list[Path]:
    try:
        named = sorted(set(json.loads(index.read_text("utf-8"))["weight_map"].values()))
        paths = [index.parent / name for name in named]
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ValueError(f"{index}: not an index of safetensors files; copy it again") from None
    for path in paths:
        if path.parent != index.parent or not path.is_file():
            raise ValueError(f"{index}: {path.name} is not beside it; copy all files of the model")
    return paths


def opened(file: Path) -> safe_open:
    try:
        return safe_open(file, framework="numpy")
    except (SafetensorError, OSError) as error:
        if isinstance(error, SafetensorError):
            refuse_pointer(file)
        raise ValueError(f"{file}: truncated or not a safetensors file ({error}); copy it again") from None


def brain_floats(file: Path, name: str) -> Array:
    """A bfloat16 tensor, which NumPy does not know: the upper half of a float32."""
    with file.open("rb") as content:
        length = int.from_bytes(content.read(8), "little")
        described = json.loads(content.read(length))[name]
        start, end = described["data_offsets"]
        content.seek(8 + length + start)
        upper = np.frombuffer(content.read(end - start), "<u2")
    widened: Array = (upper.astype(np.uint32) << 16).view(np.float32).reshape(described["shape"])
    return widened
