"""Claims of sections 1, 2 and 4.2: the ideal share, coupling of decreases, and the increase per ACK."""

from __future__ import annotations

import numpy as np

from manypath.papers.check import Check, all_of
from manypath.papers.evidence import Evidence, Sample
from manypath.papers.gonzalez2012_mptcp.claims.register import (
    COUPLED_DECREASES,
    GROWTH,
    SCENARIO_1,
    SETTINGS,
    TRACES,
    claim,
)
from manypath.papers.gonzalez2012_mptcp.growth import growth_over_formula
from manypath.papers.gonzalez2012_mptcp.names import (
    APPROXIMATED,
    COUPLED,
    FLOWS,
    MPTCP,
    PATHS,
    RIVALS,
    SHEETS,
    TCP_B,
    TITLES,
)
from manypath.papers.gonzalez2012_mptcp.scenarios import RISE
from manypath.papers.gonzalez2012_mptcp.seconds import gain, swings, time_left
from manypath.papers.gonzalez2012_mptcp.throughput import beside, subflow
from manypath.papers.history import READ_AGAIN, Revised
from manypath.papers.predicates import above, below, near
from manypath.papers.traces import Trace
from manypath.papers.words import SIMILAR

DECREASES = ("settled", "queue-half", "queue-double", "red", "jitter", "initial-window-3")
"""Suspects of the claims about coupled decreases."""

EQUAL = SHEETS[1].experiment


@claim(
    "C-001-1",
    place="1",
    kind="theory",
    figure=4,
    suspects=SETTINGS,
    fact=SCENARIO_1,
    says="Aim: on two equal links with one TCP each, each of the three connections gets a third of the total capacity: "
    "each TCP two thirds of its link, MPTCP one third of each link.",
    history=(
        Revised(
            READ_AGAIN,
            before="each part within 10 %",
            after="each part within 15 %",
            why="section 1 states an aim, and section 4.3 finds it reached by similar rates, for which C-001-9 allows "
            "15 %; the parts of each link in the paper's own means (0.374 and 0.350) do not have 10 %",
            verdict="contradicted",
        ),
    ),
)
def each_connection_gets_a_third(results: Evidence) -> Check:
    """Compare the parts of the throughput with 1/3 and 2/3, which they must be similar to."""
    rates = {flow: beside(results, 1, flow, APPROXIMATED) for flow in FLOWS}
    whole = np.sum(list(rates.values()), axis=0)
    on_links = {path: subflow(results, 1, path, APPROXIMATED) for path in PATHS}
    links = {path: on_links[path] + rates[RIVALS[path]] for path in PATHS}
    third, two_thirds = 1.0 / 3.0, 2.0 / 3.0
    return all_of(
        near(
            {name: rates[flow] / whole for flow, name in FLOWS.items()},
            third,
            within=SIMILAR * third,
            what="part of the total",
            unit="",
        ),
        near(
            {path: rates[RIVALS[path]] / links[path] for path in PATHS},
            two_thirds,
            within=SIMILAR * two_thirds,
            what="TCP's part of its link",
            unit="",
        ),
        near(
            {path: on_links[path] / links[path] for path in PATHS},
            third,
            within=SIMILAR * third,
            what="MPTCP's part of each link",
            unit="",
        ),
    )


@claim(
    "C-001-2",
    place="2",
    kind="qualitative",
    suspects=DECREASES,
    fact=COUPLED_DECREASES,
    says="If decreases were coupled, too, all traffic would flap permanently between equal paths, and a worse path "
    "would carry no traffic. Coupling only the increases avoids both.",
    history=(
        Revised(
            READ_AGAIN,
            before="all traffic flaps, a worse path carries none, and its improvement is not noticed",
            after="all traffic flaps, and a worse path carries none",
            why="these are two problems with a sentence each; the third part is a consequence, now C-001-21",
            verdict="contradicted",
        ),
        Revised(
            READ_AGAIN,
            before="one path is unused for a fifth of the time",
            after="for half of the time",
            why="the text says permanently, and all the traffic",
            verdict="undecided",
        ),
    ),
)
def full_coupling_flaps_and_leaves_paths_unused(results: Evidence) -> Check:
    """Compare both couplings on equal and on unequal links."""
    left = {cc: results.of_traces(time_left, EQUAL, cc=cc) for cc in (APPROXIMATED, COUPLED)}
    moves = {cc: results.of_traces(swings, EQUAL, cc=cc) for cc in (APPROXIMATED, COUPLED)}
    part = {cc: _part_of_link_b(results, cc) for cc in (APPROXIMATED, COUPLED)}
    flapping, steady = TITLES[COUPLED], TITLES[APPROXIMATED]
    return all_of(
        above(moves[COUPLED], 1.0, what=f"{flapping}, moves of nearly all traffic", unit="per run"),
        below(moves[APPROXIMATED], 0.5, what=f"{steady}, moves of nearly all traffic", unit="per run"),
        above(left[COUPLED], 0.5, what=f"{flapping}, time with one path unused", unit="of all"),
        below(left[APPROXIMATED], 0.1, what=f"{steady}, time with one path unused", unit="of all"),
        below(part[COUPLED], 0.1, what=f"{flapping}, MPTCP's part of the worse link", unit=""),
        above(part[APPROXIMATED], 0.2, what=f"{steady}, MPTCP's part of the worse link", unit=""),
    )


@claim(
    "C-001-21",
    place="2",
    kind="qualitative",
    suspects=DECREASES,
    fact=COUPLED_DECREASES,
    says="If decreases were coupled, too, MPTCP would not notice when a worse path improves. With coupled increases it "
    "does.",
    history=(
        Revised(
            READ_AGAIN,
            before="part of C-001-2: within 10 s after the worse link becomes four times as fast, the fully coupled "
            "subflow gains less than half of what the linked one gains",
            after="it gains less",
            why="the text gives no number; it compares both couplings",
            verdict="contradicted",
        ),
        Revised(
            READ_AGAIN,
            before="it gains less",
            after="it gains less than a tenth of what the linked one gains",
            why="not recognized is a gain of zero, with the 10 % of about",
            verdict="undecided",
        ),
    ),
)
def full_coupling_does_not_notice_an_improvement(results: Evidence) -> Check:
    """Require a gain when the worse link becomes four times as fast, and less than a tenth of it with full coupling.

    A fully coupled subflow keeps a window of one packet here ([G12] section 2: at least 1), by which it can notice.
    """
    gains = {cc: results.of_traces(_gain_after_rise, "rise", cc=cc) for cc in (APPROXIMATED, COUPLED)}
    what = "gain of the subflow in 10 s on the link that became faster"
    return all_of(
        above(gains[APPROXIMATED], 0.0, what=f"{what}, linked"),
        below(gains[COUPLED], gains[APPROXIMATED], times=0.1, what=f"{what}, fully coupled against linked"),
    )


@claim(
    "C-001-3",
    place="4.2",
    kind="theory",
    suspects=TRACES,
    fact=GROWTH,
    says="Each ACK adds max(w/rtt²) / (Σ w/rtt)² to the window, the same on every subflow and independent of the sum "
    "of all windows.",
)
def every_ack_adds_the_same(results: Evidence) -> Check:
    """Compare the growth of windows with the formula's growth for the packets delivered meanwhile."""
    return near(
        {
            (experiment, path): results.of_traces(
                lambda trace, path=path: _growth_over_formula(trace, path), experiment, cc=APPROXIMATED
            )
            for experiment in ("figure2", "figure3")
            for path in PATHS
        },
        1.0,
        within=0.05,
        what="growth over formula",
        unit="",
    )


def _growth_over_formula(trace: Trace, path: str) -> float:
    return growth_over_formula(trace.paths[MPTCP, path], [trace.paths[MPTCP, each] for each in PATHS])


def _part_of_link_b(results: Evidence, cc: str) -> Sample:
    """Return MPTCP's part of the throughput over the slower link of scenario 2."""
    own = subflow(results, 2, "b", cc)
    return own / (own + beside(results, 2, TCP_B, cc))


def _gain_after_rise(trace: Trace) -> float:
    return gain(trace, "b", RISE)
