"""The page about a paper with a change that a user gives: both verdicts on each claim, and its figures side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from manypath.errors import UserError
from manypath.figures import Picture
from manypath.figures.picture import FORMATS, Rendered
from manypath.outputs import FIGURE, PAGE
from manypath.papers.changed import UNMEASURED
from manypath.papers.paper import Figure, Paper
from manypath.papers.stages import needs
from manypath.replacement import replacing
from manypath.report.current import drawn
from manypath.report.environment import environment
from manypath.report.targets import check_files, index_of, replace_page

if TYPE_CHECKING:
    from manypath.papers.changed import ChangedPaper
    from manypath.papers.paper_evaluation import PaperEvaluation


@dataclass(frozen=True)
class FigureView:
    """A figure with its drawings without and with the change; or without drawings, and the reason."""

    figure: Figure
    drawings: tuple[Markup, ...]
    lacks: str


def check(target: Path, papers: Sequence[Paper]) -> None:
    """Check that the pages and their figures can be written into a report.

    Raises
    ------
    UserError
        If a file cannot be written, or another program wrote a file of that name.
    """
    folder = index_of(target).parent
    files = {page_of(folder, paper): PAGE for paper in papers}
    files |= {path: FIGURE for paper in papers for figure in paper.figures for path in _files(folder, paper, figure)}
    check_files(target, files)


def write(part: PaperEvaluation, target: Path) -> Path:
    """Write the page of a paper with a change, and return its path; the first page is not written.

    Raises
    ------
    UserError
        If the paper was evaluated without a change.
    """
    if part.change is None:
        raise UserError(f"report: {part.paper.name} was evaluated without changes: give changes to evaluate")
    folder = index_of(target).parent
    figures = [_beside(part, part.change, figure, folder) for figure in drawn(part) if _is_reached(part, figure)]
    page = page_of(folder, part.paper)
    template = environment().get_template("changed.html.j2")
    words = {"index": index_of(target).name, "folder": _folder(part.paper), "part": part, "figures": figures}
    replace_page(page, template.render(**words))
    return page


def pages_in(folder: Path) -> list[tuple[str, str]]:
    """Return the pages about changes in a folder, as (file name, name of the paper)."""
    return [(path.name, path.stem.removesuffix(ENDING)) for path in sorted(folder.glob(f"[!.]*{ENDING}.html"))]


def page_of(folder: Path, paper: Paper) -> Path:
    """Return the path of the page of a paper with a change."""
    return folder / f"{_folder(paper)}.html"


def _is_reached(part: PaperEvaluation, figure: Figure) -> bool:
    """Return whether the change reaches a case of a figure."""
    experiments = needs(part.paper, figure)
    return part.change is not None and any(case.experiment in experiments for case in part.change.reach.changed)


def _beside(part: PaperEvaluation, change: ChangedPaper, figure: Figure, folder: Path) -> FigureView:
    """Draw a figure without and with a change, and save both drawings."""
    experiments = needs(part.paper, figure)
    before = figure.draw(part.evidence.of(experiments))
    try:
        after = figure.draw(change.evidence.of(experiments))
    except UNMEASURED as error:
        return FigureView(figure, (), f"cannot be drawn with the change ({type(error).__name__}: {error})")
    before, after = _with_equal_axes(before, after)
    title = f"Figure {figure.number}. {figure.caption}"
    rendered = before.rendered(title), after.rendered(f"{title} With {change.says}")
    if rendered[0].files["png"] == rendered[1].files["png"]:
        return FigureView(figure, (), "does not change")
    for path, content in zip(_files(folder, part.paper, figure), _contents(*rendered), strict=True):
        with replacing("report", path, makes_folder=True) as begun:
            begun.write_bytes(content)
    inline = (each.inline(f"{figure.name}-{side}") for each, side in zip(rendered, SIDES, strict=True))
    return FigureView(figure, tuple(Markup(svg) for svg in inline), "")  # noqa: S704 - drawn here


def _with_equal_axes(before: Picture, after: Picture) -> tuple[Picture, Picture]:
    """Return two drawings of a figure with the same vertical axes, so that curves can be compared by eye."""
    for one, other in zip(before.figure.axes, after.figure.axes, strict=False):
        ends = [*one.get_ylim(), *other.get_ylim()]
        if one.get_ylim() != other.get_ylim() and not one.yaxis_inverted():
            for axes in (one, other):
                axes.set_ylim(min(ends), max(ends))
    for picture in (before, after):
        # A mark that was outside of an axis had its own place in the layout.
        picture.figure.set_layout_engine("constrained")
    return Picture(before.figure), Picture(after.figure)


def _files(folder: Path, paper: Paper, figure: Figure) -> list[Path]:
    """Return the files of a figure without and with a change."""
    place = folder / "figures" / _folder(paper)
    return [place / f"{figure.name}-{side}.{ending}" for side in SIDES for ending in FORMATS]


def _contents(before: Rendered, after: Rendered) -> list[bytes]:
    """Return the contents of these files."""
    return [rendered.files[ending] for rendered in (before, after) for ending in FORMATS]


def _folder(paper: Paper) -> str:
    return f"{paper.name}{ENDING}"


SIDES = ("paper", "set")
"""Endings of the names of drawings: runs of the paper, and runs with the change."""

ENDING = "-set"
"""Ending of the names of pages about changes."""
