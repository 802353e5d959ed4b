"""How a difference is written."""


def with_sign(value: float, decimals: int) -> str:
    """With a true minus, and no sign before zero.

    >>> with_sign(-0.0341, 3), with_sign(0.0341, 3), with_sign(-0.0001, 3)
    ('−0.034', '+0.034', '0.000')
    """
    written = f"{value:+.{decimals}f}".replace("-", "−")
    return written if written.strip("+−0.") else written[1:]
