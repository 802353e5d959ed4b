"""Values as JSON can hold them."""

import math
import re
from typing import Any

HALF_A_CHARACTER = re.compile("[\ud800-\udfff]")


def portable(value: Any) -> Any:
    """A number that is not finite becomes None, and half a character U+FFFD: JSON has neither."""
    if isinstance(value, dict):
        return {portable(key): portable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [portable(item) for item in value]
    if isinstance(value, str):
        return whole_characters(value)[0]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def whole_characters(text: str) -> tuple[str, int]:
    """The text with U+FFFD for each half of a character, which stands for a byte that was not UTF-8; how many."""
    return HALF_A_CHARACTER.subn("\ufffd", text)
