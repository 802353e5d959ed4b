"""What a reader says of a file that it cannot read."""

from collections.abc import Callable
from pathlib import Path

import pytest

Written = Callable[..., Path]


def complaint(read: Callable[[Path], object], path: Path) -> str:
    """What a reader says of a file, without the folder."""
    with pytest.raises(ValueError, match=path.name) as caught:
        read(path)
    return str(caught.value).removeprefix(f"{path}:").strip()
