"""Zorro (Huebner et al. 2021): minimal pairs in children's words, on two lines each: the bad one, then the good."""

from mini_bert.data.tasks.examples import MinimalPair
from mini_bert.data.tasks.lines import Line, Source, lines, read_folder, stem


def read_zorro(source: Source) -> list[MinimalPair]:
    """The pairs of one file; the paradigm is the file's name."""
    rows = list(lines(source))
    if len(rows) % 2:
        raise rows[-1].error(
            "a bad sentence without its good one", "write two lines per pair, the bad one first"
        )
    paradigm = stem(source, ".txt")
    return [_pair(bad, good, paradigm) for bad, good in zip(rows[::2], rows[1::2], strict=True)]


def read_zorro_folder(folder: Source) -> dict[str, list[MinimalPair]]:
    return read_folder(folder, ".txt", read_zorro)


def _pair(bad: Line, good: Line, paradigm: str) -> MinimalPair:
    if good.number != bad.number + 1:
        raise good.error("a blank line inside a pair", "write the good sentence right after the bad one")
    return MinimalPair(good.text.strip(), bad.text.strip(), paradigm)
