"""Claims of section IV-B, figure 4: a CMT flow over two disjoint paths, a single-path flow on the southern one.

The rate of the southern path varies.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from manypath.papers.check import Check, all_of
from manypath.papers.dreibholz import MPTCP, PLAIN, RPV1, RPV2, TITLES
from manypath.papers.dreibholz2012_testbed.claims.register import SETTINGS, claim
from manypath.papers.dreibholz2012_testbed.names import CMT, NORTH, PAYLOAD, SINGLE
from manypath.papers.dreibholz2012_testbed.printed import AHEAD, CROSSED, UNBOUND
from manypath.papers.evidence import Evidence, Sample
from manypath.papers.history import READ_AGAIN, Added, Revised
from manypath.papers.paired import estimate
from manypath.papers.predicates import above, below, crosses, crossing, near
from manypath.papers.words import SIGNIFICANTLY, SLIGHT
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
    history=(
        Revised(
            READ_AGAIN,
            "a crossing of the lower bound between 5.4 and 7 Mbit/s, and violations from 7 on",
            "a crossing within 10 % of 7 Mbit/s, and violations above it",
            "the rates of C-004-12 and -13 in the same paragraph have 10 % on both sides",
            "contradicted",
        ),
        Revised(
            READ_AGAIN,
            "a crossing of the lower bound by the CMT flow",
            "in addition one of the upper bound by the single-path flow, at the same rate",
            "the text says at the same settings",
            "contradicted",
        ),
    ),
)
def rpv1_violates_the_bounds(results: Evidence) -> Check:
    """Require a crossing of each bound at 7 Mbit/s within 10 %, and violations of both bounds above it."""
    lower, upper = _bounds(results, beyond(RPV1))
    every_lower, every_upper = _bounds(results)
    at_seven = {"between": (0.9 * UNBOUND, 1.1 * UNBOUND), "unit": "Mbit/s", "over": OVER}
    return all_of(
        below(_of(results, CMT, RPV1, beyond(RPV1)), lower, what="CMT against the lower bound", over=OVER),
        above(_of(results, SINGLE, RPV1, beyond(RPV1)), upper, what="non-CMT against the upper bound", over=OVER),
        crosses(_of(results, CMT, RPV1), every_lower, what="CMT and the lower bound", **at_seven),
        crosses(every_upper, _of(results, SINGLE, RPV1), what="the upper bound and non-CMT", **at_seven),
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
    "C-004-16",
    place="IV-B, figure 4(a)",
    kind="ordering",
    figure=4,
    suspects=(*FORMS, *SETTINGS),
    says="The single-path flow overtakes the CMT flow at a faster south under MPTCP-like control (6 Mbit/s) than under "
    "CMT/RPv2 (4).",
    history=(
        Revised(
            READ_AGAIN,
            "the CMT flow gets no less under MPTCP-like control than under CMT/RPv2, at all rates",
            "its lead over the single-path flow is larger between 4 and 6 Mbit/s",
            "the text compares the rates of the crossings, not those of the CMT flow",
            "holds",
        ),
        Revised(
            READ_AGAIN,
            "its lead over the single-path flow is larger between 4 and 6 Mbit/s",
            "the southern rate of the crossing is larger",
            "this is what the text compares",
            "holds",
        ),
    ),
)
def mptcp_like_is_overtaken_later(results: Evidence) -> Check:
    """Compare the southern rates of the crossings, interpolated between levels in each run."""
    by_mptcp, by_rpv2 = (_overtaken_at(results, cc) for cc in (MPTCP, RPV2))
    return above(by_mptcp, by_rpv2, what="crossing under MPTCP-like against RPv2", unit="Mbit/s in the south")


@claim(
    "C-004-17",
    place="IV-B",
    kind="ordering",
    figure=4,
    suspects=("rival-sack-every-1", "rpv2-for-mptcp", "blocking", "sack-every-1", "profile-rfc9260"),
    says="Where the single-path flow is ahead, the northern path, which it does not use, gives it a significant gain, "
    "and gives the CMT flow only a small one.",
    history=(
        Revised(
            READ_AGAIN,
            "the single-path flow gains 10 % at each rate, and the CMT flow less than half as much on average",
            "on average over these rates the CMT flow gains less than 25 %, the single-path flow more",
            "the text calls one gain small and the other significant; small is 25 % in all papers, and half is not in "
            "the text",
            "contradicted",
        ),
        Revised(
            READ_AGAIN,
            "on average over these rates the single-path flow gains more than 25 %",
            "more than 10 %, and more than the CMT flow",
            "significant is at least 10 % in all papers",
            "undecided",
        ),
    ),
)
def the_single_path_flow_gains_most(results: Evidence) -> Check:
    """Check the gain of each flow over half of the southern path, relative, where the single-path flow is ahead."""
    half = _half(results)
    checks: list[Check] = []
    for cc in SUITED:
        single, cmt = (_mean_gain(_of(results, flow, cc, beyond(cc)), half) for flow in (SINGLE, CMT))
        what, unit = f"{TITLES[cc]}, mean gain of", "of half of the south"
        checks.append(above(single, SIGNIFICANTLY - 1.0, what=f"{what} non-CMT", unit=unit))
        checks.append(below(cmt, SLIGHT, what=f"{what} CMT", unit=unit))
        checks.append(above(single, cmt, what=f"{what} non-CMT, against CMT", unit=unit))
    return all_of(*checks)


@claim(
    "C-004-20",
    place="II-B.2",
    kind="qualitative",
    figure=4,
    suspects=SETTINGS,
    says="CMT/RPv1 works well for similar paths.",
    history=(
        Added(READ_AGAIN, "it holds; the bounds were known to be kept with a slow south"),
        Revised(
            READ_AGAIN,
            "both bounds with a south of 2 and 3 Mbit/s",
            "with 2.5 Mbit/s, the rate of the north",
            "the text says almost the same characteristics, and similar is 15 % in all papers",
            "holds",
        ),
    ),
)
def rpv1_works_on_similar_paths(results: Evidence) -> Check:
    """Check both bounds with equal rates of both paths."""
    rates = {
        (flow, cc): results.goodput("figure4-similar", flow, cc=cc) for flow in (CMT, SINGLE) for cc in (RPV1, PLAIN)
    }
    lower, upper = rates[SINGLE, PLAIN], rates[CMT, PLAIN]
    return all_of(
        *(
            test(rates[flow, RPV1], bound, what=f"{name} against the {side} bound, equal paths")
            for flow, name in ((CMT, "CMT"), (SINGLE, "non-CMT"))
            for test, bound, side in ((above, lower, "lower"), (below, upper, "upper"))
        )
    )


@the_single_path_flow_gains_most.explain
def how_both_gains_add_up(results: Evidence) -> str:
    """Report the measured lead of the single-path flow, which divides the gain of both flows."""
    view = results.under(None)
    behind = {cc: -np.mean(list(leads(view, cc, beyond(cc)).values()), axis=0) for cc in SUITED}
    measured = ", ".join(f"{estimate(lead)} Mbit/s under {TITLES[cc]}" for cc, lead in behind.items())
    return (
        f"Both gains add up to the northern path, {PAYLOAD * NORTH:.2f} Mbit/s; their difference is the lead of the "
        f"single-path flow, {measured}. Both controls aim at a CMT flow that gets as much as a single-path flow on the "
        "best path."
    )


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
            _of(results, SINGLE, cc, beyond(cc)),
            _of(results, CMT, cc, beyond(cc)),
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
    """Return the gain of a flow over half of the southern path, relative, averaged over the southern rates."""
    return np.mean([rates[south] / half[south] - 1.0 for south in rates], axis=0)


def leads(results: Evidence, cc: str, where: Callable[[float], bool]) -> dict[float, Sample]:
    """Return the lead of the CMT flow over the single-path flow at some southern rates, Mbit/s."""
    single = _of(results, SINGLE, cc, where)
    return {south: cmt - single[south] for south, cmt in _of(results, CMT, cc, where).items()}


def _overtaken_at(results: Evidence, cc: str) -> Sample:
    """Return the southern rate from which on the single-path flow leads in each run, Mbit/s.

    It is the slowest one for a run in which the CMT flow never leads, and the fastest for one at whose end it leads.
    """
    found = leads(results, cc, lambda _: True)
    south = sorted(found)
    runs = np.array([found[level] for level in south]).T
    ends = [south[0] if run[-1] <= 0.0 else south[-1] for run in runs]
    crossings = [crossing(list(zip(south, run, strict=True))) for run in runs]
    return np.array([end if at is None else at for at, end in zip(crossings, ends, strict=True)])


def _most(south: float) -> bool:
    """Return whether this is the southern rate at which the paths differ most, 10 Mbit/s."""
    return south == 10.0


def beyond(cc: str) -> Callable[[float], bool]:
    """Return a test of a southern rate: whether it is more than 10 % above the crossing in the paper (`CROSSED`)."""
    return lambda south: south > 1.1 * CROSSED[cc]
