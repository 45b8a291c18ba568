"""The files that a report writes: checked before work begins, and replaced as a whole."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from manypath.figures.picture import FORMATS
from manypath.outputs import FIGURE, PAGE, Kind, Outputs, writing
from manypath.papers.paper import Paper
from manypath.report.charts import LIBRARY


def index_of(target: Path) -> Path:
    """Return the first page of a report: its folder's, or the page itself where a page is named."""
    return target if target.suffix == ".html" else target / "index.html"


def check(target: Path, papers: Iterable[Paper]) -> None:
    """Check every file of a report before anything is run.

    Raises
    ------
    UserError
        If one cannot be written, or is there and was not written by this package.
    """
    outputs = Outputs()
    index = index_of(target)
    outputs.folder("report", index.parent)
    outputs.file("report", index, PAGE, makes_folder=True)
    outputs.file("report", index.parent / LIBRARY, PLOTLY, makes_folder=True)
    for paper in papers:
        outputs.file("report", index.parent / f"{paper.name}.html", PAGE, makes_folder=True)
        for figure in paper.figures:
            for ending in FORMATS:
                drawing = index.parent / "figures" / paper.name / f"{figure.name}.{ending}"
                outputs.file("report", drawing, FIGURE, makes_folder=True)


def replace_page(path: Path, text: str) -> None:
    """Write a page beside its place and move it there, so that a reader always finds a whole page."""
    begun = path.with_name(f".{path.name}.{os.getpid()}")
    with writing("report", path):
        begun.write_text(text, encoding="utf-8")
        begun.replace(path)


PLOTLY = Kind("plotly's library", lambda head, _: b"plotly" in head)
"""The library of interactive charts."""
