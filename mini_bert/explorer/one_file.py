"""The page as one file that opens from disk: styles, modules and data inside, and nothing else may be loaded.

Each module becomes a data URL, and an import map leads from its name to it, so that modules stay what they are.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterator, Mapping
from hashlib import sha256
from html import escape
from pathlib import Path, PurePosixPath
from typing import Any

MAIN = "js/main.js"
HOME = "mini-bert/"
"""Begins the names of modules in the import map."""
IMPORTED = re.compile(
    r"""(?P<before>\bfrom\s*|\bimport\s*\(?\s*)(?P<quote>["'])(?P<path>\.{1,2}/[^"'\n]+)(?P=quote)"""
)
STYLESHEET = re.compile(r'[ \t]*<link rel="stylesheet" href="(?P<path>[^"]+)" />\n')
ICON = re.compile(r'href="(?P<path>[^"]+\.svg)"')
STARTED = re.compile(r'[ \t]*<script type="module" src="js/main\.js"></script>\n')


def one_file(static: Path, snapshot: Mapping[str, Any]) -> str:
    """The page of a folder of static files, with a snapshot of answers that js/source.js finds."""
    page = (static / "index.html").read_text(encoding="utf-8")
    styles = "\n".join(
        (static / found["path"]).read_text(encoding="utf-8") for found in STYLESHEET.finditer(page)
    )
    imports = as_json({"imports": {HOME + path: as_module(text) for path, text in modules(static).items()}})
    start = f'import "{HOME}{MAIN}";'
    head = [
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy(imports, start))}" />',
        f"<style>\n{styles}</style>",
        f'<script type="importmap">{imports}</script>',
        f'<script type="application/json" id="snapshot">{as_json(snapshot)}</script>',
        f'<script type="module">{start}</script>',
    ]
    page = ICON.sub(
        lambda found: f'href="{data_url(static / found["path"], "image/svg+xml")}"', page, count=1
    )
    page = STYLESHEET.sub("", page)
    if not STARTED.search(page):
        raise ValueError(f"index.html: it does not start {MAIN} as it used to")
    return STARTED.sub(lambda _: "".join(f"    {line}\n" for line in head), page)


def policy(*scripts: str) -> str:
    """Nothing may be loaded; only these scripts, and modules that are data already, may run."""
    hashes = " ".join(f"'sha256-{b64encode(sha256(one.encode()).digest()).decode()}'" for one in scripts)
    return (
        f"default-src 'none'; script-src {hashes} data:; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )


def modules(static: Path) -> dict[str, str]:
    """All modules that main.js leads to, by path, with imports by their names in the import map."""
    found: dict[str, str] = {}
    waiting = [MAIN]
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        text = (static / path).read_text(encoding="utf-8")
        waiting.extend(imported_by(path, text))
        found[path] = IMPORTED.sub(lambda one, path=path: renamed(path, one), text)  # type: ignore[misc]
    return dict(sorted(found.items()))


def imported_by(path: str, text: str) -> Iterator[str]:
    return (resolved(path, one["path"]) for one in IMPORTED.finditer(text))


def renamed(path: str, found: re.Match[str]) -> str:
    quote = found["quote"]
    return f"{found['before']}{quote}{HOME}{resolved(path, found['path'])}{quote}"


def resolved(path: str, relative: str) -> str:
    """
    >>> resolved("js/views/words.js", "../dom.js"), resolved("js/main.js", "./views/words.js")
    ('js/dom.js', 'js/views/words.js')
    """
    parts: list[str] = []
    for part in (PurePosixPath(path).parent / relative).parts:
        if part == "..":
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)


def as_module(text: str) -> str:
    return f"data:text/javascript;base64,{b64encode(text.encode()).decode()}"


def data_url(path: Path, kind: str) -> str:
    return f"data:{kind};base64,{b64encode(path.read_bytes()).decode()}"


def as_json(value: Any) -> str:
    """JSON that may stand in a page: no text in it can end its script."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
