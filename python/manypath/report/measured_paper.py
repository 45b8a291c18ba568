"""Writes the page of the report that compares simulations and measurements of a paper's experiments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

from manypath.figures import Picture
from manypath.papers.evidence import Case, Evidence, Runs
from manypath.papers.sweeps import SweepPlot, draw_beside
from manypath.report import measured_pages

if TYPE_CHECKING:
    from manypath.campaign import Results
    from manypath.settings import Settings
    from manypath.testbed.calibration import Calibration
    from manypath.testbed.paper_grid import PaperGrid
    from manypath.testbed.paper_plan import PaperPlan, PlannedPoint
    from manypath.testbed.verdict import Verdict


@dataclass(frozen=True)
class MeasuredFlow:
    """A flow of a case: its simulated goodput, and the goodput measured with each stack.

    Attributes
    ----------
    case : str
        The experiment and its factors.
    flow : str
        Title of the flow.
    simulated : Verdict
        The verdict of the first stack. Only its simulated goodput is shown, which is the same for all stacks.
    stacks : mapping
        The verdict of each stack.
    marks : mapping
        For each stack, the marks of its marked runs: reasons not to trust them.
    """

    case: str
    flow: str
    simulated: Verdict
    stacks: Mapping[str, Verdict]
    marks: Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Difference:
    """A flow of a case that is not shown to be equivalent: its verdict is ``different`` or ``open``.

    Attributes
    ----------
    point : PlannedPoint
        The case and the stack.
    flow : str
        Title of the flow.
    verdict : Verdict
        Measured and simulated goodput.
    measured, simulated : str
        Means of the measurements in `EXPLAINS` for each path.
    """

    point: PlannedPoint
    flow: str
    verdict: Verdict
    measured: str
    simulated: str


def check(grid: PaperGrid, name: str, target: Path) -> None:
    """Check before the measurements that the page and its figures can be written into the folder `target`.

    Raises
    ------
    UserError
        If a file cannot be written, or another program wrote a file of that name.
    """
    measured_pages.check(name, [sweep.experiment for sweep in grid.sweeps], target)


def write(
    name: str,
    plan: PaperPlan,
    points: Sequence[PlannedPoint],
    calibration: Calibration,
    settings: Settings,
    target: Path,
) -> Path:
    """Write the page and its figures into the folder `target`, and return the path of the page."""
    grid = plan.grid
    drawings = [(sweep, draw(plan, points, sweep)) for sweep in grid.sweeps]
    verdicts = {
        stack: Counter(each.word for point in points if point.stack == stack for each in point.goodput.values())
        for stack in plan.stacks
    }
    return measured_pages.write(
        name,
        "measured_paper.html.j2",
        {sweep.experiment: (picture, f"{sweep.title}: goodput, simulated and measured") for sweep, picture in drawings},
        target,
        grid=grid,
        size=plan.size,
        runs=plan.runs,
        stacks={stack: grid.stacks[stack] for stack in plan.stacks},
        counts=verdicts,
        rows=list(rows(plan, points)),
        differences=list(differences(plan, points)),
        figures=[
            (sweep.title, picture.inline(f"{name}-{sweep.experiment}", title=sweep.title))
            for sweep, picture in drawings
        ],
        calibration=calibration,
        doubts=list(calibration.doubts(grid.fastest)),
        settings=settings.line(),
    )


def draw(plan: PaperPlan, points: Sequence[PlannedPoint], sweep: SweepPlot) -> Picture:
    """Draw a plot of the paper: one panel for the simulations, and one panel for each stack."""
    first = [point for point in points if point.stack == plan.stacks[0]]
    panels = [("simulated", _evidence((point.case, point.simulated) for point in first))]
    for stack in plan.stacks:
        own = ((point.case, point.measured) for point in points if point.stack == stack)
        panels.append((plan.grid.stacks[stack], _evidence(own)))
    return draw_beside([(replace(sweep, title=title), evidence) for title, evidence in panels], plan.grid.curves)


def rows(plan: PaperPlan, points: Sequence[PlannedPoint]) -> Iterator[MeasuredFlow]:
    """Yield one row of the table for each flow of each case."""
    found: dict[Case, dict[str, PlannedPoint]] = {}
    for point in points:
        found.setdefault(point.case, {})[point.stack] = point
    for case, by_stack in found.items():
        for flow in plan.grid.flows:
            verdicts = {stack: point.goodput[flow] for stack, point in by_stack.items()}
            marks = {stack: point.marks for stack, point in by_stack.items()}
            words = plan.grid.curves.flows[flow]
            yield MeasuredFlow(str(case), words, next(iter(verdicts.values())), verdicts, marks)


def differences(plan: PaperPlan, points: Sequence[PlannedPoint]) -> Iterator[Difference]:
    """Yield the flows that are not shown to be equivalent, the largest deviation first."""
    found = [
        (point, flow, verdict)
        for point in points
        for flow, verdict in point.goodput.items()
        if verdict.word != "equivalent"
    ]
    for point, flow, verdict in sorted(found, key=lambda each: -abs(each[2].ratio - 1.0)):
        words = plan.grid.curves.flows[flow]
        yield Difference(point, words, verdict, _explained(point.measured, flow), _explained(point.simulated, flow))


def _explained(results: Results, flow: str) -> str:
    """Return the means of the measurements in `EXPLAINS` for each path of a flow as a text.

    Measurements that a stack does not report are left out.
    """
    paths = results.paths[results.paths["flow"] == flow]
    columns = [name for name in EXPLAINS if name in paths]
    means = paths.groupby("path", sort=False)[columns].mean()
    return "; ".join(
        f"{path}: " + ", ".join(EXPLAINS[name].format(row[name]) for name in columns if isfinite(row[name]))
        for path, row in means.iterrows()
    )


def _evidence(runs: Iterator[tuple[Case, Results]]) -> Evidence:
    return Evidence({case: Runs([outcome for _, outcome in results.outcomes]) for case, results in runs})


EXPLAINS = {
    "cwnd": "window {:.0f} B",
    "srtt": "RTT {:.3f} s",
    "fast_retransmissions": "{:.1f} fast retransmissions",
    "timeouts": "{:.1f} timeouts",
}
"""Measurements of a path that may explain its goodput, with their formats."""
