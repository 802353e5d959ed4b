"""BLiMP (Warstadt et al. 2020): minimal pairs in JSONL, 67 files of 1,000."""

from mini_bert.data.tasks.examples import MinimalPair
from mini_bert.data.tasks.jsonl import read_fields
from mini_bert.data.tasks.lines import Line, Source, read_folder


def read_blimp(source: Source) -> list[MinimalPair]:
    """The pairs of one file; the paradigm is BLiMP's UID."""
    fields = read_fields(source, "sentence_good", "sentence_bad", "UID")
    return [_pair(line, *texts) for line, texts in fields]


def _pair(line: Line, good: str, bad: str, paradigm: str) -> MinimalPair:
    if good == bad:
        raise line.error("the good sentence is the bad one too", "mend one of them or leave the line out")
    return MinimalPair(good, bad, paradigm)


def read_blimp_folder(folder: Source) -> dict[str, list[MinimalPair]]:
    return read_folder(folder, ".jsonl", read_blimp)
