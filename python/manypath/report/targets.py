"""The files of a report: they are checked before the first run, and replaced atomically."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from manypath.figures.picture import FORMATS
from manypath.outputs import FIGURE, PAGE, Kind, Outputs, writing
from manypath.papers.paper import Paper
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


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Provide a temporary path in the folder of a file, and rename the written file to `path` at the end.

    A reader, or another process that writes the same report, always finds a complete file.

    Raises
    ------
    OutputError
        If the file cannot be written completely. An earlier file is kept.
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
    """Write a page, replacing an earlier one."""
    with replacing(path) as begun:
        begun.write_text(text, encoding="utf-8")


PLOTLY = Kind("plotly's library", lambda head, _: b"plotly" in head)
"""Kind of the file of plotly's library."""
