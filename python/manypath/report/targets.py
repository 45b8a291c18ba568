"""The files of a report: they are checked before the first run, and replaced atomically."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from manypath.figures.picture import FORMATS
from manypath.outputs import FIGURE, PAGE, Kind, Outputs
from manypath.papers.paper import Paper
from manypath.replacement import replacing
from manypath.report.charts import LIBRARY


def index_of(target: Path) -> Path:
    """Return the path of the first page: `target` if it ends with `.html`, else `index.html` in the folder `target`."""
    return target if target.suffix == ".html" else target / "index.html"


def check(target: Path, papers: Iterable[Paper]) -> None:
    """Check that every file of a report can be written.

    Raises
    ------
    UserError
        If a file cannot be written, or exists and was not written by this package.
    """
    folder = index_of(target).parent
    files = {folder / LIBRARY: PLOTLY}
    for paper in papers:
        files[folder / f"{paper.name}.html"] = PAGE
        drawings = folder / "figures" / paper.name
        files |= {drawings / f"{figure.name}.{ending}": FIGURE for figure in paper.figures for ending in FORMATS}
    check_files(target, files)


def check_files(target: Path, files: Mapping[Path, Kind]) -> None:
    """Check that the first page of a report and further files, each of its kind, can be written.

    Raises
    ------
    UserError
        If a file cannot be written, or exists and was not written by this package.
    """
    outputs, index = Outputs(), index_of(target)
    outputs.folder("report", index.parent)
    for file, kind in {index: PAGE, **files}.items():
        outputs.file("report", file, kind, makes_folder=True)


def replace_page(path: Path, text: str) -> None:
    """Write a page, replacing an earlier one; a reader always finds a complete page."""
    with replacing("report", path, makes_folder=True) as begun:
        begun.write_text(text, encoding="utf-8")


PLOTLY = Kind("plotly's library", lambda head, _: b"plotly" in head)
"""Kind of the file of plotly's library."""
