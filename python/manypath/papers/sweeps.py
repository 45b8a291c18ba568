"""Figures of the rates of two flows over a sweep: one colour for each congestion control, the second flow dotted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from manypath.figures import PAGE, Curve, Mark, Picture, draw_curves, name_curves, styled
from manypath.papers.evidence import Evidence


@dataclass(frozen=True)
class Sweep:
    """One plot.

    Attributes
    ----------
    experiment, factor : str
        The experiment, and the factor along the axis.
    title, words : str
        Title of the plot, and label of the axis.
    marks : sequence of Mark
        Points of another simulator, and numbers printed in the paper.
    """

    experiment: str
    factor: str
    title: str
    words: str
    marks: Sequence[Mark] = ()


def draw_sweeps(
    evidence: Evidence, sweeps: Sequence[Sweep], controls: Mapping[str, str], flows: Mapping[str, str], marks: str = ""
) -> Picture:
    """Draw plots side by side with one legend.

    Parameters
    ----------
    evidence
        The runs.
    sweeps
        The plots.
    controls, flows
        Labels of the congestion controls and of both flows, by name; the second flow is dotted.
    marks
        Label of the points of another simulator.
    """
    with styled():
        drawing = Figure(figsize=(PAGE if len(sweeps) > 1 else 0.62 * PAGE, 2.9), layout="constrained")
        axes = drawing.subplots(1, len(sweeps), squeeze=False)[0]
        for each, sweep in zip(axes, sweeps, strict=True):
            draw_curves(each, _curves(evidence, sweep, list(controls), list(flows)), sweep.marks)
            _name(each, sweep)
        first, second = flows.values()
        kinds = {mark.printed for sweep in sweeps for mark in sweep.marks}
        name_curves(
            drawing, list(controls.values()), (first, second), marks if False in kinds else None, printed=True in kinds
        )
    return Picture(drawing)


def _curves(evidence: Evidence, sweep: Sweep, controls: list[str], flows: list[str]) -> list[Curve]:
    """Return the curves of both flows under each control."""
    levels = evidence.levels(sweep.experiment, sweep.factor)
    return [
        Curve(
            levels,
            [evidence.goodput(sweep.experiment, flow, **{"cc": cc, sweep.factor: level}) for level in levels],
            series,
            dotted=number > 0,
        )
        for series, cc in enumerate(controls)
        for number, flow in enumerate(flows)
    ]


def _name(axes: Axes, sweep: Sweep) -> None:
    axes.set_title(sweep.title, loc="left")
    axes.set_xlabel(sweep.words)
    axes.set_ylabel("payload rate in Mbit/s")
    axes.set_ylim(bottom=0.0)
    axes.xaxis.set_major_locator(MaxNLocator(steps=[1, 2, 5, 10], integer=True))
