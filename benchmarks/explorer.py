"""The explorer's page in a real browser: from a typed sentence until the view is painted."""

import shutil
from collections.abc import Callable, Iterator, Sequence

from playwright.sync_api import sync_playwright

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
REST = 0.120
"""Seconds that the page waits after a key before it asks: js/frame/sentence.js."""
PAINTED = """
text => new Promise(resolve => {
  const QUIET = 400;
  let changed = 0;
  let painted = 0;
  const see = () => {
    changed = performance.now();
    requestAnimationFrame(() => setTimeout(() => { painted = performance.now(); }));
  };
  const watcher = new MutationObserver(see);
  watcher.observe(document.body, {subtree: true, childList: true, attributes: true, characterData: true});
  const box = document.querySelector("[data-test=text]");
  box.value = text;
  const start = performance.now();
  box.dispatchEvent(new InputEvent("input", {bubbles: true}));
  const look = () => {
    const isBusy = document.body.dataset.busy === "true";
    if (isBusy || !changed || painted < changed || performance.now() - changed < QUIET) return setTimeout(look, 40);
    watcher.disconnect();
    resolve((painted - start) / 1000);
  };
  setTimeout(look, 2 * QUIET);
})
"""


def seen_in_browser(
    address: str, views: Sequence[str], texts: Iterator[str], count: int, report: Callable[[float, str], None]
) -> dict[str, list[float]]:
    """Seconds of each view for each sentence, without the rest after the last key."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        raise ValueError(f"install one of {', '.join(BROWSERS)}")
    seconds: dict[str, list[float]] = {}
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
        for at, view in enumerate(views):
            page.goto(f"{address}/#view={view}")
            page.locator(f"[data-view={view}] .panel:visible").first.wait_for()
            page.wait_for_load_state("networkidle")
            page.evaluate(PAINTED, next(texts))
            seconds[view] = []
            for number in range(count):
                report((at + number / count) / len(views), view)
                seconds[view].append(page.evaluate(PAINTED, next(texts)) - REST)
        browser.close()
    return seconds
