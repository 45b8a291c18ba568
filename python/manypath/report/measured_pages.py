"""The files of the pages about measurements: their names, the check before a measurement, and how they are written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from manypath.figures import Picture
from manypath.figures.picture import FORMATS
from manypath.outputs import FIGURE, PAGE, Outputs
from manypath.report.environment import environment
from manypath.report.targets import replace_page


def page_of(name: str) -> str:
    """Return the file name of the page of a measurement."""
    return f"{PREFIX}{name}.html"


def pages_in(folder: Path) -> list[tuple[str, str]]:
    """Return the pages of measurements in a folder, as (file name, name of the measurement)."""
    found = sorted(folder.glob(f"{PREFIX}*.html"))
    return [(path.name, path.stem.removeprefix(PREFIX)) for path in found]


def check(name: str, figures: Iterable[str], target: Path) -> None:
    """Check that the page of a measurement and its figures can be written into the folder `target`.

    Raises
    ------
    UserError
        If a file cannot be written, or another program wrote a file of that name.
    """
    outputs = Outputs()
    outputs.folder("report", target)
    outputs.file("report", target / page_of(name), PAGE, makes_folder=True)
    for figure in figures:
        for ending in FORMATS:
            outputs.file("report", _file(name, figure, target, ending), FIGURE, makes_folder=True)


def write(name: str, template: str, pictures: Mapping[str, tuple[Picture, str]], target: Path, **content: Any) -> Path:
    """Write the page of a measurement and its figures into the folder `target`, and return the path of the page.

    Parameters
    ----------
    name
        Name of the measurement.
    template
        Template of the page.
    pictures
        Picture and title of each figure by the name of its files.
    target
        The folder.
    **content
        Variables of the template.
    """
    for figure, (picture, title) in pictures.items():
        for ending in FORMATS:
            picture.save(_file(name, figure, target, ending), title=title)
    page = target / page_of(name)
    replace_page(page, environment().get_template(template).render(**content))
    return page


def _file(name: str, figure: str, target: Path, ending: str) -> Path:
    return target / "figures" / f"{PREFIX}{name}" / f"{figure}.{ending}"


PREFIX = "measured-"
"""Prefix of the file names of pages."""
