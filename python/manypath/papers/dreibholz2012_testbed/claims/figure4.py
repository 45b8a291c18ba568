"""Claims of section IV-B, figure 4: a CMT flow over two disjoint paths, a single-path flow on the southern one.

The rate of the southern path varies.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from manypath.papers.check import Check, all_of
from manypath.papers.dreibholz import MPTCP, PLAIN, RPV1, RPV2, TITLES
from manypath.papers.dreibholz2012_testbed.claims import figure3
from manypath.papers.dreibholz2012_testbed.claims.register import SETTINGS, claim, not_measured
from manypath.papers.dreibholz2012_testbed.measured import measured
from manypath.papers.dreibholz2012_testbed.names import CMT, NORTH, PAYLOAD, SINGLE
from manypath.papers.dreibholz2012_testbed.printed import AHEAD, UNBOUND
from manypath.papers.evidence import Evidence, Sample
from manypath.papers.paired import estimate
from manypath.papers.predicates import above, below, crosses, near
from manypath.rows import Outcome

FIGURE = "figure4"
OVER = "Mbit/s in the south"
"""Text after the southern rate of a point."""

FIFO = "north-fifo"
"""Name of the change of the scenario that sets a FIFO queue in the north."""

FORMS = ("mptcp-2012", "mptcp-2011")
SUITED = (RPV2, MPTCP)
"""The congestion controls that can handle dissimilar paths, according to the paper (C-004-11)."""


@claim(
    "C-004-8",
    place="IV-B, figure 4(a)",
    kind="number",
    figure=4,
    suspects=SETTINGS,
    says="Plain CMT: both curves are parallel, about 2.5 Mbit/s apart.",
)
def plain_curves_are_parallel(results: Evidence) -> Check:
    """Compare the difference of the flows with the northern rate, within 10 %, at every southern rate."""
    cmt = results.sweep(FIGURE, "south", CMT, cc=PLAIN)
    single = results.sweep(FIGURE, "south", SINGLE, cc=PLAIN)
    return near({south: cmt[south] - single[south] for south in cmt}, NORTH, what="CMT - non-CMT", over=OVER)


@claim(
    "C-004-9",
    place="IV-B",
    kind="qualitative",
    figure=4,
    suspects=(*FORMS, *SETTINGS),
    says="The curves of plain CMT are the bounds within which a control must keep both flows: on very dissimilar paths "
    "(10 Mbit/s in the south) they reject CMT/RPv1, but neither CMT/RPv2 nor MPTCP-like.",
)
def bounds_reject_only_rpv1(results: Evidence) -> Check:
    """Check both bounds at 10 Mbit/s in the south."""
    lower, upper = _bounds(results, _most)
    return all_of(
        below(_of(results, CMT, RPV1, _most), lower, what="CMT/RPv1 violates the lower bound, CMT", over=OVER),
        above(_of(results, SINGLE, RPV1, _most), upper, what="CMT/RPv1 violates the upper bound, non-CMT", over=OVER),
        *(check for cc in SUITED for check in _within_bounds(results, cc, _most)),
    )


@claim(
    "C-004-10",
    place="IV-B, figure 4(a)",
    kind="ordering",
    figure=4,
    suspects=(
        "rival-sack-every-1",
        FIFO,
        "blocking",
        "blocking, rival-sack-every-1",
        "profile-rfc9260",
        "red-90",
        "red-weight",
        "delay-12ms",
    ),
    says="CMT/RPv1 violates the bounds from 7 Mbit/s in the south on: the CMT flow gets less than the single-path flow "
    "does under plain CMT, and the single-path flow gets more than the CMT flow does under plain CMT.",
)
def rpv1_violates_the_bounds(results: Evidence) -> Check:
    """Require violations of both bounds from 7 Mbit/s on, and a crossing of the lower bound just below 7 Mbit/s."""
    lower, upper = _bounds(results, _from(UNBOUND))
    every_lower, _ = _bounds(results)
    return all_of(
        below(_of(results, CMT, RPV1, _from(UNBOUND)), lower, what="CMT against the lower bound", over=OVER),
        above(_of(results, SINGLE, RPV1, _from(UNBOUND)), upper, what="non-CMT against the upper bound", over=OVER),
        # 5.4 is the preceding rate of the grid, 6 Mbit/s, minus a tolerance of 10 %.
        crosses(
            _of(results, CMT, RPV1),
            every_lower,
            between=(5.4, UNBOUND),
            what="CMT and the lower bound",
            unit="Mbit/s",
            over=OVER,
        ),
    )


@rpv1_violates_the_bounds.explain
def effect_of_the_northern_window(results: Evidence) -> str:
    """Report the size of the northern window: each loss in the south subtracts half of it from the southern window."""
    fields = {"cc": RPV1, "south": UNBOUND}
    view = results.under(None)
    missing = view.goodput(FIGURE, CMT, **fields) - view.goodput(FIGURE, SINGLE, cc=PLAIN, south=UNBOUND)
    windows = [estimate(results.under(name).of_outcomes(_northern_window, FIGURE, **fields)) for name in (None, FIFO)]
    return (
        f"At {UNBOUND:g} Mbit/s the CMT flow is {estimate(missing)} Mbit/s above the bound. Each loss in the south "
        "reduces the southern window by half of the sum of both windows, so a larger northern window leaves less. The "
        f"northern window is {windows[0]} kB with RED, and {windows[1]} kB with a FIFO queue."
    )


@claim(
    "C-004-11",
    place="IV-B, figure 4(a)",
    kind="qualitative",
    figure=4,
    suspects=(*FORMS, *SETTINGS),
    says="CMT/RPv2 and MPTCP-like can handle dissimilar paths: both flows keep within the bounds at every rate.",
)
def rpv2_and_mptcp_like_keep_the_bounds(results: Evidence) -> Check:
    """Check both bounds for both flows under both controls."""
    return all_of(*(check for cc in SUITED for check in _within_bounds(results, cc)))


@claim(
    "C-004-12",
    place="IV-B, figure 4(a)",
    kind="number",
    figure=4,
    suspects=SETTINGS,
    says="Under CMT/RPv2 the single-path flow gets more than the CMT flow from about 4 Mbit/s in the south on.",
)
def rpv2_falls_behind_from_four(results: Evidence) -> Check:
    """Require a crossing at 4 Mbit/s within 10 %, and a lead of the single-path flow above it."""
    return _falls_behind(results, RPV2)


@claim(
    "C-004-13",
    place="IV-B, figure 4(a)",
    kind="number",
    figure=4,
    suspects=(*FORMS, *SETTINGS),
    says="Under MPTCP-like control the single-path flow gets more than the CMT flow above about 6 Mbit/s in the south.",
)
def mptcp_like_falls_behind_from_six(results: Evidence) -> Check:
    """Require a crossing at 6 Mbit/s within 10 %, and a lead of the single-path flow above it."""
    return _falls_behind(results, MPTCP)


@claim(
    "C-004-14",
    place="IV-B",
    kind="ordering",
    figure=4,
    suspects=(*FORMS, *SETTINGS),
    says="CMT/RPv2 and MPTCP-like give both flows more than they would get without the northern path, which is half of "
    "the southern path, at every southern rate.",
)
def both_flows_gain(results: Evidence) -> Check:
    """Compare each flow with half of the total rate of two single-path flows on the southern path."""
    half = _half(results)
    return all_of(
        *(
            above(
                results.sweep(FIGURE, "south", flow, cc=cc),
                half,
                what=f"{TITLES[cc]}, {name} against half of the southern path",
                over=OVER,
            )
            for cc in SUITED
            for flow, name in ((CMT, "CMT"), (SINGLE, "non-CMT"))
        )
    )


@claim(
    "C-004-15",
    place="IV-A and IV-B, figures 3(b) and 4(b)",
    kind="ordering",
    figure=4,
    says="The measurement confirms the simulation in both scenarios, including effects first seen in [D11].",
)
def the_testbed_confirms_the_simulation(_results: Evidence) -> Check:
    """Check the claims in `CONFIRMED` with the measured runs of usrsctp. Each result names its claim by number.

    Runs are paired by their seeds, so each claim is checked with equally many runs of the cases that it reads.
    """
    runs = measured()
    if not runs.levels(figure3.FIGURE, "rate") or not runs.levels(FIGURE, "south"):
        return not_measured("every ordering and crossing of figures 3(a) and 4(a)")
    return all_of(*(part for name, check in CONFIRMED.items() for part in _named(name, _paired(check, runs))))


def _paired(check: Callable[[Evidence], Check], runs: Evidence) -> Check:
    """Check a claim with the smallest number of runs of the cases that it reads, for all of them."""
    single = runs.first(1)
    check(single)
    return check(runs.first(runs.fewest(single.read)))


@claim(
    "C-004-16",
    place="IV-B, figure 4(a)",
    kind="ordering",
    figure=4,
    suspects=(*FORMS, *SETTINGS),
    says="The CMT flow gets no less under MPTCP-like control than under CMT/RPv2.",
)
def mptcp_like_takes_no_less(results: Evidence) -> Check:
    """Require a higher mean goodput over all southern rates, and no significantly lower goodput at any of them."""
    return above(
        results.sweep(FIGURE, "south", CMT, cc=MPTCP),
        results.sweep(FIGURE, "south", CMT, cc=RPV2),
        slightly=True,
        what="CMT, MPTCP-like against RPv2",
        over=OVER,
    )


@claim(
    "C-004-17",
    place="IV-B",
    kind="ordering",
    figure=4,
    suspects=("rival-sack-every-1", "rpv2-for-mptcp", "blocking", "sack-every-1", "profile-rfc9260"),
    says="Where the single-path flow is ahead, the northern path, which it does not use, gives it a significant gain, "
    "and gives the CMT flow only a small one.",
)
def the_single_path_flow_gains_most(results: Evidence) -> Check:
    """Check the gain of each flow over half of the southern path, where the single-path flow is ahead.

    The single-path flow must gain 10 %. The mean gain of the CMT flow must be less than half of that of the single-path
    flow.
    """
    half = _half(results)
    checks: list[Check] = []
    for cc in SUITED:
        single, cmt = (_of(results, flow, cc, _beyond(cc)) for flow in (SINGLE, CMT))
        gains = {flow: _mean_gain(rates, half) for flow, rates in ((SINGLE, single), (CMT, cmt))}
        what = f"{TITLES[cc]}, non-CMT against half of the southern path"
        checks.append(above(single, {south: half[south] for south in single}, times=1.1, what=what, over=OVER))
        what = f"{TITLES[cc]}, mean gain of CMT against that of non-CMT"
        checks.append(below(gains[CMT], gains[SINGLE], times=0.5, what=what))
    return all_of(*checks)


@the_single_path_flow_gains_most.explain
def required_and_measured_lead(results: Evidence) -> str:
    """Report the lead of the single-path flow that the claim requires, and its measured lead."""
    view = results.under(None)
    leads = {
        cc: np.mean(
            [
                view.goodput(FIGURE, SINGLE, cc=cc, south=south) - view.goodput(FIGURE, CMT, cc=cc, south=south)
                for south in view.levels(FIGURE, "south", _beyond(cc))
            ],
            axis=0,
        )
        for cc in SUITED
    }
    north = PAYLOAD * NORTH
    measured = ", ".join(f"{estimate(lead)} Mbit/s under {TITLES[cc]}" for cc, lead in leads.items())
    return (
        f"Both gains add up to the northern path, {north:.2f} Mbit/s. For one to be half of the other, the "
        f"single-path flow must lead by {north / 3.0:.2f} Mbit/s. It leads by {measured}. Both controls aim at a CMT "
        "flow that gets as much as a single-path flow on the best path."
    )


def _named(name: str, check: Check) -> list[Check]:
    """Return the parts of a check, each with the number of its claim in front."""
    return [
        replace(
            leaf,
            what=f"{name}, {leaf.what}",
            measured=f"{name}, {leaf.measured}",
            expected=f"{name}, {leaf.expected}",
        )
        for leaf in check.leaves()
    ]


def _northern_window(outcome: Outcome) -> float:
    """Return the mean window of the northern path, kB."""
    return outcome["flows"][CMT]["paths"]["north"]["cwnd"] / 1000.0


def _falls_behind(results: Evidence, cc: str) -> Check:
    """Require a crossing within 10 % of the paper's rate, and a lead of the single-path flow at all faster rates."""
    rate = AHEAD[cc]
    cmt, single = (results.sweep(FIGURE, "south", flow, cc=cc) for flow in (CMT, SINGLE))
    return all_of(
        crosses(cmt, single, between=(0.9 * rate, 1.1 * rate), what="CMT and non-CMT", unit="Mbit/s", over=OVER),
        above(
            _of(results, SINGLE, cc, _beyond(cc)),
            _of(results, CMT, cc, _beyond(cc)),
            what="non-CMT against CMT",
            over=OVER,
        ),
    )


def _within_bounds(results: Evidence, cc: str, where: Callable[[float], bool] | None = None) -> list[Check]:
    """Check that both flows stay above the lower bound and below the upper bound."""
    lower, upper = _bounds(results, where)
    return [
        test(_of(results, flow, cc, where), bound, what=f"{TITLES[cc]}, {name} against the {side} bound", over=OVER)
        for flow, name in ((CMT, "CMT"), (SINGLE, "non-CMT"))
        for test, bound, side in ((above, lower, "lower"), (below, upper, "upper"))
    ]


def _bounds(
    results: Evidence, where: Callable[[float], bool] | None = None
) -> tuple[dict[float, Sample], dict[float, Sample]]:
    """Return the rates of the single-path flow and of the CMT flow under plain CMT."""
    return _of(results, SINGLE, PLAIN, where), _of(results, CMT, PLAIN, where)


def _of(results: Evidence, flow: str, cc: str, where: Callable[[float], bool] | None = None) -> dict[float, Sample]:
    return results.sweep(FIGURE, "south", flow, where, cc=cc)


def _half(results: Evidence) -> dict[float, Sample]:
    """Return half of the total rate of two single-path flows on the southern path, Mbit/s."""
    first = results.sweep("figure4-without-north", "south", CMT)
    second = results.sweep("figure4-without-north", "south", SINGLE)
    return {south: (first[south] + second[south]) / 2.0 for south in first}


def _mean_gain(rates: dict[float, Sample], half: dict[float, Sample]) -> Sample:
    """Return the gain of a flow over half of the southern path, averaged over the southern rates, Mbit/s."""
    return np.mean([rates[south] - half[south] for south in rates], axis=0)


def _most(south: float) -> bool:
    """Return whether this is the southern rate at which the paths differ most, 10 Mbit/s."""
    return south == 10.0


def _from(rate: float) -> Callable[[float], bool]:
    return lambda south: south >= rate


def _beyond(cc: str) -> Callable[[float], bool]:
    """Return a test of a southern rate: whether it is more than 10 % above the crossing in the paper (`AHEAD`)."""
    return lambda south: south > 1.1 * AHEAD[cc]


CONFIRMED: dict[str, Callable[[Evidence], Check]] = {
    "C-004-2": figure3.plain_cmt_takes_twice_as_much,
    "C-004-4": figure3.coupled_controls_share_evenly,
    "C-004-8": plain_curves_are_parallel,
    "C-004-9": bounds_reject_only_rpv1,
    "C-004-10": rpv1_violates_the_bounds,
    "C-004-11": rpv2_and_mptcp_like_keep_the_bounds,
    "C-004-12": rpv2_falls_behind_from_four,
    "C-004-13": mptcp_like_falls_behind_from_six,
    "C-004-16": mptcp_like_takes_no_less,
}
"""Claims that are checked with simulations and with measurements: they read only the runs of figures 3 and 4."""
