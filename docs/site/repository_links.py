"""Links from a page to a file or folder of the repository.

A package leads to its page of the API reference, a README to its folder's index, and every other file to a page that
shows it. A link to what does not exist is a warning, which ends the build.
"""

from collections.abc import Iterator
from html import escape
from pathlib import Path
from posixpath import dirname, normpath, relpath

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
    shown: set[str] = env.__dict__.setdefault("shown_files", set())
    for link in list(doctree.findall(pending_xref)):
        if link["reftype"] != "myst" or link["refdomain"]:
            continue
        path, _, anchor = link["reftarget"].partition("#")
        place = repository_path(path, env.docname)
        page = page_of(place, env.found_docs)
        if page:
            link["refdomain"], link["reftarget"], link["reftargetid"] = "doc", page, anchor or None
        elif (ROOT / place).exists() and not place.startswith(".."):
            shown.add(place)
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
    for place in with_children(app.env.__dict__.get("shown_files", set())):
        target = Path(app.outdir, SHOWN, f"{place}.html")
        target.parent.mkdir(parents=True, exist_ok=True)
        up = "../" * (place.count("/") + 1)
        body = listing(ROOT / place) if (ROOT / place).is_dir() else text(ROOT / place)
        target.write_text(PAGE.format(path=escape(place), up=up, body=body), "utf-8")


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


def text(path: Path) -> str:
    return f"<pre>{escape(path.read_text('utf-8'))}</pre>"


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("doctree-read", resolve)
    app.connect("build-finished", write_sources)
    return {"parallel_read_safe": False}
