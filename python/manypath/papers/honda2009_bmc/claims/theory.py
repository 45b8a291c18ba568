"""Claims of chapters 2 to 4 that follow from formulas; each formula is compared with measured windows and rates."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from manypath.papers.check import Check, all_of
from manypath.papers.evidence import Evidence, Sample
from manypath.papers.history import READ_AGAIN, Revised
from manypath.papers.honda2009_bmc.claims.register import claim
from manypath.papers.honda2009_bmc.measures import (
    curves,
    drop_of_the_sum,
    epoch,
    growth,
    over_mean_tcp,
    peaks,
    rise,
    settled,
    steps,
)
from manypath.papers.honda2009_bmc.names import AIMD, BUNDLE, PACKET, value
from manypath.papers.honda2009_bmc.scenarios import DECREASES
from manypath.papers.predicates import near
from manypath.papers.traces import PathTrace, Trace, mean_or_nan

SAWTOOTH = "figure2.1"
"""Experiment with one weighted flow. The experiment "sawtooths" has a bundle of three subflows."""

WEIGHTS = ("1", "2/3", "1/2", "1/3", "1/5")
"""Weights D of the measured flows; the flow with weight D is AIMD(D², 1/2)."""


@claim(
    "C-003-1",
    place="1, figure 1.2",
    kind="theory",
    figure="1.2",
    suspects=("sack", "red-ns2", "fifo"),
    says="N subflows, each as aggressive as TCP, take N/(N + M) of a bottleneck that they share with M TCP flows.",
)
def subflows_take_a_share_by_their_number(results: Evidence) -> Check:
    """Compare the bundle's part of the bottleneck with N/(N + M)."""
    points: dict[str, Sample] = {}
    for subflows in results.levels("figure1.2", "subflows"):
        for rivals in results.levels("figure1.2", "rivals"):
            in_tcp_rates = over_mean_tcp(results, "figure1.2", BUNDLE, subflows=int(subflows), rivals=int(rivals))
            part = in_tcp_rates / (in_tcp_rates + rivals)
            points[f"{subflows:g} and {rivals:g}"] = part * (subflows + rivals) / subflows
    return near(points, 1.0, within=0.1, what="part of the bottleneck, divided by N/(N + M)", unit="", over="flows")


@claim(
    "C-003-2",
    place="2.1, equation 2.1",
    kind="theory",
    says="Without losses, the sum of the windows of N subflows, each as aggressive as TCP, grows by the sum of 1/R "
    "packets per second, where R is the round-trip time of a subflow.",
)
def a_bundle_grows_by_the_sum(results: Evidence) -> Check:
    """Compare the growth of three windows in congestion avoidance with equation 2.1."""
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
    kind="theory",
    says="One loss reduces the rate of the bundle only by half of the rate of the subflow with the loss.",
)
def a_loss_halves_one_subflow(results: Evidence) -> Check:
    """Compare the drop of the total rate, the sum of w/R over all subflows, with equation 2.2."""
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
    kind="theory",
    figure="2.1",
    says="The mean rate of AIMD(a, b) is (2 - b)·W/(2·RTT), where W is the window at the end of an epoch: 3W/4RTT for "
    "TCP.",
    history=(
        Revised(
            READ_AGAIN,
            "sawtooths of several weights with b = 1/2",
            "also with b = 4/5 and 8/13",
            "the equation has b; these are the other factors of section 3.1",
            "holds",
        ),
    ),
)
def mean_rate_of_a_sawtooth(results: Evidence) -> Check:
    """Compare the rate of sawtooths of several weights and decrease factors with the formula."""
    halved = {f"D = {weight}": _of_path(results, _packets_per_peak, weight) / 0.75 for weight in WEIGHTS}
    others = {
        f"b = {decrease}": results.of_traces(_packets_per_peak_alone, "sawtooth-decrease", decrease=decrease)
        / (1.0 - value(decrease) / 2.0)
        for decrease in DECREASES
    }
    what = "rate times RTT over W, divided by (2 - b)/2"
    return near({**halved, **others}, 1.0, what=what, unit="")


@claim(
    "C-003-5",
    place="3.1, equation 3.6",
    kind="theory",
    says="AIMD(1/2, 4/5) gets 1/2 and AIMD(3/4, 8/13) gets 3/4 of the rate of AIMD(1, 1/2).",
)
def other_decrease_factors(results: Evidence) -> Check:
    """Compare the rates of three flows under the same independent losses."""
    tcp = results.goodput("given-loss", "tcp")
    targets = {"AIMD(1/2, 4/5)": 0.5, "AIMD(3/4, 8/13)": 0.75}
    flows = zip(targets, ("4-5", "8-13"), strict=True)
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
    kind="theory",
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
    kind="theory",
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
    kind="theory",
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
    kind="theory",
    suspects=("sack", "red-ns2", "fifo", "rto-1s"),
    says="Weights with sum P give a bundle P times the rate of a TCP flow.",
)
def the_sum_of_weights_is_the_number_of_tcp_rates(results: Evidence) -> Check:
    """Compare the rate of BMC on four paths through one bottleneck with P times the mean of four TCP flows."""
    totals = [int(level) for level in results.levels("flowshares", "shares")]
    return near(
        {total: over_mean_tcp(results, "flowshares", BUNDLE, shares=total) / total for total in totals},
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
    """Return the growth of all windows, packets per second, divided by the sum of 1/R."""
    paths = list(trace.paths.values())
    return sum(map(rise, paths)) / sum(1.0 / float(settled(path).srtt.mean()) for path in paths)


def _packets_per_peak_alone(trace: Trace) -> float:
    """Return this for the only path of a sawtooth."""
    return _packets_per_peak(trace.paths[AIMD, "alone"])


def _packets_per_peak(path: PathTrace) -> float:
    """Return the packets delivered in one round-trip time, divided by the window before a reduction."""
    found = settled(path)
    return float(found.goodput.mean() / 8.0 / PACKET * found.srtt.mean() / peaks(path).mean())


def _depth(path: PathTrace) -> float:
    """Return the mean relative reduction of the window at a fast retransmission."""
    return mean_or_nan(settled(path).fast_cut_depths())


def _epoch_of(weight: float) -> Callable[[PathTrace], float]:
    """Return a function that measures an epoch as a multiple of b·W/a + 1, with a = D² and b = 1/2."""
    return lambda path: epoch(path) / (0.5 * float(peaks(path).mean()) / weight**2 + 1.0)
