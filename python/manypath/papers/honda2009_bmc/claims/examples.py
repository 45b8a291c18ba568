"""Claims about the examples of sections 3.2 and 4.1, run as scenarios, and about the manager's J and K."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

import numpy as np

from manypath.papers.check import Check, all_of
from manypath.papers.evidence import Evidence, Sample
from manypath.papers.history import READ_AGAIN, Added, Revised
from manypath.papers.honda2009_bmc.claims.register import FIXED_WEIGHTS, claim
from manypath.papers.honda2009_bmc.measures import first_change, time_until, wandering
from manypath.papers.honda2009_bmc.names import AIMD, BMC, BUNDLE, IDEAL, PAYLOAD, RENO, TCP
from manypath.papers.honda2009_bmc.proportion import EIGHT, TEN
from manypath.papers.predicates import above, below, near, rises_with

LIMITED = ("wide-buffers", "wide-buffers, wide-own-links", "wide-own-links", "fifo")
POOLED = ("wide-buffers", "fifo", "sack")
RATES = {EIGHT: 8, TEN: 10}
"""Rates of the two bottlenecks of figure 4.1, Mbit/s."""

K = TypeVar("K")


def shares_of(before: str, why: str) -> Revised:
    """Return the common change of the examples: shares of what the links carry in place of absolute rates."""
    return Revised(
        READ_AGAIN,
        before,
        "shares of what the links carry",
        f"the thesis computes shares of full links and states no queue; {why}",
        "contradicted",
    )


@claim(
    "C-003-7",
    place="3.2, figure 3.1",
    kind="number",
    figure="3.2",
    suspects=LIMITED,
    says="With weights of 1/2 behind links of 4 and 12 Mbit/s, subflow 1 gets its whole link and subflow 2 a third of "
    "what that leaves of the shared link (8.67 of 26 Mbit/s), together less than the TCP flow (17.33).",
    history=(shares_of("three rates within 10 % of 4, 8.67 and 17.33 Mbit/s", "the second is ((30 - 4)/3) × 1"),),
)
def a_disjoint_link_holds_the_bundle_back(results: Evidence) -> Check:
    """Compare subflow 1 with its link, the others with their parts of the rest, and the bundle with the TCP flow."""
    rates = _limited(results, "1/2+1/2")
    rest = {name: rates[name] for name in ("subflow 2", "TCP")}
    return all_of(
        near(rates["subflow 1"], 4.0 * PAYLOAD, what="subflow 1"),
        _shared(rest, {"subflow 2": 1 / 3, "TCP": 2 / 3}, what="part of what subflow 1 leaves"),
        below(rates["subflow 1"] + rates["subflow 2"], rates["TCP"], what="bundle, against TCP"),
    )


@claim(
    "C-003-8",
    place="3.2, figure 3.2",
    kind="number",
    figure="3.2",
    suspects=LIMITED,
    says="With weights of 1/4 and 3/4 the subflows get one and three eighths of the shared link (3.75 and 11.25 of 30 "
    "Mbit/s), together as much as the TCP flow.",
    history=(shares_of("three rates within 10 % of 3.75, 11.25 and 15 Mbit/s", "they are (30/8) × 1 and (30/8) × 3"),),
)
def other_weights_give_an_equal_share(results: Evidence) -> Check:
    """Compare the parts of all three flows with the example."""
    return _shared(_limited(results, "1/4+3/4"), {"subflow 1": 1 / 8, "subflow 2": 3 / 8, "TCP": 1 / 2})


@claim(
    "C-003-11",
    place="3.2",
    kind="ordering",
    figure="4.1",
    suspects=("fifo",),
    says="The time until weights settle is in proportion to J; with a larger K they settle faster, but are less "
    "stable.",
    history=(
        Revised(
            READ_AGAIN,
            "J of 5, 10 and 20 s",
            "J of 20, 40 and 80 s",
            "section 3.2 demands at least one epoch of every subflow in J, and one of a weight of 1/10 on 10 Mbit/s "
            "takes about 12 s",
            "contradicted",
        ),
        Revised(
            READ_AGAIN,
            "times over J that differ by at most 25 %",
            "by at most 10 %",
            "the text says in proportion, and that twice J takes twice as long",
            "undecided",
        ),
    ),
)
def interval_and_gain(results: Evidence) -> Check:
    """Measure the time from a weight of 0.9 to about 1/3 on the slower link, and its later deviation.

    J is compared at the largest K, and K at the smallest J, so that every run settles in its first half.
    """
    intervals = results.levels("figure4.1-managed", "interval")
    gains = results.levels("figure4.1-managed", "gain")
    times = {interval: _until(results, interval, gains[-1]) for interval in intervals}
    per_interval = {interval: sample / interval for interval, sample in times.items()}
    mean = np.mean(list(per_interval.values()), axis=0)
    return all_of(
        rises_with(times, what="time to settle", unit="s", over="s of J"),
        near(
            {interval: sample / mean for interval, sample in per_interval.items()},
            1.0,
            what="time to settle over J, divided by its mean",
            unit="",
            over="s of J",
        ),
        rises_with(
            {gain: _until(results, intervals[0], gain) for gain in gains},
            falls=True,
            what="time to settle",
            unit="s",
            over="of K",
        ),
        rises_with(
            {gain: _wandering(results, intervals[0], gain) for gain in gains},
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
    says="On links of 8 and 10 Mbit/s with a TCP flow each, uncoupled subflows get half of both links (9 Mbit/s) and "
    "leave 4 and 5, where an equal share would be a third (6) for each of the three.",
    history=(shares_of("three rates within 10 % of 4, 9 and 5 Mbit/s, their mean of 6", "the mean is arithmetic"),),
)
def uncoupled_subflows_take_half(results: Evidence) -> Check:
    """Compare the parts of all three with the example, and the bundle with each TCP flow."""
    eight, ten = (results.goodput("figure4.1", f"{TCP}-{path}", cc=RENO) for path in (EIGHT, TEN))
    rates = {"TCP on 8": eight, "bundle": results.goodput("figure4.1", BUNDLE, cc=RENO), "TCP on 10": ten}
    rivals = {8: eight, 10: ten}
    return all_of(
        _shared(rates, {"TCP on 8": 4 / 18, "bundle": 9 / 18, "TCP on 10": 5 / 18}),
        above(dict.fromkeys(rivals, rates["bundle"]), rivals, what="bundle, against TCP", over="Mbit/s"),
    )


@claim(
    "C-003-13",
    place="4.1",
    kind="number",
    figure="4.1",
    suspects=POOLED,
    fact=FIXED_WEIGHTS,
    says="On links of 8 and 10 Mbit/s with a TCP flow each, subflows with weights of 1/3 and 2/3 get 2 and 4 Mbit/s, "
    "so T_wr is equal on both.",
    history=(shares_of("both rates within 10 % of 2 and 4 Mbit/s, T_wr of 6", "they are 1/4 and 2/5 of the links"),),
)
def weights_that_pool(results: Evidence) -> Check:
    """Compare the parts of both links with the example, and both rates over their weights with each other."""
    eight, ten = _pooled(results, "1/3+2/3")
    return all_of(
        _of_their_links(results, "1/3+2/3", {8: 2 / 8, 10: 4 / 10}),
        near(3.0 * eight / (1.5 * ten), 1.0, what="rate over weight, 8 over 10 Mbit/s", unit=""),
    )


@claim(
    "C-003-14",
    place="4.1",
    kind="ordering",
    figure="4.1",
    suspects=POOLED,
    fact=FIXED_WEIGHTS,
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
    fact=FIXED_WEIGHTS,
    says="With weights of 1/4 and 3/4 the subflows get 1.6 of 8 and 4.29 of 10 Mbit/s, so T_wr is 6.4 and 5.71, and "
    "the manager lowers the second weight.",
    history=(shares_of("T_wr and the sum within 10 % of 6.4, 5.71 and 5.89 Mbit/s", "the sum is C-003-31"),),
)
def the_manager_lowers_the_faster(results: Evidence) -> Check:
    """Compare the parts of both links, and require a first change that lowers the weight on 10 Mbit/s."""
    eight, ten = _pooled(results, "1/4+3/4")
    return all_of(
        _of_their_links(results, "1/4+3/4", {8: 1.6 / 8, 10: 30 / 7 / 10}),
        above(4.0 * eight, 4.0 / 3.0 * ten, what="rate over weight, 8 against 10 Mbit/s"),
        _lowered_first(results, TEN, start="1:3"),
    )


@claim(
    "C-003-31",
    place="4.1",
    kind="ordering",
    figure="4.1",
    suspects=POOLED,
    fact=FIXED_WEIGHTS,
    says="With weights of 1/4 and 3/4 the subflows get less together (5.89 Mbit/s) than with 1/3 and 2/3 (6).",
    history=(Added(READ_AGAIN, "it holds; the published means were 4.48 and 4.55 Mbit/s"),),
)
def other_weights_than_the_ideal_get_less(results: Evidence) -> Check:
    """Compare the sums of both subflows."""
    less, ideal = (np.sum(_pooled(results, weights), axis=0) for weights in ("1/4+3/4", "1/3+2/3"))
    return below(less, ideal, what="sum of the subflows, 1/4 and 3/4 against 1/3 and 2/3")


@claim(
    "C-003-37",
    place="3.2, figures 3.1 and 3.2",
    kind="ordering",
    figure="3.2",
    suspects=LIMITED,
    says="A smaller weight of the subflow that its disjoint link limits, and a larger one of the other, increase the "
    "rate of the connection.",
    history=(Added(READ_AGAIN, "it holds; parts of the rates were known from C-003-7 and -8"),),
)
def other_weights_increase_the_rate(results: Evidence) -> Check:
    """Compare the sum of both subflows with weights of 1/4 and 3/4 and with 1/2 each."""
    limited, better = (_limited(results, weights) for weights in ("1/2+1/2", "1/4+3/4"))
    return above(
        better["subflow 1"] + better["subflow 2"],
        limited["subflow 1"] + limited["subflow 2"],
        what="sum of the subflows, 1/4 and 3/4 against 1/2 each",
    )


@claim(
    "C-003-36",
    place="4.1, figure 4.1",
    kind="number",
    figure="4.1",
    suspects=POOLED,
    says="On links of 8 and 10 Mbit/s with a TCP flow each, BMC and its manager share both links fairly: a third (6 of "
    "18 Mbit/s) for each of the three.",
    history=(Added(READ_AGAIN, "it holds; the mean weight of these runs was known to be near 1/3"),),
)
def the_manager_pools_the_links(results: Evidence) -> Check:
    """Compare the parts of all three with a third."""
    rates = {f"TCP on {rate}": results.goodput("figure4.1", f"{TCP}-{path}", cc=BMC) for path, rate in RATES.items()}
    rates["bundle"] = results.goodput("figure4.1", BUNDLE, cc=BMC)
    return _shared(rates, dict.fromkeys(rates, 1 / 3))


def _shared(rates: Mapping[K, Sample], parts: Mapping[K, float], *, what: str = "part of all rates") -> Check:
    """Compare the rates, as parts of their sum, with those of an example.

    The tolerance is 10 % of each: the thesis computes the rates exactly, as shares of full links.
    """
    total = np.sum(list(rates.values()), axis=0)
    return near({name: rate / total for name, rate in rates.items()}, parts, what=what, unit="")


def _of_their_links(results: Evidence, weights: str, parts: Mapping[int, float]) -> Check:
    """Compare each subflow of figure 4.1, as a part of all rates on its link, with the example, within 10 %."""
    subflows = _pooled(results, weights)
    rivals = (results.goodput("figure4.1-weights", f"{TCP}-{path}", weights=weights) for path in (EIGHT, TEN))
    found = {rate: own / (own + tcp) for rate, own, tcp in zip(RATES.values(), subflows, rivals, strict=True)}
    return near(found, parts, what="part of all rates on the link", unit="", over="Mbit/s")


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
