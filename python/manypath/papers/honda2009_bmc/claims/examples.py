"""Claims about the worked examples of sections 3.2 and 4.1, run as scenarios, and about the manager's J and K."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from manypath.papers.check import Check, all_of
from manypath.papers.evidence import Evidence, Sample
from manypath.papers.honda2009_bmc.claims.register import claim
from manypath.papers.honda2009_bmc.measures import first_change, time_until, wandering
from manypath.papers.honda2009_bmc.names import AIMD, BUNDLE, PAYLOAD, RENO, TCP
from manypath.papers.honda2009_bmc.proportion import EIGHT, TEN
from manypath.papers.predicates import above, below, near, rises_with

LIMITED = ("wide-buffers", "wide-buffers, wide-own-links", "wide-own-links", "fifo")
POOLED = ("wide-buffers", "fifo", "sack")
IDEAL = (0.25, 0.42)
"""Weights of the slower link around 1/3 that one step of the smallest gain reaches and does not leave."""

RATES = {EIGHT: 8, TEN: 10}
"""Rates of the two bottlenecks of figure 4.1, Mbit/s."""

K = TypeVar("K")


@claim(
    "C-003-7",
    place="3.2, figure 3.1",
    kind="N",
    figure="3.2",
    suspects=LIMITED,
    says="With weights of 1/2 behind links of 4 and 12 Mbit/s the subflows get 4 and 8.67 of 30 Mbit/s, 12.67 "
    "together, less than the TCP flow beside them (17.33).",
)
def a_disjoint_link_holds_the_bundle_back(results: Evidence) -> Check:
    """Compare all three rates, and the bundle with the TCP flow."""
    rates = _limited(results, "1/2+1/2")
    return all_of(
        _as_on_the_wire(rates, {"subflow 1": 4.0, "subflow 2": 26.0 / 3.0, "TCP": 52.0 / 3.0}),
        below(rates["subflow 1"] + rates["subflow 2"], rates["TCP"], what="bundle, against TCP"),
    )


@claim(
    "C-003-8",
    place="3.2, figure 3.2",
    kind="N",
    figure="3.2",
    suspects=LIMITED,
    says="With weights of 1/4 and 3/4 they get 3.75 and 11.25 Mbit/s, together the 15 of the TCP flow.",
)
def other_weights_give_an_equal_share(results: Evidence) -> Check:
    """Compare all three rates."""
    return _as_on_the_wire(_limited(results, "1/4+3/4"), {"subflow 1": 3.75, "subflow 2": 11.25, "TCP": 15.0})


@claim(
    "C-003-11",
    place="3.2",
    kind="O",
    figure="4.1",
    suspects=("fifo",),
    says="Weights settle in proportion to J; a larger K settles faster and less steadily.",
)
def interval_and_gain(results: Evidence) -> Check:
    """Ask how long the weight of the slower link takes from 0.9 to about 1/3, and how much it varies later."""
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
    kind="N",
    figure="4.1",
    suspects=POOLED,
    says="On links of 8 and 10 Mbit/s with a TCP flow each, uncoupled subflows get 9 together and leave 4 and 5; an "
    "equal share of both links were 6 for each of the three.",
)
def uncoupled_subflows_take_half(results: Evidence) -> Check:
    """Compare all three rates, and their mean with 6 Mbit/s."""
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
    kind="N",
    figure="4.1",
    suspects=POOLED,
    says="With weights of 1/3 and 2/3 the subflows get 2 and 4 Mbit/s there, so that T_wr is 6 on both.",
)
def weights_that_pool(results: Evidence) -> Check:
    """Compare both rates, and both rates over their weights."""
    eight, ten = _pooled(results, "1/3+2/3")
    return all_of(
        _as_on_the_wire({8: eight, 10: ten}, {8: 2.0, 10: 4.0}, over="Mbit/s"),
        near({8: 3.0 * eight, 10: 1.5 * ten}, 6.0 * PAYLOAD, what="rate over weight", over="Mbit/s"),
    )


@claim(
    "C-003-14",
    place="4.1",
    kind="O",
    figure="4.1",
    suspects=POOLED,
    says="From weights of 1/2 the manager lowers the one on the slower link. (The thesis prints T_wr of 3/4 and 3/5, "
    "which are inverses; 16/3 and 20/3 are right, and say the same.)",
)
def the_manager_lowers_the_slower(results: Evidence) -> Check:
    """Ask for a first change that lowers the weight on 8 Mbit/s, and for the smaller T_wr there."""
    eight, ten = _pooled(results, "1/2+1/2")
    return all_of(
        below(2.0 * eight, 2.0 * ten, what="rate over weight, 8 against 10 Mbit/s"),
        _lowered_first(results, EIGHT, start="1:1"),
    )


@claim(
    "C-003-15",
    place="4.1",
    kind="N",
    figure="4.1",
    suspects=POOLED,
    says="With weights of 1/4 and 3/4 T_wr is 6.4 and 5.71 and the sum of the subflows 5.89 Mbit/s, so that the "
    "manager lowers the second weight.",
)
def the_manager_comes_back(results: Evidence) -> Check:
    """Compare rates over weights and the sum, and ask for a first change that lowers the weight on 10 Mbit/s."""
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
    """Compare payload rates with those that the thesis gives, which are rates on the wire in Mbit/s.

    Within 10 % of each: they follow from shares of the links, and the thesis prints them exactly.
    """
    return near(measured, {flow: rate * PAYLOAD for flow, rate in wire.items()}, what=what, over=over)


def _lowered_first(results: Evidence, path: str, start: str) -> Check:
    """Ask for a first change of the weights, from those of the start, that lowers the weight on a path."""
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
