"""Claims of section VI-B, figure 6: unordered transfer by CMT/RP, and conclusions for both congestion controls."""

from __future__ import annotations

import numpy as np

from manypath.papers.check import Check, all_of
from manypath.papers.dreibholz2010_asymmetric.claims.figure5 import timeouts_are_rare
from manypath.papers.dreibholz2010_asymmetric.claims.register import (
    ALMOST_EQUAL_PATHS,
    GROWTH_OF_RP,
    along,
    claim,
    lossy,
    rate,
    rates,
)
from manypath.papers.dreibholz2010_asymmetric.claims.suspects import GROWTH, QUEUES
from manypath.papers.dreibholz2010_asymmetric.names import (
    ALMOST_SYMMETRIC,
    ASYMMETRIC,
    BOTH,
    CMT,
    CONTROLS,
    FIRST,
    LONG,
    NONE,
    PACKET,
    PLAIN,
    RP,
    SECOND,
    TITLES,
    ideal,
)
from manypath.papers.dreibholz2010_asymmetric.printed import (
    HALFWAY,
    NOTED_DIFFERENCE,
    PLAIN_UNSPLIT,
    POOLED_SPLIT,
    POOLED_UNSPLIT,
)
from manypath.papers.dreibholz2010_asymmetric.scenarios import DIP
from manypath.papers.evidence import Case, Evidence, Level, Sample
from manypath.papers.history import READ_AGAIN, Revised
from manypath.papers.paired import estimate
from manypath.papers.predicates import above, below, near
from manypath.papers.traces import Trace
from manypath.papers.words import SIGNIFICANTLY
from manypath.quantity import SPAN

RATE, ERRORS = "figure6-rate", "figure6-errors"
WINDOWS, AFTER_A_DIP = "figure6-windows", "figure6-dip"

VERY_SLOW = 0.1
"""Upper limit of a very slow window growth, packets per round trip; plain CMT grows by 1."""

HALF_OF_THE_DIFFERENCE = (
    Revised(
        READ_AGAIN,
        "rates within 10 % of 175 and 192 Mbit/s",
        "within half of their difference",
        "the text calls the difference interesting, which ranges of 10 % around both rates include",
        "holds",
    ),
)


@claim(
    "C-002-20",
    place="VI-B, figure 6",
    kind="ordering",
    figure=6,
    suspects=GROWTH,
    says="CMT/RP performs as plain CMT does, except for almost symmetric paths without splitting.",
    history=(
        Revised(
            READ_AGAIN,
            "a correlation of at least 0.9 between both rates over the points of each plot",
            "at each point a difference of at most 9 % of the links' rate, without the points that the text excepts",
            "the text calls the performance quite corresponding, and names an exception, 175 instead of 192 Mbit/s: a "
            "difference of 9 %",
            "contradicted",
        ),
    ),
)
def cmt_rp_performs_like_plain_cmt(results: Evidence) -> Check:
    """Require a smaller difference than that of the exception at each point but those of almost symmetric paths."""
    return all_of(
        *(
            near(
                _differences(results, plot),
                0.0,
                within=NOTED_DIFFERENCE,
                what=f"difference of the two controls over the {plot}, part of the links' rate",
                unit="",
            )
            for plot in ("rate", "errors", "delay")
        )
    )


@cmt_rp_performs_like_plain_cmt.explain
def delay_with_the_largest_difference(results: Evidence) -> str:
    """Report the delay at which CMT/RP has its lowest rate relative to plain CMT."""
    view, levels = results.under(None), {"split": BOTH, "nr": True, "smart": True}
    behind = {
        delay: rate(view, "figure6-delay", **levels, delay=delay) / rate(view, "figure5-delay", **levels, delay=delay)
        for delay in view.levels("figure6-delay", "delay")
    }
    worst = min(behind, key=lambda delay: float(behind[delay].mean()))
    return (
        f"With all mechanisms CMT/RP reaches {estimate(behind[worst])} of plain CMT's rate at {worst:g} ms: a reduced "
        "window grows by half a packet per round trip, and round-trip times are long."
    )


@claim(
    "C-002-21",
    place="VI-B, figure 6 left",
    kind="number",
    figure=6,
    suspects=(*GROWTH, *QUEUES),
    fact=ALMOST_EQUAL_PATHS,
    says="On two links of 100 Mbit/s without splitting, CMT/RP reaches only about 175 Mbit/s; plain CMT reaches 192 "
    "Mbit/s.",
    history=HALF_OF_THE_DIFFERENCE,
)
def unsplit_cmt_rp_is_slower(results: Evidence) -> Check:
    """Compare both with these numbers, within half of their difference, and with each other."""
    pooled = rate(results, RATE, split=NONE, nr=True, rate=100.0)
    plain = rate(results, "figure5-rate", split=NONE, nr=True, rate=100.0)
    return all_of(
        near(pooled, POOLED_UNSPLIT.value, within=HALFWAY, what="CMT/RP"),
        near(plain, PLAIN_UNSPLIT.value, within=HALFWAY, what="plain CMT"),
        below(pooled, plain, what="CMT/RP against plain CMT"),
    )


@claim(
    "C-002-22",
    place="VI-B, figure 6 left",
    kind="number",
    figure=6,
    suspects=(*GROWTH, *QUEUES),
    fact=ALMOST_EQUAL_PATHS,
    says="Buffer splitting solves this: on two links of 100 Mbit/s CMT/RP then reaches 192 Mbit/s, too.",
    history=HALF_OF_THE_DIFFERENCE,
)
def splitting_restores_the_rate_of_cmt_rp(results: Evidence) -> Check:
    """Compare with 192 Mbit/s, as in C-002-21, and with the rate without splitting."""
    split, unsplit = (rate(results, RATE, split=each, nr=True, rate=100.0) for each in (BOTH, NONE))
    return all_of(
        near(split, POOLED_SPLIT.value, within=HALFWAY, what="split"),
        above(split, unsplit, what="split against unsplit"),
    )


@claim(
    "C-002-23",
    place="VI-B, figure 6 middle",
    kind="ordering",
    figure=6,
    suspects=("sack-every-1", "fifo-100", "profile-rfc9260"),
    fact=ALMOST_EQUAL_PATHS,
    says="In the variation of errors, too, CMT/RP reaches the highest rate only with buffer splitting.",
    history=(
        Revised(
            READ_AGAIN,
            "a higher rate with splitting at each bit error rate",
            "with splitting the largest rate of the curve is higher than without",
            "the text speaks of the highest bandwidth of the plot, and of the effect on almost symmetric paths",
            "contradicted",
        ),
    ),
)
def splitting_helps_cmt_rp_under_errors(results: Evidence) -> Check:
    """Compare the highest rates of the curves with and without splitting, with NR-SACK and drop reports."""
    split, unsplit = (along(results, ERRORS, "errors", split=each, nr=True, reports=True) for each in (BOTH, NONE))
    return above(_highest(split), _highest(unsplit), what="highest rate, split against unsplit")


@splitting_helps_cmt_rp_under_errors.explain
def rate_of_each_path(results: Evidence) -> str:
    """Report the rate of each path with and without splitting."""
    view = results.under(None)
    sentences = []
    for errors in lossy(view, ERRORS):
        parts = [
            estimate(view.goodput_on(ERRORS, CMT, path, split=split, nr=True, reports=True, errors=errors))
            for split in (BOTH, NONE)
            for path in (FIRST, SECOND)
        ]
        sentences.append(
            f"At {errors:g} the clean path carries {parts[0]} Mbit/s and the other {parts[1]} with splitting, "
            f"{parts[2]} and {parts[3]} without."
        )
    return " ".join(sentences)


@claim(
    "C-002-24",
    place="VI-B, end",
    kind="qualitative",
    figure=6,
    suspects=("window-60, sack-round-robin", "fifo-100, window-wraps", "fifo-100"),
    says="Unordered transfer by plain CMT and CMT/RP over unequal paths needs NR-SACK and buffer splitting; smart fast "
    "retransmission improves it, and drop reports should be used where applicable.",
)
def unordered_transfer_needs_these_mechanisms(results: Evidence) -> Check:
    """Remove one mechanism where it helps, and require a lower rate; 10 % lower where the mechanism is needed."""
    return all_of(*(check for cc in CONTROLS for check in _without_one(results, cc)))


unordered_transfer_needs_these_mechanisms.explain(timeouts_are_rare)


@claim(
    "C-002-35",
    place="VI-B, figure 6 left",
    kind="mechanism",
    figure=6,
    suspects=GROWTH,
    fact=GROWTH_OF_RP,
    says="The cause of the lower rate of CMT/RP without splitting: when the ratio of the path capacities changes "
    "temporarily, a window may grow very slowly afterwards.",
    history=(
        Revised(
            READ_AGAIN,
            "at least 5 % of the time with very slow growth, and twice the time without splitting",
            "more time with very slow growth without splitting",
            "the text says that growth may be very slow, and gives neither a part of the time nor a factor",
            "contradicted",
        ),
    ),
)
def uneven_windows_grow_slowly(results: Evidence) -> Check:
    """Require slow growth after a dip of one path's rate, and more time with very slow growth without splitting."""
    split, unsplit = (results.of_traces(_time_of_slow_growth, WINDOWS, split=each) for each in (BOTH, NONE))
    return all_of(
        below(
            results.of_traces(growth_after_the_dip, AFTER_A_DIP, cc=RP),
            0.25,
            what="growth after a dip, CMT/RP",
            unit="packets per window",
        ),
        above(
            results.of_traces(growth_after_the_dip, AFTER_A_DIP, cc=PLAIN),
            0.5,
            what="growth after a dip, plain CMT",
            unit="packets per window",
        ),
        above(unsplit, split, what="part of the time with very slow growth, not split against split", unit=""),
    )


def _differences(results: Evidence, plot: str) -> dict[tuple[Level, ...], Sample]:
    """Return the rate of CMT/RP minus that of plain CMT as a part of the links' rate, where the text expects none."""
    cases = [case for case in results.cases() if case.experiment == f"figure6-{plot}" and not _is_excepted(case)]
    factors = [dict(case.factors) for case in cases]
    return {
        tuple(levels.values()): (
            rate(results, f"figure6-{plot}", **levels) - rate(results, f"figure5-{plot}", **levels)
        )
        / ideal(float(levels.get("rate", 100.0)), float(levels.get("errors", 0.0)))
        for levels in factors
    }


def _is_excepted(case: Case) -> bool:
    """Return whether the text excepts a point: unsplit, almost equal rates, and equal delays, at any error rate."""
    levels = dict(case.factors)
    symmetric = float(levels.get("rate", 100.0)) >= ALMOST_SYMMETRIC and levels.get("delay", 1.0) == 1.0
    return levels["split"] == NONE and symmetric


def _highest(curve: dict[float, Sample]) -> Sample:
    """Return the rates at the point with the highest mean."""
    return curve[max(curve, key=lambda level: float(curve[level].mean()))]


def growth_after_the_dip(trace: Trace) -> float:
    """Return the growth of the slow path's window after the dip, packets per window, up to its largest value.

    Only half a second is read: a window that has filled its share of the buffers does not grow.
    """
    path = trace.paths[CMT, SECOND]
    end = SPAN.parse(DIP[1]) / 1e9
    first, last = np.searchsorted(path.time, [end, end + 0.5])
    part = slice(first, first + int(np.argmax(path.cwnd[first:last])) + 1)
    return path.part(part).growth_per_window() / PACKET


def _time_of_slow_growth(trace: Trace) -> float:
    """Return the part of the time in which one path has a very small share of the thresholds, and so slow growth."""
    thresholds = np.array([path.ssthresh for path in trace.paths.values()])
    known = thresholds[:, np.isfinite(thresholds).all(axis=0)]
    return float((known.min(axis=0) / known.sum(axis=0) < VERY_SLOW).mean())


def _without_one(results: Evidence, cc: str) -> list[Check]:
    """Compare all mechanisms with all but one, under one congestion control."""
    number = {PLAIN: 5, RP: 6}[cc]
    plots = [f"figure{number}-{what}" for what in ("rate", "errors", "delay")]
    thin = {"rate": results.levels(plots[0], "rate", lambda level: level <= ASYMMETRIC)}
    errors = {"errors": lossy(results, plots[1])}
    delays = {"delay": results.levels(plots[2], "delay", lambda level: level >= LONG)}
    whole: dict[str, Level] = {"split": BOTH, "nr": True}
    trials: tuple[tuple[str, str, dict[str, list[float]], dict[str, Level], dict[str, Level], float], ...] = (
        ("NR-SACK", plots[0], thin, whole, {**whole, "nr": False}, SIGNIFICANTLY),
        ("splitting", plots[0], thin, whole, {**whole, "split": NONE}, SIGNIFICANTLY),
        ("drop reports", plots[1], errors, {**whole, "reports": True}, {**whole, "reports": False}, 1.0),
        ("smart fast retransmission", plots[2], delays, {**whole, "smart": True}, {**whole, "smart": False}, 1.0),
    )
    return [
        above(
            rates(results, plot, over, **entire),
            rates(results, plot, over, **lacking),
            times=times,
            slightly=times == 1.0,
            what=f"{TITLES[cc]}, all against all but {lost}",
        )
        for lost, plot, over, entire, lacking, times in trials
    ]
