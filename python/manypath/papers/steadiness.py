"""Checks whether the window of a case measures one regime.

A quick window is *steady* if, for every flow, the mean goodput in it differs from the mean in the window of full
precision, in the same run, by less than a tolerance. Two one-sided t-tests over replications show it at 95 %
(`manypath.papers.verdict.within`). The window of full precision is steady if its halves do not differ by more.

The window of full precision *changes* if a flow has another rate in its first half than in the second, by more than the
papers call slight (`manypath.papers.words`), or in one of its quarters than in the rest, by more than AIMD alone can
cause: a slow sawtooth may fill several quarters. A run that only begins slowly inside its window differs by less.

MSER-5 cannot decide this: a run that ends before a change of regime looks steady to it, and it truncates flows whose
rate differs by much less than any claim notices. It is applied to the full run, and says where a regime begins.

The tolerance of a steady window is 10 % of the mean goodput, as for a claim that says "about". Each tolerance is at
least 1 % of the rate of all paths. A smaller difference is not visible in a figure.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import inf
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from manypath.arguments import whole
from manypath.campaign.executors.local import threads_of
from manypath.papers.evidence import Case, Sample
from manypath.papers.experiment import Precision
from manypath.papers.paper import Paper
from manypath.papers.runner import SEED
from manypath.papers.verdict import FEWEST, Hypotheses, Line, at_level, level, within
from manypath.papers.words import SLIGHT
from manypath.run import run
from manypath.scenario import Scenario
from manypath.stats import mser5
from manypath.stats.looks import Look, plan

Steady = Literal["steady", "changes", "not shown"]
"""`steady`: shown at 95 %. `changes`: a difference exceeds the tolerance, shown at 95 % for all cases that are checked
together. `not shown`: neither."""

Window = tuple[int, int]
"""Begin and end of a measurement window, in nanoseconds."""


@dataclass(frozen=True)
class Part:
    """A part of the runs whose rates are compared with those in another part.

    Attributes
    ----------
    name : str
        The part as a phrase: ``quick window``, ``first half``, ``second quarter``.
    one, other : tuple of tuple of int
        The times of both parts, in nanoseconds. The other part may have a gap.
    whole : tuple of int
        The time whose mean goodput the tolerances are relative to.
    changes, steady : float
        Difference that is too large, and difference below which the window is steady; infinite if the part does not
        decide about that.
    """

    name: str
    one: tuple[Window, ...]
    other: tuple[Window, ...]
    whole: Window
    changes: float
    steady: float = inf


@dataclass(frozen=True)
class Rates:
    """Goodput of a flow in two parts of the runs, or of all flows with equal settings together.

    Attributes
    ----------
    flow : str
        Name of the flow, or of the first one of several.
    part : str
        Name of the first part (`Part`).
    one, other : array
        Goodput in both parts, Mbit/s, one value for each replication.
    tolerance : float
        Difference that is too large, Mbit/s.
    steady : float
        Difference below which the window is steady, Mbit/s; infinite if the part does not decide about that.
    truncation : float or None
        Time that MSER-5 removes from the mean of the full runs, in seconds; None without an estimate.
    """

    flow: str
    part: str
    one: Sample
    other: Sample
    tolerance: float
    steady: float
    truncation: float | None

    @property
    def line(self) -> Line:
        """The tests of the difference against the tolerance."""
        return within(self.other - self.one, self.tolerance)

    @property
    def change(self) -> float:
        """The difference of the means, as a part of the tolerance."""
        return abs(float(self.other.mean() - self.one.mean())) / self.tolerance


@dataclass(frozen=True)
class CheckedWindow:
    """The check of the window of one case.

    Attributes
    ----------
    case : Case
        The case.
    window, full : tuple of int
        Its window with the checked precision and with full precision.
    rates : tuple of Rates
        The rates of its flows in the compared parts; the largest change in units of its tolerance is first.
    replications : int
        Number of runs.
    steady : Steady
        Whether the window is steady.
    """

    case: Case
    window: Window
    full: Window
    rates: tuple[Rates, ...]
    replications: int
    steady: Steady

    @property
    def same(self) -> bool:
        """Whether the window is that of full precision. Both precisions then measure the same, steady or not."""
        return self.window == self.full

    @property
    def truncation(self) -> float | None:
        """The largest truncation of a flow in seconds; None if no flow has an estimate."""
        return max((each.truncation for each in self.rates if each.truncation is not None), default=None)


def check_windows(
    paper: Paper,
    precision: Precision,
    cases: Iterable[Case],
    *,
    replications: int = 4,
    most: int = 64,
    workers: int | None = None,
) -> Iterator[CheckedWindow]:
    """Check the windows of cases, and iterate over the outcomes in the order of the cases.

    Parameters
    ----------
    paper, precision
        The paper, and the precision whose windows are checked.
    cases
        The cases.
    replications, most
        Number of runs of each case, and the largest number for a case that is not decided after fewer runs. The looks
        share the error of 5 %. A case with the window of full precision only gets further runs while the measured
        change is larger than the tolerance.
    workers
        Number of threads; one for each core if None.
    """
    whole("replications", replications, "number of runs", least=FEWEST)
    looks = plan(replications, max(replications, most))
    together = list(cases)
    with ThreadPoolExecutor(threads_of(workers)) as threads:
        yield from threads.map(lambda case: check_window(paper, precision, case, looks, len(together)), together)


def check_window(
    paper: Paper, precision: Precision, case: Case, looks: Sequence[Look], cases: int = 1
) -> CheckedWindow:
    """Check the window of one of several cases. Each look makes further runs until the case is decided."""
    full = paper.experiments.scenario(case, paper.full)
    window, whole = _window(paper.experiments.scenario(case, precision)), _window(full)
    same = window == whole
    parts = _parts_of(whole) if same else (Part("quick window", (window,), (whole,), whole, ABOUT, ABOUT),)
    groups = _groups(full)
    end = max(window[1], whole[1])
    runs: list[NDArray[np.float64]] = []
    rates: list[Rates] = []
    steady: Steady = "not shown"
    for look in looks:
        runs += [_series(full, end, replication, groups) for replication in range(len(runs), look.runs)]
        rates = _rates(full, groups, np.array(runs), end, parts)
        with at_level(look.level):
            steady = _decided(rates, cases)
        if steady != "not shown" or (same and max(each.change for each in rates) <= 1.0):
            break
    ordered = tuple(sorted(rates, key=lambda each: -each.change))
    return CheckedWindow(case, window, whole, ordered, len(runs), steady)


def _decided(rates: Sequence[Rates], cases: int) -> Steady:
    """Return the outcome of the tests of one of several cases (Bonferroni's inequality for `changes`)."""
    every = Hypotheses({(each.flow, each.part): each.line for each in rates})
    if cases * min(every.reverses().values()) < level():
        return "changes"
    deciding = [each for each in rates if each.steady < inf]
    near = Hypotheses({(each.flow, each.part): within(each.other - each.one, each.steady) for each in deciding})
    return "not shown" if near.unshown() else "steady"


def _window(scenario: Scenario) -> Window:
    return scenario.warmup, scenario.warmup + scenario.measure


def _parts_of(window: Window) -> tuple[Part, ...]:
    """Return the parts of a window to compare: its halves, and each quarter with the rest."""
    ends = [window[0] + (window[1] - window[0]) * number // 4 for number in range(5)]
    quarters = [(ends[number], ends[number + 1]) for number in range(4)]
    first, second = (ends[0], ends[2]), (ends[2], ends[4])
    return (
        Part("first half", (first,), (second,), window, SLIGHT, ABOUT),
        *(
            Part(f"{name} quarter", (own,), tuple(each for each in quarters if each != own), window, SAWTOOTH)
            for name, own in zip(("first", "second", "third", "last"), quarters, strict=True)
        ),
    )


def _groups(scenario: Scenario) -> dict[str, str]:
    """Return for each flow the first one with equal settings, if their names differ only by a number at the end.

    Such flows are interchangeable, except for their paths and starts. The rate of one of many is not steady, but claims
    are about all of them.
    """
    first: dict[tuple[str, str], str] = {}
    groups: dict[str, str] = {}
    for name, flow in scenario.flows.items():
        settings = flow.model_dump(mode="json", exclude={"path", "paths", "start"})
        groups[name] = first.setdefault((name.rstrip("-0123456789"), json.dumps(settings)), name)
    return groups


def _series(scenario: Scenario, end: int, replication: int, groups: dict[str, str]) -> NDArray[np.float64]:
    """Return the goodput of each group over time in one run, Mbit/s, as an array of shape (groups, SAMPLES)."""
    sampled = scenario.but(warmup="0 s", measure=f"{end} ns")
    paths = run(sampled, seed=SEED, replication=replication, series=f"{end // SAMPLES} ns").series["paths"]
    rates = paths.groupby([paths["flow"].map(groups), "time"])["goodput"].sum().unstack("time")
    # The first sample is at time zero, and has no interval before it.
    return rates.loc[list(dict.fromkeys(groups.values()))].to_numpy(dtype=np.float64)[:, 1 : SAMPLES + 1]


def _rates(
    scenario: Scenario, groups: dict[str, str], runs: NDArray[np.float64], end: int, parts: Sequence[Part]
) -> list[Rates]:
    """Return the rates of each group in parts of the runs, an array of shape (runs, groups, SAMPLES)."""
    capacity = sum(map(scenario.network.bottleneck_rate, scenario.network.paths)) / 1e6
    every = end // SAMPLES
    found: list[Rates] = []
    for number, name in enumerate(dict.fromkeys(groups.values())):
        series = runs[:, number]
        cut = mser5(series.mean(axis=0))
        truncation = None if cut is None else cut * every / 1e9
        for part in parts:
            one, other, whole = (_mean_in(series, every, each) for each in (part.one, part.other, (part.whole,)))
            mean, least = float(whole.mean()), VISIBLE * capacity
            steady = inf if part.steady == inf else max(part.steady * mean, least)
            found.append(Rates(name, part.name, one, other, max(part.changes * mean, least), steady, truncation))
    return found


def _mean_in(series: NDArray[np.float64], every: int, windows: Sequence[Window]) -> Sample:
    """Return the mean of each run in several windows. A sample that a window cuts counts in proportion."""
    times = every * np.arange(series.shape[1] + 1)
    sums = np.cumsum(np.pad(series, ((0, 0), (1, 0))), axis=1) * every
    until = np.array([np.interp(np.ravel(windows), times, each) for each in sums])
    return (until[:, 1::2] - until[:, ::2]).sum(axis=1) / sum(end - begin for begin, end in windows)


SAWTOOTH = 2.0 / 3.0
"""Largest difference between a quarter and the rest that AIMD causes, relative to the mean.

The rate of a flow whose window is halved and grows linearly lies between 2/3 and 4/3 of its mean.
"""

ABOUT = 0.1
"""Tolerance as a part of the mean goodput in the full window."""

VISIBLE = 0.01
"""Tolerance as a part of the rate of all paths."""

SAMPLES = 200
"""Samples of a run."""
