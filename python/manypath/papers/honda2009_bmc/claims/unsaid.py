"""Claims for sentences that had none: timeouts, absolute rates, classes and sums of weights, loss-event rates."""

from __future__ import annotations

from functools import partial

import numpy as np

from manypath.papers.check import Check, all_of
from manypath.papers.evidence import Evidence, Sample
from manypath.papers.history import READ_AGAIN, Added, Revised
from manypath.papers.honda2009_bmc.claims.chapter5 import FEW, MIDDLE
from manypath.papers.honda2009_bmc.claims.register import (
    ABOUT,
    EQUAL_WEIGHTS,
    LOSS_EVENT_RATES,
    MANY_LOSSES,
    OPEN,
    claim,
)
from manypath.papers.honda2009_bmc.measures import (
    Where,
    farthest_sum,
    loss_event_rate,
    mean_over_weights,
    of_classes,
    over_flows,
    ratio,
    timeout_share,
)
from manypath.papers.honda2009_bmc.names import AIMD, EQUAL, PACKET, PAYLOAD, TCP, value
from manypath.papers.honda2009_bmc.printed import ODD_POINT
from manypath.papers.honda2009_bmc.scenarios import lossy
from manypath.papers.predicates import above, below, near, rises_with


@claim(
    "C-003-28",
    place="5.1",
    kind="mechanism",
    figure="5.10",
    suspects=MANY_LOSSES,
    fact=EQUAL_WEIGHTS,
    says="With more flows, and therefore more losses, retransmission timeouts of the weighted flows are more probable.",
    history=(
        Added(READ_AGAIN, "it holds; it was a part of C-003-18, which held"),
        Revised(
            READ_AGAIN,
            "more with most flows than with fewest",
            "in addition no fall between neighbouring numbers of flows",
            "the text says when the loss-event rate is higher, as in C-003-21",
            "holds",
        ),
    ),
)
def timeouts_are_more_probable(results: Evidence) -> Check:
    """Require a rise of the part of timeouts among loss events with the number of flows, for every weight."""
    checks: list[Check] = []
    for number, weight in EQUAL.items():
        shares = over_flows(results, number, timeout_share)
        what = f"D = {weight}, timeouts among loss events"
        checks.append(rises_with(shares, what=what, unit="of all", over="flows"))
    return all_of(*checks)


@claim(
    "C-003-29",
    place="5.1, 5.2",
    kind="mechanism",
    figure="5.10",
    suspects=MANY_LOSSES,
    fact=EQUAL_WEIGHTS,
    says="The possible reason of the higher ratios with many flows are timeouts of the weighted flows.",
    history=(
        Added(
            READ_AGAIN,
            "contradicted; with selective acknowledgements of all flows, single runs had shown nearly no excess, while "
            "the weighted flows timed out as often",
        ),
        Revised(
            READ_AGAIN,
            "more than half of the excess stays without timeouts of the standard flows",
            "the excess is smaller without timeouts of the weighted flows",
            "the text names these flows, and no size",
            "contradicted",
        ),
    ),
)
def the_excess_comes_from_the_weighted_flows(results: Evidence) -> Check:
    """Require a smaller excess when only the weighted flows are spared timeouts, by SACK."""
    [flows] = results.levels("sack-for-one-kind", "flows")
    spared: dict[str, Sample] = {}
    plain: dict[str, Sample] = {}
    for number, weight in _changed_figures(results).items():
        [found] = over_flows(results, number, ratio, _at(flows)).values()
        plain[weight] = found / value(weight) - 1.0
        spared[weight] = _with_sack(results, AIMD, weight, flows) / value(weight) - 1.0
    what = "excess over D without timeouts of the weighted flows, against that with them"
    return below(spared, plain, what=what, unit="of D", over="= D")


@the_excess_comes_from_the_weighted_flows.explain
def timeouts_by_kind(results: Evidence) -> str:
    """Report timeouts among loss events of both kinds of flows, and the excess with SACK for either kind."""
    plain = results.under(None)
    [flows] = plain.levels("sack-for-one-kind", "flows")
    texts: list[str] = []
    for number, weight in _changed_figures(plain).items():
        shares = [
            float(next(iter(over_flows(plain, number, partial(timeout_share, kind=kind), _at(flows)).values())).mean())
            for kind in (AIMD, TCP)
        ]
        ratios = [float(_with_sack(plain, kind, weight, flows).mean()) / value(weight) for kind in (AIMD, TCP)]
        texts.append(
            f"D = {weight}: {shares[0]:.0%} and {shares[1]:.0%} of the loss events of weighted and standard flows are "
            f"timeouts; the ratio over D is {ratios[0]:.2f} with selective acknowledgements of the weighted flows "
            f"only, and {ratios[1]:.2f} of the standard flows only"
        )
    return f"With {flows:g} flows of each kind. " + ". ".join(texts) + "."


@claim(
    "C-003-30",
    place="3.1, equation 3.3",
    kind="theory",
    suspects=("sack", "newreno", "rto-1s", "ack-every-2"),
    says="The rate of AIMD(1, 1/2) at a loss-event rate p is sqrt(3/2p) packets per round-trip time.",
    history=(
        Added(READ_AGAIN, "it holds; only ratios of rates were known"),
        Revised(
            READ_AGAIN,
            "one loss rate and one round-trip time",
            "two of each",
            "the formula has both",
            "holds",
        ),
    ),
)
def absolute_rate_at_a_loss_rate(results: Evidence) -> Check:
    """Compare the rate of a flow under independent losses with the formula, at each loss rate and delay."""
    found: dict[str, Sample] = {}
    for loss in results.levels("formula", "loss"):
        for delay in results.levels("formula", "delay"):
            # A packet with its headers takes its time on the link, too.
            round_trip = 2e-3 * delay + PACKET / PAYLOAD * 8.0 / lossy(loss, delay).rate
            formula = float(np.sqrt(1.5 / loss)) * PACKET * 8.0 / round_trip / 1e6
            rate = results.goodput("formula", TCP, loss=loss, delay=delay)
            found[f"p = {loss:.1%}, delay of {delay:g} ms"] = rate / formula
    return near(found, 1.0, what="rate of AIMD(1, 1/2) over the formula", unit="")


@claim(
    "C-003-32",
    place="3.1, figures 5.12 to 5.17",
    kind="number",
    figure="5.18",
    suspects=OPEN,
    says="Also beside flows of other weights, each flow gets a rate in proportion to its weight.",
    history=(
        Added(
            READ_AGAIN,
            "contradicted with 48 and 64 flows for the smallest weights, as C-003-17, and it holds elsewhere; ratios "
            "of whole bundles were known",
        ),
    ),
)
def each_class_gets_its_weight(results: Evidence) -> Check:
    """Compare the ratio of each class, divided by the weight, with 1, except at the thesis's exception (C-003-26)."""
    found = {point: sample for point, sample in of_classes(results).items() if point[1:] != ODD_POINT}
    return near(found, 1.0, within=ABOUT, what="ratio to TCP, divided by D", unit="", over="flows")


@claim(
    "C-003-33",
    place="7",
    kind="ordering",
    figure="5.11",
    suspects=("sack", "newreno", "red-ns2", "fifo", "after-start"),
    fact=LOSS_EVENT_RATES,
    says="Flows with a lower sending rate have a higher loss-event rate, so weighted flows may have more loss events "
    "per packet than TCP flows.",
    history=(
        Added(READ_AGAIN, "it holds with many flows; with few, a run has too few losses of the weighted flows"),
        Revised(
            READ_AGAIN,
            "more at each number of flows",
            "more on average over the numbers of flows",
            "the text says might",
            "undecided",
        ),
    ),
)
def weighted_flows_lose_more(results: Evidence) -> Check:
    """Compare the loss-event rates of both kinds of flows, mean over the weights and the numbers of flows."""
    weighted, standard = (
        np.mean(list(mean_over_weights(results, partial(loss_event_rate, kind=kind)).values()), axis=0)
        for kind in (AIMD, TCP)
    )
    return above(weighted, standard, what="loss events of weighted, against standard flows", unit="%")


@claim(
    "C-003-35",
    place="5.1, figure 5.10",
    kind="mechanism",
    figure="5.10",
    suspects=("after-start", "sack", "red-ns2", "fifo", "ns2"),
    fact=EQUAL_WEIGHTS,
    says="With 1, 2 and 4 flows of each kind the loss-event rate is lower, so that a loss has a larger influence.",
    history=(Added(READ_AGAIN, "it holds; loss-event rates were known"),),
)
def few_flows_have_few_loss_events(results: Evidence) -> Check:
    """Compare the loss-event rate with few flows and with 16, mean over the weights."""
    found = mean_over_weights(results, loss_event_rate, lambda flows: flows in (*FEW, MIDDLE))
    middle = found.pop(MIDDLE)
    what = "loss events of weighted flows, against 16 flows"
    return below(found, dict.fromkeys(found, middle), what=what, unit="%", over="flows")


@claim(
    "C-003-34",
    place="3.1, equations 3.1 and 3.9",
    kind="theory",
    figure="4.1",
    says="The weights of a connection add up to 1, also while the manager moves them.",
    history=(Added(READ_AGAIN, "it holds"),),
)
def weights_add_up_to_one(results: Evidence) -> Check:
    """Compare the sum that is farthest from 1 in each run with 1."""
    sums = {
        f"J = {interval:g} s, K = {gain:g}": results.of_traces(
            farthest_sum, "figure4.1-managed", interval=interval, gain=gain
        )
        for interval in results.levels("figure4.1-managed", "interval")
        for gain in results.levels("figure4.1-managed", "gain")
    }
    return near(sums, 1.0, within=0.001, what="sum of weights, farthest from 1", unit="")


def _changed_figures(results: Evidence) -> dict[str, str]:
    """Return the weights that were run with selective acknowledgements for one kind of flows, by figure."""
    run = {case["weight"] for case in results.cases() if case.experiment == "sack-for-one-kind"}
    return {number: weight for number, weight in EQUAL.items() if weight in run}


def _at(flows: float) -> Where:
    """Return the condition that the number of flows is this one."""
    return lambda count: count == flows


def _with_sack(results: Evidence, kind: str, weight: str, flows: float) -> Sample:
    """Return the ratio of figure 5.10 when only one kind of flows has selective acknowledgements."""
    return results.of_outcomes(ratio, "sack-for-one-kind", kind=kind, weight=weight, flows=int(flows))
