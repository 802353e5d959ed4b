"""A page whose tables are written anew: what stands between two marks is replaced, the rest stays.

<!-- experiment: norm -->
...
<!-- end -->
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from mini_bert.files import write_atomically

MARK = re.compile(r"<!-- ([a-z]+: \S+) -->")
END = "<!-- end -->"


def rewritten(page: str, parts: Mapping[str, str]) -> str:
    """The page with each part in the place that is marked for it; ValueError if a mark is missing.

    >>> rewritten("a\\n<!-- experiment: norm -->\\nold\\n<!-- end -->\\nb\\n", {"experiment: norm": "new\\n"})
    'a\\n<!-- experiment: norm -->\\n\\nnew\\n\\n<!-- end -->\\nb\\n'
    """
    for name, part in parts.items():
        begin = f"<!-- {name} -->"
        before, found, after = page.partition(begin)
        if not found:
            raise ValueError(
                f"there is no place for {name}; put {begin} and {END} on lines of their own where it belongs"
            )
        old, ended, rest = after.partition(END)
        if not ended or MARK.search(old):
            raise ValueError(f"{begin} has no end; put {END} on a line of its own behind it")
        page = f"{before}{begin}\n\n{part.strip()}\n\n{END}{rest}"
    return page


def rewrite(path: Path, parts: Mapping[str, str]) -> None:
    """The same for a file."""
    write_atomically(path, rewritten_file(path, parts).encode())


def check_page(path: Path, names: Iterable[str]) -> None:
    """Refuse a page that has no place for these parts, before they are made."""
    rewritten_file(path, dict.fromkeys(names, ""))


def rewritten_file(path: Path, parts: Mapping[str, str]) -> str:
    try:
        return rewritten(path.read_text("utf-8"), parts)
    except OSError as error:
        raise ValueError(
            f"{path}: {(error.strerror or str(error)).lower()}; name a page that is there"
        ) from None
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
