"""Makes the picture of the explorer that the documentation shows (`make explore-picture`)."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from browser import Browser, explorer, lacking

PICTURE = Path(__file__).parents[2] / "docs" / "figures" / "explore.png"
"""The picture."""

WIDTH, HEIGHT = 1280, 1340
"""Its size: the first screen with all curves and goals, pixels."""


def main() -> None:
    """Open the first page in a window without a scroll bar, and save it."""
    missing = lacking()
    if missing is not None:
        sys.exit(f"make explore-picture {missing}")
    with TemporaryDirectory() as folder, Browser() as browser, explorer(cwd=Path(folder)) as server:
        browser.size(WIDTH, HEIGHT)
        # The first page loads modules, which takes longer than its run.
        for _ in range(2):
            browser.open(server.address)
            browser.rests()
        browser.driver.save_screenshot(str(PICTURE))
        browser.driver.get("about:blank")


if __name__ == "__main__":
    main()
