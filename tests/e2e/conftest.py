"""A real server and a real browser; what leaves the machine, and what the browser complains of, fails a test."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from mini_bert.explorer.desk import Desk
from mini_bert.explorer.library import Library
from tests.e2e.browsers import NAMES, PATIENCE, found_browser, is_near

try:
    from playwright import sync_api as playwright
except ModuleNotFoundError:
    playwright = None

MODEL = os.environ.get("MINI_BERT_E2E_MODEL", "mini")
REFUSED = "Failed to load resource: the server responded with a status of 400 (Bad Request)"
RUN = (
    "train --preset debug --corpus world:300 --seed 1 --batch 8 --steps 60 --save-every 20 --out runs/small "
    "--set saving.keep=9 --set logging.evaluate_every=20 --json"
)
if playwright is not None:
    playwright.expect.set_options(timeout=PATIENCE)


class Absent(pytest.Module):
    """Tests that cannot even be imported."""

    def collect(self):
        pytest.skip("playwright is not installed: make e2e, or pip install playwright")


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Module | None:
    return Absent.from_parent(parent, path=module_path) if playwright is None else None


@pytest.fixture(scope="session")
def browser() -> Iterator[playwright.Browser]:
    found = found_browser()
    if found is None:
        pytest.skip(f"no browser: install one of {', '.join(NAMES)}")
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-gpu"])
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the explorer is started: there is a small run."""
    folder = tmp_path_factory.mktemp("home")
    subprocess.run(
        [sys.executable, "-m", "mini_bert", *RUN.split()], cwd=folder, env=settings(folder), check=True
    )
    return folder


@pytest.fixture(scope="session")
def address(browser: playwright.Browser, home: Path) -> Iterator[str]:
    """Where `mini-bert explore` serves the model; without a browser it need not."""
    command = [sys.executable, "-m", "mini_bert", "explore", "--model", MODEL, "--port", "0", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=home, env=settings(home)) as server:
        assert server.stdout is not None
        url = next(word for line in server.stdout for word in line.split() if word.startswith("http://"))
        yield url.rstrip("/")
        server.terminate()


def settings(home: Path) -> dict[str, str]:
    """Nothing of what this machine remembers of other runs."""
    return {**os.environ, "MINI_BERT_CACHE": str(home / "cache")}


@pytest.fixture(scope="session")
def desk() -> Desk:
    """The same models in this process, to compare the page with."""
    return Desk(Library.found(MODEL))


@pytest.fixture
def context(browser: playwright.Browser) -> Iterator[playwright.BrowserContext]:
    with new_context(browser) as opened:
        yield opened


@contextmanager
def new_context(browser: playwright.Browser, width: int = 1280) -> Iterator[playwright.BrowserContext]:
    opened = browser.new_context(viewport={"width": width, "height": 900}, reduced_motion="reduce")
    opened.set_default_timeout(PATIENCE)
    yield opened
    opened.close()


@pytest.fixture
def on_purpose() -> set[str]:
    """What the browser shall complain of, because a test brings it about."""
    return set()


@pytest.fixture
def page(context: playwright.BrowserContext, on_purpose: set[str]) -> Iterator[playwright.Page]:
    """A page that asks nobody but this machine, and has nothing to complain of but what is meant to be."""
    strangers: list[str] = []
    complaints: list[str] = []

    def watch(opened: playwright.Page) -> None:
        opened.on("request", lambda request: is_near(request.url) or strangers.append(request.url))
        opened.on("console", lambda told: told.type in ("error", "warning") and complaints.append(told.text))
        opened.on("pageerror", lambda error: complaints.append(str(error)))

    context.on("page", watch)
    yield context.new_page()
    assert strangers == []
    assert set(complaints) == on_purpose
