"""Printed numbers of papers are stored once; claims compare with them, and figures mark them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest
import world
from matplotlib.lines import Line2D

from manypath.figures import Picture
from manypath.figures.interactive import chart
from manypath.figures.style import COLOURS
from manypath.papers import registry
from manypath.papers.dreibholz import ALL, MPTCP, RPV2
from manypath.papers.dreibholz2010_asymmetric.printed import PRINTED as ASYMMETRIC
from manypath.papers.dreibholz2011_impact.printed import PEAKS, PRINTED, RPV2_CMT
from manypath.papers.evidence import Case
from manypath.papers.paper import Paper
from manypath.papers.printed import Printed


def diamonds(picture: Picture, plot: int) -> list[Line2D]:
    """Return the diamonds of a plot: single points, larger than points of curves."""
    return [line for line in picture.figure.axes[plot].lines if line.get_marker() == "D" and line.get_markersize() > 8]


def place(line: Line2D) -> tuple[float, float]:
    """Return the position of the only point of a line."""
    return float(np.asarray(line.get_xdata()).item()), float(np.asarray(line.get_ydata()).item())


def drawn(paper: Paper, number: int) -> Picture:
    """Return a figure of [D11] with made-up results."""
    figure = next(each for each in paper.figures if each.number == number)
    cases = [case for case in paper.experiments.cases(paper.quick) if case.experiment in figure.experiments]
    return figure.draw(world.evidence(cases, runs=2))


@pytest.mark.parametrize(
    ("paper", "numbers"), [("dreibholz2011_impact", PRINTED), ("dreibholz2010_asymmetric", ASYMMETRIC)]
)
def test_every_printed_rate_belongs_to_a_case(paper: str, numbers: Iterable[Printed]):
    known = registry()[paper]
    for precision in (known.quick, known.full):
        cases = set(known.experiments.cases(precision))
        assert [number for number in numbers if Case.of(number.experiment, **number.factors) not in cases] == []


def test_a_figure_marks_printed_values_in_the_colours_of_its_curves(impact: Paper):
    picture = drawn(impact, 4)
    left = {(line.get_color(), *place(line)) for line in diamonds(picture, 0)}
    rpv2, mptcp = COLOURS[ALL.index(RPV2)], COLOURS[ALL.index(MPTCP)]
    assert left == {(rpv2, 10.0, 7.0), (mptcp, 10.0, 9.0), (mptcp, 10.0, 5.0)}
    assert {place(line)[1] for line in diamonds(picture, 1)} == {7.0, 6.0}
    (legend,) = picture.figure.legends
    assert "printed in the paper" in [text.get_text() for text in legend.get_texts()]


def test_a_chart_names_printed_values(impact: Paper):
    names = [trace["name"] for trace in chart(drawn(impact, 4).figure)["data"]]
    assert "MPTCP-like, printed in the paper" in names
    assert "CMT/RPv2, printed in the paper" in names


def test_windows_are_marked_at_the_edge_of_their_plot(impact: Paper):
    picture = drawn(impact, 5)
    marked = [[place(line)[1] for line in diamonds(picture, plot)] for plot in range(len(ALL))]
    assert [sorted(each) for each in marked] == [[], sorted(PEAKS.values()), [], []]


def test_a_figure_without_printed_values_does_not_mention_them(impact: Paper):
    picture = drawn(impact, 3)
    assert diamonds(picture, 0) == []
    (legend,) = picture.figure.legends
    assert "printed in the paper" not in [text.get_text() for text in legend.get_texts()]


def test_a_claim_compares_with_the_number_that_the_figure_marks(impact: Paper):
    cases = [Case.of(RPV2_CMT.experiment, **RPV2_CMT.factors)]
    near = world.evidence(cases, runs=4)
    far = world.evidence(cases, runs=4, treat=lambda _, rates: {**rates, "north": 2.0 * rates["north"]})
    assert RPV2_CMT.check(near, what="CMT").holds
    assert RPV2_CMT.check(far, what="CMT").contradicted
