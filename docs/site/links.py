"""Checks a built site: every link and every anchor leads somewhere, and nothing is loaded from the network.

python docs/site/links.py build/site
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit


class Page(HTMLParser):
    """What one page can be linked to by, what it links to, and what it loads."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.anchors = {"", "top"}
        self.links: set[str] = set()
        self.loaded: set[str] = set()
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value for name, value in attrs if value}
        self.anchors |= {found[name] for name in ("id", "name") if name in found}
        if tag == "a" and "href" in found:
            self.links.add(found["href"])
        if tag == "link" and "href" in found:
            self.loaded.add(found["href"])
        if "src" in found:
            self.loaded.add(found["src"])
        self.loaded |= {part.split()[0] for part in found.get("srcset", "").split(",") if part.strip()}


def broken(site: Path) -> list[str]:
    pages = {path.resolve(): Page(path) for path in sorted(site.rglob("*.html"))}
    found = []
    for path, page in pages.items():
        place = path.relative_to(site.resolve()).as_posix()
        for link in sorted(page.links | page.loaded):
            if urlsplit(link).scheme in ("http", "https") or link.startswith("//"):
                if link in page.loaded:
                    found.append(f"{place}: {link} comes from the network; keep a copy in docs/")
            elif urlsplit(link).scheme not in ("data", "mailto"):
                target, anchor = urldefrag(link)
                target = urlsplit(target).path
                file = (path.parent / unquote(target)).resolve() if target else path
                if not file.is_file():
                    found.append(f"{place}: {link} leads nowhere")
                elif file in pages and unquote(anchor) not in pages[file].anchors:
                    found.append(f"{place}: {link}: the page has no such place")
    return found


if __name__ == "__main__":
    problems = broken(Path(sys.argv[1]))
    sys.exit("\n".join(problems) or 0)
