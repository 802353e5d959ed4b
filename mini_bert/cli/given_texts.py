"""The texts a command works on: its arguments, the lines of a file, the lines of standard input."""

from __future__ import annotations

import sys
from codecs import BOM_UTF8
from collections.abc import Iterable
from pathlib import Path

import click

from mini_bert.data.sources import refuse_binary
from mini_bert.data.text_files import STDIN
from mini_bert.errors import counted
from mini_bert.plain_json import whole_characters


def given_texts(arguments: Iterable[str], file: Path | None = None) -> list[str]:
    """All of them, in order: `-` is standard input, and each line of it, or of a file, is a text."""
    found: list[str] = []
    replaced = 0
    for argument in arguments:
        if argument == str(STDIN):
            texts, more = lines(sys.stdin.buffer.read(), STDIN)
        else:
            text, more = whole_characters(argument)
            texts = [text]
        found, replaced = found + texts, replaced + more
    if file is not None:
        texts, more = lines(content(file), file)
        found, replaced = found + texts, replaced + more
    if replaced:
        click.echo(f"note: {counted(replaced, 'byte')} not UTF-8, replaced by U+FFFD", err=True)
    return found


def content(file: Path) -> bytes:
    try:
        return file.expanduser().read_bytes()
    except OSError as error:
        raise ValueError(
            f"{file}: {(error.strerror or str(error)).lower()}; name a file with a text on each line"
        ) from None


def lines(raw: bytes, source: Path) -> tuple[list[str], int]:
    """The lines of a text, empty ones too, and how many of its bytes were not UTF-8."""
    refuse_binary(raw, source)
    text = raw.removeprefix(BOM_UTF8).decode(errors="replace")
    if not text:
        return [], 0
    found = [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]
    return found, text.count("\ufffd") - raw.count("\ufffd".encode())
