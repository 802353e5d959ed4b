"""Python's documentation as text: prose is kept, the rest is not."""

import pytest

from mini_bert.data import python_docs as docs
from mini_bert.data.python_docs import documentation, prose, python_docs

MODULE = '''"""Tools for the tall ships of the harbour.

    >>> sail(3)
    The wind is in the sails of the ship.
"""

class Ship:
    """A ship that sails on the sea."""

    def sail(self, wind):
        """sail(wind) -> knots

        Sail with the :func:`wind`, as fast as
        the ``wind`` allows [1]_.

        Parameters
        ----------
        wind : float
            The strength of the wind, in knots.

        - First the anchor is raised, with
          all hands on deck.
        - x = 3; y = [4, 5]; return x if y else z
        """

class Boat:
    """A ship that sails on the sea."""
'''


@pytest.fixture
def installation(tmp_path, monkeypatch):
    """A folder with one module, a file that is no Python and a folder of tests."""
    (tmp_path / "ships.py").write_text(MODULE)
    (tmp_path / "broken.py").write_text('"""This is never a module of Python."""\nprint "no"')
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "ships.py").write_text('"""This is only a test of the ships."""')
    monkeypatch.setattr(docs, "homes", lambda: [tmp_path])


@pytest.mark.usefixtures("installation")
def test_prose_is_kept_once_and_the_rest_left_out():
    assert list(python_docs()) == [
        "Tools for the tall ships of the harbour.",
        "A ship that sails on the sea.",
        "Sail with the wind, as fast as the wind allows.\n"
        "The strength of the wind, in knots.\n"
        "First the anchor is raised, with all hands on deck.",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "add(x, y, *, out=None) -> the sum of x and y",
        "D.values() -> an object providing a view on the values",
        "x : int or sequence of ints, optional",
        "+---+---+ of the\n| a | b | table is art",
        "for x in range(3): print(x, end=' to ')",
        ">>> is the sky blue, or is it not?\nThe sky is blue today.",
        "Short it is.",
    ],
)
def test_what_is_no_prose(text):
    assert list(prose(text)) == []


def test_pydocs_topics_and_numpys_calls_count_as_documentation(tmp_path):
    path = tmp_path / "module.py"
    path.write_text(
        "topics = {'a': 'About a.'}\nadd_newdoc('m', 'C', ('f', 'What f does.'))\nother = {'b': 'No.'}"
    )
    assert [text for text in documentation(path) if text] == ["About a.", "f", "What f does."]


def test_this_installation_has_much_to_read():
    documents = list(python_docs())
    paragraphs = [paragraph for document in documents for paragraph in document.split("\n")]
    assert sum(len(document.split()) for document in documents) > 200_000
    assert len(set(paragraphs)) == len(paragraphs)
    assert not any(">>>" in paragraph or "  " in paragraph for paragraph in paragraphs)
