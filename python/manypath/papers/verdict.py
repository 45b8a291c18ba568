"""The four verdicts, and how intervals decide both ways: one number against its line, several numbers, several parts.

A hypothesis says that the mean of a quantity lies on one side of a line, or between two. It is *shown* if the one-sided
95 % interval of the mean lies on that side, *reversed* if the interval on the other side does, and undecided while
either reaches over the line.
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
from scipy import special

from manypath.papers.paired import holm, p_greater
from manypath.stats import equivalence
from manypath.stats.looks import SIGNIFICANCE

Verdict = Literal["holds", "contradicted", "undecided", "open"]
"""`holds`: shown at 95 %. `contradicted`: the opposite is shown at 95 %. `undecided`: an interval reaches over its
line, so that more runs decide. `open`: the paper withholds an input, so that no run decides."""

VERDICTS: tuple[Verdict, ...] = ("holds", "contradicted", "undecided", "open")
"""The verdicts in the order in which tables count them."""

POWER = 0.8
"""Probability with which the estimated number of runs decides."""

MOST_RUNS = 100_000
"""An estimate above this says that the effect is on the line: no number of runs decides."""

FEWEST = 2
"""Runs below which nothing is decided: a single run has no spread."""

_LEVEL = ContextVar("level", default=SIGNIFICANCE)


@contextmanager
def at_level(level: float) -> Iterator[None]:
    """Decide inside at another level than 5 %: that of one look of several (`manypath.papers.sequential`)."""
    token = _LEVEL.set(level)
    try:
        yield
    finally:
        _LEVEL.reset(token)


def level() -> float:
    """Return the largest p-value at which something counts as shown here."""
    return _LEVEL.get()


_SEVERITY: tuple[Verdict, ...] = ("holds", "open", "undecided", "contradicted")


def tally(verdicts: Iterable[Verdict]) -> str:
    """Count verdicts in words: `3 holds, 1 undecided`; empty for none."""
    found = list(verdicts)
    return ", ".join(f"{found.count(each)} {each}" for each in VERDICTS if each in found)


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the verdict on statements that must all hold.

    One that is contradicted contradicts the whole. `undecided` stands before `open`, because more runs can still
    contradict the undecided part and with it the whole; only when they cannot is the withheld input what remains.
    """
    return max(verdicts, key=_SEVERITY.index)


@dataclass(frozen=True)
class Line:
    """One mean against its line.

    Attributes
    ----------
    shown : float
        The p-value of the test that shows that the mean is on the side that the statement needs.
    reverse : float
        The p-value of the test that shows the opposite.
    distance : float
        How far the mean is on the needed side; negative on the other one. In the unit of the quantity.
    spread : float
        Standard deviation of the replications, in the same unit; NaN for a single run.
    runs : int
        Replications.
    """

    shown: float
    reverse: float
    distance: float
    spread: float
    runs: int

    def runs_to_decide(self, significance: float = SIGNIFICANCE) -> int | None:
        """Estimate how many runs decide with a probability of 80 %; None if no number does, or nothing tells.

        The size of a one-sided t-test for the effect and the spread that were measured, with Guenther's correction
        (Sample Size Formulas for Normal Theory T Tests, The American Statistician 35(4), 1981).
        """
        if not (self.spread > 0.0 and abs(self.distance) > 0.0):
            return None
        quantile = float(-special.ndtri(significance))
        effect = abs(self.distance) / self.spread
        runs = ((quantile + float(special.ndtri(POWER))) / effect) ** 2 + quantile**2 / 2.0
        return None if runs > MOST_RUNS else max(math.ceil(runs), self.runs + 1)


def beyond(gains: NDArray[np.float64]) -> Line:
    """Test that a mean is above zero, by a one-sided t-test, and that it is below, by another one."""
    mean, spread = _moments(gains)
    return Line(p_greater(gains), p_greater(-gains), mean, spread, len(gains))


def within(differences: NDArray[np.float64], margin: float) -> Line:
    """Test that a mean lies less than `margin` from zero, by two one-sided t-tests, and that it lies further off.

    The second test adds both tails: a mean beyond one end is rarely, but possibly, seen beyond the other one
    (J. L. Hodges and E. L. Lehmann, Testing the Approximate Validity of Statistical Hypotheses, Journal of the Royal
    Statistical Society B 16(2), 1954).
    """
    mean, spread = _moments(differences)
    runs, distance = len(differences), margin - abs(mean)
    if math.isnan(mean) or runs < FEWEST:
        return Line(1.0, 1.0, distance, spread, runs)
    if spread == 0.0:
        return Line(float(distance <= 0.0), float(distance >= 0.0), distance, spread, runs)
    shown = equivalence(differences, np.zeros(runs), margin).p_value
    error, freedom = spread / math.sqrt(runs), runs - 1
    tails = (special.stdtr(freedom, -(abs(mean) + side * margin) / error) for side in (-1.0, 1.0))
    return Line(shown, min(1.0, float(sum(tails))), distance, spread, runs)


def exact(distance: float) -> Line:
    """Decide by a number that was computed: no run has a part in it."""
    return Line(float(distance <= 0.0), float(distance >= 0.0), distance, 0.0, 0)


def _moments(sample: NDArray[np.float64]) -> tuple[float, float]:
    """Return the mean and the standard deviation, which is exactly 0 for equal runs and NaN for a single one."""
    if len(sample) < FEWEST:
        return float(sample.mean()), math.nan
    return float(sample.mean()), float(sample.std(ddof=1)) if np.ptp(sample) != 0.0 else 0.0


@dataclass(frozen=True)
class Outlook:
    """What more runs are expected to bring where a statement is undecided.

    Attributes
    ----------
    towards : str
        The verdict that the means point to.
    runs : int or None
        How many runs of each case decide, estimated from effect and spread; None if no number of runs does.
    """

    towards: Verdict
    runs: int | None

    def __str__(self) -> str:
        if self.runs is None:
            return "no number of runs decides it: what was measured is on the line"
        return f"about {self.runs:,} runs decide it"


@dataclass(frozen=True)
class Hypotheses:
    """What a statement says about means.

    Attributes
    ----------
    required : mapping
        By name, what must be shown. To show all of them at 95 % each test has 5 % (an intersection-union test: the
        statement is wrong if one of them is, and that one is shown by mistake in 5 % of cases at most).
    watched : mapping
        By name, what must not be reversed, without having to be shown.
    """

    required: Mapping[Hashable, Line]
    watched: Mapping[Hashable, Line] = field(default_factory=dict)

    @property
    def all(self) -> dict[Hashable, Line]:
        """Every hypothesis that contradicts the statement if it is reversed."""
        return {**self.required, **self.watched}

    def unshown(self) -> list[Hashable]:
        """Return the required ones that are not shown."""
        return [key for key, line in self.required.items() if not line.shown < level()]

    def reverses(self) -> dict[Hashable, float]:
        """Return the p-values of the opposites, corrected by Holm: *some* reversal has as many tries as hypotheses."""
        return holm({key: line.reverse for key, line in self.all.items()})

    def reversed(self) -> list[Hashable]:
        """Return those that are reversed."""
        return [key for key, p in self.reverses().items() if p < level()]

    def verdicts(self) -> dict[Hashable, Verdict]:
        """Return what each one says by itself; one that is only watched holds unless it is reversed."""
        against, unshown = self.reversed(), self.unshown()
        return {
            key: "contradicted" if key in against else "undecided" if key in unshown else "holds" for key in self.all
        }

    def verdict(self) -> Verdict:
        """`contradicted` if one is reversed, `holds` if all that are required are shown, else `undecided`."""
        return "contradicted" if self.reversed() else "undecided" if self.unshown() else "holds"

    def outlook(self, parts: int = 1) -> Outlook | None:
        """Estimate what decides first: that all required ones are shown, or that one is reversed.

        None where nothing can be said: after a single run, or where something was not measured in every run. `parts`
        is how many statements must hold together, over which Holm corrects, too.
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
