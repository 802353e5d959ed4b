"""Sentences: where they end in a text, by a simple rule. `sentence_tokens.py` finds the same ends in its tokens.

>>> from itertools import pairwise
>>> text = 'Mr. Fox ran. "Stop!" cried the hen.\\nHe did not.'
>>> [text[start:end].strip() for start, end in pairwise([0, *sentence_ends(text)])]
['Mr. Fox ran.', '"Stop!" cried the hen.', 'He did not.']

A sentence ends

- at the end of a line, or
- behind `.`, `!`, `?` or `…`, and quotes and brackets that close there, if white space follows and then a capital, a
  digit, or a quote or bracket that opens; but not behind a period after a title, a common abbreviation (`e.g.`), or a
  single capital other than I, which is an initial.

The white space behind a sentence belongs to the next one. Languages that write no spaces have only lines.
"""

import re
from itertools import groupby

from mini_bert.tokenizers.added import is_space

OPENING = re.escape("\"'“‘„«‹([{¿¡")
CLOSING = re.escape("\"'”’»›)]}")
CAPITALS_AND_DIGITS = "A-Z0-9" + "".join(
    c for c in map(chr, range(128, 1 << 16)) if c.isupper() or c.isdigit()
)
ABBREVIATIONS = """
    mr mrs ms messrs mme mlle dr prof rev fr st sr gen col maj capt cpt lt sgt cpl hon gov sen rep pres supt
    e.g i.e cf vs viz ca approx al fig figs eq eqs vol vols pp ch sec ed eds
    jan feb apr aug sept oct nov dec mt ft
"""


def behind_abbreviations() -> str:
    """A pattern for places behind a period that belongs to the word before it; one look back for each length."""
    same_length = groupby(sorted(ABBREVIATIONS.split(), key=len), len)
    words = ("|".join(map(re.escape, group)) for _, group in same_length)
    return r"(?<=\b[A-HJ-Z]\.)|" + "|".join(rf"(?<=\b(?i:{group})\.)" for group in words)


SENTENCE_END = re.compile(
    rf"[\n.!?…](?:(?<=\n)|[{CLOSING}]*(?=[ \t]+[{OPENING}{CAPITALS_AND_DIGITS}])(?!{behind_abbreviations()}))"
)


def sentence_ends(text: str) -> list[int]:
    """Where the sentences of a text end; the last place is the end of the text."""
    ends = [match.end() for match in SENTENCE_END.finditer(text)]
    if "\n" in text:
        ends = sorted({before_space(text, end) for end in ends} - {0})
    return [*ends, len(text)]


def before_space(text: str, end: int) -> int:
    """The end of the last word before a place."""
    while end and is_space(text[end - 1]):
        end -= 1
    return end
