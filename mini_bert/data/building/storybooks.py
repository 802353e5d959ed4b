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
from mini_bert.reports import silent

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
    pages, notes = parts_of(path, meter)
    if objection(notes):
        return
    if story := tuple(typed(" ".join(paragraph)) for paragraph in separated(pages)):
        yield story


def misfit(path: Path) -> str:
    """Why a file is passed over; nothing if it is a story that everybody may use."""
    _, notes = parts_of(path, Meter(1, silent))
    return objection(notes)


def parts_of(path: Path, meter: Meter) -> tuple[list[str], dict[str, str]]:
    """The lines of its pages, and its notes."""
    pages: list[str] = []
    notes: dict[str, str] = {}
    for line in map(str.strip, lines_of(path, meter)):
        if note := NOTE.fullmatch(line):
            notes[note[1].lower()] = note[2]
        elif not TITLE.match(line):
            pages.append("" if PAGE.match(line) else line)
    return pages, notes


def objection(notes: dict[str, str]) -> str:
    """Why a story cannot be taken; a list of stories has no licence of its own.

    >>> objection({"license": "[CC-BY]"}), objection({"license": "[CC-BY-NC]"}), objection({})
    ('', 'its licence, CC-BY-NC, is not known to allow every use', 'no licence in it')
    >>> objection({"license": "[CC-BY]", "language": "fr"})
    'not in English (en), but in fr'
    """
    licence, language = notes.get("license", "").strip("[] "), notes.get("language", LANGUAGE)
    if not licence:
        return "no licence in it"
    if not is_free(licence):
        return f"its licence, {licence}, is not known to allow every use"
    return "" if language == LANGUAGE else f"not in English ({LANGUAGE}), but in {language}"


def is_free(licence: str) -> bool:
    """Whether a licence is known to allow every use; what is not known does not.

    >>> [is_free(licence) for licence in ("CC BY 4.0", "cc0", "Public Domain", "CC BY-ND", "All rights reserved")]
    [True, True, True, False, False]
    """
    words = " ".join(WORDS.findall(licence.lower()))
    return FREE.fullmatch(words) is not None
