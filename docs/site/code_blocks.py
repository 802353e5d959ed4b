"""A doctest ends with an empty line, which a page need not show."""

from docutils import nodes
from sphinx.application import Sphinx


def trim(app: Sphinx, doctree: nodes.document) -> None:
    for block in doctree.findall(nodes.literal_block):
        block.rawsource = block.astext().rstrip()
        block.children = [nodes.Text(block.rawsource)]


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("doctree-read", trim)
    return {"parallel_read_safe": True}
