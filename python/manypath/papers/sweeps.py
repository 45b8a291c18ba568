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
class SweepPlot:
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


@dataclass(frozen=True)
class Controls:
    """The curves of each plot.

    Attributes
    ----------
    titles : mapping
        Levels of a factor, such as congestion controls, with their names in the legend: one colour each.
    flows : mapping
        One flow or two, with their names in the legend; the second one is dotted.
    factor : str
        The factor.
    """

    titles: Mapping[str, str]
    flows: Mapping[str, str]
    factor: str = "cc"


def draw_sweeps(
    evidence: Evidence,
    sweeps: Sequence[SweepPlot],
    controls: Mapping[str, str],
    flows: Mapping[str, str],
    marks: str = "",
) -> Picture:
    """Draw plots of the same runs side by side with one legend.

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
    return draw_beside([(sweep, evidence) for sweep in sweeps], Controls(controls, flows), marks)


def draw_beside(panels: Sequence[tuple[SweepPlot, Evidence]], controls: Controls, marks: str = "") -> Picture:
    """Draw plots side by side with one legend, each with its own runs.

    Plots of one experiment, such as its runs by several stacks, have the same vertical axis.
    """
    is_shared = len({sweep.experiment for sweep, _ in panels}) == 1
    with styled():
        drawing = Figure(figsize=(PAGE if len(panels) > 1 else 0.62 * PAGE, 2.9), layout="constrained")
        axes = drawing.subplots(1, len(panels), squeeze=False, sharey=is_shared)[0]
        for each, (sweep, evidence) in zip(axes, panels, strict=True):
            draw_curves(each, _curves(evidence, sweep, controls), sweep.marks)
            _name(each, sweep)
            if is_shared:
                each.label_outer()
        flows = list(controls.flows.values())
        kinds = {mark.printed for sweep, _ in panels for mark in sweep.marks}
        name_curves(
            drawing,
            list(controls.titles.values()),
            (flows[0], flows[1]) if len(flows) > 1 else None,
            marks if False in kinds else None,
            printed=True in kinds,
        )
    return Picture(drawing)


def _curves(evidence: Evidence, sweep: SweepPlot, controls: Controls) -> list[Curve]:
    """Return the curves of each flow at each level that was run."""
    levels = evidence.levels(sweep.experiment, sweep.factor)
    factor = controls.factor
    run = {case[factor] for case in evidence.cases() if case.experiment == sweep.experiment}
    return [
        Curve(
            levels,
            [evidence.goodput(sweep.experiment, flow, **{factor: name, sweep.factor: level}) for level in levels],
            series,
            dotted=number > 0,
        )
        for series, name in enumerate(controls.titles)
        if name in run
        for number, flow in enumerate(controls.flows)
    ]


def _name(axes: Axes, sweep: SweepPlot) -> None:
    axes.set_title(sweep.title, loc="left")
    axes.set_xlabel(sweep.words)
    axes.set_ylabel("payload rate in Mbit/s")
    axes.set_ylim(bottom=0.0)
    axes.xaxis.set_major_locator(MaxNLocator(steps=[1, 2, 5, 10], integer=True))
