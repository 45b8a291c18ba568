"""Claims of sections III and IV-A: the buffer sizes that are needed, and the limits of NR-SACK."""

from __future__ import annotations

import numpy as np

from manypath.papers.check import Check, all_of
from manypath.papers.dreibholz2010_asymmetric.buffers import MIB, for_timeouts
from manypath.papers.dreibholz2010_asymmetric.claims.register import claim, rate
from manypath.papers.dreibholz2010_asymmetric.names import CMT, FIRST, NONE, SECOND, ideal
from manypath.papers.dreibholz2010_asymmetric.waiting import waited
from manypath.papers.evidence import Evidence
from manypath.papers.history import READ_AGAIN, Revised
from manypath.papers.paired import estimate
from manypath.papers.predicates import below, near
from manypath.papers.words import SIGNIFICANTLY
from manypath.rows import Outcome

FAST, TIMEOUT, RATE = "buffers-fast", "buffers-timeout", "figure5-rate"
SETTINGS = ("sack-first", "sack-now-off", "burst-max")


@claim(
    "C-002-1",
    place="IV-A",
    kind="theory",
    suspects=(*SETTINGS, "fifo-100"),
    says="To cover fast retransmissions, both buffers need twice the longest round-trip time, times the sum of the "
    "rates.",
    history=(
        Revised(
            READ_AGAIN,
            "a lower rate with half of these buffers",
            "a rate that is 10 % lower",
            "the text calls the size the minimum without significant interruptions",
            "holds",
        ),
    ),
)
def twice_the_product_covers_fast_retransmissions(results: Evidence) -> Check:
    """Require a rate within 10 % of that with twice these buffers, and 10 % less with half of them."""
    enough = rate(results, FAST, part=1.0)
    plenty = rate(results, FAST, part=2.0)
    return all_of(
        near(enough / plenty, 1.0, within=0.1, what="rate with these buffers over that with twice as much", unit=""),
        below(
            rate(results, FAST, part=0.5),
            enough,
            times=1.0 / SIGNIFICANTLY,
            what="half of the buffers against these buffers",
        ),
    )


@claim(
    "C-002-2",
    place="IV-A",
    kind="theory",
    suspects=SETTINGS,
    says="To cover a timeout, both buffers need three times the longest round-trip time plus one timeout, times the "
    "sum of the rates: about 32 MiB for 100/100 Mbit/s, 110 ms and 1 s.",
    history=(
        Revised(
            READ_AGAIN,
            "timeouts on one path slow the other one with an eighth of these buffers",
            "with half of these buffers",
            "the text calls the size the minimum",
            "holds",
        ),
    ),
)
def three_round_trips_and_a_timeout_cover_timeouts(results: Evidence) -> Check:
    """Compute the size; require that timeouts on one path slow the other down only with half of these buffers."""
    size = for_timeouts([0.110, 0.110], [1.0, 1.0], [100e6, 100e6]) / MIB
    kept = {
        part: results.goodput_on(TIMEOUT, CMT, FIRST, part=part, outage=True)
        / results.goodput_on(TIMEOUT, CMT, FIRST, part=part, outage=False)
        for part in (0.5, 1.0)
    }
    return all_of(
        near(size, 32.0, what="size", unit="MiB"),
        near(kept[1.0], 1.0, within=0.1, what="rate of the other path during a timeout over its usual rate", unit=""),
        below(kept[0.5], 0.9, what="this ratio with half of the buffers", unit=""),
    )


@three_round_trips_and_a_timeout_cover_timeouts.explain
def the_failed_path_sends_nothing(results: Evidence) -> str:
    """Report the rate of the path with the timeout, which the formula counts in full."""
    during = results.under(None).goodput_on(TIMEOUT, CMT, SECOND, part=1.0, outage=True)
    return (
        f"During the timeout the second path carries {estimate(during)} Mbit/s, so the buffers fill at the rate of the "
        "first path alone. The formula counts the rates of both paths."
    )


@claim(
    "C-002-3",
    place="III-A",
    kind="qualitative",
    suspects=("fifo-100, window-wraps", "fifo-100", "renegable"),
    says="NR-SACK reduces send buffer blocking in certain cases, but does not solve the problem.",
    history=(
        Revised(
            READ_AGAIN,
            "says that NR-SACK reduces it; the same check",
            "says in certain cases",
            "these are words of the text",
            "contradicted",
        ),
    ),
)
def nr_sack_does_not_solve_blocking(results: Evidence) -> Check:
    """Up to 10 Mbit/s, require less waiting for the send buffer with NR-SACK, but less than 90 % of the links' rate.

    The text refers to the rates of section VI-B, so the rate decides whether the problem is solved.
    """
    thin = [level for level in results.levels(RATE, "rate") if level <= 10.0]
    waits = {
        nr: {level: results.of_outcomes(_waiting, RATE, split=NONE, nr=nr, rate=level) for level in thin}
        for nr in (False, True)
    }
    left = {level: rate(results, RATE, split=NONE, nr=True, rate=level) for level in thin}
    return all_of(
        below(
            waits[True],
            waits[False],
            slightly=True,
            what="the fast path's waiting for the send buffer, NR-SACK against none",
            unit="s",
            over="Mbit/s",
        ),
        below(
            left,
            {level: np.asarray(ideal(level)) for level in left},
            times=0.9,
            what="NR-SACK alone against the links' rate",
            over="Mbit/s",
        ),
    )


def _waiting(outcome: Outcome) -> float:
    """Return the time for which the send buffer blocked the fast path, s."""
    return waited(outcome, "send_buffer")
