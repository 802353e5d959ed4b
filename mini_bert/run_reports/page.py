"""A web page that needs nothing but itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files

Cell = str | None


def page(title: str, *parts: str, more_style: str = "") -> str:
    """A whole document; the parts are HTML already, and `more_style` is CSS of their own."""
    style = files("mini_bert.run_reports").joinpath("page.css").read_text("utf-8")
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}{more_style}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(parts)
        + "\n</main>\n</body>\n</html>\n"
    )


def heading(text: str, level: int = 2) -> str:
    return f"<h{level}>{escape(text)}</h{level}>"


def paragraph(text: str, kind: str = "") -> str:
    return f"<p{class_of(kind)}>{escape(text)}</p>"


def facts_table(rows: Iterable[tuple[str, Cell]]) -> str:
    """Names and values; a row without a value is left out."""
    made = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td>{escape(value)}</td></tr>'
        for name, value in rows
        if value is not None
    )
    return f'<table class="facts">{made}</table>'


def grid_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table with a header; the first column names the row."""
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in header)
    body = "".join(
        f'<tr><th scope="row">{escape(first)}</th>'
        + "".join(f"<td>{escape(cell)}</td>" for cell in others)
        + "</tr>"
        for first, *others in rows
    )
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def picture(svg: str, title: str, note: str) -> str:
    told = f"<p>{escape(note)}</p>" if note else ""
    return f"<figure><figcaption>{escape(title)}</figcaption>{svg}{told}</figure>"


def gallery(pictures: Iterable[str]) -> str:
    return f'<div class="gallery">{"".join(pictures)}</div>'


def listing(items: Iterable[str]) -> str:
    return "<ul>" + "".join(f"<li>{escape(item)}</li>" for item in items) + "</ul>"


def folded(title: str, text: str) -> str:
    """Text as it is written, behind its title until somebody opens it."""
    return f"<details><summary>{escape(title)}</summary><pre>{escape(text)}</pre></details>"


def class_of(kind: str) -> str:
    return f' class="{kind}"' if kind else ""
