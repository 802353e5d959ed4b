"""Bring a set from the hub to this machine.

Files that came before an interruption stay, in a folder beside the set's own, and the next download brings the rest.
"""

import os
import shutil
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies

from mini_bert.data.catalogue import DataSet
from mini_bert.data.installation import alone, gathering_folder, install, plain_names
from mini_bert.data.optional import optional
from mini_bert.data.records import Record, digests, is_here, verified
from mini_bert.reports import Report, part

Advance = Callable[[int], None]
"""advance(bytes of this file that are here)"""
Fetch = Callable[[str, Path, Advance], None]
"""fetch(path on the hub, folder to put it into under that path, advance)"""

HUB = "https://huggingface.co"
CONNECT_SECONDS = 5.0
TRUE = {"1", "on", "yes", "true"}


def get(
    dataset: DataSet,
    report: Report,
    *,
    force: bool = False,
    connect: Callable[[DataSet], Fetch] | None = None,
) -> Record:
    """The set from the hub; one that is here already is verified instead, unless it is to be fetched anew."""
    with alone(dataset, report):
        if is_here(dataset.name) and not force:
            return verified(dataset.name)
        if any(path.endswith(".parquet") for path in dataset.published):
            optional(
                "pyarrow.parquet", f"reading the files of {dataset.name}", otherwise=without_parquet(dataset)
            )
        fetch = (connect or hub)(dataset)
        folder = gathering_folder(dataset) / "published"
        if force:
            shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
        meter = Meter(dataset, part(report, 0.0, 0.9))
        for path in dataset.published:
            fetch(path, folder, meter.advance)
            meter.complete((folder / path).stat().st_size)
        sources = {one: (dataset.convert, [folder / path for path in one.published]) for one in dataset.parts}
        record = Record(dataset.repo, dataset.revision, digests(folder, dataset.published), {})
        return install(dataset, sources, record, part(report, 0.9, 1.0))


class Meter:
    """How far a download has come: by bytes if the set's size is known, else by files."""

    def __init__(self, dataset: DataSet, report: Report) -> None:
        self.size, self.count = dataset.size, len(dataset.published)
        self.bytes = self.files = self.of_this_file = 0
        self.report = report

    def advance(self, count: int) -> None:
        self.of_this_file = max(self.of_this_file, count)
        here = self.bytes + self.of_this_file
        done = here / self.size if self.size else self.files / self.count
        self.report(min(done, 1.0), f"file {self.files + 1} of {self.count}, {here / 1e6:,.1f} MB")

    def complete(self, size: int) -> None:
        self.bytes, self.files, self.of_this_file = self.bytes + size, self.files + 1, 0


def hub(dataset: DataSet) -> Fetch:
    """Fetches files of a set through huggingface_hub, which leaves out those that are in the folder already."""
    client = optional("huggingface_hub", f"fetching {dataset.name}", otherwise=other_ways(dataset))
    if reason := offline():
        raise ValueError(f"{dataset.name}: {reason}; {other_ways(dataset)}")
    optional("huggingface_hub.utils").logging.set_verbosity_error()  # it would tell of each attempt

    def fetch(path: str, folder: Path, advance: Advance) -> None:
        try:
            client.hf_hub_download(
                dataset.repo,
                path,
                repo_type="dataset",
                revision=dataset.revision,
                local_dir=folder,
                tqdm_class=counting_bar(advance),
            )
        except Exception as error:  # of several libraries underneath, which differ from version to version
            if isinstance(error, OSError) and error.errno is not None:
                raise  # a full disk, or no right to write
            reason = str(error).strip().partition("\n")[0] or type(error).__name__
            raise ValueError(
                f"{dataset.name}: {path} did not come ({reason}); run the command again for what is missing,"
                f" or {other_ways(dataset)}"
            ) from error

    return fetch


def offline() -> str:
    """Why the hub cannot be asked, or nothing; tried before its library does, which takes half a minute to say so."""
    for variable in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
        if os.environ.get(variable, "").lower() in TRUE:
            return f"the hub is switched off here ({variable}={os.environ[variable]})"
    if getproxies():
        return ""
    address = urlsplit(os.environ.get("HF_ENDPOINT") or HUB)
    try:
        port = address.port or (80 if address.scheme == "http" else 443)
        with socket.create_connection((address.hostname or "", port), CONNECT_SECONDS):
            return ""
    except OSError as error:
        return f"no network: {address.hostname} cannot be reached ({error.strerror or error})"


OWN_TEXT = "text of your own needs no download: mini-bert data prepare my.txt"


def other_ways(dataset: DataSet) -> str:
    return (
        f"fetch it elsewhere ({dataset.address}) and run mini-bert data get {dataset.name} --from FOLDER|FILE;"
        f" {OWN_TEXT}"
    )


def without_parquet(dataset: DataSet) -> str:
    return (
        f"install a copy that is plain text ({plain_names(dataset)}):"
        f" mini-bert data get {dataset.name} --from FOLDER|FILE; {OWN_TEXT}"
    )


def counting_bar(advance: Advance) -> Any:
    """A progress bar as huggingface_hub wants one, which shows nothing and counts."""
    tqdm: Any = optional("tqdm").tqdm

    class CountingBar(tqdm):  # type: ignore[misc]
        def __init__(self, *args: Any, **options: Any) -> None:
            options.pop("name", None)
            super().__init__(*args, **{**options, "disable": True})
            self.here = options.get("initial") or 0

        def update(self, n: float | None = 1) -> None:
            self.here += n or 0
            advance(int(self.here))

    return CountingBar
