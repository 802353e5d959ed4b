"""Formulas for a terminal: LaTeX between dollars becomes Unicode.

>>> readable(r"s = \\frac{q k^\\top}{\\sqrt{D}} + \\hat{x}_{ij} e^{-x^2/2}")
's = (q kᵀ)/√D + x̂ᵢⱼ e^(−x²/2)'
"""

from __future__ import annotations

import re

from mini_bert.course.symbols import DOUBLE, DOWN, MARKS, PLAIN, SILENT, SPACES, SYMBOLS, UP, WORDS

INLINE = re.compile(r"(?<![\\$`])\$([^$\n]+)\$(?!\$)")
DISPLAY = re.compile(r"\$\$(.+?)\$\$", re.S)
TOKEN = re.compile(r"\\([A-Za-z]+|.)|([{}^_&])|(\s+)|(.)", re.S)


def without_latex(markdown: str) -> str:
    """Markdown whose formulas are code in Unicode, which no underscore in it can break.

    Where a displayed formula has a wide space, it begins a new line: terminals are narrow.
    """
    markdown = DISPLAY.sub(lambda found: f"\n```text\n{in_lines(readable(found[1]))}\n```\n", markdown)
    return INLINE.sub(lambda found: f"`{readable(found[1])}`", markdown)


def in_lines(formula: str) -> str:
    return re.sub(" *\u2003+ *", "\n", formula)


def readable(latex: str) -> str:
    """One formula. What is not known keeps its name."""
    tokens = list(TOKEN.finditer(latex.strip()))
    told, _ = sequence(tokens, 0)
    told = re.sub(r"[ \t]*\n[ \t]*", "\n", told)
    return re.sub(r"(?<=\S) (?=[,;.)])", "", told).strip()


Tokens = list[re.Match[str]]


def sequence(tokens: Tokens, at: int) -> tuple[str, int]:
    """Up to the brace that closes this group, or the end."""
    told = ""
    while at < len(tokens):
        command, sign, space, plain = tokens[at].groups()
        if sign == "}":
            return told, at + 1
        if sign in ("^", "_"):
            inner, at = argument(tokens, at + 1)
            told = told.rstrip() + raised(inner, UP if sign == "^" else DOWN, sign)
        elif command is not None or sign == "{":
            inner, at = argument(tokens, at)
            told += f" {inner}" if inner in ("Σ", "Π", "∫") and told[-1:].isalnum() else inner
        else:
            told += " " if space or sign else "−" if plain == "-" else str(plain)
            at += 1
    return re.sub(" +", " ", told), at


def argument(tokens: Tokens, at: int) -> tuple[str, int]:
    """A group in braces, a command with its own arguments, or one character."""
    while at < len(tokens) and tokens[at][3]:
        at += 1
    if at == len(tokens):
        return "", at
    command, sign, _, plain = tokens[at].groups()
    at += 1
    if sign == "{":
        return sequence(tokens, at)
    if command is None:
        return "−" if plain == "-" else str(plain or sign), at
    if command in ("frac", "tfrac", "dfrac"):
        above, at = argument(tokens, at)
        below, at = argument(tokens, at)
        return f"{grouped(above)}/{grouped(below)}", at
    if command == "sqrt":
        inner, at = argument(tokens, at)
        return f"√{grouped(inner)}", at
    if command in MARKS:
        inner, at = argument(tokens, at)
        return inner + MARKS[command], at
    if command == "mathbb":
        inner, at = argument(tokens, at)
        return DOUBLE.get(inner, inner), at
    if command in PLAIN:
        return verbatim(tokens, at)
    if command in SILENT:
        return "", at
    if command == "\\":
        return "\n", at
    if not command.isalpha():
        return SPACES.get(command, command), at
    return SYMBOLS.get(command, command if command in WORDS else f"\\{command}"), at


def verbatim(tokens: Tokens, at: int) -> tuple[str, int]:
    """A group in which spaces count and nothing is raised or lowered."""
    if at == len(tokens) or tokens[at][2] != "{":
        return argument(tokens, at)
    told, depth, end = "", 1, at
    while depth and end + 1 < len(tokens):
        end += 1
        depth += {"{": 1, "}": -1}.get(tokens[end][2] or "", 0)
        told += (tokens[end][1] or tokens[end][0]) if depth else ""
    return told, end + 1


def grouped(told: str) -> str:
    """In brackets, unless it reads as one thing."""
    told = told.strip()
    alone = re.fullmatch(r"√?[\w.\u0300-\u036f ᵀ⁰¹²³⁴-⁹₀-₉′]+|‖[^‖]*‖", told) and " " not in told
    return told if alone else f"({told})"


def raised(inner: str, letters: dict[str, str], sign: str) -> str:
    inner = inner.strip()
    if inner and all(letter in letters for letter in inner.replace(" ", "")):
        return "".join(letters[letter] for letter in inner.replace(" ", ""))
    return f"{sign}{inner}" if len(inner) == 1 or (sign == "_" and inner.isalpha()) else f"{sign}({inner})"
