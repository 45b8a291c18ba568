"""Claims of section VI-B.2 and VI-B.3, figure 4: the southern rate and the number of single-path flows vary."""

from __future__ import annotations

from typing import Any

import numpy as np

from manypath.papers.check import Check, all_of
from manypath.papers.dreibholz import ALL, MPTCP, PLAIN, RPV1, RPV2, TITLES
from manypath.papers.dreibholz2011_impact.claims.register import claim, goals_of_the_text
from manypath.papers.dreibholz2011_impact.claims.suspects import SETTINGS
from manypath.papers.dreibholz2011_impact.names import CMT, SINGLE
from manypath.papers.dreibholz2011_impact.printed import (
    MPTCP_CMT,
    MPTCP_OF_NINE,
    MPTCP_SINGLE,
    RPV2_CMT,
    RPV2_OF_NINE,
    RPV2_SINGLE,
)
from manypath.papers.evidence import Evidence
from manypath.papers.goals import balance, balances, no_harm, no_worse_off
from manypath.papers.history import READ_AGAIN, Revised
from manypath.papers.paired import estimate
from manypath.papers.predicates import Sample, above, below, near, rises_with
from manypath.papers.words import SIGNIFICANTLY, SIMILAR, SLIGHT

LEFT, RIGHT = "figure4-left", "figure4-right"
UNCOUPLED = ("mptcp-2012", "mptcp-2012, sack-every-1", "sack-every-1", "profile-paper", "mptcp-2011")


@claim(
    "C-000-21",
    place="VI-B.2, figure 4 left",
    kind="ordering",
    figure=4,
    suspects=SETTINGS,
    says="Plain CMT shows its typical unfairness: the CMT flow gets more than the single-path flow.",
    history=(
        Revised(
            READ_AGAIN,
            "says that the CMT flow takes half of the shared path and all of the northern path; the same check",
            "says only what the check tests",
            "the shares are the sentence of VI-B.1, which C-000-12 tests on both sides",
            "holds",
        ),
        Revised(
            READ_AGAIN,
            "a lead of 90 % of the northern path",
            "at least 10 % more than the single-path flow",
            "the text says unfairness, without a size; significant is 10 % in all papers",
            "holds",
        ),
    ),
)
def plain_cmt_stays_unfair(results: Evidence) -> Check:
    """Require significantly more for the CMT flow, at every southern rate."""
    cmt, single = (results.sweep(LEFT, "south", flow, cc=PLAIN) for flow in (CMT, SINGLE))
    return above(cmt, single, times=SIGNIFICANTLY, what="CMT against non-CMT", over="Mbit/s in the south")


@claim(
    "C-000-22",
    place="VI-B.2, figure 4 left",
    kind="ordering",
    figure=4,
    suspects=SETTINGS,
    says="Under CMT/RPv1, with at least 7.5 Mbit/s in the south, the single-path flow always gets more than the CMT "
    "flow.",
)
def rpv1_loses_on_fast_southern_paths(results: Evidence) -> Check:
    """Compare both flows at southern rates from 7.5 Mbit/s."""
    return above(
        results.sweep(LEFT, "south", SINGLE, _fast, cc=RPV1),
        results.sweep(LEFT, "south", CMT, _fast, cc=RPV1),
        what="non-CMT against CMT",
        over="Mbit/s in the south",
    )


@claim(
    "C-000-23",
    place="VI-B.2, figure 4 left",
    kind="ordering",
    figure=4,
    suspects=SETTINGS,
    says="CMT/RPv2 shares the total rate almost equally for 7.5 to 15 Mbit/s in the south.",
)
def rpv2_shares_the_total_equally(results: Evidence) -> Check:
    """Compare the difference of the flows with the tolerance of `almost equal`."""
    return near(
        _imbalance(results, RPV2),
        0.0,
        within=SIMILAR,
        what="(CMT - non-CMT) / equal share",
        unit="",
        over="Mbit/s in the south",
    )


@claim(
    "C-000-24",
    place="VI-B.2, figure 4 left",
    kind="number",
    figure=4,
    suspects=SETTINGS,
    says="CMT/RPv2 with 10 Mbit/s in the south gives both flows around 7 Mbit/s.",
)
def rpv2_gives_seven_to_both(results: Evidence) -> Check:
    """Compare both flows with the printed rate."""
    return all_of(
        RPV2_CMT.check(results, what="CMT"),
        RPV2_SINGLE.check(results, what="non-CMT"),
    )


@claim(
    "C-000-25",
    place="VI-B.2, figure 4 left",
    kind="number",
    figure=4,
    suspects=UNCOUPLED,
    says="MPTCP-like with 10 Mbit/s in the south gives the CMT flow around 9 Mbit/s, and the single-path flow slightly "
    "more than 5.",
    history=(
        Revised(
            READ_AGAIN,
            "5.2 Mbit/s within 10 % for the single-path flow",
            "more than 5, and at most 25 % more",
            "the text says slightly more than 5; slight is 25 % in all papers",
            "contradicted",
        ),
    ),
)
def mptcp_like_gives_nine_and_five(results: Evidence) -> Check:
    """Compare the CMT flow with the printed rate, and the single-path flow with the range above the printed one."""
    single = results.goodput(LEFT, SINGLE, **MPTCP_SINGLE.factors)
    return all_of(
        MPTCP_CMT.check(results, what="CMT"),
        above(single, MPTCP_SINGLE.value, what="non-CMT"),
        below(single, MPTCP_SINGLE.value, times=1.0 + SLIGHT, what="non-CMT"),
    )


@mptcp_like_gives_nine_and_five.explain
def rates_of_coupled_and_uncoupled_growth(results: Evidence) -> str:
    """Report the CMT flow's rate with coupled and with uncoupled growth."""
    coupled = results.under(None).goodput(LEFT, CMT, cc=MPTCP, south=10.0)
    uncoupled = results.under("mptcp-2012").goodput(LEFT, CMT, cc=MPTCP, south=10.0)
    return (
        f"Coupled growth gives the CMT flow {estimate(coupled)} Mbit/s, the uncoupled form of 2012 "
        f"{estimate(uncoupled)}; the paper has {MPTCP_CMT.value:g}."
    )


@claim(
    "C-000-26",
    place="VI-B.2, figure 4 left",
    kind="ordering",
    figure=4,
    suspects=UNCOUPLED,
    says="MPTCP-like gives the CMT flow significantly more than CMT/RPv2 does (7.5 to 15 Mbit/s in the south), but no "
    "more of the southern path than the single-path flow gets.",
    history=(goals_of_the_text("holds", third=False),),
)
def mptcp_like_is_significantly_more_aggressive(results: Evidence) -> Check:
    """Require 10 % more than under CMT/RPv2, and goal 2."""
    return all_of(
        above(
            results.sweep(LEFT, "south", CMT, _middle, cc=MPTCP),
            results.sweep(LEFT, "south", CMT, _middle, cc=RPV2),
            times=SIGNIFICANTLY,
            what="CMT, MPTCP-like against RPv2",
            over="Mbit/s in the south",
        ),
        no_harm(
            results.sweep_on(LEFT, "south", CMT, "south", _middle, cc=MPTCP),
            results.sweep(LEFT, "south", SINGLE, _middle, cc=MPTCP),
            who=TITLES[MPTCP],
            over="Mbit/s in the south",
        ),
    )


@claim(
    "C-000-27",
    place="VI-B.2, figure 4 right",
    kind="ordering",
    figure=4,
    suspects=UNCOUPLED,
    says="With more single-path flows the controls differ less; MPTCP-like stays more aggressive than CMT/RPv2.",
)
def controls_differ_less_with_more_flows(results: Evidence) -> Check:
    """Check that the spread of the CMT flow's rate over the controls falls, and the order of two controls."""
    sweeps = {cc: results.sweep(RIGHT, "rivals", CMT, cc=cc) for cc in ALL}
    spread = {n: np.ptp(np.array([sweeps[cc][n] for cc in ALL]), axis=0) for n in results.levels(RIGHT, "rivals")}
    return all_of(
        rises_with(spread, falls=True, what="spread of the controls", over="single-path flows"),
        above(sweeps[MPTCP], sweeps[RPV2], what="CMT, MPTCP-like against RPv2", over="single-path flows"),
    )


@claim(
    "C-000-28",
    place="VI-B.2, figure 4 right",
    kind="number",
    figure=4,
    suspects=UNCOUPLED,
    says="Beside 8 single-path flows the CMT flow gets around 7 Mbit/s with MPTCP-like, around 6 with CMT/RPv2.",
)
def seven_and_six_against_eight(results: Evidence) -> Check:
    """Compare the CMT flow with the printed rates, and both with each other."""
    mptcp = results.goodput(RIGHT, CMT, cc=MPTCP, rivals=8)
    rpv2 = results.goodput(RIGHT, CMT, cc=RPV2, rivals=8)
    return all_of(
        MPTCP_OF_NINE.check(results, what="CMT, MPTCP-like"),
        RPV2_OF_NINE.check(results, what="CMT, RPv2"),
        above(mptcp, rpv2, what="MPTCP-like against RPv2"),
    )


@claim(
    "C-000-29",
    place="VI-B.2, figure 4 right",
    kind="ordering",
    figure=4,
    says="The other single-path flows behave like the first.",
)
def single_path_flows_are_alike(results: Evidence) -> Check:
    """Require a first flow within 10 % of the mean of the others, run by run, and a Jain index above 0.95."""
    first: dict[Any, Sample] = {}
    fairness: dict[Any, Sample] = {}
    for cc in ALL:
        flows = [SINGLE, *(f"{SINGLE}-{number}" for number in range(2, 9))]
        rates = np.array([results.goodput(RIGHT, flow, cc=cc, rivals=8) for flow in flows])
        first[cc] = rates[0] / rates[1:].mean(axis=0)
        fairness[cc] = rates.sum(axis=0) ** 2 / (len(flows) * (rates**2).sum(axis=0))
    return all_of(
        near(first, 1.0, what="first of 8 over the mean of the others", unit=""),
        above(fairness, 0.95, what="Jain index of the 8", unit=""),
    )


@claim(
    "C-000-30",
    place="VI-B.3",
    kind="qualitative",
    figure=4,
    suspects=UNCOUPLED,
    says="CMT/RPv1 does not suit dissimilar paths; CMT/RPv2 and MPTCP-like fulfil the goals; MPTCP-like gives the CMT "
    "flow more; CMT/RPv2 is better if flows should get equal rates.",
    history=(
        goals_of_the_text("contradicted", third=False),
        Revised(
            READ_AGAIN,
            "goals 1 and 2 at 7.5 to 15 Mbit/s in the south, and goal 1 violated by CMT/RPv1 at 10",
            "all three goals at every southern rate, and violated at each from 7.5 on",
            "the text says the goals, and limits only the equal shares to 7.5 to 15 Mbit/s",
            "holds",
        ),
    ),
)
def rpv2_suits_equal_shares(results: Evidence) -> Check:
    """Check that RPv1 violates goal 1, that the others meet the goals, and the order of rate and equality."""
    plain = _balance(results, PLAIN)
    unfairness = {cc: _mean_imbalance(results, cc) for cc in (RPV2, MPTCP)}
    checks = [
        below(
            results.sweep(LEFT, "south", CMT, _fast, cc=RPV1),
            results.sweep(LEFT, "south", SINGLE, _fast, cc=RPV1),
            times=1.0 / SIGNIFICANTLY,
            what="RPv1 violates goal 1, CMT against non-CMT",
            over="Mbit/s in the south",
        )
    ]
    for cc in (RPV2, MPTCP):
        single = results.sweep(LEFT, "south", SINGLE, cc=cc)
        checks.append(
            no_worse_off(results.sweep(LEFT, "south", CMT, cc=cc), single, who=TITLES[cc], over="Mbit/s in the south")
        )
        checks.append(
            no_harm(
                results.sweep_on(LEFT, "south", CMT, "south", cc=cc), single, who=TITLES[cc], over="Mbit/s in the south"
            )
        )
        checks.append(balances(_balance(results, cc), plain, who=TITLES[cc], over="Mbit/s in the south"))
    checks.append(
        above(
            results.sweep(LEFT, "south", CMT, _middle, cc=MPTCP),
            results.sweep(LEFT, "south", CMT, _middle, cc=RPV2),
            what="CMT, MPTCP-like against RPv2",
            over="Mbit/s in the south",
        )
    )
    checks.append(below(unfairness[RPV2], unfairness[MPTCP], what="mean imbalance, RPv2 against MPTCP-like", unit=""))
    return all_of(*checks)


def _middle(south: float) -> bool:
    """Whether the paper discusses an equal share at this southern rate: 7.5 to 15 Mbit/s."""
    return 7.5 <= south <= 15.0


def _fast(south: float) -> bool:
    """Whether this is a southern rate at which the paper finds CMT/RPv1 behind: from 7.5 Mbit/s on."""
    return south >= 7.5


def _balance(results: Evidence, cc: str) -> dict[float, Sample]:
    """Return the logarithm of the ratio of the loss rates in the south and in the north."""
    return balance(results, LEFT, "south", flow=CMT, shared="south", cc=cc)


def _imbalance(results: Evidence, cc: str) -> dict[float, Sample]:
    """Return the difference of both flows' rates as a part of the equal share."""
    cmt = results.sweep(LEFT, "south", CMT, _middle, cc=cc)
    single = results.sweep(LEFT, "south", SINGLE, _middle, cc=cc)
    return {south: (cmt[south] - single[south]) / ((cmt[south] + single[south]) / 2.0) for south in cmt}


def _mean_imbalance(results: Evidence, cc: str) -> Sample:
    """Return the absolute imbalance, averaged over the southern rates of 7.5 to 15 Mbit/s."""
    return np.mean([np.abs(sample) for sample in _imbalance(results, cc).values()], axis=0)
