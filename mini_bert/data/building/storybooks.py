"""Picture books of Pratham Books and African Storybook, in the Markdown that their public collections hold them in.

    # Goat, Dog, and Cow
    ##
    Goat, Dog, and Cow
    were great friends.
    ##
    * License: [CC-BY]
    * Text: Fabian Wakholi
    * Language: en

A page begins with `##`, a paragraph is wrapped to the width of the page, and notes follow at the end. What may not be
used commercially (CC BY-NC) is left out, and so is what is not English.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from mini_bert.data.building.documents import Document, separated, typed
from mini_bert.data.building.opening import Meter, lines_of

PAGE = re.compile(r"#+\s*$")
TITLE = re.compile(r"#+\s*\S")
NOTE = re.compile(r"\*\s+(\w[\w ]*):\s*(.*)")
NOT_COMMERCIAL = "-NC"
LANGUAGE = "en"


def read_story(path: Path, meter: Meter) -> Iterator[Document]:
    """One document, a paragraph of a page to a line, without title and notes."""
    pages: list[str] = []
    notes: dict[str, str] = {}
    for line in map(str.strip, lines_of(path, meter)):
        if note := NOTE.fullmatch(line):
            notes[note[1].lower()] = note[2]
        elif not TITLE.match(line):
            pages.append("" if PAGE.match(line) else line)
    if not may_be_used(notes):
        return
    if story := tuple(typed(" ".join(paragraph)) for paragraph in separated(pages)):
        yield story


def may_be_used(notes: dict[str, str]) -> bool:
    """Whether it is a story in English that everybody may use; a list of stories has no licence of its own.

    >>> may_be_used({"license": "[CC-BY]"}), may_be_used({"license": "[CC-BY-NC]"}), may_be_used({})
    (True, False, False)
    """
    licence = notes.get("license")
    english = notes.get("language", LANGUAGE) == LANGUAGE
    return licence is not None and NOT_COMMERCIAL not in licence.upper() and english
