"""Books of Project Gutenberg: plain text between two markers, in lines of some seventy characters.

*** START OF THE PROJECT GUTENBERG EBOOK ALICE'S ADVENTURES IN WONDERLAND ***
...
*** END OF THE PROJECT GUTENBERG EBOOK ALICE'S ADVENTURES IN WONDERLAND ***
"""

import re
from collections.abc import Iterator
from pathlib import Path

from mini_bert.data.building.documents import Document, typed
from mini_bert.data.building.opening import Meter, whole_text

START = re.compile(r"^\*\*\* ?START OF (?:THE|THIS) PROJECT GUTENBERG.*?\*\*\*", re.MULTILINE | re.DOTALL)
END = re.compile(
    r"^(?:\*\*\* ?END OF (?:THE|THIS) PROJECT GUTENBERG|End of (?:the |this )?Project Gutenberg)",
    re.MULTILINE,
)
NOTE = re.compile(r"\[(?:(?P<picture>illustration)|(?P<transcriber>transcriber))", re.IGNORECASE)
BRACKET = re.compile(r"[\[\]]")
LONGEST_NOTE = {"picture": 600, "transcriber": 6000}
"""Letters, brackets included. One that is longer was not closed, and what follows it is the story."""
EMPHASIS = re.compile(r"_([^_]+)_")
NUMBER = (
    r"[ivxlc]+|\d+|(?:the )?"
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|first|second|third|fourth|fifth|last)"
)
HEADING = re.compile(
    rf"(?i:(?:chapter|book|part|volume|canto|letter)\s+(?:{NUMBER}))(?:\s*[.:-].*|\s+[A-Z\"'].*)?",
)
CREDITS = re.compile(r"(?:E-text prepared|Produced|Transcribed|HTML version) by\b", re.IGNORECASE)
LONGEST_HEADING = 100
ENDINGS = ("THE END", "CONTENTS", "ILLUSTRATIONS")
WORD = re.compile(r"\w")


def has_markers(text: str) -> bool:
    return START.search(text) is not None


def read_book(path: Path, meter: Meter) -> Iterator[Document]:
    """One document, a paragraph to a line."""
    text = whole_text(path, meter).replace("\r\n", "\n")
    if not has_markers(text):
        raise ValueError(
            f"{path}: no '*** START OF THE PROJECT GUTENBERG EBOOK' in it; take the book's plain text (UTF-8) as "
            "Project Gutenberg has it, or name one file of plain text in place of the folder"
        )
    book = tuple(paragraphs(between_markers(text)))
    if not book:
        raise ValueError(
            f"{path}: not a paragraph between its START and END; take the book's plain text (UTF-8) as Project "
            "Gutenberg has it, or remove it"
        )
    yield book


def between_markers(text: str) -> str:
    start = START.search(text)
    begin = start.end() if start else 0
    end = END.search(text, begin)
    return text[begin : end.start() if end else len(text)]


def without_notes(body: str) -> str:
    """Without pictures and what transcribers say of the book, which may have brackets inside, in pairs.

    >>> without_notes("A hill.[Illustration: a [green] hill] A house. [Illustration: not closed")
    'A hill. A house. [Illustration: not closed'
    """
    kept, behind = [], 0
    for note in NOTE.finditer(body):
        if note.start() >= behind and (end := end_of(note)):
            kept.append(body[behind : note.start()])
            behind = end
    return "".join([*kept, body[behind:]])


def end_of(note: re.Match[str]) -> int | None:
    """The place behind the bracket that closes a note; None if none does."""
    depth, longest = 0, LONGEST_NOTE[note.lastgroup or ""]
    for bracket in BRACKET.finditer(note.string, note.start(), note.start() + longest):
        depth += 1 if bracket[0] == "[" else -1
        if depth == 0:
            return bracket.end()
    return None


def paragraphs(body: str) -> Iterator[str]:
    """What the author wrote, a paragraph to a line. What is a heading is a guess, and some title pages stay."""
    body = EMPHASIS.sub(r"\1", without_notes(body))
    for block in re.split(r"\n\s*\n", body):
        paragraph = typed(block)
        if WORD.search(paragraph) and not is_heading(block) and not CREDITS.match(paragraph):
            yield paragraph


def is_heading(block: str) -> bool:
    """Whether lines are the heading of a chapter, a list of chapters, or "THE END".

    >>> is_heading("CHAPTER I. Down the Rabbit-Hole"), is_heading("Part of the wall fell, and they ran.")
    (True, False)
    """
    lines = block.strip().splitlines()
    whole = typed(block)
    if whole.upper().strip(" .") in ENDINGS or (len(whole) <= LONGEST_HEADING and HEADING.fullmatch(whole)):
        return True
    return all(HEADING.fullmatch(typed(line)) for line in lines)
