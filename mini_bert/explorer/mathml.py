r"""Formulas for the page: the LaTeX that our equations use, as MathML, which browsers draw by themselves.

mathml(r"\frac{x - \mu}{\sigma}")     # '<math ...><mfrac>...'
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from html import escape

from mini_bert.explorer.mathml_parts import (
    NO_BREAK,
    THIN,
    fenced,
    in_alphabet,
    limit,
    operator,
    row,
    table,
    upright,
)
from mini_bert.explorer.mathml_signs import (
    ACCENTS,
    ALPHABETS,
    BRACES,
    FENCES,
    FUNCTIONS,
    LARGER,
    LETTERS,
    LIMITS,
    MATRICES,
    OPERATORS,
    SPACES,
    STYLES,
    SUMS,
    WIDE_ACCENTS,
)

TOKEN = re.compile(r"\\(operatorname\*|[A-Za-z]+)|\\(.)|(\d)|(\s+)|(.)", re.DOTALL)
NAMED = {*FUNCTIONS, *LIMITS, "operatorname", "operatorname*"}
BESIDE_A_NAME = {
    None,
    "(",
    "[",
    ",",
    ")",
    "}",
    "&",
    r"\\",
    r"\cr",
    r"\left",
    r"\right",
    r"\end",
    r"\bigl",
    r"\Bigl",
}
"""What follows a function's name without a space."""

CARRYING = {*SUMS, *LIMITS, *BRACES, "operatorname*"} - {"int"}
TEXT_STYLES = {
    "texttt": "font-family: monospace",
    "textbf": "font-weight: bold",
    "textit": "font-style: italic",
}
NEW_LINE = (r"\\", r"\cr")
LINE_GAP = re.compile(r"\[\d*\.?\d+(?:pt|em|ex|mm)\]")


@lru_cache(4096)
def mathml(latex: str, *, inline: bool = False) -> str:
    """A formula as a `math` element. A command that is not known here is a ValueError."""
    display = "inline" if inline else "block"
    body = Formula(latex).whole()
    return f'<math xmlns="http://www.w3.org/1998/Math/MathML" display="{display}">{body}</math>'


class Formula:
    """Reads LaTeX from left to right; each method returns the MathML of what it has read."""

    def __init__(self, latex: str) -> None:
        self.latex = latex
        self.tokens = list(TOKEN.finditer(latex))
        self.at = 0

    def whole(self) -> str:
        found = self.run(None)
        if self.at < len(self.tokens):
            raise self.problem("a } without its {")
        return found

    def run(self, *ends: str | None) -> str:
        """All up to one of the signs `ends`; None is the end of the formula."""
        parts: list[str] = []
        while True:
            self.skip_blanks()
            sign = self.sign()
            if sign in ends or sign == "}":
                break
            if sign is None:
                raise self.problem(f"a {ends[-1]} is missing")
            name = self.tokens[self.at][1]
            if name in STYLES:
                self.at += 1
                parts.append(f'<mstyle displaystyle="{STYLES[name]}">{self.run(*ends)}</mstyle>')
                break
            if name in NAMED and parts:
                parts.append(THIN)
            parts.append(self.with_scripts())
            self.skip_blanks()
            if name in NAMED and self.sign() not in BESIDE_A_NAME:
                parts.append(THIN)
        return row(parts)

    def with_scripts(self) -> str:
        """An atom with what stands below and above it, in either order."""
        name = self.tokens[self.at][1]
        carries = name in CARRYING
        base = self.number() if self.tokens[self.at][3] else self.atom()
        below, above = "", []
        while (sign := self.sign()) in ("_", "^", "'", r"\limits"):
            self.at += 1
            if sign == "_":
                below = self.argument()
            elif sign == r"\limits":
                carries = True
            else:
                above.append("<mo>′</mo>" if sign == "'" else self.argument())
        under, over = ("munder", "mover") if carries else ("msub", "msup")
        if below and above:
            both = "munderover" if carries else "msubsup"
            return f"<{both}>{base}{below}{row(above)}</{both}>"
        if below:
            return f"<{under}>{base}{below}</{under}>"
        return f"<{over}>{base}{row(above)}</{over}>" if above else base

    def number(self) -> str:
        """All digits of a number; an argument without braces is one of them alone."""
        found = re.match(r"\d+(?:\.\d+)?", self.latex[self.tokens[self.at].start() :])
        assert found
        self.at += len(found[0])
        return f"<mn>{found[0]}</mn>"

    def argument(self) -> str:
        """What a command or a script is about: a group, or the next atom alone."""
        self.skip_blanks()
        if self.sign() is None:
            raise self.problem("something is missing at its end")
        return self.atom()

    def atom(self) -> str:
        token = self.tokens[self.at]
        self.at += 1
        command, sign, digit, _, char = token.groups()
        if command or sign:
            return self.command(command or sign)
        if digit:
            return f"<mn>{digit}</mn>"
        if char == "{":
            found = self.run("}")
            self.at += 1
            return '<mo lspace="0" rspace="0">,</mo>' if found == "<mo>,</mo>" else found
        if unicodedata.category(char).startswith("L"):
            return f"<mi>{char}</mi>"
        if char in "_^}":
            raise self.problem(f"a {char} with nothing before it")
        if char == "&":
            raise self.problem("a & outside of a matrix or aligned lines")
        return f"<mtext>{NO_BREAK}</mtext>" if char == "~" else operator({"-": "−", "*": "∗"}.get(char, char))

    def command(self, name: str) -> str:
        if name in LETTERS:
            return f"<mi>{LETTERS[name]}</mi>"
        if name in OPERATORS or name in FENCES:
            return operator((OPERATORS | FENCES)[name])
        if name in SPACES:
            return f'<mspace width="{SPACES[name]}"/>'
        if name in FUNCTIONS:
            return f"<mi>{name}</mi>"
        if name in LIMITS:
            return limit(name)
        if name in ACCENTS:
            stretchy = "true" if name in WIDE_ACCENTS else "false"
            sign = f'<mo stretchy="{stretchy}">{ACCENTS[name]}</mo>'
            return f'<mover accent="true">{self.argument()}{sign}</mover>'
        if name in ALPHABETS:
            return in_alphabet(self.argument(), ALPHABETS[name])
        if name in LARGER:
            size = LARGER[name]
            sign = self.delimiter()
            return sign and f'<mo minsize="{size}" maxsize="{size}">{sign}</mo>'
        return self.structure(name)

    def structure(self, name: str) -> str:
        """A command that puts its arguments into a frame."""
        match name:
            case "frac":
                return f"<mfrac>{self.argument()}{self.argument()}</mfrac>"
            case "tfrac" | "dfrac":
                style = "false" if name == "tfrac" else "true"
                return f'<mstyle displaystyle="{style}">{self.command("frac")}</mstyle>'
            case "binom":
                pair = f'<mfrac linethickness="0">{self.argument()}{self.argument()}</mfrac>'
                return row(["<mo>(</mo>", pair, "<mo>)</mo>"])
            case "sqrt":
                return self.root()
            case "text" | "mbox" | "textrm":
                return f"<mtext>{escape(self.words())}</mtext>"
            case "texttt" | "textbf" | "textit":
                return f'<mtext style="{TEXT_STYLES[name]}">{escape(self.words())}</mtext>'
            case "operatorname":
                return f"<mi>{escape(self.words())}</mi>"
            case "operatorname*":
                return limit(self.words())
            case "mathrm":
                return upright(self.argument())
            case "underbrace" | "overbrace":
                side = "munder" if name == "underbrace" else "mover"
                return f"<{side}>{self.argument()}<mo>{BRACES[name]}</mo></{side}>"
            case "underset" | "overset" | "stackrel":
                side = "munder" if name == "underset" else "mover"
                beside = self.argument()
                return f"<{side}>{self.argument()}{beside}</{side}>"
            case "underline":
                return f'<munder>{self.argument()}<mo stretchy="true">_</mo></munder>'
            case "tag":
                return f'<mspace width="2em"/><mtext>({escape(self.words())})</mtext>'
            case "left":
                return self.between_brackets()
            case "begin":
                return self.environment(self.words())
        raise self.problem(f"\\{name} is not known to the page; add it to mini_bert/explorer/mathml.py")

    def root(self) -> str:
        if self.sign() != "[":
            return f"<msqrt>{self.argument()}</msqrt>"
        self.at += 1
        degree = self.run("]")
        self.at += 1
        return f"<mroot>{self.argument()}{degree}</mroot>"

    def between_brackets(self) -> str:
        r"""\left( … \right): brackets as high as what they hold."""
        first = self.delimiter()
        body = self.run(r"\right")
        self.take(r"\right")
        second = self.delimiter()
        return fenced(first, body, second)

    def environment(self, kind: str) -> str:
        r"""The lines of \begin{kind}, up to its \end."""
        if kind not in MATRICES:
            raise self.problem(f"\\begin{{{kind}}} is not known to the page; it knows {', '.join(MATRICES)}")
        if kind == "array":
            self.words()
        lines: list[list[str]] = [[]]
        while True:
            lines[-1].append(self.run("&", *NEW_LINE, r"\end"))
            sign = self.sign()
            self.at += 1
            if sign in NEW_LINE:
                lines.append([])
                if gap := LINE_GAP.match(self.latex, self.tokens[self.at].start()):
                    while self.tokens[self.at].start() < gap.end():
                        self.at += 1
            elif sign == r"\end":
                break
            elif sign != "&":
                raise self.problem(f"a }} without its {{ in {kind}")
        if (ended := self.words()) != kind:
            raise self.problem(f"\\begin{{{kind}}} ends as {ended}")
        if lines[-1] == [row([])]:
            lines.pop()
        first, second = MATRICES[kind]
        return fenced(first, table(kind, lines), second)

    def delimiter(self) -> str:
        """A bracket of any kind; a point is none."""
        self.skip_blanks()
        if self.at == len(self.tokens):
            raise self.problem("a bracket is missing at its end")
        command, escaped, _, _, char = self.tokens[self.at].groups()
        self.at += 1
        name = command or escaped
        if name and name not in FENCES:
            raise self.problem(f"\\{name} is no bracket")
        return escape(FENCES[name] if name else "" if char == "." else char)

    def take(self, sign: str) -> None:
        if self.sign() != sign:
            raise self.problem(f"a {sign} is missing")
        self.at += 1

    def words(self) -> str:
        """The letters of a group as they stand."""
        self.skip_blanks()
        if self.sign() != "{":
            raise self.problem("a { is missing after a command for text")
        found: list[str] = []
        depth = 0
        for token in self.tokens[self.at :]:
            self.at += 1
            depth += (token[0] == "{") - (token[0] == "}")
            if not depth:
                return "".join(found)[1:].replace(" ", NO_BREAK)
            found.append(NO_BREAK if token[2] in SPACES else token[2] or token[0])
        raise self.problem("a } is missing")

    def sign(self) -> str | None:
        """The next token; None at the end."""
        return self.tokens[self.at][0] if self.at < len(self.tokens) else None

    def skip_blanks(self) -> None:
        while self.at < len(self.tokens) and self.tokens[self.at][4]:
            self.at += 1

    def problem(self, what: str) -> ValueError:
        return ValueError(f"formula {self.latex!r}: {what}")
