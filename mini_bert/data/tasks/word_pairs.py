"""Word similarity: two words and the mean of people's scores (SimLex-999, WordSim-353, MEN)."""

from math import isfinite

from mini_bert.data.tasks.examples import WordPair
from mini_bert.data.tasks.lines import Line, Source, lines, without_header
from mini_bert.errors import counted


def read_word_pairs(
    source: Source, *, score: int = 2, header: bool = False, separator: str | None = None
) -> list[WordPair]:
    """The pairs. `score` is the number of its column; without `separator`, tabs or spaces stand between columns.

    SimLex-999 as its authors give it has `score=3, header=True`; WordSim-353 has `separator=",", header=True`.
    """
    rows = list(lines(source))
    pairs = without_header(rows) if header else rows
    last = rows[-1].text.split(separator) if separator else rows[-1].columns()
    return [
        _pair(line, line.text.split(separator) if separator else line.columns(), score, last)
        for line in pairs
    ]


def _pair(line: Line, columns: list[str], score: int, last: list[str]) -> WordPair:
    if len(columns) <= max(2, score):
        remedy = "write two words and a score"
        if "," in line.text and len(line.text.split(",")) > max(2, score):
            remedy = "do commas stand between them? then pass separator=','"
        raise line.error(f"{counted(len(columns), 'column')}, the score in number {score}", remedy)
    a, b = columns[0].strip(), columns[1].strip()
    if not a or not b:
        raise line.error("a missing word", "write two words and a score")
    number = _number(columns[score])
    if number is None:
        raise line.error(f"score {columns[score]!r} is no number", _remedy(columns, score, last))
    if not isfinite(number):
        raise line.error(f"score {columns[score]!r} is not finite", "leave the line out")
    return WordPair(a, b, number)


def _remedy(columns: list[str], score: int, last: list[str]) -> str:
    """What to pass for a file whose score is elsewhere, or that has a header: `last` is its last line."""
    advice = []
    if all(_number(column) is None for column in columns):
        advice.append("header=True if this line is a header")
    places = [place for place, column in enumerate(last) if place > 1 and _number(column) is not None]
    if places and score not in places:
        advice.append(f"score={places[0]}, the first column that has numbers")
    return f"pass {' and '.join(advice)}" if advice else "write a number there, or leave the line out"


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
