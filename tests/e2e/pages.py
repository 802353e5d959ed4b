"""What tests do with a page: open a view, read numbers from it, and wait until nothing is on its way."""

from urllib.parse import quote_plus, urlencode

from playwright.sync_api import Locator, Page, expect

TEXT = "The cat sat on the [MASK]."
VIEWS = (
    "words",
    "forward",
    "attention",
    "predictions",
    "backward",
    "learn",
    "training",
    "representations",
    "family",
)
FORWARD_VIEWS = ("words", "forward", "attention", "predictions", "representations", "family")
QUIET = 300
"""Milliseconds without a request and without a change, after which a page has come to rest."""
REST = """
quiet => new Promise(resolve => {
  let last = performance.now();
  const changed = new MutationObserver(() => { last = performance.now(); });
  changed.observe(document.body, {subtree: true, childList: true, attributes: true, characterData: true});
  const look = () => {
    if (document.body.dataset.busy === "true" || performance.now() - last < quiet) return setTimeout(look, 30);
    changed.disconnect();
    resolve();
  };
  look();
})
"""


def link(view: str, text: str = TEXT, **state: object) -> str:
    """The part of an address that says what is shown; keys of a view are written with __ for the dot."""
    named = {name.replace("__", "."): value for name, value in state.items()}
    return "#" + urlencode({"view": view, "text": text, **named}, quote_via=quote_plus, safe=":,")


def opened(page: Page, address: str, view: str, text: str = TEXT, **state: object) -> Locator:
    """Goes there and returns the view, which has something to show."""
    page.goto(f"{address}/{link(view, text, **state)}")
    shown = page.locator(f"[data-view={view}]")
    expect(shown.locator(".panel:visible").first).to_be_visible()
    return shown


def part(within: Page | Locator, name: str) -> Locator:
    return within.locator(f"[data-test={name}]")


def at_rest(page: Page) -> None:
    page.evaluate(REST, QUIET)


def value(of: Locator) -> float:
    """The exact number that an element shows rounded."""
    told = of.first.get_attribute("data-value")
    assert told is not None
    return float(told)


def values(of: Locator) -> list[float]:
    return [float(one) for one in of.evaluate_all("all => all.map(one => one.dataset.value)")]


def typed(page: Page, text: str) -> None:
    """Writes a sentence as a reader does, in place of what is there."""
    box = part(page, "text")
    box.fill(text)
    expect(part(page, "piece").first).to_be_visible()
