"""Claims of section VI-A, figure 4: 100 and 10 Mbit/s with drop-tail queues of various capacities."""

from __future__ import annotations

from collections.abc import Iterable

from manypath.papers.check import Check, all_of
from manypath.papers.dreibholz2010_asymmetric.claims.register import (
    DROP_TAIL,
    along,
    claim,
    rates,
)
from manypath.papers.dreibholz2010_asymmetric.names import BOTH, CMT, NONE, RECEIVER, SECOND, SENDER
from manypath.papers.dreibholz2010_asymmetric.printed import COLLAPSED, FULL_RATE
from manypath.papers.dreibholz2010_asymmetric.waiting import share
from manypath.papers.evidence import Evidence, Sample
from manypath.papers.predicates import above, below, near, rises_with
from manypath.rows import Outcome

LEFT, MIDDLE, RIGHT = "figure4-left", "figure4-middle", "figure4-right"
SMALLER_BUFFER = 125_000.0
"""The receive buffer on the left and the send buffer on the right, bytes."""

ENOUGH = 20
"""Queue capacity at which a halved window still fills 100 Mbit/s: 2 ms without queues are 17 packets."""

SETTINGS = ("window-wraps", "sack-now-off", "mixed-messages", "no-access-delay")
OVERRUN = ("window-wraps, sack-every-1", *SETTINGS)


@claim(
    "C-002-4",
    place="VI-A, figure 4 left",
    kind="number",
    figure=4,
    suspects=OVERRUN,
    says="With the smaller buffer at the receiver and no or sender buffer splitting, the rate falls from about 106 to "
    "only 20 Mbit/s as queues grow.",
)
def unsplit_rate_sinks(results: Evidence) -> Check:
    """Compare the best and the last point of both curves with these rates, and require a fall between them."""
    checks: list[Check] = []
    for split in (NONE, SENDER):
        curve = along(results, LEFT, "capacity", split=split)
        best = max(curve, key=lambda level: float(curve[level].mean()))
        last = max(curve)
        checks += [
            near(curve[best], FULL_RATE, what=f"split {split}, best at {best:g} packets"),
            near(curve[last], COLLAPSED, what=f"split {split}, {last:g} packets"),
            rises_with(
                {level: curve[level] for level in curve if level >= best},
                falls=True,
                what=f"split {split}",
                over="packets",
            ),
        ]
    return all_of(*checks)


@claim(
    "C-002-5",
    place="VI-A, figure 4 left",
    kind="ordering",
    figure=4,
    suspects=SETTINGS,
    fact=DROP_TAIL,
    says="With the smaller buffer at the receiver, receiver and both-sided splitting keep the rate near 106 Mbit/s.",
)
def splitting_the_receive_buffer_helps(results: Evidence) -> Check:
    """Require the full rate behind every queue of at least one round trip."""
    return _stays_full(results, LEFT, (RECEIVER, BOTH))


@claim(
    "C-002-6",
    place="VI-A, figure 4 right",
    kind="ordering",
    figure=4,
    suspects=SETTINGS,
    fact=DROP_TAIL,
    says="With the smaller buffer at the sender, the rate collapses without splitting and with receiver splitting; it "
    "does not collapse with sender and both-sided splitting.",
)
def splitting_the_send_buffer_helps(results: Evidence) -> Check:
    """Require the full rate with sender and both-sided splitting, and less than half at the longest queue without."""
    return all_of(_stays_full(results, RIGHT, (SENDER, BOTH)), _collapses(results, RIGHT, (NONE, RECEIVER)))


@claim(
    "C-002-7",
    place="VI-A, figure 4 middle",
    kind="ordering",
    figure=4,
    suspects=SETTINGS,
    fact=DROP_TAIL,
    says="With equal buffers, sender splitting or receiver splitting solves the buffer blocking; without splitting it "
    "persists.",
)
def either_side_helps_equal_buffers(results: Evidence) -> Check:
    """Require the full rate with either splitting, and less than half of it at the longest queue without."""
    return all_of(_stays_full(results, MIDDLE, (SENDER, RECEIVER)), _collapses(results, MIDDLE, (NONE,)))


@claim(
    "C-002-8",
    place="VI-A, figure 4",
    kind="ordering",
    figure=4,
    suspects=SETTINGS,
    fact=DROP_TAIL,
    says="Splitting both buffers solves the buffer blocking in all three cases.",
)
def both_sides_always_help(results: Evidence) -> Check:
    """Require the full rate in every plot behind every queue of at least one round trip."""
    return all_of(*(_stays_full(results, plot, (BOTH,)) for plot in (LEFT, MIDDLE, RIGHT)))


@claim(
    "C-002-32",
    place="VI-A, figure 4",
    kind="mechanism",
    figure=4,
    suspects=SETTINGS,
    says="The cause: outstanding messages of the slow path fill the receive buffer (left) or the send buffer (right), "
    "so that the fast path finds too little space.",
)
def the_slow_path_fills_the_buffer(results: Evidence) -> Check:
    """Behind the longest queue, require that the slow path holds most of the buffer and the fast path waits for it."""
    last = int(max(results.levels(LEFT, "capacity")))
    checks: list[Check] = []
    for plot, reason, buffer in ((LEFT, "receive_window", "receive"), (RIGHT, "send_buffer", "send")):
        held = results.of_outcomes(_held_by_the_slow_path, plot, split=NONE, capacity=last)
        waiting = _waiting_for(results, reason, plot, last)
        checks += [
            above(held, 0.5, what=f"part of the {buffer} buffer that is outstanding on the slow path", unit=""),
            above(waiting, 0.5, what=f"part of the fast path's waiting time for the {buffer} buffer", unit=""),
        ]
    return all_of(*checks)


def _stays_full(results: Evidence, plot: str, splits: Iterable[str]) -> Check:
    capacities = [int(level) for level in results.levels(plot, "capacity", lambda level: level >= ENOUGH)]
    return near(
        rates(results, plot, {"split": tuple(splits), "capacity": capacities}),
        FULL_RATE,
        what=_title(plot),
        over="packets",
    )


def _collapses(results: Evidence, plot: str, splits: Iterable[str]) -> Check:
    last = int(max(results.levels(plot, "capacity")))
    return below(
        rates(results, plot, {"split": tuple(splits)}, capacity=last),
        FULL_RATE / 2.0,
        what=f"{_title(plot)}, {last} packets, split",
    )


def _title(plot: str) -> str:
    buffers = {LEFT: "small receive buffer", MIDDLE: "equal buffers", RIGHT: "small send buffer"}
    return buffers[plot]


def _held_by_the_slow_path(outcome: Outcome) -> float:
    """Return the mean part of the smaller buffer that is outstanding on the slow path."""
    return outcome["flows"][CMT]["paths"][SECOND]["outstanding"] / SMALLER_BUFFER


def _waiting_for(results: Evidence, reason: str, plot: str, capacity: int) -> Sample:
    """Return the part of the fast path's waiting time with this reason."""
    return results.of_outcomes(lambda outcome: share(outcome, reason), plot, split=NONE, capacity=capacity)
