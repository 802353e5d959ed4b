"""GitHub reads Markdown before formulas: what it takes for signs of its own is gone when the formula is drawn."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CODE = re.compile(r"^ *```.*?^ *```|`[^`\n]*`", re.MULTILINE | re.DOTALL)
FORMULA = re.compile(r"\$\$(.+?)\$\$|\$([^$\n]+)\$", re.DOTALL)


def formulas(text: str) -> list[str]:
    return [shown or inline for shown, inline in FORMULA.findall(CODE.sub("", text))]


FOUND = {
    page: text
    for page in [
        *sorted(ROOT.glob("*.md")),
        *sorted(ROOT.glob("docs/**/*.md")),
        *sorted(ROOT.glob("mini_bert/course/exercises/*/page.md")),
    ]
    if formulas(text := page.read_text("utf-8"))
}
each_page = pytest.mark.parametrize("page", FOUND, ids=lambda page: page.relative_to(ROOT).as_posix())


@each_page
def test_markdown_takes_nothing_from_a_formula(page):
    r"""It drops the backslash of \\, and \, and \_, and reads <x as the beginning of a tag."""
    for formula in formulas(FOUND[page]):
        assert not re.search(r"\\[^A-Za-z\s]|<[A-Za-z]", formula), (
            f"{formula}: write \\cr, \\thinspace, \\Vert, < x"
        )
        assert formula.count("{") == formula.count("}"), formula


@each_page
def test_no_formula_ends_a_cell_of_a_table(page):
    for line in FOUND[page].splitlines():
        if line.startswith("|"):
            assert not [formula for formula in formulas(line) if "|" in formula], line
