r"""A dollar is a formula where GitHub takes it for one: `$x$`, but not $5, nor `$HOME`. The others are escaped."""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

FENCE = re.compile(r"^( *)(`{3,}|~{3,}).*?^\1\2[`~]*[ \t]*$", re.MULTILINE | re.DOTALL)
PIECE = re.compile(
    r"""
    (?P<kept>
        (?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`)          # a code span
      | \\.                                                 # what is escaped already
      | \$\$.+?\$\$
      | (?<![\w$])\$(?![\s$])(?:\\.|[^$\\])+?(?<!\s)\$(?![\w$])
    )
    | \$
    """,
    re.VERBOSE | re.DOTALL,
)


def escaped(page: str) -> str:
    parts = []
    start = 0
    for fence in FENCE.finditer(page):
        parts += [in_prose(page[start : fence.start()]), fence[0]]
        start = fence.end()
    return "".join([*parts, in_prose(page[start:])])


def in_prose(text: str) -> str:
    """Paragraph by paragraph, as a formula in a line does not reach over an empty one."""
    blocks = re.split(r"(\n\s*\n)", text)
    return "".join(PIECE.sub(lambda piece: piece["kept"] or r"\$", block) for block in blocks)


def setup(app: "Sphinx") -> dict[str, bool]:
    app.connect("source-read", lambda app, name, source: source.__setitem__(0, escaped(source[0])))
    return {"parallel_read_safe": True}
