"""Numbers of things, in messages."""


def counted(number: int, thing: str) -> str:
    """
    >>> counted(1, "column"), counted(2000, "column")
    ('1 column', '2,000 columns')
    """
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"
