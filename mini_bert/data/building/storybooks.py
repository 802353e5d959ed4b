"""Picture books of Pratham Books and African Storybook, in the Markdown that their public collections hold them in.

    # Goat, Dog, and Cow
    ##
    Goat, Dog, and Cow
    were great friends.
    ##
    * License: [CC-BY]
    * Text: Fabian Wakholi
    * Language: en

A page begins with `##`, a paragraph is wrapped to the width of the page, and notes follow at the end. Only what is in
the public domain or asks for nothing but its writer's name (CC BY) is taken, and only what is English.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from mini_bert.data.building.documents import Document, separated, typed
from mini_bert.data.building.opening import Meter, lines_of

PAGE = re.compile(r"#+\s*$")
TITLE = re.compile(r"#+\s*\S")
NOTE = re.compile(r"\*\s+(\w[\w ]*):\s*(.*)")
WORDS = re.compile(r"[a-z]+|\d+")
FREE = re.compile(
    r"(?:(?:creative commons |cc )+(?:by|attribution|0|zero)|public domain)"
    r"(?: (?:\d+|international|unported|universal|dedication|mark|licen[cs]e))*"
)
"""The words of a licence under which everybody may use a story for anything: any other word may forbid something."""
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
    return is_free(notes.get("license", "")) and notes.get("language", LANGUAGE) == LANGUAGE


def is_free(licence: str) -> bool:
    """Whether a licence is known to allow every use; what is not known does not.

    >>> [is_free(licence) for licence in ("CC BY 4.0", "cc0", "Public Domain", "CC BY-ND", "All rights reserved")]
    [True, True, True, False, False]
    """
    words = " ".join(WORDS.findall(licence.lower()))
    return FREE.fullmatch(words) is not None
