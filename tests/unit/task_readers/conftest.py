"""Files to read."""

import gzip
from pathlib import Path

import pytest

from tests.unit.task_readers.complaints import Written


@pytest.fixture(params=["plain", "gz"])
def written(request: pytest.FixtureRequest, tmp_path: Path) -> Written:
    """Writes a text under a name, with `.gz` added half of the time."""

    def write(text: str | bytes, name: str = "file.txt") -> Path:
        raw = text.encode() if isinstance(text, str) else text
        path = tmp_path / (name if request.param == "plain" else f"{name}.gz")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(raw if request.param == "plain" else gzip.compress(raw))
        return path

    return write
