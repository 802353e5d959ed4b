"""Pieces of MathML that formulas are put together from."""

from __future__ import annotations

import re
import unicodedata
from html import escape

from mini_bert.explorer.mathml_signs import ALIGNED

NO_BREAK = "\u00a0"
THIN = '<mspace width="0.17em"/>'
CLOSED = set("()[]{}|/‖⟨⟩⌊⌋⌈⌉")
"""Signs that keep their size, however high their neighbours are."""


def row(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"<mrow>{''.join(parts)}</mrow>"


def operator(sign: str) -> str:
    return f'<mo stretchy="false">{escape(sign)}</mo>' if sign in CLOSED else f"<mo>{escape(sign)}</mo>"


def limit(name: str) -> str:
    """A function that carries its limits below itself in a formula of its own, and beside itself in a line."""
    return f'<mo movablelimits="true" lspace="0" rspace="0">{escape(name)}</mo>'


def fenced(first: str, body: str, second: str) -> str:
    """Brackets as high as what they hold; either may be empty."""
    signs = (f'<mo stretchy="true">{sign}</mo>' if sign else "" for sign in (first, second))
    return row([next(signs), body, next(signs)])


def table(kind: str, lines: list[list[str]]) -> str:
    """Cells in lines: centred in a matrix, from the left in cases, towards each other where lines are aligned."""
    match kind:
        case "cases":
            styles = ["text-align: left", "text-align: left"]
        case _ if kind in ALIGNED:
            styles = ["text-align: right; padding-right: 0", "text-align: left; padding-left: 0"]
        case _:
            styles = ["text-align: center", "text-align: center"]
    rows = (
        "".join(f'<mtd style="{styles[column % 2]}">{cell}</mtd>' for column, cell in enumerate(line))
        for line in lines
    )
    large = ' displaystyle="true"' if kind in (*ALIGNED, "gathered") else ""
    return f"<mtable{large}>{''.join(f'<mtr>{cells}</mtr>' for cells in rows)}</mtable>"


def upright(body: str) -> str:
    """Letters that follow each other become one word, and single ones stand straight."""
    body = re.sub(r"(?:<mi>\w</mi>){2,}", lambda word: f"<mi>{re.sub('<.*?>', '', word[0])}</mi>", body)
    return re.sub(r"<mi>(\w)</mi>", r'<mi mathvariant="normal">\1</mi>', body)


def in_alphabet(body: str, alphabet: str) -> str:
    """Letters and digits as those of another alphabet that Unicode has: bold, double-struck, script."""

    def other(match: re.Match[str]) -> str:
        *kind, name = unicodedata.name(match[1]).split()
        size = next((word for word in kind if word in ("CAPITAL", "SMALL", "DIGIT")), "SMALL")
        for style in (f"MATHEMATICAL {alphabet}", alphabet):
            try:
                return f">{unicodedata.lookup(f'{style} {size} {name}')}<"
            except KeyError:
                continue
        raise ValueError(f"Unicode has no {alphabet.lower()} {match[1]!r}; write it another way")

    return re.sub(r">(\w)<", other, body)
