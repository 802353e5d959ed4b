"""Times as people say them."""


def duration(seconds: float) -> str:
    """Rounded to what is told: minutes where there are hours, else seconds.

    >>> duration(42.3), duration(95), duration(7384), duration(3599.6), duration(7199)
    ('42 s', '1 min 35 s', '2 h 3 min', '1 h 0 min', '2 h 0 min')
    """
    if round(seconds) >= 3600:
        hours, minutes = divmod(round(seconds / 60), 60)
        return f"{hours} h {minutes} min"
    minutes, left = divmod(round(seconds), 60)
    return f"{minutes} min {left} s" if minutes else f"{left} s"
