"""Puts the pages of the site into one folder, with the structure of the repository, so that their links hold.

python docs/site/staging.py build/pages

A folder's README becomes its index, and the pages beside it follow in the order in which it names them.
"""

import re
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

from api_pages import write_api

ROOT = Path(__file__).parents[2]
FOLDERS = {
    "learning": "Learning guide",
    "mathematical_background": "Mathematical background",
    "how_to": "How to",
    "": "Reference",
    "family": "The family",
}
"""Folders of docs/ in the order of the navigation, and what is said above them; others follow."""

ELSEWHERE = {
    "Notebooks and examples": ["notebooks/README.md", "examples/**/README.md"],
    "About": ["CONTRIBUTING.md", "CHANGELOG.md", "mini_bert/pretrained/*/README.md"],
}
"""Pages outside of docs/, below the others."""

PLACES_OF_IMAGES = ("docs", "examples", "notebooks", "mini_bert/pretrained")
IMAGES = (".png", ".svg", ".webp", ".gif")


def main(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    pages = [
        *sorted(ROOT.glob("docs/**/*.md")),
        *(page for globs in ELSEWHERE.values() for page in found(globs)),
    ]
    for page in pages:
        copy(page, staged(page, folder))
    for image in (path for place in PLACES_OF_IMAGES for path in (ROOT / place).rglob("*")):
        if image.suffix in IMAGES:
            copy(image, folder / image.relative_to(ROOT))
    write_api(ROOT / "mini_bert", folder / "api")
    copy(ROOT / "README.md", folder / "index.md")
    with (folder / "index.md").open("a", encoding="utf-8") as home:
        home.write(navigation(folder))


def found(globs: list[str]) -> list[Path]:
    return [page for glob in globs for page in sorted(ROOT.glob(glob))]


def copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(source, target)


def staged(page: Path, folder: Path) -> Path:
    place = folder / page.relative_to(ROOT)
    return place.with_name("index.md") if page.name == "README.md" else place


def navigation(folder: Path) -> str:
    """Lists of pages for the side of the site."""
    docs = folder / "docs"
    others = {child.name for child in docs.iterdir() if child.is_dir()} - FOLDERS.keys()
    lists = {}
    for name in [*FOLDERS, *sorted(others)]:
        pages = (docs / name).rglob("*.md") if name else docs.glob("*.md")
        lists[FOLDERS.get(name, name.capitalize())] = with_index_first(pages, docs / name)
    lists["API"] = [folder / "api" / "mini_bert.md"]
    for caption, globs in ELSEWHERE.items():
        lists[caption] = [staged(page, folder) for page in found(globs)]
    return "".join(toctree(caption, pages, folder) for caption, pages in lists.items() if pages)


def with_index_first(pages: Iterable[Path], folder: Path) -> list[Path]:
    """In the order in which the folder's index names them, or that of the folder above."""
    index = folder / "index.md"
    indexes = [path for path in (index, folder.parent / "index.md") if path.exists()]
    ordered = in_order(pages, indexes[0].read_text("utf-8") if indexes else "")
    return sorted(ordered, key=lambda page: page != index)


def in_order(pages: Iterable[Path], text: str) -> list[Path]:
    """Pages as a text mentions them; those that it does not mention come last, by their names."""
    mentioned = re.findall(r"([\w-]+\.md)\b", text)
    place = {name: number for number, name in reversed(list(enumerate(mentioned)))}
    return sorted(pages, key=lambda page: (place.get(page.name, len(mentioned)), page.name))


def toctree(caption: str, pages: list[Path], folder: Path) -> str:
    lines = "\n".join(page.relative_to(folder).with_suffix("").as_posix() for page in pages)
    return f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{lines}\n```\n"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
