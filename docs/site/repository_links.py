"""Links from a page to a file or folder of the repository.

A package leads to its page of the API reference, a README to its folder's index, and every other file to a page that
shows it. A link to what does not exist is a warning, which ends the build.
"""

import json
from collections.abc import Iterator
from html import escape
from pathlib import Path
from posixpath import dirname, normpath, relpath
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx

ROOT = Path(__file__).parents[2]
SHOWN = "source"
PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width" />
<title>{path}</title>
<link rel="stylesheet" href="{up}_static/source.css" />
<h1>{path}</h1>
<p><a href="{up}index.html">Mini-BERT</a></p>
{body}
</html>
"""


def resolve(app: Sphinx, doctree: nodes.document) -> None:
    """Each link that is no page of the site, before Sphinx complains of it."""
    env = app.env
    linked: set[str] = env.__dict__.setdefault("linked_files", set())
    for link in list(doctree.findall(pending_xref)):
        if link["reftype"] != "myst" or link["refdomain"]:
            continue
        path, _, anchor = link["reftarget"].partition("#")
        place = repository_path(path, env.docname)
        page = page_of(place, env.found_docs)
        if page:
            link["refdomain"], link["reftarget"], link["reftargetid"] = "doc", page, anchor or None
        elif (ROOT / place).exists() and not place.startswith(".."):
            linked.add(place)
            target = relpath(f"{SHOWN}/{place}.html", dirname(env.docname) or ".")
            reference = nodes.reference("", "", *link.children, internal=True, refuri=target)
            link.replace_self(reference)


def repository_path(target: str, docname: str) -> str:
    return normpath(f"{dirname(docname)}/{target}" if dirname(docname) else target)


def page_of(place: str, pages: set[str]) -> str | None:
    """A package's page of the API, or the index that a README has become."""
    candidates = [
        f"api/{place.replace('/', '.')}",
        f"{place}/index",
        place.removesuffix("README.md") + "index",
    ]
    return next((page for page in candidates if page in pages), None)


def write_sources(app: Sphinx, problem: Exception | None) -> None:
    """A page for each file that was linked, and for the files of each linked folder."""
    if problem:
        return
    for place in with_children(app.env.__dict__.get("linked_files", set())):
        target = Path(app.outdir, SHOWN, f"{place}.html")
        target.parent.mkdir(parents=True, exist_ok=True)
        up = "../" * (place.count("/") + 1)
        target.write_text(PAGE.format(path=escape(place), up=up, body=shown(ROOT / place)), "utf-8")


def with_children(places: set[str]) -> Iterator[str]:
    waiting = sorted(places)
    seen = set()
    while waiting:
        place = waiting.pop()
        if place in seen:
            continue
        seen.add(place)
        yield place
        if (ROOT / place).is_dir():
            waiting += [f"{place}/{child.name}" for child in children(ROOT / place)]


def children(folder: Path) -> list[Path]:
    return [child for child in sorted(folder.iterdir()) if child.name[0] not in "._"]


def listing(folder: Path) -> str:
    links = (
        f'<li><a href="{folder.name}/{child.name}.html">{escape(child.name)}</a></li>'
        for child in children(folder)
    )
    return f"<ul>{''.join(links)}</ul>"


def shown(path: Path) -> str:
    """A file as it is, a folder as the list of what is in it, a notebook as its cells."""
    if path.is_dir():
        return listing(path)
    if path.suffix == ".ipynb":
        return "".join(map(cell, json.loads(path.read_text("utf-8"))["cells"]))
    try:
        return text(path.read_text("utf-8"))
    except UnicodeDecodeError:
        return f"<p>{path.stat().st_size:,} bytes that are no text.</p>"


def text(body: str) -> str:
    return f"<pre>{escape(body)}</pre>" if body else ""


def cell(one: dict[str, Any]) -> str:
    """The source of a cell, and what it printed and drew."""
    parts = [text("".join(one["source"]))]
    for output in one.get("outputs", []):
        data = output.get("data", {})
        parts.append(text("".join(output.get("text", []))))
        if "image/png" in data:
            parts.append(f'<img alt="" src="data:image/png;base64,{"".join(data["image/png"]).strip()}" />')
        else:
            parts.append(text("".join(data.get("text/plain", []))))
    return f'<div class="{one["cell_type"]}">{"".join(parts)}</div>'


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("doctree-read", resolve)
    app.connect("build-finished", write_sources)
    return {"parallel_read_safe": False}
