"""Python's documentation: real English that every machine with Python and NumPy already has.

The documentation strings of the standard library and of NumPy, with pydoc's help topics, are harvested from the
installed sources, which are parsed and never imported. What is not prose is left out: examples, signatures,
tables, code. An installation always yields the same documents in the same order; others may differ a little.
"""

import ast
import re
import sysconfig
import warnings
from collections.abc import Iterator
from importlib.util import find_spec
from inspect import cleandoc
from pathlib import Path

SKIPPED_FOLDERS = frozenset(("test", "tests", "idle_test", "site-packages", "dist-packages", "__pycache__"))

UNDERLINED = re.compile(r"^.*\n[ ]*([-=~^*+\"'])\1{2,}[ ]*$", re.MULTILINE)
DIRECTIVE = re.compile(r"^[ ]*\.\. .*$", re.MULTILINE)
ITEM = re.compile(r"(?:[-*+•o]|\(?(?:\d{1,2}|[a-z])[.)])[ ]+(?=\S)")
ROLE = re.compile(r":[a-z:+-]+:(?=`)")
QUOTED = re.compile(r"(`{1,2}|\*{1,2}|\"(?=\S+\"))([^`*\n]+?)(?:\1)")
FOOTNOTE = re.compile(r"[ ]*\[[\w#*]+\]_?")
SPACE = re.compile(r"\s+")

PLAIN_WORD = re.compile(r"[(\"']*[A-Za-z]+(?:['’-][A-Za-z]+)*[)\"']*[,.;:?!]?[)\"']*")
SENTENCES = re.compile(r"[A-Z\"'(].*|.*[.?!:][)\"']*")
GRAMMAR = re.compile(r"\b(the|an?|is|are|of|to|in|and|or|if|be|this|that|for|with|not|it|by|as|on|from)\b")
FEWEST_WORDS = 5
PLAIN_SHARE = 0.75


def python_docs() -> Iterator[str]:
    """A document for each documentation string that has prose: its paragraphs, a line each, none told twice."""
    told: set[str] = set()
    for path in sources():
        for text in documentation(path):
            paragraphs = dict.fromkeys(paragraph for paragraph in prose(text) if paragraph not in told)
            told.update(paragraphs)
            if paragraphs:
                yield "\n".join(paragraphs)


def sources() -> list[Path]:
    """The Python files of the standard library and of NumPy, without their tests, by name."""
    return [path for folder in homes() for path in python_files(folder)]


def homes() -> list[Path]:
    """Where the standard library and NumPy are installed."""
    numpy = find_spec("numpy")
    assert numpy is not None
    return [Path(sysconfig.get_path("stdlib")), *map(Path, numpy.submodule_search_locations or ())]


def python_files(folder: Path) -> list[Path]:
    return sorted(
        path
        for path in folder.rglob("*.py")
        if SKIPPED_FOLDERS.isdisjoint(path.relative_to(folder).parts) and not path.name.startswith("test_")
    )


def documentation(path: Path) -> Iterator[str]:
    """The documentation strings in a Python file, from top to bottom; none if it is no valid Python."""
    try:
        with warnings.catch_warnings(action="ignore"):
            tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):
        return
    for node in statements(tree):
        yield from map(cleandoc, texts(node))


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """A node and the statements inside it, from top to bottom; to look at expressions too would take twice as long."""
    yield node
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
            yield from statements(child)


def texts(node: ast.AST) -> Iterator[str]:
    """The docstring of a node, or what NumPy documents by a call and pydoc by a table.

    >>> list(texts(ast.parse("add_newdoc('numpy', 'ufunc', 'A fast loop.')").body[0]))
    ['A fast loop.']
    """
    match node:
        case ast.Module() | ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
            yield ast.get_docstring(node, clean=False) or ""
        case ast.Expr(value=ast.Call(func=ast.Name(id="add_newdoc"), args=[_, _, described])):
            yield from strings(described)
        case ast.Assign(targets=[ast.Name(id="topics")], value=ast.Dict(values=entries)):
            for entry in entries:
                yield from strings(entry)


def strings(tree: ast.AST) -> Iterator[str]:
    """All string literals of an expression."""
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(text)):
                yield text


def prose(text: str) -> Iterator[str]:
    """The paragraphs of a documentation string that are English sentences, each on one line.

    >>> list(prose("f(x) -> y\\n\\nReturn the ``root`` of\\n*x* as a float.\\n\\n>>> f(4)\\n2.0"))
    ['Return the root of x as a float.']
    """
    bare = DIRECTIVE.sub("", UNDERLINED.sub("", text))
    for block in re.split(r"\n\s*\n", bare):
        if ">>>" not in block:
            yield from filter(is_prose, map(unmarked, paragraphs(block)))


def paragraphs(block: str) -> Iterator[str]:
    """Lines that belong together: of one indentation, or of one item of a list."""
    lines: list[str] = []
    margin = 0
    for line in block.splitlines():
        words = line.lstrip()
        indent, item = len(line) - len(words), ITEM.match(words)
        if item or indent != margin:
            yield " ".join(lines)
            lines = []
            margin = indent + (item.end() if item else 0)
        lines.append(words[item.end() :] if item else words)
    yield " ".join(lines)


def unmarked(paragraph: str) -> str:
    """Without quotes around names, roles, footnote marks and double spaces."""
    plain = FOOTNOTE.sub("", QUOTED.sub(r"\2", ROLE.sub("", paragraph)))
    return SPACE.sub(" ", plain).strip()


def is_prose(paragraph: str) -> bool:
    """Begins or ends as sentences do, mostly of plain words, with the small words that only sentences have."""
    words = paragraph.split()
    plain = sum(PLAIN_WORD.fullmatch(word) is not None for word in words)
    return (
        len(words) >= FEWEST_WORDS
        and SENTENCES.fullmatch(paragraph) is not None
        and plain >= PLAIN_SHARE * len(words)
        and GRAMMAR.search(paragraph) is not None
        and "->" not in paragraph
    )
