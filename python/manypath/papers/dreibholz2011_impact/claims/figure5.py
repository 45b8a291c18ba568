"""Claims of section VI-C, figure 5: windows over the first 75 s, 5 Mbit/s in the north, 10 shared in the south."""

from __future__ import annotations

from manypath.papers.check import Check, all_of
from manypath.papers.dreibholz import MPTCP, PLAIN, RPV1, RPV2
from manypath.papers.dreibholz2011_impact.claims.register import SLOW, claim
from manypath.papers.dreibholz2011_impact.claims.suspects import UNCOUPLED
from manypath.papers.dreibholz2011_impact.names import CMT, PAYLOAD, UNIT
from manypath.papers.dreibholz2011_impact.printed import PEAKS, PEAKS_OF
from manypath.papers.evidence import Evidence, Sample
from manypath.papers.history import READ_AGAIN, Revised
from manypath.papers.predicates import ABOUT, above, below, near
from manypath.papers.traces import Trace, mean_or_nan
from manypath.papers.words import SIGNIFICANTLY

FIGURE = "figure5"
GROWTH = "growth of the southern window"
"""Name of a fact: three claims compare it with the limit of slow growth."""

RPV2_IN_THE_SOUTH = ("mptcp-for-rpv2", "sack-every-1", "sack-now-off", "profile-paper", "profile-rfc9260")
"""Suspects of claims about CMT/RPv2 on the southern path."""

QUEUES = ("queue-64", "fixed-messages", "profile-paper", "profile-rfc9260")
EXPECTED_ON_SOUTH = PAYLOAD * ((5.0 + 10.0) / 2.0 - 5.0)
"""The CMT flow's rate in the south if both flows share the total rate equally, Mbit/s of payload."""

ALMOST_EXPECTED = (1.0 - ABOUT) * EXPECTED_ON_SOUTH
"""This rate less the tolerance of `about`, Mbit/s."""


@claim(
    "C-000-31",
    place="VI-C, figure 5 first plot",
    kind="mechanism",
    figure=5,
    suspects=("sfr-off", "dac-off"),
    says="Plain CMT: the paths are independent; only drops of its own queue reduce the northern window.",
)
def paths_of_plain_cmt_are_independent(results: Evidence) -> Check:
    """Require a full northern queue before each northern reduction, and a growth of one segment per window."""
    return all_of(
        near(
            results.of_traces(_northern_cuts_with_full_queue, FIGURE, cc=PLAIN),
            1.0,
            within=0.02,
            what="northern window reductions with a full queue",
            unit="of all",
        ),
        near(
            results.of_traces(lambda trace: _growth(trace, "north", above_threshold=True), FIGURE, cc=PLAIN),
            1.0,
            within=0.2,
            what="growth of the northern window in congestion avoidance",
            unit="segments per window",
        ),
    )


@claim(
    "C-000-32",
    place="VI-C, figure 5 first plot",
    kind="ordering",
    figure=5,
    says="Plain CMT: the southern window is usually smaller than the northern one.",
)
def the_shared_path_has_the_smaller_window(results: Evidence) -> Check:
    """Compare the means, and require a smaller southern window for more than half of the time."""
    return all_of(
        below(
            _mean_window(results, PLAIN, "south"),
            _mean_window(results, PLAIN, "north"),
            what="mean window, south against north",
            unit="kB",
        ),
        above(
            results.of_traces(_time_south_below_north, FIGURE, cc=PLAIN),
            0.5,
            what="time with the southern window below",
            unit="of all",
        ),
    )


@claim(
    "C-000-33",
    place="VI-C, figure 5 second plot",
    kind="number",
    figure=5,
    suspects=QUEUES,
    says="CMT/RPv1: the northern window rises up to 70,000 bytes, the southern one up to around 30,000.",
)
def rpv1_reaches_seventy_and_thirty(results: Evidence) -> Check:
    """Compare the largest windows after the first slow start."""
    return all_of(
        near(
            results.of_traces(lambda trace: _peak(trace, "north"), FIGURE, cc=PEAKS_OF),
            PEAKS["north"],
            what="largest northern window",
            unit="kB",
        ),
        near(
            results.of_traces(lambda trace: _peak(trace, "south"), FIGURE, cc=PEAKS_OF),
            PEAKS["south"],
            what="largest southern window",
            unit="kB",
        ),
    )


@rpv1_reaches_seventy_and_thirty.explain
def one_run_against_many(results: Evidence) -> str:
    """Report the range of the largest southern window over single runs."""
    peaks = results.under(None).of_traces(lambda trace: _peak(trace, "south"), FIGURE, cc=RPV1)
    return (
        f"The paper shows one run. Here the largest southern window of a run is between {peaks.min():.0f} and "
        f"{peaks.max():.0f} kB."
    )


@claim(
    "C-000-34",
    place="VI-C, figure 5 second plot",
    kind="mechanism",
    figure=5,
    fact=GROWTH,
    says="CMT/RPv1: after a loss on the southern path its window grows very slowly.",
)
def rpv1_grows_slowly_after_a_loss(results: Evidence) -> Check:
    """Require at most a quarter of the growth of an uncoupled path, one segment per window."""
    growth = results.of_traces(lambda trace: _growth(trace, "south"), FIGURE, cc=RPV1)
    return below(growth, SLOW, what="growth of the southern window", unit="segments per window")


@claim(
    "C-000-35",
    place="VI-C, figure 5 third plot",
    kind="mechanism",
    figure=5,
    suspects=RPV2_IN_THE_SOUTH,
    fact=GROWTH,
    says="CMT/RPv2: the southern window recovers quickly after a reduction.",
    history=(
        Revised(
            READ_AGAIN,
            "twice the growth of CMT/RPv1",
            "more than a quarter of a segment per window, and significantly more than under CMT/RPv1",
            "C-000-34 calls less than a quarter slow, so quick is more; the text has no ratio of both controls",
            "holds",
        ),
    ),
)
def rpv2_recovers_quickly(results: Evidence) -> Check:
    """Require a growth per window that is not slow, and larger than that of CMT/RPv1."""
    growth = {cc: results.of_traces(lambda trace: _growth(trace, "south"), FIGURE, cc=cc) for cc in (RPV1, RPV2)}
    return all_of(
        _not_slow(growth[RPV2]),
        above(
            growth[RPV2],
            growth[RPV1],
            times=SIGNIFICANTLY,
            what="growth of the southern window, RPv2 against RPv1",
            unit="segments per window",
        ),
    )


@claim(
    "C-000-36",
    place="VI-C, figure 5 fourth plot",
    kind="ordering",
    figure=5,
    suspects=UNCOUPLED,
    fact=GROWTH,
    says="MPTCP-like: curves similar to those of CMT/RPv2, but a southern window that is in general significantly "
    "larger.",
    history=(
        Revised(
            READ_AGAIN,
            "a mean southern window 10 % above that of CMT/RPv2",
            "in addition quick growth and the expected rate in the south, as C-000-35 and -37 require for CMT/RPv2",
            "these are the two parts of the behaviour to which the text calls this one similar",
            "holds",
        ),
    ),
)
def mptcp_like_keeps_a_larger_southern_window(results: Evidence) -> Check:
    """Require a mean southern window 10 % above that of CMT/RPv2, quick growth and the expected rate."""
    return all_of(
        above(
            _mean_window(results, MPTCP, "south"),
            _mean_window(results, RPV2, "south"),
            times=SIGNIFICANTLY,
            what="mean southern window, MPTCP-like against RPv2",
            unit="kB",
        ),
        _not_slow(results.of_traces(lambda trace: _growth(trace, "south"), FIGURE, cc=MPTCP)),
        above(results.goodput_on(FIGURE, CMT, "south", cc=MPTCP), ALMOST_EXPECTED, what="CMT in the south, MPTCP-like"),
    )


@claim(
    "C-000-37",
    place="VI-C, figure 5 second and third plot",
    kind="ordering",
    figure=5,
    suspects=RPV2_IN_THE_SOUTH,
    says="In the south, CMT/RPv1 stays below the rate expected for the CMT flow there; CMT/RPv2 reaches it.",
)
def rpv2_reaches_its_share_in_the_south(results: Evidence) -> Check:
    """Compare both with the rate of an equal share of the total in the south, less 10 %.

    The paper compares curves with that computed rate by eye, so both comparisons have the tolerance of `about`.
    """
    rpv1 = results.goodput_on(FIGURE, CMT, "south", cc=RPV1)
    rpv2 = results.goodput_on(FIGURE, CMT, "south", cc=RPV2)
    return all_of(
        below(rpv1, ALMOST_EXPECTED, what="CMT in the south, RPv1"),
        above(rpv2, ALMOST_EXPECTED, what="CMT in the south, RPv2"),
    )


def _not_slow(growth: Sample) -> Check:
    """Require a growth above the one that both claims about CMT/RPv1 call slow."""
    return above(growth, SLOW, what="growth of the southern window", unit="segments per window")


def _mean_window(results: Evidence, cc: str, path: str) -> Sample:
    """Return the mean window of a path after its first slow start, kB."""
    return results.of_traces(lambda trace: mean_or_nan(trace.paths[CMT, path].settled().cwnd) / 1e3, FIGURE, cc=cc)


def _peak(trace: Trace, path: str) -> float:
    """Return the largest window of a path after its first slow start, kB."""
    return float(trace.paths[CMT, path].settled().cwnd.max(initial=0.0)) / 1e3


def _growth(trace: Trace, path: str, *, above_threshold: bool = False) -> float:
    """Return the growth of a window after its first slow start, segments per delivered window."""
    return trace.paths[CMT, path].settled().growth_per_window(above_threshold=above_threshold) / UNIT


def _northern_cuts_with_full_queue(trace: Trace) -> float:
    """Return the part of the northern reductions with a queue of at least 95 packets in the second before."""
    fullest = trace.fullest_queue_before_cuts(CMT, "north", "north", lookback=1.0)
    return mean_or_nan(fullest >= 95)


def _time_south_below_north(trace: Trace) -> float:
    """Return the part of the time in which the southern window is smaller than the northern one."""
    return float((trace.paths[CMT, "south"].cwnd < trace.paths[CMT, "north"].cwnd).mean())
