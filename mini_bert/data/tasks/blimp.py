"""BLiMP (Warstadt et al. 2020): minimal pairs in JSONL, 67 files of 1,000."""

from mini_bert.data.tasks.examples import MinimalPair
from mini_bert.data.tasks.jsonl import read_fields
from mini_bert.data.tasks.lines import Source, read_folder


def read_blimp(source: Source) -> list[MinimalPair]:
    """The pairs of one file; the paradigm is BLiMP's UID."""
    fields = read_fields(source, "sentence_good", "sentence_bad", "UID")
    return [MinimalPair(good, bad, paradigm) for _, (good, bad, paradigm) in fields]


def read_blimp_folder(folder: Source) -> dict[str, list[MinimalPair]]:
    return read_folder(folder, ".jsonl", read_blimp)
