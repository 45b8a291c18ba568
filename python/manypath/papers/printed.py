"""Numbers that a paper prints: claims compare with them, and figures mark them."""

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
    """A payload rate that a paper prints for one flow at one point of an experiment.

    Attributes
    ----------
    place : str
        Where the paper prints it.
    value : float
        The rate, Mbit/s of payload.
    experiment : str
        The experiment that runs this point here.
    flow : str
        Name of the flow.
    factors : mapping
        The point.
    """

    place: str
    value: float
    experiment: str
    flow: str
    factors: Mapping[str, Level]

    def check(self, results: Evidence, *, what: str) -> Check:
        """Compare the flow with the number, within what `about` allows."""
        return near(results.goodput(self.experiment, self.flow, **self.factors), self.value, what=what)


def marks_of(
    numbers: Iterable[Printed], experiment: str, factor: str, by: str, series: Sequence[Level], scale: float = 1.0
) -> list[Mark]:
    """Return the marks of the numbers that belong to a plot.

    Parameters
    ----------
    numbers
        The numbers that a paper prints.
    experiment, factor
        What the plot shows, and the factor along its axis.
    by
        The factor that chooses the colour.
    series
        Its levels in the order of the colours.
    scale
        By what a level is multiplied on the axis.
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
