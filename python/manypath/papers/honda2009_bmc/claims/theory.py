"""Claims of chapters 2 to 4 that follow from formulas; each formula is compared with measured windows and rates."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from manypath.papers.check import Check, all_of
from manypath.papers.evidence import Evidence, Sample
from manypath.papers.honda2009_bmc.claims.register import claim
from manypath.papers.honda2009_bmc.measures import (
    curves,
    drop_of_the_sum,
    epoch,
    growth,
    peaks,
    rise,
    settled,
    share,
    steps,
)
from manypath.papers.honda2009_bmc.names import AIMD, BUNDLE, PACKET, value
from manypath.papers.predicates import near
from manypath.papers.traces import PathTrace, Trace, mean_or_nan

SAWTOOTH = "figure2.1"
WEIGHTS = ("1", "2/3", "1/2", "1/3", "1/5")
"""Weights of the measured sawtooths."""


@claim(
    "C-003-1",
    place="1, figure 1.2",
    kind="T",
    figure="1.2",
    suspects=("sack", "red-ns2", "fifo"),
    says="N subflows, each as aggressive as TCP, take N/(N + M) of a bottleneck that they share with M TCP flows.",
)
def subflows_take_their_number(results: Evidence) -> Check:
    """Compare the bundle's part of the bottleneck with N/(N + M)."""
    points: dict[str, Sample] = {}
    for subflows in results.levels("figure1.2", "subflows"):
        for rivals in results.levels("figure1.2", "rivals"):
            one = share(results, "figure1.2", BUNDLE, subflows=int(subflows), rivals=int(rivals))
            part = one / (one + rivals)
            points[f"{subflows:g} and {rivals:g}"] = part * (subflows + rivals) / subflows
    return near(points, 1.0, within=0.1, what="part of the bottleneck, divided by N/(N + M)", unit="", over="flows")


@claim(
    "C-003-2",
    place="2.1, equation 2.1",
    kind="T",
    says="Without losses, the windows of a bundle of N such subflows grow by the sum of 1/R packets per second.",
)
def a_bundle_grows_by_the_sum(results: Evidence) -> Check:
    """Compare the growth of three windows with equation 2.1, without recoveries."""
    return near(
        results.of_traces(_rise_of_the_bundle, "sawtooths"),
        1.0,
        within=0.1,
        what="growth of all windows, divided by the sum of 1/R",
        unit="",
    )


@claim(
    "C-003-3",
    place="2.1, equation 2.2",
    kind="T",
    says="One loss reduces the rate of the bundle only by half of the rate of the subflow with the loss.",
)
def a_loss_halves_one_subflow(results: Evidence) -> Check:
    """Compare the drop of the sum of all windows over their round-trip times with equation 2.2."""
    return near(
        results.of_traces(lambda trace: drop_of_the_sum(trace, BUNDLE), "sawtooths"),
        0.5,
        within=0.05,
        what="drop of the sum, as a part of the rate of the subflow",
        unit="",
    )


@claim(
    "C-003-4",
    place="2.2",
    kind="T",
    figure="2.1",
    says="The mean rate of AIMD(a, b) is (2 - b)·W/(2·RTT), where W is the window at the end of an epoch: 3W/4RTT for "
    "TCP.",
)
def mean_rate_of_a_sawtooth(results: Evidence) -> Check:
    """Compare the rate of sawtooths of several weights, all with b = 1/2, with 3/4 of a window per round trip."""
    return near(
        {weight: _of_path(results, _packets_per_peak, weight) for weight in WEIGHTS},
        0.75,
        within=0.075,
        what="rate times RTT over W",
        unit="",
        over="D",
    )


@claim(
    "C-003-5",
    place="3.1, equation 3.6",
    kind="T",
    says="AIMD(1/2, 4/5) gets 1/2 and AIMD(3/4, 8/13) gets 3/4 of the rate of AIMD(1, 1/2).",
)
def other_decrease_factors(results: Evidence) -> Check:
    """Compare the rates of three flows under the same independent losses."""
    tcp = results.goodput("given-loss", "tcp")
    targets = {"AIMD(1/2, 4/5)": 0.5, "AIMD(3/4, 8/13)": 0.75}
    flows = zip(targets, ("half", "three-quarters"), strict=True)
    return near(
        {name: results.goodput("given-loss", flow) / tcp / targets[name] for name, flow in flows},
        1.0,
        within=0.1,
        what="rate over that of AIMD(1, 1/2), divided by D",
        unit="",
    )


@claim(
    "C-003-6",
    place="3.1",
    kind="T",
    figure="2.1",
    says="Weights of 2/3 and 1/3 give AIMD(4/9, 1/2) and AIMD(1/9, 1/2).",
)
def weights_become_parameters(results: Evidence) -> Check:
    """Compare the growth per round-trip time with D², and the depth of reductions with 1/2."""
    grown = {weight: _of_path(results, growth, weight) / value(weight) ** 2 for weight in ("2/3", "1/3")}
    depths = {weight: _of_path(results, _depth, weight) for weight in ("2/3", "1/3")}
    return all_of(
        near(grown, 1.0, within=0.1, what="growth in packets per round-trip time, divided by D²", unit="", over="D"),
        near(depths, 0.5, within=0.05, what="decrease of a window on a loss, as a part of it", unit="", over="D"),
    )


@claim(
    "C-003-9",
    place="3.2, equation 3.8, figure 3.3",
    kind="T",
    figure="3.3",
    says="The manager lowers a weight D by (D - D²)·K: from 1/2 to 1/4 and from 4/5 to 16/25 with K = 1; the step is "
    "largest at 1/2.",
)
def a_step_of_the_manager(results: Evidence) -> Check:
    """Compare every step in the curves of the weights with equation 3.8."""
    points: dict[float, Sample] = {}
    for gain in results.levels("figure3.1-managed", "gain"):
        found = [list(steps(trace)) for trace in curves(results, "figure3.1-managed", gain=gain)]
        ratios = [np.mean([step / (before - before**2) for before, step in run]) for run in found if run]
        points[gain] = np.array(ratios or [np.nan], dtype=np.float64) / gain
    return near(points, 1.0, within=0.02, what="step of the lowered weight, divided by (D - D²)·K", unit="", over="= K")


@claim(
    "C-003-10",
    place="3.2",
    kind="T",
    figure="2.1",
    says="An epoch takes b·W/a + 1 round-trip times.",
)
def length_of_an_epoch(results: Evidence) -> Check:
    """Compare the time between reductions with the formula."""
    return near(
        {weight: _of_path(results, _epoch_of(value(weight)), weight) for weight in WEIGHTS},
        1.0,
        within=0.1,
        what="length of an epoch, divided by b·W/a + 1 RTTs",
        unit="",
        over="D",
    )


@claim(
    "C-003-16",
    place="4.2",
    kind="T",
    suspects=("sack", "red-ns2", "fifo", "rto-1s"),
    says="Weights with sum P give a bundle P times the rate of a TCP flow.",
)
def several_flowshares(results: Evidence) -> Check:
    """Compare the rate of BMC on four paths through one bottleneck with P times the mean of four TCP flows."""
    shares = [int(level) for level in results.levels("flowshares", "shares")]
    return near(
        {shares_: share(results, "flowshares", BUNDLE, shares=shares_) / shares_ for shares_ in shares},
        1.0,
        within=0.1,
        what="bundle over mean of TCP, divided by P",
        unit="",
        over="= P",
    )


def _of_path(results: Evidence, measure: Callable[[PathTrace], float], weight: str) -> Sample:
    """Return a measure of the only path of a sawtooth, in each replication."""
    return results.of_traces(lambda trace: measure(trace.paths[AIMD, "alone"]), SAWTOOTH, weight=weight)


def _rise_of_the_bundle(trace: Trace) -> float:
    paths = list(trace.paths.values())
    return sum(map(rise, paths)) / sum(1.0 / float(settled(path).srtt.mean()) for path in paths)


def _packets_per_peak(path: PathTrace) -> float:
    """Return the packets delivered per round-trip time over the window before a reduction."""
    found = settled(path)
    return float(found.goodput.mean() / 8.0 / PACKET * found.srtt.mean() / peaks(path).mean())


def _depth(path: PathTrace) -> float:
    return mean_or_nan(settled(path).fast_cut_depths())


def _epoch_of(weight: float) -> Callable[[PathTrace], float]:
    """Return the measure of an epoch as a multiple of the formula's value for a weight."""
    return lambda path: epoch(path) / (0.5 * float(peaks(path).mean()) / weight**2 + 1.0)
