r"""Formulas for the page: the LaTeX that our equations use, as MathML, which browsers draw by themselves.

mathml(r"\frac{x - \mu}{\sigma}")     # '<math ...><mfrac>...'
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from html import escape

TOKEN = re.compile(r"\\([A-Za-z]+)|\\(.)|(\d)|(\s+)|(.)", re.DOTALL)
LETTERS = {
    "alpha": "α",
    "beta": "β",
    "gamma": "γ",
    "delta": "δ",
    "varepsilon": "ε",
    "epsilon": "ϵ",
    "eta": "η",
    "theta": "θ",
    "lambda": "λ",
    "mu": "μ",
    "pi": "π",
    "rho": "ρ",
    "sigma": "σ",
    "tau": "τ",
    "varphi": "φ",
    "phi": "ϕ",
    "omega": "ω",
    "Delta": "Δ",
    "Phi": "Φ",
    "Sigma": "Σ",
    "partial": "∂",
    "top": "⊤",
    "infty": "∞",
    "ell": "ℓ",
}
OPERATORS = {
    "odot": "⊙",
    "cdot": "·",
    "times": "×",
    "sum": "∑",
    "approx": "≈",
    "le": "≤",
    "ge": "≥",
    "ne": "≠",
    "to": "→",
    "in": "∈",
    "mid": "|",
    "ldots": "…",
    "cdots": "⋯",
}
FUNCTIONS = ("ln", "log", "exp", "tanh", "cos", "sin", "max", "min")
NAMED = (*FUNCTIONS, "operatorname")
SPACES = {",": "0.17em", ":": "0.22em", ";": "0.28em", " ": "0.33em", "quad": "1em", "qquad": "2em"}
ACCENTS = {"hat": "^", "tilde": "~", "bar": "¯", "overline": "¯"}
THIN = '<mspace width="0.17em"/>'
LARGER = {"bigl", "bigr", "Bigl", "Bigr", "left", "right"}
CLOSED = set("()[]|/")
"""Signs that keep their size, however high their neighbours are."""


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
        found = self.run(end=None)
        if self.at < len(self.tokens):
            raise self.problem("a } without its {")
        return found

    def run(self, end: str | None) -> str:
        """All up to the sign `end`, or to the end of the formula."""
        parts: list[str] = []
        while True:
            self.skip_blanks()
            sign = self.sign()
            if sign == end or sign == "}":
                break
            if sign is None:
                raise self.problem(f"a {end} is missing")
            if self.tokens[self.at][1] == "textstyle":
                self.at += 1
                parts.append(f'<mstyle displaystyle="false">{self.run(end)}</mstyle>')
                break
            is_function = self.tokens[self.at][1] in NAMED
            if is_function and parts:
                parts.append(THIN)
            parts.append(self.with_scripts())
            self.skip_blanks()
            if is_function and self.sign() not in (None, end, "(", "[", r"\bigl"):
                parts.append(THIN)
        return row(parts)

    def with_scripts(self) -> str:
        """An atom with what stands below and above it, in either order."""
        is_sum = self.tokens[self.at][1] == "sum"
        base = self.number() if self.tokens[self.at][3] else self.atom()
        below, above = "", []
        while (sign := self.sign()) in ("_", "^", "'"):
            self.at += 1
            if sign == "_":
                below = self.argument()
            else:
                above.append("<mo>′</mo>" if sign == "'" else self.argument())
        under, over = ("munder", "mover") if is_sum else ("msub", "msup")
        if below and above:
            both = "munderover" if is_sum else "msubsup"
            return f"<{both}>{base}{below}{row(above)}</{both}>"
        if below:
            return f"<{under}>{base}{below}</{under}>"
        return f"<{over}>{base}{row(above)}</{over}>" if above else base

    def number(self) -> str:
        """All digits of a number; an argument without braces is one of them alone."""
        start = self.at
        while self.at < len(self.tokens) and self.tokens[self.at][3]:
            self.at += 1
        return f"<mn>{''.join(token[0] for token in self.tokens[start : self.at])}</mn>"

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
            found = self.run(end="}")
            self.at += 1
            return found
        if unicodedata.category(char).startswith("L"):
            return f"<mi>{char}</mi>"
        if char in "_^}":
            raise self.problem(f"a {char} with nothing before it")
        return operator({"-": "−", "*": "∗"}.get(char, char))

    def command(self, name: str) -> str:
        if name in LETTERS:
            return f"<mi>{LETTERS[name]}</mi>"
        if name in OPERATORS:
            return operator(OPERATORS[name])
        if name in SPACES:
            return f'<mspace width="{SPACES[name]}"/>'
        if name in FUNCTIONS:
            return f"<mi>{name}</mi>"
        if name in ACCENTS:
            stretchy = "true" if name == "overline" else "false"
            sign = f'<mo stretchy="{stretchy}">{ACCENTS[name]}</mo>'
            return f'<mover accent="true">{self.argument()}{sign}</mover>'
        if name in LARGER:
            return self.delimiter()
        match name:
            case "frac":
                return f"<mfrac>{self.argument()}{self.argument()}</mfrac>"
            case "tfrac":
                return f'<mstyle displaystyle="false">{self.command("frac")}</mstyle>'
            case "sqrt":
                return f"<msqrt>{self.argument()}</msqrt>"
            case "text":
                return f"<mtext>{escape(self.words())}</mtext>"
            case "operatorname":
                return f"<mi>{escape(self.words())}</mi>"
            case "mathbf":
                return bold(self.argument())
            case "_" | "{" | "}" | "%" | "&" | "#":
                return operator(name)
        raise self.problem(f"\\{name} is not known to the page; add it to mini_bert/explorer/mathml.py")

    def delimiter(self) -> str:
        """A sign that is larger than the line it stands in."""
        self.skip_blanks()
        sign = self.sign()
        if sign is None:
            raise self.problem("a bracket is missing at its end")
        self.at += 1
        return "" if sign == "." else f'<mo minsize="1.25em" maxsize="1.25em">{escape(sign)}</mo>'

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
                return "".join(found)[1:].replace(" ", "\u00a0")
            found.append(token[2] or token[0])
        raise self.problem("a } is missing")

    def sign(self) -> str | None:
        """The next token; None at the end."""
        return self.tokens[self.at][0] if self.at < len(self.tokens) else None

    def skip_blanks(self) -> None:
        while self.at < len(self.tokens) and self.tokens[self.at][4]:
            self.at += 1

    def problem(self, what: str) -> ValueError:
        return ValueError(f"formula {self.latex!r}: {what}")


def row(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"<mrow>{''.join(parts)}</mrow>"


def operator(sign: str) -> str:
    return f'<mo stretchy="false">{escape(sign)}</mo>' if sign in CLOSED else f"<mo>{escape(sign)}</mo>"


def bold(body: str) -> str:
    """Letters and digits as the bold ones that Unicode has."""

    def heavier(match: re.Match[str]) -> str:
        char = match[1]
        name = "DIGIT " + unicodedata.name(char).split()[-1] if char.isdigit() else ""
        kind = "CAPITAL" if char.isupper() else "SMALL"
        return ">" + unicodedata.lookup(f"MATHEMATICAL BOLD {name or f'{kind} {char.upper()}'}") + "<"

    return re.sub(r">([A-Za-z0-9])<", heavier, body)
