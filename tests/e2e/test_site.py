"""The site of `make docs`, opened from disk without a network."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

SITE = Path(__file__).parents[2] / "build" / "site"
PAGES = sorted(path for path in SITE.rglob("*.html") if "source" not in path.relative_to(SITE).parts)
NARROW = {"width": 420, "height": 800}

pytestmark = pytest.mark.skipif(not PAGES, reason="the site is not built: make docs")


class Visits:
    """A page without a network, and all that it complained of or asked for."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.complaints: list[str] = []
        page.on("console", lambda message: self.note(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: self.note(str(error)))
        page.on("requestfailed", lambda request: self.note(f"failed: {request.url}"))
        page.on("request", lambda request: self.check(request.url))

    def note(self, complaint: str) -> None:
        self.complaints.append(f"{self.page.url}: {complaint}")

    def check(self, url: str) -> None:
        if not url.startswith(("file:", "data:")):
            self.note(f"asked for {url}")

    def open(self, place: str) -> None:
        self.page.goto((SITE / place).as_uri())


@pytest.fixture
def visits(browser: Browser) -> Iterator[Visits]:
    with browser.new_context(offline=True) as context:
        found = Visits(context.new_page())
        yield found
        assert not found.complaints


def test_every_page_opens_in_silence(visits: Visits):
    wide, faulty = [], []
    formulas = 0
    visits.page.set_viewport_size(NARROW)
    for path in PAGES:
        place = path.relative_to(SITE).as_posix()
        visits.open(place)
        formulas += visits.page.locator("math").count()
        if visits.page.locator("merror, .system-message, .problematic").count():
            faulty.append(place)
        if visits.page.evaluate(
            "document.documentElement.scrollWidth > document.documentElement.clientWidth"
        ):
            wide.append(place)
    assert formulas > 50
    assert not faulty
    assert not wide, "wider than a telephone"


def test_formulas_are_drawn_and_not_left_as_typed(visits: Visits):
    visits.open("docs/family/deberta.html")
    formula = visits.page.locator("math").first
    expect(formula).to_be_visible()
    assert "\\" not in visits.page.locator("article").inner_text()
    assert visits.page.locator("math mfrac, math msqrt").count()


def test_the_search_finds_pages_and_functions(visits: Visits):
    visits.open("index.html")
    box = visits.page.locator(".sidebar-search")
    box.fill("disentangled")
    box.press("Enter")
    first = visits.page.locator("#search-results li a").first
    expect(first).to_be_visible()
    assert any("DeBERTa" in title for title in visits.page.locator("#search-results li a").all_inner_texts())
    first.click()
    expect(visits.page.locator("article h1")).to_be_visible()


def test_a_package_links_to_its_sources(visits: Visits):
    visits.open("api/mini_bert.core.functions.html")
    expect(visits.page.get_by_role("heading", name="layer_norm", exact=False).first).to_be_visible()
    assert "σ = √(var x + ε)" in visits.page.locator("article").inner_text()
    visits.page.get_by_role("link", name="norm.py").click()
    expect(visits.page.locator("pre")).to_contain_text("def layer_norm")


def test_it_can_be_read_at_night(visits: Visits):
    def light() -> int:
        return visits.page.evaluate(
            "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).reduce((a, b) => a + +b, 0)"
        )

    visits.page.emulate_media(color_scheme="light")
    visits.open("index.html")
    by_day = light()
    visits.page.emulate_media(color_scheme="dark")
    assert light() < 200 < 600 < by_day
