"""Numbers with units that people read."""

from mini_bert.errors import counted


def in_bytes(amount: float) -> str:
    """17.2 MiB"""
    return scaled(amount, 1024, ("B", "KiB", "MiB", "GiB", "TiB"))


def in_flops(amount: float) -> str:
    """1.35 GFLOP"""
    return scaled(amount, 1000, ("FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP"))


def scaled(amount: float, base: int, units: tuple[str, ...]) -> str:
    """Three digits and the largest unit of which there is at least one."""
    exponent = 0
    while amount >= base and exponent < len(units) - 1:
        amount, exponent = amount / base, exponent + 1
    decimals = 0 if exponent == 0 or amount >= 100 else 1 if amount >= 10 else 2
    return f"{amount:,.{decimals}f} {units[exponent]}"


def percent(share: float, decimals: int = 1) -> str:
    """34.9 %"""
    return f"{100 * share:.{decimals}f} %"


def clock(seconds: float) -> str:
    """1:05"""
    minutes, seconds = divmod(round(seconds), 60)
    return f"{minutes}:{seconds:02d}"


def duration(seconds: float) -> str:
    """3.2 minutes"""
    for unit, size in (("days", 86400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:,.1f} {unit}"
    return counted(round(seconds), "second")
