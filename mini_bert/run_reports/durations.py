"""Times as people say them."""


def duration(seconds: float) -> str:
    """As people say it.

    >>> duration(42.3), duration(95), duration(7384)
    ('42 s', '1 min 35 s', '2 h 3 min')
    """
    minutes, left = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {left} s" if minutes else f"{left} s"
