"""Claims of section VI-C, figure 7: ordered transfer by plain CMT over rate, errors or delay of the second path."""

from __future__ import annotations

import numpy as np

from manypath.papers.check import Check, all_of
from manypath.papers.dreibholz2010_asymmetric.claims.register import (
    ORDERED_TRANSFER,
    along,
    claim,
    lossy,
    rate,
    rates,
)
from manypath.papers.dreibholz2010_asymmetric.claims.suspects import DAMAGE, QUEUES
from manypath.papers.dreibholz2010_asymmetric.names import (
    BOTH,
    CONTROLS,
    FIRST,
    LONG,
    NONE,
    OFF,
    PACKET,
    PAYLOAD,
    PLAIN,
    RIVAL,
    RP,
    SECOND,
    THIN,
    THRESHOLD,
    TITLES,
    ideal,
)
from manypath.papers.dreibholz2010_asymmetric.scenarios import ORDERED
from manypath.papers.dreibholz2010_asymmetric.shares import part_of_thresholds, slow_window, waiting_for_share
from manypath.papers.dreibholz2010_asymmetric.waiting import share
from manypath.papers.evidence import Evidence, Level, Sample
from manypath.papers.history import READ_AGAIN, Revised
from manypath.papers.paired import estimate
from manypath.papers.predicates import above, below, near
from manypath.papers.words import SIGNIFICANTLY, SIMILAR, SLIGHT

RATE, ERRORS, DELAY = "figure7-rate", "figure7-errors", "figure7-delay"
PROMISES, RIVALS, BUFFERS = "figure7-promises", "figure7-rivals", "figure7-buffers"
SETTINGS = ("rescheduling-inet", "promised", "sack-now-off")


@claim(
    "C-002-25",
    place="VI-C",
    kind="qualitative",
    figure=7,
    suspects=("split-outstanding", "sack-smallest", "sack-now-off"),
    says="NR-SACK alone cannot work for ordered delivery: it frees the send buffer, not the receive buffer.",
    history=(
        Revised(
            READ_AGAIN,
            "a low rate, and mainly waiting for the receive window",
            "also less waiting for the send buffer than without NR-SACK",
            "the text says that NR-SACK mitigates sender buffer blocking",
            "holds",
        ),
    ),
)
def nr_sack_cannot_help_ordered_transfer(results: Evidence) -> Check:
    """With all data NR-SACKed, require less than 90 % of the links' rate, and mainly waiting for the receive window.

    Without NR-SACK, require more waiting for the send buffer.
    """
    promised = rate(results, PROMISES, nr="promised", rate=THIN)
    window, buffer = (_waiting_for(results, reason) for reason in ("receive_window", "send_buffer"))
    return all_of(
        below(promised, ideal(THIN), times=0.9, what="all data NR-SACKed, 1 Mbit/s"),
        above(window, buffer, what="the fast path's waiting for the receive window against the send buffer", unit=""),
        below(
            buffer,
            _waiting_for(results, "send_buffer", nr="off"),
            what="the fast path's waiting for the send buffer, NR-SACK against none",
            unit="",
        ),
    )


@claim(
    "C-002-26",
    place="VI-C, figure 7",
    kind="ordering",
    figure=7,
    suspects=(*SETTINGS, *QUEUES),
    says="Chunk rescheduling takes over the role that NR-SACK has for unordered transfer.",
)
def rescheduling_replaces_nr_sack(results: Evidence) -> Check:
    """Require a gain at points where NR-SACK helps unordered transfer: slow links with splitting, and errors."""
    thin = {"rate": results.levels(RATE, "rate", lambda level: level <= THIN)}
    over = {"split": (NONE, BOTH), "errors": lossy(results, ERRORS)}
    return all_of(
        above(
            rates(results, RATE, thin, rescheduling=THRESHOLD, split=BOTH),
            rates(results, RATE, thin, rescheduling=OFF, split=BOTH),
            what="rescheduling on against off, slow links, split",
        ),
        above(
            rates(results, ERRORS, over, rescheduling=THRESHOLD, reports=False),
            rates(results, ERRORS, over, rescheduling=OFF, reports=False),
            slightly=True,
            what="rescheduling on against off, errors",
        ),
    )


@claim(
    "C-002-27",
    place="VI-C, figure 7 left",
    kind="ordering",
    figure=7,
    suspects=(*SETTINGS, *QUEUES),
    says="Rescheduling together with splitting keeps the rate from decaying on slow links, up to 1 Mbit/s.",
)
def both_keep_the_rate_on_thin_links(results: Evidence) -> Check:
    """Compare with the links' rate there, and with neither mechanism."""
    thin = {"rate": results.levels(RATE, "rate", lambda level: level <= THIN)}
    both = rates(results, RATE, thin, rescheduling=THRESHOLD, split=BOTH)
    return all_of(
        near(both, {levels: ideal(float(levels[0])) for levels in both}, what="both", over="Mbit/s"),
        above(
            both, rates(results, RATE, thin, rescheduling=OFF, split=NONE), what="both against neither", over="Mbit/s"
        ),
    )


@claim(
    "C-002-28",
    place="VI-C, figure 7 middle",
    kind="ordering",
    figure=7,
    suspects=DAMAGE,
    says="Drop reports keep the rate high under errors.",
    history=(
        Revised(
            READ_AGAIN,
            "the rate of undamaged packets",
            "at most 25 % less than that rate",
            "the text says high here and slightly reduced in VI-B, not the full rate",
            "contradicted",
        ),
    ),
)
def drop_reports_keep_ordered_transfer_fast(results: Evidence) -> Check:
    """With both mechanisms, require 75 % of the rate of undamaged packets, and more than without reports."""
    with_reports, without = (
        along(results, ERRORS, "errors", rescheduling=THRESHOLD, split=BOTH, reports=each) for each in (True, False)
    )
    errors = lossy(results, ERRORS)
    return all_of(
        above(
            with_reports,
            {level: np.asarray((1.0 - SLIGHT) * ideal(errors=level)) for level in with_reports},
            what="drop reports on against 75 % of the rate of undamaged packets",
        ),
        above({level: with_reports[level] for level in errors}, without, what="drop reports on against off"),
    )


@claim(
    "C-002-29",
    place="VI-C, figure 7 right",
    kind="ordering",
    figure=7,
    suspects=(*SETTINGS, *QUEUES),
    says="Smart fast retransmission improves the rate over different delays.",
)
def smart_improves_ordered_transfer(results: Evidence) -> Check:
    """Require more on average over the delays from 50 ms, with rescheduling, with and without splitting."""
    return smart_against_not(results, DELAY)


@claim(
    "C-002-31",
    place="IV-C",
    kind="qualitative",
    figure=7,
    suspects=("rescheduling-inet", "fifo-100"),
    says="Chunk rescheduling is not unfair to concurrent flows.",
    history=(
        Revised(
            READ_AGAIN,
            "90 % of the single-path flow's rate beside the multipath flow without rescheduling",
            "half of the shared link or that rate, the smaller one, less 15 %",
            "fairness is a fair share, and the text says that rescheduling introduces no unfairness; without it the "
            "multipath flow stalls and leaves its share to others",
            "contradicted",
        ),
    ),
)
def rescheduling_is_fair(results: Evidence) -> Check:
    """Require 85 % of half of the shared link for a competing single-path flow, or of its rate without rescheduling."""
    with_it, without = (_rivals(results, each) for each in (THRESHOLD, OFF))
    fair = {point: np.minimum(_half_of_the_link(point), rates) for point, rates in without.items()}
    return above(
        with_it,
        fair,
        times=1.0 - SIMILAR,
        what="single-path flow beside rescheduling against half of the link, or its rate without rescheduling",
    )


@rescheduling_is_fair.explain
def smallest_rate_of_the_single_path_flow(results: Evidence) -> str:
    """Report the smallest rate of the single-path flow, relative to half a link."""
    rivals = _rivals(results.under(None), THRESHOLD)
    parts = {point: sample / _half_of_the_link(point) for point, sample in rivals.items()}
    worst = min(parts, key=lambda point: float(parts[point].mean()))
    return (
        "Without rescheduling the multipath flow stalls and leaves its share to the single-path flow. With "
        f"rescheduling the single-path flow still gets at least {estimate(parts[worst])} of half the link's payload "
        f"rate: under {TITLES[str(worst[0])]} on {worst[1]} with {worst[2]:g} Mbit/s on the second path."
    )


@claim(
    "C-002-36",
    place="VI-C",
    kind="qualitative",
    figure=8,
    suspects=("profile-paper", "fifo-1000", "rescheduling-inet", "sack-now-off"),
    fact=ORDERED_TRANSFER,
    says="Ordered transfer by plain CMT and CMT/RP over unequal paths needs rescheduling, splitting and smart fast "
    "retransmission, drop reports where applicable, and larger buffers than unordered transfer.",
    history=(
        Revised(
            READ_AGAIN,
            "a lower rate without each mechanism",
            "a rate that is 10 % lower; without drop reports only a lower one",
            "the text says requires, as for unordered transfer, whose claim has 10 %; reports should be used",
            "contradicted",
        ),
    ),
)
def ordered_transfer_needs_these_mechanisms(results: Evidence) -> Check:
    """Remove one mechanism where it helps and require a rate that is 10 % lower, without reports only a lower one.

    Compare ordered with unordered transfer in small buffers.
    """
    ordered = rate(results, BUFFERS, rate=10.0)
    return all_of(
        *(check for cc in CONTROLS for check in without_one(results, cc, needed=SIGNIFICANTLY)),
        below(
            ordered,
            rate(results, "figure5-rate", split=BOTH, nr=True, rate=10.0),
            times=1.0 / SIGNIFICANTLY,
            what="small buffers, ordered against unordered",
        ),
    )


@ordered_transfer_needs_these_mechanisms.explain
def effect_of_splitting_under_both(results: Evidence) -> str:
    """Report the small effect of splitting under plain CMT and CMT/RP."""
    return " ".join(effect_of_splitting(results, cc) for cc in CONTROLS)


def effect_of_splitting(results: Evidence, cc: str) -> str:
    """Report the slow path's window with rescheduling, and the time for which a full share blocks a path."""
    view, plot = results.under(None), {PLAIN: RATE, RP: "figure8-rate"}[cc]
    split, unsplit = ({"rescheduling": THRESHOLD, "split": each, "rate": THIN} for each in (BOTH, NONE))
    windows = [estimate(view.of_outcomes(slow_window, plot, **each)) for each in (split, unsplit)]
    effect = (
        f"Under {TITLES[cc]} at {THIN:g} Mbit/s splitting has little effect beside rescheduling: the slow path's "
        f"window is {windows[0]} packets with splitting and {windows[1]} without, because each rescheduled chunk "
        f"reduces it. A share holds {ORDERED.send_buffer // (2 * PACKET):,} packets. Full shares block paths for "
        f"{estimate(view.of_outcomes(waiting_for_share, plot, **split))} s."
    )
    if cc == PLAIN:
        return effect
    part = estimate(view.of_outcomes(part_of_thresholds, plot, **split))
    return (
        f"{effect} The fast path's part of the slow-start thresholds, {part}, scales its window growth: the slow path "
        "has no loss and keeps its initial threshold. So the recovery from a loss may take most of a run: the slowest "
        f"run has {rate(view, plot, **split).min():.1f} Mbit/s."
    )


def without_one(results: Evidence, cc: str, *, needed: float = 1.0) -> list[Check]:
    """Compare all mechanisms with all but one, at points where it helps, under one congestion control.

    Parameters
    ----------
    results, cc
        The evidence, and the control.
    needed
        Smallest ratio of both rates for each mechanism but drop reports.
    """
    number = {PLAIN: 7, RP: 8}[cc]
    plots = [f"figure{number}-{what}" for what in ("rate", "errors", "delay")]
    thin = {"rate": results.levels(plots[0], "rate", lambda level: level <= THIN)}
    errors = {"errors": lossy(results, plots[1])}
    delays = {"delay": results.levels(plots[2], "delay", lambda level: level >= LONG)}
    whole: dict[str, Level] = {"rescheduling": THRESHOLD, "split": BOTH}
    trials: tuple[tuple[str, str, dict[str, list[float]], dict[str, Level], dict[str, Level], float], ...] = (
        ("rescheduling", plots[0], thin, whole, {**whole, "rescheduling": OFF}, needed),
        ("splitting", plots[0], thin, whole, {**whole, "split": NONE}, needed),
        ("drop reports", plots[1], errors, {**whole, "reports": True}, {**whole, "reports": False}, 1.0),
        ("smart fast retransmission", plots[2], delays, {**whole, "smart": True}, {**whole, "smart": False}, needed),
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


def smart_against_not(results: Evidence, plot: str) -> Check:
    """Require more with smart fast retransmission on average over long delays."""
    over = {"split": (NONE, BOTH), "delay": results.levels(plot, "delay", lambda delay: delay >= LONG)}
    return above(
        rates(results, plot, over, rescheduling=THRESHOLD, smart=True),
        rates(results, plot, over, rescheduling=THRESHOLD, smart=False),
        slightly=True,
        what="smart fast retransmission on against off",
    )


def _waiting_for(results: Evidence, reason: str, nr: str = "promised") -> Sample:
    """Return the part of the fast path's waiting time with this reason, by default with all data NR-SACKed."""
    return results.of_outcomes(lambda outcome: share(outcome, reason), PROMISES, nr=nr, rate=THIN)


def _half_of_the_link(point: tuple[Level, ...]) -> float:
    """Return half of the payload rate of the link that a single-path flow shares, Mbit/s."""
    return 0.5 * PAYLOAD * (100.0 if point[1] == FIRST else float(point[2]))


def _rivals(results: Evidence, rescheduling: str) -> dict[tuple[Level, ...], Sample]:
    """Return the rate of the single-path flow at each point, Mbit/s."""
    return {
        (cc, shared, level): results.goodput(RIVALS, RIVAL, cc=cc, rescheduling=rescheduling, shared=shared, rate=level)
        for cc in CONTROLS
        for shared in (FIRST, SECOND)
        for level in results.levels(RIVALS, "rate")
    }
