"""Claims of section VI-B.1, figure 3: the rate of the northern path, which only the CMT flow uses, varies."""

from __future__ import annotations

import numpy as np

from manypath.papers.check import Check, all_of
from manypath.papers.dreibholz import MPTCP, PLAIN, RPV1, RPV2, TITLES
from manypath.papers.dreibholz2011_impact.claims.register import SLOW, claim, goals_of_the_text
from manypath.papers.dreibholz2011_impact.claims.suspects import SETTINGS, UNCOUPLED
from manypath.papers.dreibholz2011_impact.names import CMT, PAYLOAD, SINGLE, UNIT
from manypath.papers.evidence import Evidence, Sample
from manypath.papers.goals import balance, balances, no_harm, no_worse_off
from manypath.papers.history import READ_AGAIN, Revised
from manypath.papers.paired import estimate
from manypath.papers.predicates import above, below, near
from manypath.papers.traces import Trace, mean_or_nan
from manypath.papers.words import SIGNIFICANTLY

FIGURE = "figure3"
WINDOWS = "figure3-windows"
SOUTH = 5.0


@claim(
    "C-000-12",
    place="VI-B.1, figure 3",
    kind="number",
    figure=3,
    suspects=SETTINGS,
    says="Plain CMT takes half of the shared path and all of the northern path, at every northern rate.",
)
def plain_cmt_takes_half_plus_all(results: Evidence) -> Check:
    """Compare both flows with these shares of the links, within 10 % of each."""
    rates = results.levels(FIGURE, "north")
    return all_of(
        near(
            results.sweep(FIGURE, "north", CMT, cc=PLAIN),
            {north: PAYLOAD * (north + SOUTH / 2.0) for north in rates},
            what="CMT",
            over="Mbit/s in the north",
        ),
        near(
            results.sweep(FIGURE, "north", SINGLE, cc=PLAIN),
            PAYLOAD * SOUTH / 2.0,
            what="non-CMT",
            over="Mbit/s in the north",
        ),
    )


@claim(
    "C-000-13",
    place="VI-B.1, figure 3",
    kind="ordering",
    figure=3,
    suspects=SETTINGS,
    says="CMT/RPv2 and MPTCP-like shift bandwidth of the shared path to the single-path flow.",
)
def bandwidth_shifts_to_the_single_path_flow(results: Evidence) -> Check:
    """Compare the single-path flow's rate with that under plain CMT, at every northern rate."""
    plain = results.sweep(FIGURE, "north", SINGLE, cc=PLAIN)
    sweeps = {cc: results.sweep(FIGURE, "north", SINGLE, cc=cc) for cc in (RPV2, MPTCP)}
    return above(
        {(cc, north): sample for cc, sweep in sweeps.items() for north, sample in sweep.items()},
        {(cc, north): plain[north] for cc in sweeps for north in plain},
        what="non-CMT",
        over="Mbit/s in the north",
    )


@bandwidth_shifts_to_the_single_path_flow.explain
def smallest_shift(results: Evidence) -> str:
    """Report the smallest gain of the single-path flow, and the smallest at the other points."""
    view = results.under(None)
    plain = view.sweep(FIGURE, "north", SINGLE, cc=PLAIN)
    sweeps = {cc: view.sweep(FIGURE, "north", SINGLE, cc=cc) for cc in (RPV2, MPTCP)}
    gains = {(cc, north): sweep[north] - plain[north] for cc, sweep in sweeps.items() for north in sweep}
    least, *others = sorted(gains, key=lambda point: float(gains[point].mean()))
    return (
        f"{TITLES[least[0]]} shifts least at {least[1]:g} Mbit/s in the north, {estimate(gains[least])} Mbit/s: "
        "a slow path is a small part of the sum over all windows. "
        f"At each of the other {len(others)} points at least {estimate(gains[others[0]])} Mbit/s are shifted."
    )


@claim(
    "C-000-14",
    place="VI-B.1, figure 3",
    kind="ordering",
    figure=3,
    suspects=UNCOUPLED,
    says="At every northern rate, MPTCP-like gives the CMT flow more, and the single-path flow less, than CMT/RPv2.",
)
def mptcp_like_takes_more_everywhere(results: Evidence) -> Check:
    """Compare both flows under both controls at every northern rate."""
    return all_of(
        above(
            results.sweep(FIGURE, "north", CMT, cc=MPTCP),
            results.sweep(FIGURE, "north", CMT, cc=RPV2),
            what="CMT, MPTCP-like against RPv2",
            over="Mbit/s in the north",
        ),
        below(
            results.sweep(FIGURE, "north", SINGLE, cc=MPTCP),
            results.sweep(FIGURE, "north", SINGLE, cc=RPV2),
            what="non-CMT, MPTCP-like against RPv2",
            over="Mbit/s in the north",
        ),
    )


@claim(
    "C-000-15",
    place="VI-B.1, figure 3",
    kind="ordering",
    figure=3,
    suspects=UNCOUPLED,
    says="MPTCP-like and CMT/RPv2 differ significantly, particularly where the northern path is slower than the shared "
    "path.",
    history=(
        Revised(
            READ_AGAIN,
            "more under MPTCP-like at each slower rate, and a larger relative difference than at faster rates",
            "in addition at least 10 % more on average over the slower rates",
            "the text says significantly, for which all papers have 10 %",
            "contradicted",
        ),
    ),
)
def they_differ_most_on_a_slow_northern_path(results: Evidence) -> Check:
    """Require a significant difference at slower rates, one at every slower rate, and a larger one than at faster."""
    mptcp = results.sweep(FIGURE, "north", CMT, cc=MPTCP)
    rpv2 = results.sweep(FIGURE, "north", CMT, cc=RPV2)
    gain = {north: (mptcp[north] - rpv2[north]) / rpv2[north] for north in mptcp}
    slow = [gain[north] for north in gain if north < SOUTH]
    fast = [gain[north] for north in gain if north >= SOUTH]
    return all_of(
        above(
            {north: mptcp[north] for north in mptcp if north < SOUTH},
            {north: rpv2[north] for north in rpv2 if north < SOUTH},
            what="CMT on slow northern paths, MPTCP-like against RPv2",
            over="Mbit/s in the north",
        ),
        above(np.mean(slow, axis=0), SIGNIFICANTLY - 1.0, what="mean relative gain on slow northern paths", unit=""),
        above(np.mean(slow, axis=0), np.mean(fast, axis=0), what="relative gain, slow against fast", unit=""),
    )


@claim(
    "C-000-16",
    place="VI-B.1, figure 3",
    kind="qualitative",
    figure=3,
    suspects=UNCOUPLED,
    says="CMT/RPv2 and MPTCP-like meet the three goals at every northern rate.",
    history=(goals_of_the_text("contradicted"),),
)
def both_meet_the_goals(results: Evidence) -> Check:
    """Check the goals for both controls."""
    plain = _balance(results, PLAIN)
    checks: list[Check] = []
    for cc in (RPV2, MPTCP):
        single = results.sweep(FIGURE, "north", SINGLE, cc=cc)
        checks.append(
            no_worse_off(results.sweep(FIGURE, "north", CMT, cc=cc), single, who=TITLES[cc], over="Mbit/s in the north")
        )
        checks.append(
            no_harm(
                results.sweep_on(FIGURE, "north", CMT, "south", cc=cc),
                single,
                who=TITLES[cc],
                over="Mbit/s in the north",
            )
        )
        checks.append(balances(_balance(results, cc), plain, who=TITLES[cc], over="Mbit/s in the north"))
    return all_of(*checks)


@claim(
    "C-000-17",
    place="VI-B.1, figure 3",
    kind="ordering",
    figure=3,
    suspects=SETTINGS,
    says="Under CMT/RPv1, a northern path of at most 4 Mbit/s leaves the CMT flow below the single-path flow: goal 1 "
    "is violated.",
)
def rpv1_loses_on_slow_northern_paths(results: Evidence) -> Check:
    """Compare both flows at northern rates up to 4 Mbit/s."""
    return below(
        results.sweep(FIGURE, "north", CMT, lambda north: north <= 4.0, cc=RPV1),
        results.sweep(FIGURE, "north", SINGLE, lambda north: north <= 4.0, cc=RPV1),
        what="CMT against non-CMT",
        over="Mbit/s in the north",
    )


@claim(
    "C-000-18",
    place="VI-B.1, figure 3",
    kind="number",
    figure=3,
    says="Under CMT/RPv1 with 250 kbit/s in the north, the CMT flow gets less than 1.5 Mbit/s; 2.6 are expected.",
)
def rpv1_collapses_at_250_kbps(results: Evidence) -> Check:
    """Compare the CMT flow with 1.5 Mbit/s."""
    return below(results.goodput(FIGURE, CMT, cc=RPV1, north=0.25), 1.5, what="CMT")


@claim(
    "C-000-19",
    place="VI-B.1, figure 3",
    kind="mechanism",
    figure=3,
    says="The cause: the full queue of the slow northern path makes its window large beside the southern one, because "
    "only an overflow of this queue reduces it; a loss on the southern path reduces that path's window to about one "
    "segment.",
    history=(
        Revised(
            READ_AGAIN,
            "windows of a ratio of 3; 90 % of the reductions to at most two segments",
            "of at least 1.1; a mean of one segment after reductions, within 10 %",
            "the text has no ratio, and says around one segment",
            "holds",
        ),
    ),
)
def a_large_northern_window_reduces_the_southern(results: Evidence) -> Check:
    """Under CMT/RPv1 at 250 kbit/s, check the ratio of the windows, and the causes and depths of reductions."""
    return all_of(
        above(
            results.of_traces(_ratio_of_windows, WINDOWS, cc=RPV1),
            SIGNIFICANTLY,
            what="mean northern over mean southern window",
            unit="",
        ),
        near(
            results.of_traces(_cuts_with_full_queue, WINDOWS, cc=RPV1),
            1.0,
            within=0.02,
            what="northern window reductions with a full queue",
            unit="of all",
        ),
        near(
            results.of_traces(_left_by_cuts, WINDOWS, cc=RPV1),
            1.0,
            what="southern window after reductions",
            unit="segments",
        ),
    )


@claim(
    "C-000-20",
    place="VI-B.1, figure 3",
    kind="mechanism",
    figure=3,
    says="After a loss on the southern path its window grows slowly, because its threshold is a small part of the sum; "
    "meanwhile the southern path remains underutilised by the CMT flow.",
    history=(
        Revised(
            READ_AGAIN,
            "less than half of the fair rate on the southern path",
            "at least 10 % less than the fair rate",
            "the text says underutilised, without a size; significant is 10 % in all papers",
            "holds",
        ),
    ),
)
def the_southern_window_grows_slowly(results: Evidence) -> Check:
    """Require less than a quarter of a segment per window, and significantly less than the fair rate in the south."""
    growth = results.of_traces(
        lambda trace: trace.paths[CMT, "south"].settled().growth_per_window() / UNIT, WINDOWS, cc=RPV1
    )
    rate = results.goodput_on(FIGURE, CMT, "south", cc=RPV1, north=0.25)
    return all_of(
        below(growth, SLOW, what="growth of the southern window", unit="segments per window"),
        below(rate, PAYLOAD * SOUTH / 2.0 / SIGNIFICANTLY, what="CMT on the southern path"),
    )


def _balance(results: Evidence, cc: str) -> dict[float, Sample]:
    """Return the logarithm of the ratio of the loss rates in the south and in the north, at every northern rate."""
    return balance(results, FIGURE, "north", flow=CMT, shared="south", cc=cc)


def _ratio_of_windows(trace: Trace) -> float:
    """Return the mean northern window over the mean southern one, after the first slow starts."""
    north, south = trace.paths[CMT, "north"].settled(), trace.paths[CMT, "south"].settled()
    return mean_or_nan(north.cwnd) / mean_or_nan(south.cwnd)


def _cuts_with_full_queue(trace: Trace) -> float:
    """Return the part of the northern reductions with a queue of at least 95 packets in the 15 s before."""
    fullest = trace.fullest_queue_before_cuts(CMT, "north", "north", lookback=15.0)
    return mean_or_nan(fullest >= 95)


def _left_by_cuts(trace: Trace) -> float:
    """Return the mean southern window after a reduction, segments."""
    south = trace.paths[CMT, "south"].settled()
    return mean_or_nan(south.cwnd[south.cuts()]) / UNIT
