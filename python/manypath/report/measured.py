"""Writes the page of the report that compares a measured grid with its simulation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure

from manypath.figures import PAGE as WIDTH
from manypath.figures import Curve, Picture, draw_curves, name_curves, styled
from manypath.figures.axis import Axis
from manypath.report import measured_pages
from manypath.testbed.grid import FASTEST

if TYPE_CHECKING:
    from manypath.settings import Settings
    from manypath.testbed.calibration import Calibration
    from manypath.testbed.grid import GridCell
    from manypath.testbed.plan import Plan


def check(name: str, target: Path) -> None:
    """Check that the page and its figure can be written into the folder `target`.

    Raises
    ------
    UserError
        If a file cannot be written, or another program wrote a file of that name.
    """
    measured_pages.check(name, [FIGURE], target)


def write(
    name: str, plan: Plan, cells: Sequence[GridCell], calibration: Calibration, settings: Settings, target: Path
) -> Path:
    """Write the page and its figure into the folder `target`, and return the path of the page."""
    picture = draw(cells)
    title = f"{plan.grid.title}: goodput, measured and simulated"
    return measured_pages.write(
        name,
        "measured.html.j2",
        {FIGURE: (picture, title)},
        target,
        grid=plan.grid,
        size=plan.size,
        looks=plan.looks,
        axes=list(cells[0].factors),
        cells=cells,
        others=[cell for cell in cells if cell.goodput.word != "equivalent"],
        counts=Counter(cell.goodput.word for cell in cells),
        calibration=calibration,
        doubts=list(calibration.doubts(FASTEST)),
        figure=picture.inline(name, title=title),
        settings=settings.line(),
    )


def draw(cells: Sequence[GridCell]) -> Picture:
    """Draw goodput over the second axis of a grid; the first axis selects the plot, the third axis the colour."""
    first, second, third = cells[0].factors
    plots, series = _levels(cells, first), _levels(cells, third)
    axis = Axis.of([cell.factors[second] for cell in cells])
    with styled():
        figure = Figure(figsize=(WIDTH, 0.4 * WIDTH), layout="constrained")
        subplots = figure.subplots(1, len(plots), sharey=True, squeeze=False)[0]
        for axes, plot in zip(subplots, plots, strict=True):
            for n, level in enumerate(series):
                chosen = [cell for cell in cells if (cell.factors[first], cell.factors[third]) == (plot, level)]
                draw_curves(axes, [_curve(chosen, axis, second, n, simulated) for simulated in (False, True)])
            axes.set_title(str(plot))
            if axis.words:
                axes.set_xticks(range(len(axis.words)), axis.words, rotation=15)
            axes.set_xlabel(f"{second} in {axis.unit}" if axis.unit else second)
        subplots[0].set_ylabel("goodput, Mbit/s")
        subplots[0].set_ylim(bottom=0.0)
        name_curves(figure, [f"{third} {level}" for level in series], ("measured", "simulated"), None)
    return Picture(figure)


def _levels(cells: Sequence[GridCell], factor: str) -> list[Any]:
    return list(dict.fromkeys(cell.factors[factor] for cell in cells))


def _curve(cells: Sequence[GridCell], axis: Axis, factor: str, series: int, simulated: bool) -> Curve:
    """Return the curve of measured or simulated goodput over some cells."""
    samples = [cell.goodput.simulations if simulated else cell.goodput.measurements for cell in cells]
    places = [axis.place(cell.factors[factor]) for cell in cells]
    return Curve(places, [np.array(sample) for sample in samples], series, dotted=simulated)


FIGURE = "goodput"
"""Name of the figure's files."""
