"""The four verdicts, and the tests that decide them for one mean, several means and several parts.

A hypothesis states that the mean of a quantity lies on one side of a limit, or between two limits. It is *shown* if the
one-sided 95 % interval of the mean lies on that side. It is *reversed* if the opposite one-sided interval lies on the
other side. Otherwise it is undecided.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from manypath.papers.paired import holm, moments, p_sides
from manypath.stats import equivalence, student
from manypath.stats.looks import SIGNIFICANCE

Verdict = Literal["holds", "contradicted", "undecided", "open"]
"""`holds`: shown at 95 %. `contradicted`: the opposite is shown at 95 %. `undecided`: neither is shown, and further
runs may decide. `open`: a required input or case is missing, so no run decides."""

VERDICTS: tuple[Verdict, ...] = ("holds", "contradicted", "undecided", "open")
"""The verdicts in the order of tables."""

POWER = 0.8
"""Power of the test with the estimated number of runs."""

MOST_RUNS = 100_000
"""Largest estimate. Above it the effect counts as zero, and no number of runs decides."""

FEWEST = 2
"""Smallest number of runs that can decide. A single run has no spread."""

NOTHING_DECIDES = "no number of runs decides it: the measured mean is at the limit"
"""The outlook of a statement for which there is no estimate of the number of runs."""

_LEVEL = ContextVar("level", default=SIGNIFICANCE)


@contextmanager
def at_level(level: float) -> Iterator[None]:
    """Set the significance level inside the block to that of one of several looks (`manypath.papers.sequential`)."""
    token = _LEVEL.set(level)
    try:
        yield
    finally:
        _LEVEL.reset(token)


def level() -> float:
    """Return the current significance level."""
    return _LEVEL.get()


_SEVERITY: tuple[Verdict, ...] = ("holds", "open", "undecided", "contradicted")


def tally(verdicts: Iterable[Verdict]) -> str:
    """Return the counts of verdicts as text, such as `3 holds, 1 undecided`; empty without verdicts."""
    found = list(verdicts)
    return ", ".join(f"{found.count(each)} {each}" for each in VERDICTS if each in found)


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the verdict on statements that must all hold.

    One contradicted statement contradicts the whole. `undecided` has precedence over `open`, because further runs can
    contradict the undecided statement and thereby the whole.
    """
    return max(verdicts, key=_SEVERITY.index)


@dataclass(frozen=True)
class Line:
    """The tests of one mean against a limit.

    Attributes
    ----------
    shown : float
        P-value of the test that the mean is on the required side.
    reverse : float
        P-value of the test that the mean is on the other side.
    distance : float
        Distance of the mean from the limit, in the unit of the quantity; positive on the required side.
    spread : float
        Standard deviation of the replications, in the same unit; NaN for a single run.
    runs : int
        Number of replications; 0 for a computed number.
    """

    shown: float
    reverse: float
    distance: float
    spread: float
    runs: int

    def runs_to_decide(self, significance: float = SIGNIFICANCE) -> int | None:
        """Estimate the number of runs that decide with a probability of 80 %; None if there is no such number.

        This is the sample size of a one-sided t-test for the measured effect and spread, with Guenther's correction
        (Sample Size Formulas for Normal Theory T Tests, The American Statistician 35(4), 1981).
        """
        if not (self.spread > 0.0 and abs(self.distance) > 0.0):
            return None
        quantile = -student.normal_quantile(significance)
        effect = abs(self.distance) / self.spread
        runs = ((quantile + student.normal_quantile(POWER)) / effect) ** 2 + quantile**2 / 2.0
        return None if runs > MOST_RUNS else max(math.ceil(runs), self.runs + 1)


def beyond(gains: NDArray[np.float64]) -> Line:
    """Test that a mean is above zero, and that it is below zero, by two one-sided t-tests."""
    mean, spread = moments(gains)
    return Line(*p_sides(mean, spread, len(gains)), mean, spread, len(gains))


def within(differences: NDArray[np.float64], margin: float) -> Line:
    """Test that the absolute value of a mean is below `margin` (two one-sided t-tests), and that it is above.

    The p-value of the second test adds both tails, because the sample mean may lie beyond the opposite end
    (J. L. Hodges and E. L. Lehmann, Testing the Approximate Validity of Statistical Hypotheses, Journal of the Royal
    Statistical Society B 16(2), 1954).
    """
    mean, spread = moments(differences)
    runs, distance = len(differences), margin - abs(mean)
    if math.isnan(mean) or runs < FEWEST:
        return Line(1.0, 1.0, distance, spread, runs)
    if spread == 0.0:
        return Line(float(distance <= 0.0), float(distance >= 0.0), distance, spread, runs)
    shown = equivalence(differences, np.zeros(runs), margin).p_value
    error, freedom = spread / math.sqrt(runs), runs - 1
    tails = (student.below(freedom, -(abs(mean) + side * margin) / error) for side in (-1.0, 1.0))
    return Line(shown, min(1.0, float(sum(tails))), distance, spread, runs)


def exact(distance: float) -> Line:
    """Return the result for a computed number, which needs no runs; it holds if `distance` is positive."""
    return Line(float(distance <= 0.0), float(distance >= 0.0), distance, 0.0, 0)


@dataclass(frozen=True)
class Outlook:
    """The expected decision of an undecided statement after further runs.

    Attributes
    ----------
    towards : str
        The expected verdict.
    runs : int or None
        Number of runs of each case that decide, estimated from effect and spread; None if there is no such number.
    """

    towards: Verdict
    runs: int | None

    def __str__(self) -> str:
        if self.runs is None:
            return NOTHING_DECIDES
        return f"about {self.runs:,} runs decide it"


@dataclass(frozen=True)
class Hypotheses:
    """The hypotheses of a statement about means.

    Attributes
    ----------
    required : mapping
        Hypotheses that must be shown, by name. Each test has a level of 5 %, which gives all of them 5 % together (an
        intersection-union test).
    watched : mapping
        Hypotheses that must not be reversed and need not be shown, by name.
    """

    required: Mapping[Hashable, Line]
    watched: Mapping[Hashable, Line] = field(default_factory=dict)

    @property
    def all(self) -> dict[Hashable, Line]:
        """All hypotheses by name. The statement is contradicted if one of them is reversed."""
        return {**self.required, **self.watched}

    def unshown(self) -> list[Hashable]:
        """Return the names of required hypotheses that are not shown."""
        return [key for key, line in self.required.items() if not line.shown < level()]

    def reverses(self) -> dict[Hashable, float]:
        """Return the p-values of the reversals, with Holm's correction over all hypotheses."""
        return holm({key: line.reverse for key, line in self.all.items()})

    def reversed(self) -> list[Hashable]:
        """Return the names of reversed hypotheses."""
        return [key for key, p in self.reverses().items() if p < level()]

    def verdicts(self) -> dict[Hashable, Verdict]:
        """Return the verdict on each hypothesis. A watched one holds unless it is reversed."""
        against, unshown = self.reversed(), self.unshown()
        return {
            key: "contradicted" if key in against else "undecided" if key in unshown else "holds" for key in self.all
        }

    def verdict(self) -> Verdict:
        """Return `contradicted` if one is reversed, `holds` if all required ones are shown, else `undecided`."""
        return "contradicted" if self.reversed() else "undecided" if self.unshown() else "holds"

    def outlook(self, parts: int = 1) -> Outlook | None:
        """Estimate which decision is first: all required hypotheses are shown, or one is reversed.

        Returns None after a single run, or if a run lacks a value. `parts` is the number of statements that must hold
        together; it is part of Holm's correction.
        """
        lines = self.all
        if any(line.runs < FEWEST or math.isnan(line.distance) for line in lines.values()):
            return None
        strict = level() / (len(lines) * parts)
        against = [line.runs_to_decide(strict) for line in lines.values() if line.distance < 0.0]
        contradicts = min((runs for runs in against if runs is not None), default=None)
        missing = [self.required[key] for key in self.unshown()]
        holds = None
        if all(line.distance > 0.0 for line in missing):
            needed = [line.runs_to_decide(level()) for line in missing]
            holds = None if None in needed else max((runs for runs in needed if runs), default=None)
        if contradicts is not None and (holds is None or contradicts < holds):
            return Outlook("contradicted", contradicts)
        return Outlook("contradicted" if against and holds is None else "holds", holds)
