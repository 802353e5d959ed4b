"""The learner's file is the solution with its gaps open."""

from __future__ import annotations

from dataclasses import dataclass

BEGIN, CONTINUED, END = "# gap: ", "#      ", "# end of gap"
OPEN = "raise NotImplementedError"


@dataclass(frozen=True)
class Gap:
    """What the learner is told to write, and the lines that do it."""

    told: tuple[str, ...]
    lines: tuple[str, ...]


def with_open_gaps(solution: str, where: str = "the solution") -> str:
    """The solution without the lines of its gaps.

    >>> print(with_open_gaps('def f(x):\\n    # gap: twice x\\n    return 2 * x\\n    # end of gap\\n'), end="")
    def f(x):
        # Your part: twice x
        raise NotImplementedError
    """
    opened: list[str] = []
    for part in parts_of(solution, where):
        if isinstance(part, str):
            opened.append(part)
            continue
        indent = part.told[0][: len(part.told[0]) - len(part.told[0].lstrip())]
        first, *others = (line.strip() for line in part.told)
        opened.append(f"{indent}# Your part: {first.removeprefix(BEGIN)}")
        opened += [f"{indent}# {other.removeprefix('#').strip()}" for other in others]
        opened.append(indent + OPEN)
    return "\n".join(opened) + "\n"


def gaps_of(solution: str, where: str = "the solution") -> list[Gap]:
    return [part for part in parts_of(solution, where) if isinstance(part, Gap)]


def without_marks(solution: str, where: str = "the solution") -> str:
    """The solution as one shows it: the sentences of the gaps stay as comments."""
    shown: list[str] = []
    for part in parts_of(solution, where):
        if isinstance(part, str):
            shown.append(part)
        else:
            shown += [line.replace(BEGIN, "# ").replace(CONTINUED, "# ") for line in part.told]
            shown += part.lines
    return "\n".join(shown) + "\n"


def parts_of(solution: str, where: str) -> list[str | Gap]:
    """Line by line, and each gap as one part."""
    parts: list[str | Gap] = []
    lines = iter(enumerate(solution.splitlines(), 1))
    for number, line in lines:
        if not line.strip().startswith(BEGIN.strip()):
            if line.strip() == END:
                raise ValueError(f"{where}, line {number}: no gap has begun that ends here")
            parts.append(line)
            continue
        told = [line]
        inner: list[str] = []
        for _, following in lines:
            if following.strip() == END:
                break
            if not inner and following.strip().startswith(CONTINUED):
                told.append(following)
            else:
                inner.append(following)
        else:
            raise ValueError(f"{where}, line {number}: the gap has no line `{END}`")
        if not any(line.strip() for line in inner):
            raise ValueError(f"{where}, line {number}: the gap is empty")
        parts.append(Gap(tuple(told), tuple(inner)))
    return parts
