"""Claims of chapter 5: weighted and standard flows over one bottleneck."""

from __future__ import annotations

import numpy as np

from manypath.papers.check import Check, all_of
from manypath.papers.evidence import Evidence, Sample
from manypath.papers.history import READ_AGAIN, Revised
from manypath.papers.honda2009_bmc.claims.register import (
    ABOUT,
    BUNDLES_OF_ONE,
    EQUAL_WEIGHTS,
    LOSS_EVENT_RATES,
    MANY_LOSSES,
    OPEN,
    claim,
)
from manypath.papers.honda2009_bmc.measures import (
    loss_event_rate,
    lost_packets,
    mean_over_weights,
    of_bundles,
    of_equal_weights,
    over_flows,
)
from manypath.papers.honda2009_bmc.names import BUNDLES, EQUAL, FOURS, PAIRS
from manypath.papers.honda2009_bmc.printed import BUNDLE_OF_MOST, LOSS_EVENTS, MOST_FLOWS, ODD_POINT, ODD_RATIO
from manypath.papers.predicates import above, below, near, rises_with
from manypath.papers.words import SLIGHT

FEW = (1.0, 2.0, 4.0)
"""Numbers of flows at which the thesis finds ratios a little off D."""

MIDDLE = 16.0
"""A number of flows at which it names no deviation."""

MANY = 32.0
"""Smallest number of flows of each kind with many losses."""


@claim(
    "C-003-17",
    place="5.1, figure 5.10",
    kind="number",
    figure="5.10",
    suspects=("settled", "after-start", *OPEN),
    fact=EQUAL_WEIGHTS,
    says="Weighted flows get about D times the rate of standard flows, for all weights and numbers of flows.",
)
def rates_follow_weights(results: Evidence) -> Check:
    """Compare the ratio, divided by the weight, with 1."""
    return near(of_equal_weights(results), 1.0, within=ABOUT, what="ratio to TCP, divided by D", unit="", over="flows")


@claim(
    "C-003-18",
    place="5.1, figure 5.10",
    kind="ordering",
    figure="5.10",
    suspects=MANY_LOSSES,
    fact=EQUAL_WEIGHTS,
    says="With many flows, and therefore many losses, the ratio is a little above D.",
    history=(
        Revised(
            READ_AGAIN,
            "ratios above D with at least 32 flows, without an upper limit, and more timeouts with more flows",
            "the same ratios, on average at most 25 % above D",
            "“a little” has an upper limit, and the possible reason is another sentence: C-003-28 and C-003-29",
            "holds",
        ),
        Revised(
            READ_AGAIN,
            "above D at each number of flows",
            "on average, and below D at none",
            "this is the rule for “a little” in all papers",
            "holds",
        ),
    ),
)
def many_flows_are_a_little_above(results: Evidence) -> Check:
    """Require ratios above the weights with at least 32 flows, on average, and by at most a quarter."""
    found = of_equal_weights(results, lambda flows: flows >= MANY)
    what = "ratio to TCP, divided by D"
    return all_of(
        above(found, 1.0, slightly=True, what=what, unit="", over="flows"),
        below(np.mean(list(found.values()), axis=0), 1.0 + SLIGHT, what=f"{what}, mean", unit=""),
    )


@claim(
    "C-003-19",
    place="5.1",
    kind="ordering",
    figure="5.10",
    suspects=("after-start", "sack", "red-ns2", "fifo", "ns2"),
    fact=EQUAL_WEIGHTS,
    says="With 1, 2 and 4 flows of each kind single runs are a little off D.",
    history=(
        Revised(
            READ_AGAIN,
            "larger distances from D than with 16 flows, and their cause in words",
            "larger distances, on average at most 25 %",
            "“a little” has an upper limit, and the cause is another sentence: C-003-35",
            "holds",
        ),
    ),
)
def few_flows_are_a_little_off(results: Evidence) -> Check:
    """Require larger distances from the weight than with 16 flows, in single runs, averaged over all weights."""
    found = of_equal_weights(results, lambda flows: flows in (*FEW, MIDDLE))
    off = {flows: _off(found, flows) for flows in (*FEW, MIDDLE)}
    middle = off.pop(MIDDLE)
    what = "distance of ratio over D from 1"
    return all_of(
        above(off, dict.fromkeys(off, middle), slightly=True, what=f"{what}, against 16 flows", unit="", over="flows"),
        below(np.mean(list(off.values()), axis=0), SLIGHT, what=f"{what}, mean", unit=""),
    )


@claim(
    "C-003-20",
    place="5.1, figure 5.11",
    kind="number",
    figure="5.11",
    suspects=("queue-100", "after-start", "red-ns2", "red-auto", "newreno", "packets-1500", "window-20", "fifo", "ns2"),
    fact=LOSS_EVENT_RATES,
    says="Loss-event rates are 0.126 to 0.133 % with 1 flow of each kind, 0.126 to 0.135 % with 2, 0.143 to 0.170 % "
    "with 4. (Nearly equal, which contradicts a rate in proportion to 1/W².)",
    history=(
        Revised(
            READ_AGAIN,
            "means over the weights within 0.02 of the middle of each range",
            "the least and the largest rate over the weights within 10 % of the ends of each range",
            "the text prints the ends",
            "contradicted",
        ),
    ),
)
def printed_loss_event_rates(results: Evidence) -> Check:
    """Compare the least and the largest rate over the weights of each run with the ends of the printed ranges."""
    found: dict[str, Sample] = {}
    printed: dict[str, float] = {}
    for flows, (least, largest) in LOSS_EVENTS.items():
        each = [over_flows(results, number, loss_event_rate, lambda n, at=flows: n == at)[flows] for number in EQUAL]
        found |= {f"{flows:g}, least": np.min(each, axis=0), f"{flows:g}, largest": np.max(each, axis=0)}
        printed |= {f"{flows:g}, least": least, f"{flows:g}, largest": largest}
    return near(found, printed, what="loss events", unit="%", over="flows")


@printed_loss_event_rates.explain
def losses_of_the_first_slow_start(results: Evidence) -> str:
    """Report the rates if every lost packet counts, and the effect of the first slow start."""
    found = mean_over_weights(results.under(None), lost_packets, lambda flows: flows in LOSS_EVENTS)
    rates = ", ".join(f"{found[flows].mean():.3f} % with {flows:g}" for flows in LOSS_EVENTS)
    return (
        "If every lost packet of the weighted flows counts, not every loss event, the mean over the weights is "
        f"{rates}. With few flows most of these packets are lost in the first slow start: without the first 20 s the "
        "number of lost packets is close to the number of loss events. The losses in slow start depend on the queue "
        "limit, which the thesis does not give."
    )


@claim(
    "C-003-21",
    place="5.1, figure 5.11",
    kind="ordering",
    figure="5.11",
    suspects=("after-start", "sack", "red-ns2", "fifo", "ns2"),
    fact=LOSS_EVENT_RATES,
    says="The loss-event rate grows with the number of flows.",
)
def losses_grow_with_flows(results: Evidence) -> Check:
    """Require a rise of the mean over the weights, without a fall between neighbouring numbers of flows."""
    return rises_with(mean_over_weights(results, loss_event_rate), what="loss events", unit="%", over="flows")


@claim(
    "C-003-22",
    place="5.2, figure 5.18",
    kind="number",
    figure="5.18",
    suspects=OPEN,
    fact=BUNDLES_OF_ONE,
    says="Two weights with sum 1 give about half of a TCP flow's rate per flow, for every pair.",
)
def pairs_get_half_each(results: Evidence) -> Check:
    """Compare two such flows with one TCP, except at the point that the thesis calls an exception (C-003-26)."""
    found = {point: sample for point, sample in of_bundles(results, PAIRS).items() if point != ODD_POINT}
    return near(found, 1.0, within=ABOUT, what="two flows over one TCP", unit="", over="flows")


@claim(
    "C-003-23",
    place="5.2, figure 5.18",
    kind="number",
    figure="5.18",
    suspects=OPEN,
    fact=BUNDLES_OF_ONE,
    says="Four weights with sum 1 give about a quarter of a TCP flow's rate per flow.",
)
def fours_get_a_quarter_each(results: Evidence) -> Check:
    """Compare four such flows with one TCP."""
    return near(of_bundles(results, FOURS), 1.0, within=ABOUT, what="four flows over one TCP", unit="", over="flows")


@claim(
    "C-003-24",
    place="5.2, figure 5.18",
    kind="ordering",
    figure="5.18",
    suspects=("newreno", "rto-1s", "red-auto", "fifo", "settled", "packets-1500", "sack", "ns2"),
    fact=BUNDLES_OF_ONE,
    says="The ratio of flows whose weights add up to one rises with the number of flows.",
)
def bundles_rise_with_flows(results: Evidence) -> Check:
    """Require a rise for every set of weights, except at the point that the thesis calls an exception (C-003-26)."""
    found = {point: sample for point, sample in of_bundles(results).items() if point != ODD_POINT}
    checks = [
        rises_with(
            {flows: sample for (weights, flows), sample in found.items() if weights == bundle},
            what=f"{bundle}, bundle over TCP",
            unit="",
            over="flows",
        )
        for bundle in BUNDLES.values()
    ]
    return all_of(*checks)


@claim(
    "C-003-25",
    place="5.2",
    kind="number",
    figure="5.18",
    suspects=MANY_LOSSES,
    fact=BUNDLES_OF_ONE,
    says="With 64 flows of each kind the ratio is about 20 % above the ideal one.",
)
def sixty_four_flows_are_a_fifth_above(results: Evidence) -> Check:
    """Compare every set of weights with the printed ratio; a fourth of 20 % is the tolerance of `approximately`."""
    found = {bundle: sample for (bundle, flows), sample in of_bundles(results).items() if flows == MOST_FLOWS}
    return near(found, BUNDLE_OF_MOST, within=0.05, what="bundle over TCP with 64 flows", unit="")


@claim(
    "C-003-26",
    place="5.2",
    kind="number",
    figure="5.18",
    suspects=("newreno", "rto-1s", "red-auto", "settled", "fifo", "red-ns2", "sack", "ns2"),
    fact=BUNDLES_OF_ONE,
    says="With 4 flows of each kind and weights of 2/3 and 1/3 the ratio is about 25 % above the ideal one.",
    history=(
        Revised(
            READ_AGAIN,
            "25 % with a tolerance of a fifth of it",
            "of a fourth of it",
            "this is the tolerance of “approximately” in C-003-25",
            "contradicted",
        ),
    ),
)
def one_point_is_a_quarter_above(results: Evidence) -> Check:
    """Compare this point with the printed ratio; a fourth of 25 % is the tolerance of `approximately`."""
    within = ABOUT * (ODD_RATIO - 1.0)
    return near(_odd_point(results), ODD_RATIO, within=within, what="two flows over one TCP with 4 flows", unit="")


@one_point_is_a_quarter_above.explain
def one_run_among_many(results: Evidence) -> str:
    """Report the range of runs, and the number of runs close to the thesis's ratio."""
    found = _odd_point(results.under(None))
    return (
        f"The thesis shows one run. Runs here are between {found.min():.2f} and {found.max():.2f}, and "
        f"{np.count_nonzero(found >= 1.2)} of {len(found)} are at 1.2 or above."
    )


@claim(
    "C-003-27",
    place="5.2, 7",
    kind="qualitative",
    figure="5.18",
    suspects=OPEN,
    fact=BUNDLES_OF_ONE,
    says="A bundle with weights of sum 1 gets about the rate of one TCP flow.",
    history=(
        Revised(
            READ_AGAIN,
            "the mean of all bundles within 10 % of one TCP flow",
            "within 25 %",
            "“approximately” has the tolerance that it has in C-003-17, -22 and -23, from the same figure",
            "contradicted",
        ),
        Revised(
            READ_AGAIN,
            "the mean of all bundles within 25 % of one TCP flow",
            "the mean of each set of weights, over the numbers of flows",
            "the text says regardless of the combination of weights",
            "holds",
        ),
    ),
)
def a_bundle_is_one_tcp(results: Evidence) -> Check:
    """Compare the mean over the numbers of flows with 1, for each set of weights."""
    found = of_bundles(results)
    means = {
        bundle: np.mean([sample for (weights, _), sample in found.items() if weights == bundle], axis=0)
        for bundle in BUNDLES.values()
    }
    return near(means, 1.0, within=ABOUT, what="bundle over TCP, mean over the numbers of flows", unit="")


def _odd_point(results: Evidence) -> Sample:
    """Return the rate of two flows of 2/3 and 1/3 over one TCP, with 4 flows of each kind."""
    return of_bundles(results, {"5.13": PAIRS["5.13"]}, lambda flows: flows == 4.0)[ODD_POINT]


def _off(found: dict[tuple[str, float], Sample], flows: float) -> Sample:
    """Return the distance of each run's ratio from the weight, relative to the weight, mean over the weights."""
    return np.mean([np.abs(sample - 1.0) for (_, number), sample in found.items() if number == flows], axis=0)
