"""Claims for sentences that had none at first."""

from __future__ import annotations

from itertools import product

import numpy as np

from manypath.papers.check import Check, all_of
from manypath.papers.dreibholz2010_asymmetric.claims.figure6 import AFTER_A_DIP, growth_after_the_dip
from manypath.papers.dreibholz2010_asymmetric.claims.register import (
    ALMOST_EQUAL_PATHS,
    GROWTH_OF_RP,
    claim,
    counted,
    lossy,
    rate,
    rates,
)
from manypath.papers.dreibholz2010_asymmetric.claims.suspects import DAMAGE, GROWTH, QUEUES
from manypath.papers.dreibholz2010_asymmetric.names import (
    ALMOST_SYMMETRIC,
    BOTH,
    CMT,
    LONG,
    NONE,
    OFF,
    PACKET,
    PLAIN,
    RP,
    RTO_MIN,
    SECOND,
    THIN,
    THRESHOLD,
    TITLES,
)
from manypath.papers.dreibholz2010_asymmetric.waiting import share, waited
from manypath.papers.evidence import Evidence, Level, Sample
from manypath.papers.history import READ_AGAIN, Added
from manypath.papers.predicates import above, below, near
from manypath.papers.traces import Trace, mean_or_nan
from manypath.papers.words import SIGNIFICANTLY
from manypath.rows import Outcome


@claim(
    "C-002-37",
    place="VI-C, end, figure 7 right",
    kind="qualitative",
    figure=7,
    suspects=("rescheduling-inet", "sack-smallest", "split-outstanding"),
    says="Effective ordered transfer needs both chunk rescheduling and buffer splitting: here over long paths, which "
    "are asymmetric, too.",
    history=(
        Added(
            READ_AGAIN,
            "contradicted: short runs with rescheduling and splitting had 93 Mbit/s at 75 and 100 ms, less than with "
            "neither, because chunks of the long path exceed the threshold by its round-trip time alone",
        ),
    ),
)
def long_paths_need_rescheduling_and_splitting(results: Evidence) -> Check:
    """Remove either mechanism, and require a rate that is 10 % lower on average over the delays from 50 ms."""
    over = {"delay": results.levels("figure7-delay", "delay", lambda delay: delay >= LONG)}
    whole: dict[str, Level] = {"rescheduling": THRESHOLD, "split": BOTH, "smart": True}
    lacking = {"rescheduling": {**whole, "rescheduling": OFF}, "splitting": {**whole, "split": NONE}}
    return all_of(
        *(
            above(
                rates(results, "figure7-delay", over, **whole),
                rates(results, "figure7-delay", over, **levels),
                times=SIGNIFICANTLY,
                slightly=True,
                what=f"all against all but {lost}",
                over="ms",
            )
            for lost, levels in lacking.items()
        )
    )


@claim(
    "C-002-38",
    place="VI-C",
    kind="mechanism",
    figure=7,
    suspects=("rescheduling-inet", *QUEUES),
    says="The cause of the gain by chunk rescheduling: late chunks are resent quickly, which avoids buffer blocking.",
    history=(Added(READ_AGAIN, "holds: rescheduling raises the rate at 1 Mbit/s to that of the links"),),
)
def rescheduling_avoids_blocking(results: Evidence) -> Check:
    """On thin links, require rescheduled chunks, and less than half of the waiting of the fast path for the buffers."""
    thin = results.levels("figure7-rate", "rate", lambda level: level <= THIN)
    waits = {
        rescheduling: {
            level: results.of_outcomes(_waiting, "figure7-rate", rescheduling=rescheduling, split=BOTH, rate=level)
            for level in thin
        }
        for rescheduling in (THRESHOLD, OFF)
    }
    rescheduled = {
        level: counted(results, "rescheduled_chunks", "figure7-rate", rescheduling=THRESHOLD, split=BOTH, rate=level)
        for level in thin
    }
    return all_of(
        above(rescheduled, 0.0, what="rescheduled chunks", unit="", over="Mbit/s"),
        below(
            waits[THRESHOLD],
            waits[OFF],
            times=0.5,
            what="the fast path's waiting for the buffers, rescheduling on against off",
            unit="s",
            over="Mbit/s",
        ),
    )


@claim(
    "C-002-39",
    place="VI-B, figure 6 left",
    kind="ordering",
    figure=6,
    suspects=GROWTH,
    fact=ALMOST_EQUAL_PATHS,
    says="The lower rate of CMT/RP without splitting is an effect of almost symmetric paths.",
    history=(Added(READ_AGAIN, "holds: short runs had 0.97 of plain CMT's rate up to 10 Mbit/s and 0.93 at 100"),),
)
def the_lower_rate_is_of_symmetric_paths(results: Evidence) -> Check:
    """Require a lower rate relative to plain CMT on equal paths than at each rate below 75 Mbit/s."""
    unequal = results.levels("figure6-rate", "rate", lambda level: level < ALMOST_SYMMETRIC)
    equal = _relative(results, 100.0)
    return above(
        {level: _relative(results, level) for level in unequal},
        dict.fromkeys(unequal, equal),
        what="CMT/RP over plain CMT, unequal against equal paths",
        unit="",
        over="Mbit/s",
    )


@claim(
    "C-002-40",
    place="III-A",
    kind="mechanism",
    figure=5,
    suspects=DAMAGE,
    says="In the worst case a fast retransmission is lost; then the full send buffer suspends all paths until a "
    "timer-based retransmission. NR-SACK reduces this.",
    history=(
        Added(
            READ_AGAIN,
            "holds: dozens of timeouts were counted at 5e-6 without NR-SACK, each with a minimum of 1 s",
        ),
    ),
)
def a_lost_fast_retransmission_suspends_all_paths(results: Evidence) -> Check:
    """Require standstills of all paths of nearly the minimum RTO, and less time in them with NR-SACK.

    Require timeouts, and that the fast path waits mainly for the send buffer.
    """
    level = max(results.levels("figure5-standstill", "errors"))
    levels: dict[str, Level] = {"nr": False, "errors": level}
    longest, without = (results.of_traces(of, "figure5-standstill", **levels) for of in (_longest, _in_standstill))
    return all_of(
        above(counted(results, "timeouts", "figure5-standstill", **levels), 0.0, what="timeouts", unit=""),
        above(
            results.of_outcomes(lambda outcome: share(outcome, "send_buffer"), "figure5-standstill", **levels),
            0.5,
            what="part of the fast path's waiting time for the send buffer",
            unit="",
        ),
        above(longest, 0.9 * RTO_MIN, what="longest time in which no path sends, without NR-SACK", unit="s"),
        below(
            results.of_traces(_in_standstill, "figure5-standstill", nr=True, errors=level),
            without,
            times=1.0 / SIGNIFICANTLY,
            what="part of the time in which no path sends for half the minimum RTO, NR-SACK against none",
            unit="",
        ),
    )


@claim(
    "C-002-41",
    place="II",
    kind="ordering",
    figure=6,
    suspects=GROWTH,
    fact=GROWTH_OF_RP,
    says="The fairness of CMT/RP costs a slower growth of the congestion window.",
    history=(Added(READ_AGAIN, "holds: the growth of both controls after a dip was known from C-002-35"),),
)
def cmt_rp_grows_more_slowly(results: Evidence) -> Check:
    """Compare the growth of the window of a path after a dip of its rate."""
    pooled, plain = (results.of_traces(growth_after_the_dip, AFTER_A_DIP, cc=cc) for cc in (RP, PLAIN))
    return below(pooled, plain, what="growth after a dip, CMT/RP against plain CMT", unit="packets per window")


@claim(
    "C-002-42",
    place="VI-B, figure 5 right",
    kind="mechanism",
    figure=5,
    suspects=("burst-max", "sack-every-1"),
    says="The cause of the lower rate at long delays: a loss halves the window, which then grows by a packet per round "
    "trip.",
    history=(Added(READ_AGAIN, "holds: these are the rules of the controls"),),
)
def a_halved_window_grows_by_a_packet_per_round_trip(results: Evidence) -> Check:
    """Compare the growth of the second path in congestion avoidance with a packet, and its cuts with a half."""
    delays = results.levels("figure5-growth", "delay")
    growth, depth = (
        {delay: results.of_traces(of, "figure5-growth", delay=delay) for delay in delays}
        for of in (_growth_in_avoidance, _depth_of_cuts)
    )
    return all_of(
        near(growth, 1.0, what="growth", unit="packets per round trip", over="ms"),
        near(depth, 0.5, what="part of the window that a loss takes", unit="", over="ms"),
    )


@claim(
    "C-002-43",
    place="II and VI-B, figure 5 middle",
    kind="mechanism",
    figure=5,
    suspects=DAMAGE,
    says="The cause of the gain by drop reports: damaged packets are sent again without reducing the window.",
    history=(Added(READ_AGAIN, "holds, except for reports that are lost and packets that cannot be reported"),),
)
def reported_packets_do_not_reduce_the_window(results: Evidence) -> Check:
    """Require at most half of the reductions for a packet at each bit error rate from 1e-6, with NR-SACK.

    Reductions by fast retransmissions are counted. Packets that cannot be reported, or whose report is lost, count too.
    """
    over = list(product((NONE, BOTH), lossy(results, "figure5-errors")))
    cuts = {
        reports: {
            (split, errors): results.of_outcomes(
                _reductions, "figure5-errors", split=split, nr=True, reports=reports, errors=errors
            )
            for split, errors in over
        }
        for reports in (True, False)
    }
    return below(
        cuts[True], cuts[False], times=0.5, what="window reductions for 1000 packets, reports on against off", unit=""
    )


@claim(
    "C-002-44",
    place="VII",
    kind="ordering",
    figure=8,
    suspects=("rescheduling-inet", "sack-smallest", *QUEUES),
    says="Buffer splitting, chunk rescheduling and smart fast retransmission together can improve the performance "
    "significantly, for plain CMT and CMT/RP.",
    history=(Added(READ_AGAIN, "holds: on slow links rescheduling with splitting was known to keep the rate"),),
)
def the_mechanisms_improve_the_performance(results: Evidence) -> Check:
    """Compare splitting and rescheduling with neither on slow links, for ordered transfer: 10 % at each rate.

    Smart fast retransmission is on in both, since it acts only after timeouts.
    """
    checks = []
    for cc, plot in ((PLAIN, "figure7-rate"), (RP, "figure8-rate")):
        thin = {"rate": results.levels(plot, "rate", lambda level: level <= THIN)}
        checks.append(
            above(
                rates(results, plot, thin, rescheduling=THRESHOLD, split=BOTH),
                rates(results, plot, thin, rescheduling=OFF, split=NONE),
                times=SIGNIFICANTLY,
                what=f"{TITLES[cc]}, all mechanisms against none",
                over="Mbit/s",
            )
        )
    return all_of(*checks)


@claim(
    "C-002-45",
    place="IV-A",
    kind="mechanism",
    figure=5,
    suspects=QUEUES,
    says="Losses of single packets are frequent and handled by fast retransmissions; timeouts are rare.",
    history=(Added(READ_AGAIN, "holds: no claim counted timeouts without errors before"),),
)
def timeouts_are_rare_without_errors(results: Evidence) -> Check:
    """On equal paths without errors, require a fast retransmission each second, and ten for each timeout."""
    levels: dict[str, Level] = {"split": BOTH, "nr": True, "rate": 100.0}
    fast, timed = (
        results.of_outcomes(lambda outcome, counter=counter: _each_second(outcome, counter), "figure5-rate", **levels)
        for counter in ("fast_retransmissions", "timeouts")
    )
    return all_of(
        above(fast, 1.0, what="fast retransmissions", unit="per second"),
        below(timed, fast, times=0.1, what="timeouts against fast retransmissions", unit="per second"),
    )


def _each_second(outcome: Outcome, counter: str) -> float:
    """Return a counter of the flow for each second of the window."""
    return float(outcome["flows"][CMT][counter] / outcome["measured_seconds"])


def _growth_in_avoidance(trace: Trace) -> float:
    """Return the growth of the second path's window in congestion avoidance, packets per delivered window."""
    return trace.paths[CMT, SECOND].settled().growth_per_window(above_threshold=True) / PACKET


def _depth_of_cuts(trace: Trace) -> float:
    """Return the mean part of the second path's window that a fast retransmission takes, after the first one."""
    return mean_or_nan(trace.paths[CMT, SECOND].settled().fast_cut_depths()[1:])


def _reductions(outcome: Outcome) -> float:
    """Return the number of window reductions by fast retransmissions for 1000 data packets of the flow."""
    flow = outcome["flows"][CMT]
    return 1000.0 * float(flow["window_cuts"] / flow["data_packets"])


def _relative(results: Evidence, level: float) -> Sample:
    """Return the rate of CMT/RP over that of plain CMT, without splitting, with NR-SACK."""
    levels: dict[str, Level] = {"split": NONE, "nr": True, "rate": level}
    return rate(results, "figure6-rate", **levels) / rate(results, "figure5-rate", **levels)


def _waiting(outcome: Outcome) -> float:
    """Return the time for which a buffer or a share of it blocked the fast path, s."""
    return waited(outcome, "send_buffer", "receive_window", "split_share")


def _standstills(trace: Trace) -> list[float]:
    """Return the length of each time after the start of the flow in which no path sends data, s."""
    paths = list(trace.paths.values())
    sent = np.sum([path.throughput for path in paths], axis=0)
    first = int(np.argmax(sent > 0.0))
    idle = np.concatenate([[False], sent[first:] == 0.0, [False]])
    edges = np.flatnonzero(np.diff(idle.astype(np.int8)))
    step = float(np.median(np.diff(paths[0].time)))
    return [step * float(length) for length in edges[1::2] - edges[::2]]


def _longest(trace: Trace) -> float:
    return max(_standstills(trace), default=0.0)


def _in_standstill(trace: Trace) -> float:
    """Return the part of the time in standstills of at least half the minimum RTO."""
    path = next(iter(trace.paths.values()))
    return sum(length for length in _standstills(trace) if length >= 0.5 * RTO_MIN) / float(
        path.time[-1] - path.time[0]
    )
