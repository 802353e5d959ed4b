"""The texts a command works on: its arguments, the lines of a file, the lines of standard input."""

from __future__ import annotations

import sys
from codecs import BOM_UTF8
from collections.abc import Iterable
from pathlib import Path

import click

from mini_bert.data.building.opening import named_if_broken, unpacked
from mini_bert.data.sources import refuse_binary
from mini_bert.data.text_files import STDIN, name
from mini_bert.data.text_lines import first_not_utf8
from mini_bert.errors import counted
from mini_bert.inference.reading import is_mostly_unknown
from mini_bert.plain_json import whole_characters
from mini_bert.tokenizers.encoding import Encoding
from mini_bert.tokenizers.tokenizer import Tokenizer


def given_texts(arguments: Iterable[str], file: Path | None = None) -> list[str]:
    """All of them, in order: `-` is standard input, and each line of it, or of a file, is a text."""
    found: list[str] = []
    replaced = 0
    for argument in arguments:
        if argument == str(STDIN):
            found += lines(sys.stdin.buffer.read(), STDIN)
        else:
            text, more = whole_characters(argument)
            found, replaced = [*found, text], replaced + more
    if replaced:
        click.echo(f"note: {counted(replaced, 'byte')} not UTF-8, replaced by U+FFFD", err=True)
    return found if file is None else found + lines(content(file.expanduser()), file)


def note_unknown(rows: Iterable[Encoding], tokenizer: Tokenizer) -> None:
    """Tell of texts in letters that the vocabulary does not have, which the model cannot tell apart."""
    if strange := sum(is_mostly_unknown(row, tokenizer) for row in rows):
        click.echo(
            f"note: {counted(strange, 'text')} mostly {tokenizer.roles.unk}: this vocabulary lacks the letters",
            err=True,
        )


def content(file: Path) -> bytes:
    """What is in a file, unpacked if it is a .gz or .bz2."""
    try:
        with named_if_broken(file), file.open("rb") as packed, unpacked(packed, file) as plain:
            return plain.read()
    except OSError as error:
        raise ValueError(
            f"{file}: {(error.strerror or str(error)).lower()}; name a file with a text on each line"
        ) from None


def lines(raw: bytes, source: Path) -> list[str]:
    """The lines of a text, empty ones too; if bytes of it are not UTF-8, that is told."""
    refuse_binary(raw, source)
    text = raw.removeprefix(BOM_UTF8).decode(errors="replace")
    if number := first_not_utf8(raw.split(b"\n")):
        replaced = counted(text.count("\ufffd") - raw.count("\ufffd".encode()), "byte")
        where = f"the first in line {number}"
        click.echo(f"note: {name(source)}: {replaced} not UTF-8, {where}; replaced by U+FFFD", err=True)
    return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")] if text else []
