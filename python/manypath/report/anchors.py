"""Writes the page of the report that compares values of theory with measured ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from manypath import _native
from manypath.outputs import PAGE as PAGE_KIND
from manypath.outputs import Outputs
from manypath.report.environment import environment
from manypath.report.targets import replace_page

if TYPE_CHECKING:
    from manypath.anchors import AnchorResult


def check(target: Path) -> None:
    """Check that the page can be written into the folder `target`.

    Raises
    ------
    UserError
        If it cannot be written, or another program wrote a file of that name.
    """
    outputs = Outputs()
    outputs.folder("report", target)
    outputs.file("report", target / PAGE, PAGE_KIND, makes_folder=True)


def write(rows: Sequence[AnchorResult], target: Path) -> Path:
    """Write the page into the folder `target` and return its path."""
    target.mkdir(parents=True, exist_ok=True)
    families = [(name, list(group)) for name, group in groupby(rows, key=lambda row: row.anchor.id.split("/")[0])]
    text = (
        environment()
        .get_template("anchors.html.j2")
        .render(
            families=families,
            titles=TITLES,
            counts=Counter(row.verdict for row in rows),
            total=len(rows),
            engine=_native.engine_version(),
        )
    )
    page = target / PAGE
    replace_page(page, text)
    return page


PAGE = "anchors.html"
"""Name of the page."""

TITLES = {
    "single": "One flow under given losses",
    "losses": "Coupled algorithms under given losses: the formulas alone",
    "scaling": "Scaling laws: parameters without effect, or with a proportional effect",
    "protocol": "Coupled algorithms under given losses: the whole protocol",
    "buffer": "One flow with bottleneck queues of different sizes",
    "sharing": "Shares of one bottleneck",
}
"""Headings by family."""
