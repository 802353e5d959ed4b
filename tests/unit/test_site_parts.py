"""The site's own parts: its check of links, and the pages of the API reference."""

import ast
from pathlib import Path

import pytest

from docs.site.api_pages import arguments, docstring, signature, write_api
from docs.site.dollars import escaped
from docs.site.links import broken

PAGES = {
    "index.html": '<h1 id="here">x</h1><a href="deep/other.html#there">y</a><a href="#here">z</a>',
    "deep/other.html": '<p id="there"><a href="../index.html">x</a> <a href="https://example.org">y</a></p>',
}


@pytest.fixture
def site(tmp_path: Path):
    def built(**changed: str) -> list[str]:
        for name, body in (PAGES | {f"{name}.html": body for name, body in changed.items()}).items():
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(body, "utf-8")
        return broken(tmp_path)

    return built


def test_a_sound_site_has_no_broken_links(site):
    assert site() == []


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ('<a href="gone.html">x</a>', "gone.html leads nowhere"),
        ('<a href="index.html#gone">x</a>', "index.html#gone: the page has no such place"),
        ('<img src="gone.png" />', "gone.png leads nowhere"),
        ('<img srcset="gone.png 2x" />', "gone.png leads nowhere"),
        ('<script src="https://example.org/a.js"></script>', "comes from the network"),
        ('<link rel="stylesheet" href="//example.org/a.css" />', "comes from the network"),
    ],
)
def test_what_is_broken_is_told_with_its_page(site, body, told):
    [problem] = site(page=body)
    assert problem.startswith("page.html: ")
    assert told in problem


@pytest.mark.parametrize(
    "formulas",
    [
        "$x_i^2$, and $a$-th, ($b$).",
        "$$\ny = 1\n$$",
        "a $x +\ny$ b",
        r"$\$3$ off",
        "`a $` and $x$ and `$HOME $y$`",
    ],
)
def test_formulas_and_code_keep_their_dollars(formulas):
    assert escaped(formulas) == formulas


def test_other_dollars_are_only_dollars():
    assert escaped("$5 or $10, US$3 and `$HOME`") == r"\$5 or \$10, US\$3 and `$HOME`"
    assert escaped("a $ b\n\n```\n$5 $HOME\n```\n\nis $7") == "a \\$ b\n\n```\n$5 $HOME\n```\n\nis \\$7"


def function(code):
    return ast.parse(code).body[0]


def test_a_long_signature_has_an_argument_on_each_line():
    long = function(
        "def f(x: dict[str, int], *, name: str='a, b', " + "y: int=0, " * 1 + "z" * 60 + "=None): ..."
    )
    assert signature(long).splitlines()[1:4] == ["    x: dict[str, int],", "    *,", "    name: str='a, b',"]
    assert arguments(function("def f(a, /, b, **c): ...").args) == ["a", "/", "b", "**c"]


def test_equations_are_shown_as_they_are_typed():
    code = 'def f():\n    """y = x < 1          x (B, H)\n\n    Prose of `x`\n    goes on.\n    """'
    shown = docstring(function(code))
    assert "<pre>y = x &lt; 1          x (B, H)</pre>" in shown
    assert "<p>Prose of <code>x</code>\ngoes on.</p>" in shown


def test_a_package_has_a_page_with_what_is_public(tmp_path):
    inner = tmp_path / "package" / "inner"
    inner.mkdir(parents=True)
    for folder in (inner.parent, inner):
        (folder / "__init__.py").write_text('"""What it is."""', "utf-8")
    (inner / "module.py").write_text(
        "def seen(): ...\ndef _hidden(): ...\nclass Seen:\n    size: int = 3\n", "utf-8"
    )
    write_api(tmp_path / "package", tmp_path / "api")
    assert "package.inner" in (tmp_path / "api" / "package.md").read_text("utf-8")
    page = (tmp_path / "api" / "package.inner.md").read_text("utf-8")
    assert 'id="package.inner.module.seen"' in page
    assert 'id="package.inner.module.Seen"' in page
    assert "_hidden" not in page
