"""Lines of code: what counts, and that every member's parts are found."""

import doctest
import importlib

import pytest

from mini_bert.models.line_counts import Lines, counted_lines, found, lines_of_member
from mini_bert.models.zoo import MEMBERS

SOURCE = '''@decorated
class Part(Layer):
    """A docstring

    of three lines, and an empty one.
    """

    # a comment
    size: int = 3  # counts
    """What size is."""

    def forward(self, x):
        return f(
            x,
            """text that is
            no docstring""",
        )
'''


def test_comments_docstrings_and_empty_lines_do_not_count():
    assert counted_lines(SOURCE) == Lines(code=9, written=17)


@pytest.mark.parametrize("member", MEMBERS.values(), ids=lambda member: member.name)
def test_every_member_has_its_builder_and_parts_counted(member):
    lines = lines_of_member(member)
    assert len(lines) == 1 + len(member.parts)
    assert all(0 < one.code < one.written for one in lines.values())


def test_a_part_is_found_by_module_and_name():
    assert found("core.terms:Causal").__name__ == "Causal"


@pytest.mark.parametrize("module", ["models.line_counts", "cli.bars", "cli.compare"])
def test_examples_in_docstrings(module):
    result = doctest.testmod(importlib.import_module(f"mini_bert.{module}"))
    assert result.attempted
    assert not result.failed
