"""Draws the pictures of the README: ``python scripts/screenshots.py``.

Opens three views by their links on a server of its own and takes a picture of what a person sees
who scrolls to the point of the page. The links hold what the sidebar and the page would say.
"""

import tempfile
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

from playwright.sync_api import Browser, sync_playwright
from served import APP, ROOT, launch, served, wait_drawn

FOLDER = ROOT / "docs" / "screenshots"
SIZE = {"width": 1280, "height": 900}
MAX_BYTES = 300_000


class Shot(NamedTuple):
    """A view and where to scroll on it."""

    name: str
    query: tuple[tuple[str, str], ...]
    at: str
    """Words of the heading that comes to the top; empty: the answer's, whatever it is."""
    above: int
    """Pixels to see above it."""


FIVE = ("Gemini 1.5 Pro", "GPT-4o mini", "InternVL2-8B", "CogVLM2-Llama3-Chat-19B", "PaliGemma-3B")
SHOTS = (
    Shot(
        "recommend",
        (
            ("tags_need", "documents"),
            ("tags_need", "charts"),
            ("rec_where", "Open weights"),
            ("rec_size", "8"),
        ),
        "",
        330,
    ),
    Shot(
        "profiles",
        (
            ("axis", "Application domain"),
            *(("profiles_models_vqa360", name) for name in FIVE),
        ),
        "Radar",
        75,
    ),
    Shot("scaling", (), "What ten times as much brings", 0),
)


def draw(browser: Browser, address: str, shot: Shot) -> Path:
    """Take one picture.

    Raises:
        ValueError: It is larger than a README should carry.
    """
    page = browser.new_page(viewport=SIZE, color_scheme="light")
    page.goto(f"{address}/{shot.name}?{urlencode(shot.query)}")
    wait_drawn(page)
    level = {"name": shot.at} if shot.at else {"level": 2}
    heading = page.get_by_test_id("stMain").get_by_role("heading", **level).first
    heading.evaluate("node => node.scrollIntoView({block: 'start', behavior: 'instant'})")
    page.get_by_test_id("stMain").evaluate("(node, above) => node.scrollBy(0, -above)", shot.above)
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done, 300)))")
    target = FOLDER / f"{shot.name}.png"
    page.screenshot(path=target)
    page.close()
    if target.stat().st_size > MAX_BYTES:
        raise ValueError(f"{target} has {target.stat().st_size:,} bytes; at most {MAX_BYTES:,}")
    return target


def main() -> None:
    """Draw all pictures."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        served(APP, Path(folder)) as address,
        sync_playwright() as playwright,
    ):
        browser = launch(playwright)
        for shot in SHOTS:
            target = draw(browser, address, shot)
            print(f"{target.relative_to(ROOT)}: {target.stat().st_size:,} bytes")
        browser.close()


if __name__ == "__main__":
    main()
