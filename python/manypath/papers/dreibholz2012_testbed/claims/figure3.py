"""Claims of sections II-B and IV-A, figure 3: both paths of the CMT flow share the single-path flow's bottleneck."""

from __future__ import annotations

from typing import Any

import numpy as np

from manypath.papers.check import Check, all_of
from manypath.papers.dreibholz import COUPLED, PLAIN, TITLES
from manypath.papers.dreibholz2012_testbed.claims.register import SETTINGS, claim
from manypath.papers.dreibholz2012_testbed.names import CMT, SINGLE
from manypath.papers.evidence import Evidence, Sample
from manypath.papers.history import READ_AGAIN, Added, Revised
from manypath.papers.predicates import above, below, near
from manypath.papers.words import SLIGHT
from manypath.rows import Outcome

FIGURE = "figure3"
OVER = "Mbit/s"
"""Text after the rate of a point."""

ONE_PACKET_RATE = 0.48
"""Rate of a window of one packet of 1500 bytes at an RTT of 25 ms, Mbit/s ([D12] section IV-A)."""


@claim(
    "C-004-1",
    place="II-B.1",
    kind="theory",
    figure=3,
    suspects=SETTINGS,
    says="With n paths over one bottleneck, plain CMT takes n times the bandwidth of a single-path flow.",
)
def n_paths_take_n_shares(results: Evidence) -> Check:
    """Compare the ratio of both flows with the number of paths."""
    cmt = results.sweep("figure3-paths", "paths", CMT)
    single = results.sweep("figure3-paths", "paths", SINGLE)
    return near(
        {paths: cmt[paths] / single[paths] / paths for paths in cmt},
        1.0,
        within=0.1,
        what="CMT : non-CMT, divided by n",
        unit="",
        over="paths",
    )


@claim(
    "C-004-2",
    place="IV-A, figure 3(a)",
    kind="ordering",
    figure=3,
    suspects=SETTINGS,
    says="Plain CMT takes twice the rate of the single-path flow, at every rate of the bottleneck. (Checked in "
    "simulation; C-004-3 is about the measurement.)",
)
def plain_cmt_takes_twice_as_much(results: Evidence) -> Check:
    """Compare the ratio of both flows with 2, at every rate."""
    cmt = results.sweep(FIGURE, "rate", CMT, cc=PLAIN)
    single = results.sweep(FIGURE, "rate", SINGLE, cc=PLAIN)
    return near(
        {rate: cmt[rate] / single[rate] for rate in cmt}, 2.0, within=0.2, what="CMT : non-CMT", unit="", over=OVER
    )


@claim(
    "C-004-4",
    place="IV-A, figure 3(a)",
    kind="ordering",
    figure=3,
    suspects=SETTINGS,
    says="Each coupled control solves the unfairness reasonably well; the CMT flow keeps a small lead.",
    history=(
        Revised(
            READ_AGAIN,
            "a difference of at most 15 % of the fair share at each rate",
            "at most 25 %",
            "the text says small, for which other papers have 25 %; its own 0.48 Mbit/s, which it explains by the "
            "round-trip time alone, are 11 % at 9 Mbit/s and a third at 3",
            "contradicted",
        ),
    ),
)
def coupled_controls_share_evenly(results: Evidence) -> Check:
    """Require a small difference of the flows in fair shares, and a lead on average over the rates."""
    leads = [
        above(
            results.sweep(FIGURE, "rate", CMT, cc=cc),
            results.sweep(FIGURE, "rate", SINGLE, cc=cc),
            slightly=True,
            what=f"{TITLES[cc]}, CMT against non-CMT",
            over=OVER,
        )
        for cc in COUPLED
    ]
    return all_of(little_difference(results), *leads)


def little_difference(results: Evidence) -> Check:
    """Require a small difference of both flows under each coupled control."""
    return near(_imbalance(results), 0.0, within=SLIGHT, what="(CMT - non-CMT) / fair share", unit="", over=OVER)


@claim(
    "C-004-5",
    place="IV-A",
    kind="number",
    figure=3,
    suspects=("no-access-delay", *SETTINGS),
    says="The CMT flow leads by the rate of a window of one packet on its second path, 0.48 Mbit/s at 9 Mbit/s and an "
    "RTT of 25 ms. There is a lead because the delay is small.",
    history=(
        Revised(
            READ_AGAIN,
            "says that the lead is large because the delay is small; the same check",
            "says that there is a lead because the delay is small",
            "the text calls the difference small",
            "contradicted",
        ),
    ),
)
def the_lead_is_the_rate_of_a_minimum_window(results: Evidence) -> Check:
    """Compare the lead with 0.48 Mbit/s at 9 Mbit/s, and require a smaller lead at ten times the delay.

    The paper computes the number from a round-trip time of about 25 ms, with two digits; its curves are read to about
    0.1 Mbit/s. The tolerance, a quarter of the number (0.12 Mbit/s), covers both.
    """
    leads = {cc: _lead(results, FIGURE, cc=cc, rate=9.0) for cc in COUPLED}
    distant = {cc: _lead(results, "figure3-far", cc=cc) for cc in COUPLED}
    return all_of(
        near(leads, ONE_PACKET_RATE, within=0.25 * ONE_PACKET_RATE, what="CMT - non-CMT"),
        below(distant, leads, what="CMT - non-CMT with a delay of 100 ms, against 10 ms"),
    )


@claim(
    "C-004-18",
    place="IV-A",
    kind="mechanism",
    figure=3,
    suspects=("no-access-delay", "red-weight", *SETTINGS),
    says="The lead comes from a path at the smallest useful window, one packet for each round-trip time of about 25 ms "
    "at 9 Mbit/s.",
    history=(
        Added(
            READ_AGAIN,
            "contradicted; other runs had shown round-trip times of 62 ms (RED's lower threshold alone is 40 ms) "
            "and windows of 9 to 14 packets",
        ),
        Revised(
            READ_AGAIN,
            "a smaller window below two packets",
            "of one packet, within 10 %",
            "the text computes the rate of one packet",
            "contradicted",
        ),
    ),
)
def a_path_is_at_the_smallest_window(results: Evidence) -> Check:
    """Compare the smoothed round-trip time with 25 ms, and the smaller window with one packet, within 10 %."""
    times = {cc: results.of_outcomes(_round_trip, FIGURE, cc=cc, rate=9.0) for cc in COUPLED}
    windows = {cc: results.of_outcomes(_smaller_window, FIGURE, cc=cc, rate=9.0) for cc in COUPLED}
    return all_of(
        near(times, 25.0, what="smoothed round-trip time of the CMT flow", unit="ms"),
        near(windows, 1.0, what="smaller window of the CMT flow", unit="packets of 1500 bytes"),
    )


@claim(
    "C-004-7",
    place="IV-A, outlook",
    kind="ordering",
    figure=3,
    suspects=SETTINGS,
    says="RP path blocking stops transmission on a path for a time, which reduces the throughput of paths whose window "
    "is at its lower limit, under each coupled control.",
    history=(
        Revised(
            READ_AGAIN,
            "a lower rate under both versions of CMT/RP",
            "a lower rate under each coupled control",
            "the paragraph is about all of them",
            "holds",
        ),
    ),
)
def path_blocking_reduces_cmt_goodput(results: Evidence) -> Check:
    """Compare the CMT flow at 9 Mbit/s with and without path blocking.

    The simulated mechanism pauses a path for one RTO if a loss would reduce its window below one packet ([D12]'s
    reference 23).
    """
    return below(
        {cc: results.goodput("figure3-blocking", CMT, cc=cc) for cc in COUPLED},
        {cc: results.goodput(FIGURE, CMT, cc=cc, rate=9.0) for cc in COUPLED},
        what="CMT with path blocking, against without",
    )


def _imbalance(results: Evidence) -> dict[Any, Sample]:
    """Return the difference of both flows at each rate under each coupled control, as a part of the fair share."""
    found: dict[Any, Sample] = {}
    for cc in COUPLED:
        cmt = results.sweep(FIGURE, "rate", CMT, cc=cc)
        single = results.sweep(FIGURE, "rate", SINGLE, cc=cc)
        found |= {(cc, rate): (cmt[rate] - single[rate]) / ((cmt[rate] + single[rate]) / 2.0) for rate in cmt}
    return found


def _round_trip(outcome: Outcome) -> float:
    """Return the mean smoothed round-trip time over the paths of the CMT flow, ms."""
    return float(np.mean([path["srtt"] for path in outcome["flows"][CMT]["paths"].values()])) * 1e3


def _smaller_window(outcome: Outcome) -> float:
    """Return the smaller mean window of the paths of the CMT flow, packets of 1500 bytes."""
    return float(min(path["cwnd"] for path in outcome["flows"][CMT]["paths"].values())) / 1500.0


def _lead(results: Evidence, experiment: str, **factors: float | str) -> Sample:
    """Return the lead of the CMT flow over the single-path flow, Mbit/s."""
    return results.goodput(experiment, CMT, **factors) - results.goodput(experiment, SINGLE, **factors)
