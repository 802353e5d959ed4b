"""Every function of the mathematics has its derivation, and its formulas are seen to be some."""

import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest

from mini_bert.core import functions

FOLDER = Path(__file__).parents[2] / "docs" / "mathematical_background"
PAGES = sorted(FOLDER.glob("*.md"))
INDEX = FOLDER / "README.md"
CODE = sorted(path for path in Path(functions.__path__[0]).glob("*.py") if path.stem != "__init__")

each_file = pytest.mark.parametrize("code", CODE, ids=lambda code: code.name)
each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


def functions_in(code: Path) -> list[str]:
    module = import_module(f"{functions.__name__}.{code.stem}")
    return [
        name
        for name, thing in vars(module).items()
        if callable(thing)
        and not inspect.isclass(thing)
        and not name.startswith("_")
        and thing.__module__ == module.__name__
    ]


def indexed(code: Path) -> list[tuple[set[str], Path]]:
    """Of each row of the index that links to this file: the functions it names, and its page."""
    rows = []
    for line in INDEX.read_text("utf-8").splitlines():
        links = [(FOLDER / link).resolve() for link in re.findall(r"\]\(([^)]+)\)", line)]
        if line.startswith("| `") and code.resolve() in links:
            rows.append((set(re.findall(r"`(\w+)`", line)), links[0]))
    return rows


@each_file
def test_every_function_is_in_the_index_and_on_its_page(code):
    rows = indexed(code)
    assert functions_in(code)
    for name in functions_in(code):
        pages = [page for named, page in rows if name in named]
        assert pages, f"{name} is missing in the index"
        assert all(f"`{name}`" in page.read_text("utf-8") for page in pages), f"{name} is not on its page"


@each_file
def test_the_code_names_its_pages(code):
    told = set(re.findall(r"docs/mathematical_background/(\w+\.md)", code.read_text("utf-8")))
    assert told == {page.name for _, page in indexed(code)}


def test_every_page_that_code_names_is_there():
    package = CODE[0].parents[2]
    told = {
        name
        for path in package.glob("**/*.py")
        for name in re.findall(r"docs/mathematical_background/(\S+\.md)", path.read_text("utf-8"))
    }
    assert told <= {page.name for page in PAGES}


@each_page
def test_every_page_is_found_from_the_index(page):
    assert page == INDEX or f"]({page.name})" in INDEX.read_text("utf-8")


def without_code(page: Path) -> str:
    return re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text("utf-8"), flags=re.S)


def prose(page: Path) -> list[str]:
    return re.sub(r"\$\$.+?\$\$", "", without_code(page), flags=re.S).splitlines()


@each_page
def test_displayed_formulas_stand_apart(page):
    text = without_code(page)
    assert text.count("$$") == 2 * len(re.findall(r"(?<=\n\n)\$\$\n[^$]+\n\$\$(?=\n\n)", text))


@each_page
def test_formulas_within_a_line_are_seen_to_be_some(page):
    """A dollar that opens one stands after a space, and one that closes it before no letter; none is in bold."""
    for line in prose(page):
        assert line.count("$") % 2 == 0, line
        for before, formula, after in re.findall(r"(.?)\$([^$]+)\$(.?)", line):
            assert before in ("", " "), line
            assert not after.isalnum(), line
            assert formula == formula.strip(), line
    for emphasized in re.findall(r"\*+([^*]+)\*+", "\n".join(prose(page))):
        assert "$" not in emphasized, emphasized
