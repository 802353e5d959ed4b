"""Every example in a docstring prints what it says."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import mini_bert

PACKAGE = Path(mini_bert.__file__).parent
MODULES = [
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted(PACKAGE.glob("**/*.py"))
    if ">>> " in path.read_text("utf-8")
]


@pytest.mark.parametrize("module", MODULES)
def test_every_example_prints_what_it_says(module):
    result = doctest.testmod(import_module(module))
    assert result.attempted
    assert not result.failed
