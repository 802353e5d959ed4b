"""Word similarity: two words and the mean of people's scores (SimLex-999, WordSim-353, MEN)."""

from math import isfinite

from mini_bert.data.tasks.examples import WordPair
from mini_bert.data.tasks.lines import Line, Source, lines, without_header


def read_word_pairs(
    source: Source, *, score: int = 2, header: bool = False, separator: str | None = None
) -> list[WordPair]:
    """The pairs. `score` is the number of its column; without `separator`, tabs or spaces stand between columns.

    SimLex-999 as its authors give it has `score=3, header=True`; WordSim-353 has `separator=",", header=True`.
    """
    rows = list(lines(source))
    pairs = without_header(rows) if header else rows
    return [_pair(line, line.text.split(separator) if separator else line.columns(), score) for line in pairs]


def _pair(line: Line, columns: list[str], score: int) -> WordPair:
    if len(columns) <= max(2, score):
        raise line.error(
            f"{len(columns)} columns, the score in number {score}", "write two words and a score"
        )
    a, b = columns[0].strip(), columns[1].strip()
    if not a or not b:
        raise line.error("a missing word", "write two words and a score")
    return WordPair(a, b, _number(line, columns[score]))


def _number(line: Line, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        raise line.error(f"score {text!r} is no number", "is it a header? then pass header=True") from None
    if not isfinite(number):
        raise line.error(f"score {text!r} is not finite", "leave the line out")
    return number
