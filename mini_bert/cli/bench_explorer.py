"""`mini-bert bench explorer`: from a typed sentence to fresh views, asked of the server and seen in a browser."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from statistics import median, quantiles
from time import perf_counter
from typing import Any

import click
from rich.markup import escape

from mini_bert.cli.explorer_client import Asking
from mini_bert.cli.judges import judge
from mini_bert.cli.progress import progress
from mini_bert.cli.screen import console, print_json, table
from mini_bert.data.corpus import corpus
from mini_bert.explorer.typed import Requests, question_of, views
from mini_bert.reports import Report

EPILOG = """\b
Examples:
  mini-bert bench explorer
  mini-bert bench explorer --sentences 10 --no-browser
  mini-bert bench explorer --model mini-best --json
"""
ALL = "all views"
LENGTHS = range(5, 15)
SENTENCE = re.compile(r"(?<=[.!?] )[A-Z][a-z ]+ [a-z]+\.(?= )")


@click.command(epilog=EPILOG)
@click.option("--model", default="mini", show_default=True, help="What `mini-bert explore --model` takes.")
@click.option("--sentences", type=click.IntRange(min=2), default=50, show_default=True)
@click.option(
    "--browser/--no-browser", default=True, help="Also watch the page in a browser, if one is here."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object in place of the table.")
def command(model: str, sentences: int, browser: bool, as_json: bool) -> None:
    """Time the explorer: a new sentence is typed, and what the page asks for is answered.

    The server is a process of its own. Each view is asked alone, for sentences that nobody asked for before, and then
    all nine at once, for others. In a browser the time ends when the view is painted.
    """
    texts = new_sentences()
    eyes = judge("explorer", extra="e2e") if browser else "left out, as --no-browser says"
    with served(model) as address:
        with progress("The server") as report:
            asked = asked_of_server(address, texts, sentences, report)
        seen: dict[str, list[float]] = {}
        if not isinstance(eyes, str):
            try:
                with progress("The browser") as report:
                    seen = eyes.seen_in_browser(address, list(asked)[:-1], texts, sentences, report)
            except ValueError as missing:
                eyes = str(missing)
    summary: dict[str, Any] = {
        "model": model,
        "sentences": sentences,
        "server": {name: standing(seconds) for name, seconds in asked.items()},
        "browser": {name: standing(seconds) for name, seconds in seen.items()},
        "browser_rest": 0.0 if isinstance(eyes, str) else eyes.REST,
        "note": f"no browser: {eyes}" if isinstance(eyes, str) else None,
    }
    if as_json:
        print_json(summary)
    else:
        show(summary)


def new_sentences() -> Iterator[str]:
    """Of the embedded world, each once, with its last word hidden."""
    seen = set()
    for text in corpus("world:100000"):
        for sentence in SENTENCE.findall(text):
            if len(sentence.split()) in LENGTHS and sentence not in seen:
                seen.add(sentence)
                yield re.sub(r"\w+\.$", "[MASK].", sentence)


@contextmanager
def served(model: str) -> Iterator[str]:
    """Where `mini-bert explore` answers, in a process of its own."""
    command = [sys.executable, "-m", "mini_bert", "explore", "--model", model, "--port", "0", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        assert server.stderr is not None
        told = (word for line in server.stdout for word in line.split() if word.startswith("http://"))
        address = next(told, None)
        if address is None:
            raise ValueError(server.stderr.read().strip().removeprefix("error: "))
        try:
            yield address.rstrip("/")
        finally:
            server.terminate()


def asked_of_server(address: str, texts: Iterator[str], count: int, report: Report) -> dict[str, list[float]]:
    """Seconds of each view alone, with the row of pieces, and of all views at once, for each sentence."""
    asking = Asking(address)
    known = views(asking.models())
    seconds: dict[str, list[float]] = {name: [] for name in (*known, ALL)}
    for number in range(-1, count):  # the first one warms up
        report(max(number, 0) / count, "")
        for name, make in known.items():
            question = question_of(next(texts))
            several = [make(question)] if name == "words" else [known["words"](question), make(question)]
            seconds[name].append(timed(asking, several))
        question = question_of(next(texts))
        seconds[ALL].append(timed(asking, [make(question) for make in known.values()]))
    return {name: spent[1:] for name, spent in seconds.items()}


def timed(asking: Asking, several: list[Requests]) -> float:
    start = perf_counter()
    asking.all_of(several)
    return perf_counter() - start


def standing(seconds: Sequence[float]) -> dict[str, float]:
    return {"median": median(seconds), "ninth_of_ten": quantiles(seconds, n=10)[-1]}


def show(summary: Mapping[str, Any]) -> None:
    screen = console()
    browser, rest = summary["browser"], summary["browser_rest"]
    columns = ["view", "asked: median", "9 of 10 within"]
    columns += ["painted: median", "9 of 10 within", "after the last key"] if browser else []
    made = table(f"{summary['sentences']} sentences, milliseconds", *columns)
    for name, found in summary["server"].items():
        row = [name, *map(milliseconds, found.values())]
        if browser:
            seen = browser.get(name)
            row += (
                [*map(milliseconds, seen.values()), milliseconds(seen["median"] + rest)]
                if seen
                else ["", "", ""]
            )
        made.add_row(*row)
    screen.print(made)
    if browser:
        screen.print(
            f"The page waits {1000 * rest:.0f} ms after a key before it asks; the last column counts that too."
        )
    if summary["note"]:
        screen.print(escape(f"{summary['note']}."))


def milliseconds(seconds: float) -> str:
    return f"{1000 * seconds:.0f}"
