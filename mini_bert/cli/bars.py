"""Shares of one as bars of text."""

EIGHTHS = " ▏▎▍▌▋▊▉█"


def bar(share: float, width: int) -> str:
    """A bar as long as its share of the width, to an eighth of a letter; what is there at all shows.

    >>> bar(0.5, 4), bar(1.0, 4), bar(0.001, 4), bar(0.0, 4)
    ('██', '████', '▏', '')
    """
    whole, eighths = divmod(round(8 * width * share), 8)
    if share > 0 and not whole and not eighths:
        eighths = 1
    return EIGHTHS[-1] * whole + EIGHTHS[eighths].strip()
