"""The wording of errors that several places share."""


def unknown(what: str, name: str, known: list[str]) -> str:
    """The message for a name that is not there: "unknown preset 'mnii'; did you mean 'mini'?" """
    from difflib import get_close_matches

    close = get_close_matches(name, known, n=1)
    more = f" and {len(known) - 12} more" if len(known) > 12 else ""
    remedy = f"did you mean {close[0]!r}?" if close else f"choose from {', '.join(known[:12])}{more}"
    return f"unknown {what} {name!r}; {remedy}"
