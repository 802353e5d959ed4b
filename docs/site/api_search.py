"""The search finds functions and classes of the API reference by their names."""

import re

from docutils import nodes
from sphinx.application import Sphinx


def note(app: Sphinx, doctree: nodes.document) -> None:
    if not app.env.docname.startswith("api/"):
        return
    for block in doctree.findall(nodes.raw):
        for name in re.findall(r'<h3 id="([\w.]+)">', block.astext()):
            kind = "class" if name.rpartition(".")[2][0].isupper() else "function"
            app.env.domains.python_domain.note_object(name, kind, name)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("doctree-read", note)
    return {"parallel_read_safe": False}
