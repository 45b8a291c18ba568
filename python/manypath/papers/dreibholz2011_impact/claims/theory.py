"""Claims of sections II and III: n times the bandwidth, the goals, the example of the decrease factor."""

from __future__ import annotations

from manypath.papers.check import Check, all_of
from manypath.papers.dreibholz import PLAIN
from manypath.papers.dreibholz2011_impact.claims.register import claim, goals_of_the_text
from manypath.papers.dreibholz2011_impact.names import CMT, SINGLE, UNIT
from manypath.papers.evidence import Evidence
from manypath.papers.history import READ_AGAIN, Revised
from manypath.papers.predicates import above, near
from manypath.papers.traces import Trace, mean_or_nan
from manypath.papers.words import SIGNIFICANTLY


@claim(
    "C-000-1",
    place="III-A",
    kind="ordering",
    figure=2,
    says="With n paths over one bottleneck, plain CMT takes n times the bandwidth of a single-path flow there.",
)
def n_paths_take_n_shares(results: Evidence) -> Check:
    """Compare the ratio of both flows with the number of paths."""
    cmt = results.sweep("figure2-right", "paths", CMT, cc=PLAIN)
    single = results.sweep("figure2-right", "paths", SINGLE, cc=PLAIN)
    return near(
        {paths: cmt[paths] / single[paths] / paths for paths in cmt},
        1.0,
        within=0.1,
        what="CMT : non-CMT, divided by n",
        unit="",
        over="paths",
    )


@claim(
    "C-000-2",
    place="III-B",
    kind="qualitative",
    figure=2,
    says="Goal 2 asks a multipath flow to take no more of a shared bottleneck than a single-path flow. Plain CMT "
    "violates it.",
    history=(
        goals_of_the_text("holds", third=False),
        Revised(
            READ_AGAIN,
            "plain CMT violates goal 2 with 2 paths, and each coupled control fulfils goals 1 and 2 with a tolerance "
            "of 15 %",
            "plain CMT violates goal 2 with each number of paths",
            "section III says what coupled controls should achieve; that they do is said in section VI, which C-000-11 "
            "checks",
            "holds",
        ),
    ),
)
def plain_cmt_violates_the_second_goal(results: Evidence) -> Check:
    """Require 10 % more than the single-path flow gets, with each number of paths over one bottleneck."""
    cmt, single = (results.sweep("figure2-right", "paths", flow, _several, cc=PLAIN) for flow in (CMT, SINGLE))
    return above(cmt, single, times=SIGNIFICANTLY, what="plain CMT against non-CMT", over="paths")


@claim(
    "C-000-3",
    place="III-B.2",
    kind="theory",
    figure=None,
    says="Under CMT/RPv2 with paths of 10 and 2 Mbit/s, a loss on the first path removes 0.6 of its window; a loss on "
    "the second would remove 3 times its window, so the window falls to one segment.",
)
def worked_example_of_the_decrease_factor(results: Evidence) -> Check:
    """Measure the window reductions by losses while both paths are saturated."""
    fast = results.of_traces(lambda trace: _mean_depth(trace, "fast"), "worked-example")
    slow = results.of_traces(lambda trace: _mean_remainder(trace, "slow"), "worked-example")
    return all_of(
        near(fast, 0.6, within=0.06, what="part of the window removed on the 10 Mbit/s path", unit=""),
        near(slow, 1.0, within=0.1, what="window after a loss on the 2 Mbit/s path", unit="segments"),
    )


def _several(paths: float) -> bool:
    """Whether a flow with this number of paths is a multipath flow."""
    return paths >= 2


def _mean_depth(trace: Trace, path: str) -> float:
    """Return the mean part of the window that fast retransmissions removed, after the first slow start."""
    return mean_or_nan(trace.paths[CMT, path].settled().fast_cut_depths())


def _mean_remainder(trace: Trace, path: str) -> float:
    """Return the mean window after a reduction, in segments."""
    settled = trace.paths[CMT, path].settled()
    return mean_or_nan(settled.cwnd[settled.cuts()]) / UNIT
