"""Formulas become MathML when the site is built, so that a browser needs no script to draw them."""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

from mini_bert.explorer.mathml import mathml

log = logging.getLogger(__name__)


def drawn(node: nodes.Element, *, inline: bool) -> str:
    try:
        return mathml(node.astext().strip(), inline=inline)
    except ValueError as problem:
        log.warning(str(problem), location=node)
        return "<merror></merror>"


def visit_inline(translator: nodes.NodeVisitor, node: nodes.Element) -> None:
    translator.body.append(drawn(node, inline=True))
    raise nodes.SkipNode


def visit_block(translator: nodes.NodeVisitor, node: nodes.Element) -> None:
    translator.body.append(f'<div class="formula">{drawn(node, inline=False)}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True}
