"""Claims about the examples of sections 3.2 and 4.1, run as scenarios, and about the manager's J and K."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from manypath.papers.check import Check, all_of
from manypath.papers.evidence import Evidence, Sample
from manypath.papers.honda2009_bmc.claims.register import claim
from manypath.papers.honda2009_bmc.measures import first_change, time_until, wandering
from manypath.papers.honda2009_bmc.names import AIMD, BUNDLE, IDEAL, PAYLOAD, RENO, TCP
from manypath.papers.honda2009_bmc.proportion import EIGHT, TEN
from manypath.papers.predicates import above, below, near, rises_with

LIMITED = ("wide-buffers", "wide-buffers, wide-own-links", "wide-own-links", "fifo")
POOLED = ("wide-buffers", "fifo", "sack")
RATES = {EIGHT: 8, TEN: 10}
"""Rates of the two bottlenecks of figure 4.1, Mbit/s."""

K = TypeVar("K")


@claim(
    "C-003-7",
    place="3.2, figure 3.1",
    kind="number",
    figure="3.2",
    suspects=LIMITED,
    says="With weights of 1/2 on links of 4 and 12 Mbit/s, the subflows get 4 and 8.67 of 30 Mbit/s, together 12.67, "
    "less than the competing TCP flow (17.33).",
)
def a_disjoint_link_holds_the_bundle_back(results: Evidence) -> Check:
    """Compare all three rates with the example, and the bundle with the TCP flow."""
    rates = _limited(results, "1/2+1/2")
    return all_of(
        _as_on_the_wire(rates, {"subflow 1": 4.0, "subflow 2": 26.0 / 3.0, "TCP": 52.0 / 3.0}),
        below(rates["subflow 1"] + rates["subflow 2"], rates["TCP"], what="bundle, against TCP"),
    )


@claim(
    "C-003-8",
    place="3.2, figure 3.2",
    kind="number",
    figure="3.2",
    suspects=LIMITED,
    says="With weights of 1/4 and 3/4 the subflows get 3.75 and 11.25 Mbit/s, together 15, as much as the TCP flow.",
)
def other_weights_give_an_equal_share(results: Evidence) -> Check:
    """Compare all three rates with the example."""
    return _as_on_the_wire(_limited(results, "1/4+3/4"), {"subflow 1": 3.75, "subflow 2": 11.25, "TCP": 15.0})


@claim(
    "C-003-11",
    place="3.2",
    kind="ordering",
    figure="4.1",
    suspects=("fifo",),
    says="The time until weights settle is in proportion to J; with a larger K they settle faster, but are less "
    "stable.",
)
def interval_and_gain(results: Evidence) -> Check:
    """Measure the time from a weight of 0.9 to about 1/3 on the slower link, and its later deviation."""
    intervals = results.levels("figure4.1-managed", "interval")
    gains = results.levels("figure4.1-managed", "gain")
    times = {interval: _until(results, interval, gains[0]) for interval in intervals}
    per_interval = {interval: sample / interval for interval, sample in times.items()}
    mean = np.mean(list(per_interval.values()), axis=0)
    middle = intervals[len(intervals) // 2]
    return all_of(
        rises_with(times, what="time to settle", unit="s", over="s of J"),
        near(
            {interval: sample / mean for interval, sample in per_interval.items()},
            1.0,
            within=0.25,
            what="time to settle over J, divided by its mean",
            unit="",
            over="s of J",
        ),
        rises_with(
            {gain: _until(results, middle, gain) for gain in gains},
            falls=True,
            what="time to settle",
            unit="s",
            over="of K",
        ),
        rises_with(
            {gain: _wandering(results, middle, gain) for gain in gains},
            what="deviation of the weight over time",
            unit="",
            over="of K",
        ),
    )


@claim(
    "C-003-12",
    place="4.1, figure 4.1",
    kind="number",
    figure="4.1",
    suspects=POOLED,
    says="On links of 8 and 10 Mbit/s with a TCP flow each, uncoupled subflows get 9 together and leave 4 and 5; an "
    "equal share of both links would be 6 for each of the three.",
)
def uncoupled_subflows_take_half(results: Evidence) -> Check:
    """Compare all three rates with the example, and their mean with 6 Mbit/s."""
    bundle = results.goodput("figure4.1", BUNDLE, cc=RENO)
    eight, ten = (results.goodput("figure4.1", f"{TCP}-{path}", cc=RENO) for path in (EIGHT, TEN))
    return all_of(
        _as_on_the_wire(
            {"TCP on 8": eight, "bundle": bundle, "TCP on 10": ten}, {"TCP on 8": 4.0, "bundle": 9.0, "TCP on 10": 5.0}
        ),
        near((eight + bundle + ten) / 3.0, 6.0 * PAYLOAD, what="mean of the three"),
    )


@claim(
    "C-003-13",
    place="4.1",
    kind="number",
    figure="4.1",
    suspects=POOLED,
    says="On links of 8 and 10 Mbit/s with a TCP flow each, subflows with weights of 1/3 and 2/3 get 2 and 4 Mbit/s, "
    "so T_wr is 6 on both.",
)
def weights_that_pool(results: Evidence) -> Check:
    """Compare both rates, and both rates over their weights, with the example."""
    eight, ten = _pooled(results, "1/3+2/3")
    return all_of(
        _as_on_the_wire({8: eight, 10: ten}, {8: 2.0, 10: 4.0}, over="Mbit/s"),
        near({8: 3.0 * eight, 10: 1.5 * ten}, 6.0 * PAYLOAD, what="rate over weight", over="Mbit/s"),
    )


@claim(
    "C-003-14",
    place="4.1",
    kind="ordering",
    figure="4.1",
    suspects=POOLED,
    says="From weights of 1/2, the manager lowers the weight on the slower link. (The thesis prints T_wr of 3/4 and "
    "3/5, which are inverses; the correct 16/3 and 20/3 give the same decision.)",
)
def the_manager_lowers_the_slower(results: Evidence) -> Check:
    """Require the smaller T_wr on 8 Mbit/s, and a first change that lowers the weight there."""
    eight, ten = _pooled(results, "1/2+1/2")
    return all_of(
        below(2.0 * eight, 2.0 * ten, what="rate over weight, 8 against 10 Mbit/s"),
        _lowered_first(results, EIGHT, start="1:1"),
    )


@claim(
    "C-003-15",
    place="4.1",
    kind="number",
    figure="4.1",
    suspects=POOLED,
    says="With weights of 1/4 and 3/4, T_wr is 6.4 and 5.71 and the sum of the subflows 5.89 Mbit/s, so the manager "
    "lowers the second weight.",
)
def the_manager_lowers_the_faster(results: Evidence) -> Check:
    """Compare rates over weights and the sum, and require a first change that lowers the weight on 10 Mbit/s."""
    eight, ten = _pooled(results, "1/4+3/4")
    return all_of(
        _as_on_the_wire(
            {8: 4.0 * eight, 10: 4.0 / 3.0 * ten}, {8: 6.4, 10: 40.0 / 7.0}, what="rate over weight", over="Mbit/s"
        ),
        near(eight + ten, (1.6 + 30.0 / 7.0) * PAYLOAD, what="sum of the subflows"),
        above(4.0 * eight, 4.0 / 3.0 * ten, what="rate over weight, 8 against 10 Mbit/s"),
        _lowered_first(results, TEN, start="1:3"),
    )


def _as_on_the_wire(
    measured: dict[K, Sample], wire: dict[K, float], *, what: str = "payload rate", over: str = ""
) -> Check:
    """Compare payload rates with the thesis's rates, which are rates on the wire in Mbit/s.

    The tolerance is 10 % of each: the thesis computes the rates exactly, as shares of the links.
    """
    return near(measured, {flow: rate * PAYLOAD for flow, rate in wire.items()}, what=what, over=over)


def _lowered_first(results: Evidence, path: str, start: str) -> Check:
    """Require a first change that lowers the weight on a path."""
    return below(
        results.of_traces(lambda trace: first_change(trace, path), "figure4.1-first", start=start),
        0.0,
        what=f"first change of the weight on {RATES[path]} Mbit/s",
        unit="",
    )


def _limited(results: Evidence, weights: str) -> dict[str, Sample]:
    """Return the rates of both weighted flows and of the TCP flow of figure 3.1, Mbit/s."""
    flows = {"subflow 1": f"{AIMD}1", "subflow 2": f"{AIMD}2", "TCP": f"{TCP}1"}
    return {name: results.goodput("figure3.1", flow, weights=weights) for name, flow in flows.items()}


def _pooled(results: Evidence, weights: str) -> tuple[Sample, Sample]:
    """Return the rates of both weighted flows of figure 4.1, Mbit/s."""
    eight, ten = (results.goodput("figure4.1-weights", f"{AIMD}-{path}", weights=weights) for path in (EIGHT, TEN))
    return eight, ten


def _until(results: Evidence, interval: float, gain: float) -> Sample:
    return results.of_traces(
        lambda trace: time_until(trace, EIGHT, *IDEAL), "figure4.1-managed", interval=interval, gain=gain
    )


def _wandering(results: Evidence, interval: float, gain: float) -> Sample:
    return results.of_traces(lambda trace: wandering(trace, EIGHT), "figure4.1-managed", interval=interval, gain=gain)
