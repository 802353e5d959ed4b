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
LONGEST_NOTE = 2000
PICTURE_OR_NOTE = re.compile(
    rf"\[(?:Illustration|Transcriber)(?:[^\[\]]|\[[^\[\]]*\]){{0,{LONGEST_NOTE}}}\]", re.IGNORECASE
)
"""With brackets inside, in pairs. One that is longer was not closed, and what follows it is the story."""
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


def paragraphs(body: str) -> Iterator[str]:
    """What the author wrote, a paragraph to a line. What is a heading is a guess, and some title pages stay."""
    body = EMPHASIS.sub(r"\1", PICTURE_OR_NOTE.sub("", body))
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
