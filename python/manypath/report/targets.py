"""The files that a report writes: checked before work begins, and replaced as a whole."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
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


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a name beside a file to write to, and move what was written to its place.

    So a reader, and a second process that writes the same report, always finds a whole file.

    Raises
    ------
    OutputError
        If it cannot be written to its end; what was there stays.
    """
    begun = path.with_name(f".{uuid.uuid4().hex}.{path.name}")
    try:
        with writing("report", path):
            path.parent.mkdir(parents=True, exist_ok=True)
            yield begun
            begun.replace(path)
    finally:
        begun.unlink(missing_ok=True)


def replace_page(path: Path, text: str) -> None:
    """Write a page, in place of an earlier one."""
    with replacing(path) as begun:
        begun.write_text(text, encoding="utf-8")


PLOTLY = Kind("plotly's library", lambda head, _: b"plotly" in head)
"""The library of interactive charts."""
