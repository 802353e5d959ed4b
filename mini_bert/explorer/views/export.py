"""The whole page with the data of one question as one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import Field

from mini_bert.explorer.answers import Answer, File
from mini_bert.explorer.desk import Desk
from mini_bert.explorer.one_file import one_file
from mini_bert.explorer.question import Asked
from mini_bert.explorer.snapshot import Snapshot

STATIC = Path(__file__).parent.parent / "static"


class ExportAsked(Asked):
    """`state` is all that the page shows, `hash` in it the same as the page's address has it."""

    state: dict[str, Any] = Field({}, max_length=200)


def give_export(desk: Desk, asked: ExportAsked) -> File:
    found = Snapshot(desk, asked.question, asked.state).collected()
    return File("mini-bert-explorer.html", "text/html; charset=utf-8", one_file(STATIC, found).encode())


ANSWERS = (Answer("export", ExportAsked, give_export),)
