"""Pictures of every view, light and dark, for docs/explorer.md:

python -m tests.e2e.screenshots --model mini --out docs/images/explorer
"""

import argparse
from base64 import b64decode
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright

from mini_bert.cli.bench_explorer import served
from tests.e2e.browsers import PATIENCE, found_browser
from tests.e2e.pages import at_rest, opened

WIDTH, HEIGHT = 1280, 1200
QUALITY = 75
TEXT = "The cat sat on the [MASK]."
BEGIN_AT = {"family": ".family-summary"}
"""What stands at the top of the picture, if it is not the page's own top."""
STATES: dict[str, dict[str, object]] = {
    "words": {"text": "Unbelievably good: the explorer shows it!"},
    "forward": {
        "forward__tensor": "attention_weights_1",
        "forward__slice": "head:2",
        "forward__cell": "0,2,4,6",
    },
    "attention": {"attention__layer": 1, "attention__head": 2, "edit": "1.2.off"},
    "predictions": {},
    "backward": {"backward__step": "layer_output_1", "target": "6:floor"},
    "learn": {"learn__steps": "adamw:0.0003x8", "learn__rate": 0.0003, "target": "6:floor"},
    "training": {},
    "representations": {"text": "She sat on the river bank.", "representations__find": "bank"},
    "family": {"family__member": "albert-mini"},
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", default="mini", help="what mini-bert explore --model takes")
    parser.add_argument(
        "--out", type=Path, default=Path("docs/images/explorer"), help="the folder of the pictures"
    )
    parser.add_argument("--view", choices=STATES, action="append", help="only this one; may be given again")
    parser.add_argument("--width", type=int, default=WIDTH)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    expect.set_options(timeout=PATIENCE)
    with served(given.model) as address, sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=found_browser(), args=["--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        )
        for scheme in ("light", "dark"):
            page = browser.new_page(
                viewport={"width": given.width, "height": HEIGHT},
                color_scheme=scheme,
                reduced_motion="reduce",
            )
            for view in given.view or STATES:
                path = given.out / f"{view}{'-dark' if scheme == 'dark' else ''}.webp"
                take(page, address, view, path)
                print(f"{path}: {path.stat().st_size / 1000:.0f} kB")
            page.close()
        browser.close()


def take(page: Page, address: str, view: str, path: Path) -> None:
    page.goto("about:blank")
    opened(page, address, view, **{"text": TEXT, **STATES[view]})
    at_rest(page)
    page.evaluate("scrollTo(0, 0)")
    if view in BEGIN_AT:
        page.locator(BEGIN_AT[view]).evaluate("one => scrollTo(0, one.getBoundingClientRect().top - 80)")
    chromium = page.context.new_cdp_session(
        page
    )  # Playwright itself knows no WebP, which is half as large as JPEG
    taken = chromium.send("Page.captureScreenshot", {"format": "webp", "quality": QUALITY})
    path.write_bytes(b64decode(taken["data"]))


if __name__ == "__main__":
    main()
