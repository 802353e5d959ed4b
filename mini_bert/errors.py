"""The wording of messages that several places share."""


def counted(number: int, thing: str) -> str:
    """A number of things.

    >>> counted(1, "column"), counted(2000, "column")
    ('1 column', '2,000 columns')
    """
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def unknown(what: str, name: str, known: list[str]) -> str:
    """The message for a name that is not there: "unknown preset 'mnii'; did you mean 'mini'?" """
    from difflib import get_close_matches

    close = get_close_matches(name, known, n=1) or get_close_matches(name.lower(), known, n=1)
    more = f" and {len(known) - 12} more" if len(known) > 12 else ""
    remedy = f"did you mean {close[0]!r}?" if close else f"choose from {', '.join(known[:12])}{more}"
    return f"unknown {what} {name!r}; {remedy}"
