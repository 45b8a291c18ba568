"""Checks whether the quick window of a case measures the same rates as the window of full precision.

A window is *steady* if, for every flow, the mean goodput in it differs from the mean in the window of full precision,
in the same run, by less than a tolerance. Two one-sided t-tests over replications show it at 95 %
(`manypath.papers.verdict.within`). If both windows are equal, the halves of the window are compared instead.

MSER-5 cannot decide this: a run that ends before a change of regime looks steady to it, and it truncates flows whose
rate differs by much less than any claim notices. It is applied to the full run, and says where a regime begins.

The tolerance is 10 % of the mean goodput, as for a claim that says "about", or 1 % of the rate of all paths if that is
more. A smaller difference is not visible in a figure.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
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
class Rates:
    """Goodput of a flow in two parts of the runs, or of all flows with equal settings together.

    Attributes
    ----------
    flow : str
        Name of the flow, or of the first one of several.
    one, other : array
        Goodput in the window and in the full window, Mbit/s, one value for each replication. If both windows are equal,
        that in the halves of the window.
    tolerance : float
        Difference that is too large, Mbit/s.
    truncation : float or None
        Time that MSER-5 removes from the mean of the full runs, in seconds; None without an estimate.
    """

    flow: str
    one: Sample
    other: Sample
    tolerance: float
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
        The rates of its flows; the flow with the largest change in units of its tolerance is first.
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
        share the error of 5 %. A case with the window of full precision gets no further runs.
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
    groups = _groups(full)
    runs: list[NDArray[np.float64]] = []
    rates: list[Rates] = []
    steady: Steady = "not shown"
    for look in looks[:1] if window == whole else looks:
        end = max(window[1], whole[1])
        runs += [_series(full, end, replication, groups) for replication in range(len(runs), look.runs)]
        rates = _rates(full, groups, np.array(runs), end, _parts(window, whole))
        with at_level(look.level):
            steady = _decided(Hypotheses({each.flow: each.line for each in rates}), cases)
        if steady != "not shown":
            break
    ordered = tuple(sorted(rates, key=lambda each: -each.change))
    return CheckedWindow(case, window, whole, ordered, len(runs), steady)


def _decided(hypotheses: Hypotheses, cases: int) -> Steady:
    """Return the outcome of the tests of one of several cases (Bonferroni's inequality for `changes`)."""
    if not hypotheses.unshown():
        return "steady"
    return "changes" if cases * min(hypotheses.reverses().values()) < level() else "not shown"


def _window(scenario: Scenario) -> Window:
    return scenario.warmup, scenario.warmup + scenario.measure


def _parts(window: Window, full: Window) -> tuple[Window, Window]:
    """Return the windows to compare: the two, or the halves of one."""
    if window != full:
        return window, full
    middle = sum(window) // 2
    return (window[0], middle), (middle, window[1])


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
    scenario: Scenario, groups: dict[str, str], runs: NDArray[np.float64], end: int, parts: tuple[Window, Window]
) -> list[Rates]:
    """Return the rates of each group in two parts of the runs, an array of shape (runs, groups, SAMPLES)."""
    capacity = sum(map(scenario.network.bottleneck_rate, scenario.network.paths)) / 1e6
    every = end // SAMPLES
    found: list[Rates] = []
    for number, name in enumerate(dict.fromkeys(groups.values())):
        series = runs[:, number]
        one, other = (_mean_in(series, every, part) for part in parts)
        tolerance = max(ABOUT * float(other.mean()), VISIBLE * capacity)
        cut = mser5(series.mean(axis=0))
        truncation = None if cut is None else cut * every / 1e9
        found.append(Rates(name, one, other, tolerance, truncation))
    return found


def _mean_in(series: NDArray[np.float64], every: int, window: Window) -> Sample:
    """Return the mean of each run in a window. A sample that the window cuts counts in proportion."""
    times = every * np.arange(series.shape[1] + 1)
    sums = np.cumsum(np.pad(series, ((0, 0), (1, 0))), axis=1) * every
    until = np.array([np.interp(window, times, each) for each in sums])
    return (until[:, 1] - until[:, 0]) / (window[1] - window[0])


ABOUT = 0.1
"""Tolerance as a part of the mean goodput in the full window."""

VISIBLE = 0.01
"""Tolerance as a part of the rate of all paths."""

SAMPLES = 200
"""Samples of a run."""
