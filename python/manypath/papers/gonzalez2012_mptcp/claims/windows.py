"""Claims of section 4.2, figures 2 and 3: window growth without cross traffic."""

from __future__ import annotations

from collections.abc import Callable

from manypath.papers.check import Check, all_of
from manypath.papers.evidence import Evidence, Sample
from manypath.papers.gonzalez2012_mptcp.claims.register import GROWTH, TRACES, claim
from manypath.papers.gonzalez2012_mptcp.growth import (
    kept_by_the_other,
    mean_window,
    part_that_bends,
    slope_per_round_trip,
    slope_per_second,
)
from manypath.papers.gonzalez2012_mptcp.names import APPROXIMATED, MPTCP, PATHS, RENO
from manypath.papers.gonzalez2012_mptcp.scenarios import PUSH
from manypath.papers.history import READ_AGAIN, Added, Revised
from manypath.papers.predicates import above, below, near
from manypath.papers.traces import PathTrace, Trace, mean_or_nan

RATES, DELAYS, APART = "figure2", "figure3", "bends"
"""Scenarios 2 and 3 without cross traffic, and the latter with reductions at different times."""


@claim(
    "C-001-4",
    place="4.2, figure 2",
    kind="mechanism",
    figure=2,
    suspects=TRACES,
    fact=GROWTH,
    says="With equal base delays and different rates, the windows grow at different slopes, in the ratio of the "
    "windows.",
)
def slopes_are_as_windows(results: Evidence) -> Check:
    """Require a steeper slope on the faster link, and the ratio of the windows within 10 %."""
    slope = {path: _of_path(results, RATES, path, slope_per_second) for path in PATHS}
    window = {path: _of_path(results, RATES, path, mean_window) for path in PATHS}
    return all_of(
        above(slope["a"], slope["b"], times=1.1, what="slope, A against B", unit="packets/s"),
        near(
            (slope["a"] / slope["b"]) / (window["a"] / window["b"]),
            1.0,
            within=0.1,
            what="ratio of slopes over ratio of windows",
            unit="",
        ),
    )


@claim(
    "C-001-5",
    place="4.2, figure 2",
    kind="mechanism",
    figure=2,
    suspects=TRACES,
    fact=GROWTH,
    says="Each window grows by less than one packet per round trip; TCP Reno would add one on both subflows.",
)
def growth_is_below_renos(results: Evidence) -> Check:
    """Compare with one packet per round trip; uncoupled subflows must reach it, within 10 %."""
    coupled = {path: _of_path(results, RATES, path, slope_per_round_trip) for path in PATHS}
    uncoupled = {path: _of_path(results, RATES, path, slope_per_round_trip, RENO) for path in PATHS}
    unit = "packets per round trip"
    return all_of(
        below(coupled, 1.0, what="growth", unit=unit),
        near(uncoupled, 1.0, within=0.1, what="growth without coupling", unit=unit),
    )


@claim(
    "C-001-6",
    place="4.2, figure 3",
    kind="mechanism",
    figure=3,
    suspects=TRACES,
    fact=GROWTH,
    says="With equal rates and different delays, the windows grow at the same slope over time: the control is "
    "RTT-fair.",
)
def slopes_do_not_depend_on_delay(results: Evidence) -> Check:
    """Require equal slopes within 10 %."""
    slope = {path: _of_path(results, DELAYS, path, slope_per_second) for path in PATHS}
    return near(slope["a"] / slope["b"], 1.0, within=0.1, what="slope, A over B", unit="")


@claim(
    "C-001-7",
    place="4.2, figure 3",
    kind="mechanism",
    figure=3,
    suspects=TRACES,
    fact=GROWTH,
    says="Every window reduction of one subflow bends the curve of the other, because the sum of the rates falls at "
    "once.",
    history=(
        Revised(
            READ_AGAIN,
            before="the curve is steeper in the second to the fourth second after 9 of 10 reductions",
            after="the curve is steeper in the first second after 9 of 10 reductions",
            why="the text says that the curve bends because the sum rate decreases at once, not that it stays steeper "
            "after the sum has grown again",
            verdict="contradicted",
        ),
    ),
)
def every_cut_bends_the_other_curve(results: Evidence) -> Check:
    """Require a steeper slope in the second after a reduction than before it, for 9 of 10 of each subflow."""
    return all_of(
        *(
            near(
                results.of_traces(
                    lambda trace, cut=cut, other=other: part_that_bends(
                        _separated(trace, cut), _separated(trace, other)
                    ),
                    APART,
                    cc=APPROXIMATED,
                ),
                1.0,
                within=0.1,
                what=f"reductions on {cut.upper()} after which {other.upper()} is steeper",
                unit="of all",
            )
            for cut, other in (("a", "b"), ("b", "a"))
        )
    )


@claim(
    "C-001-28",
    place="2 and 5",
    kind="mechanism",
    figure=3,
    suspects=TRACES,
    fact=GROWTH,
    says="Each subflow halves its window on a loss, independent of the others.",
    history=(Added(READ_AGAIN, "holds: the control reduces the window of the subflow with the loss alone"),),
)
def each_subflow_halves_its_own_window(results: Evidence) -> Check:
    """Compare the depth of reductions with a half, and the other window just after with that before."""
    depth = {path: _of_path(results, APART, path, _depth) for path in PATHS}
    others = {
        other: results.of_traces(
            lambda trace, cut=cut, other=other: kept_by_the_other(_separated(trace, cut), _separated(trace, other)),
            APART,
            cc=APPROXIMATED,
        )
        for cut, other in (("a", "b"), ("b", "a"))
    }
    return all_of(
        near(depth, 0.5, what="part of the window that a loss takes", unit=""),
        near(others, 1.0, within=0.05, what="window after a loss of the other subflow over that before", unit=""),
    )


def _depth(path: PathTrace) -> float:
    return mean_or_nan(path.fast_cut_depths())


def _separated(trace: Trace, path: str) -> PathTrace:
    """Return the curve of a subflow from the loss that separates the reductions."""
    whole = trace.paths[MPTCP, path]
    return whole.part(whole.time > PUSH + 1.0)


def _of_path(
    results: Evidence, experiment: str, path: str, measure: Callable[[PathTrace], float], cc: str = APPROXIMATED
) -> Sample:
    """Return a measure of one subflow's window in each replication."""
    return results.of_traces(lambda trace: measure(trace.paths[MPTCP, path]), experiment, cc=cc)
