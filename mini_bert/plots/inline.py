"""A figure as SVG inside a web page, in the page's own colours and font."""

from __future__ import annotations

import re
from html import escape
from io import BytesIO

from matplotlib.figure import Figure

from mini_bert.plots.style import GRID, GUIDE, INK, styled

NAMED = re.compile(r' id="([^"]*)"')
REFERENCE = re.compile(r'(url\(#|href="#)([^")]*)')
FONT = re.compile(r"font: ([\d.]+px) [^;\"]*")


@styled
def inline_svg(figure: Figure, name: str, label: str) -> str:
    """An <svg> element whose ids begin with `name`, for several may stand on one page; `label` is read aloud.

    The same figure gives the same text. Ink, guides and grid take their colours from the page, which may be light
    or dark: its style sheet defines --grid and --guide.
    """
    made = BytesIO()
    figure.savefig(made, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    text = made.getvalue().decode()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>|<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r"\s*\n\s*", "\n", text)
    text = with_own_ids(text, name)
    text = text.replace(INK, "currentColor").replace(GRID, "var(--grid)").replace(GUIDE, "var(--guide)")
    text = FONT.sub(r"font-size: \1", text)
    head, rest = text.split(">", 1)
    box = re.search(r'viewBox="[^"]*"', head)
    assert box is not None
    said = escape(label, quote=True)
    return f'<svg {box[0]} role="img" aria-label="{said}" xmlns:xlink="http://www.w3.org/1999/xlink">{rest.strip()}'


def with_own_ids(text: str, name: str) -> str:
    """Ids that something refers to begin with `name`; the others go."""
    wanted = {match[2] for match in REFERENCE.finditer(text)}
    text = NAMED.sub(lambda match: f' id="{name}-{match[1]}"' if match[1] in wanted else "", text)
    return REFERENCE.sub(rf"\g<1>{name}-\g<2>", text)
