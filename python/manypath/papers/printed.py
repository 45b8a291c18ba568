"""Numbers printed in a paper, for claims and for marks in figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from manypath.papers.check import Check
from manypath.papers.evidence import Evidence, Level
from manypath.papers.predicates import near

if TYPE_CHECKING:
    from manypath.figures import Mark


@dataclass(frozen=True)
class Printed:
    """The payload rate of one flow at one point of an experiment, as printed in a paper.

    Attributes
    ----------
    place : str
        Place in the paper.
    value : float
        The rate, Mbit/s of payload.
    experiment : str
        Name of our experiment.
    flow : str
        Name of the flow.
    factors : mapping
        Levels of the factors at the point.
    """

    place: str
    value: float
    experiment: str
    flow: str
    factors: Mapping[str, Level]

    def check(self, results: Evidence, *, what: str) -> Check:
        """Compare the measured rate of the flow with the printed one, with the tolerance of `about`."""
        return near(results.goodput(self.experiment, self.flow, **self.factors), self.value, what=what)


def marks_of(
    numbers: Iterable[Printed], experiment: str, factor: str, by: str, series: Sequence[Level], scale: float = 1.0
) -> list[Mark]:
    """Return the marks of the printed numbers of a plot.

    Parameters
    ----------
    numbers
        The numbers printed in the paper.
    experiment, factor
        The experiment of the plot, and the factor along its axis.
    by
        The factor that chooses the colour.
    series
        Levels of `by` in the order of the colours.
    scale
        Factor from a level to its position on the axis.
    """
    from manypath.figures import Mark

    return [
        Mark(
            scale * float(number.factors[factor]),
            number.value,
            number.value,
            number.value,
            series.index(number.factors[by]),
            printed=True,
        )
        for number in numbers
        if number.experiment == experiment
    ]
