"""The numbers of a log as tables, and its state in words."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

import numpy as np

from manypath.display import Table, counted, number_columns, text_columns
from manypath.explore.live.curve import Counter, Total
from manypath.explore.live.flow import Flow
from manypath.explore.live.follower import Phase, State
from manypath.explore.live.log import Log


def path_table(flow: Flow, end: float) -> str:
    """Return a table of the paths of a flow: their state, and the mean goodput of the last second."""
    rows: list[Sequence[str]] = []
    for host in flow.shown():
        totals = flow.carried(host)
        for path, state in flow.sides[host].paths.items():
            rows.append(
                (
                    path,
                    host,
                    state.standing.replace("_", " ") or UNKNOWN,
                    _number(state.last("cwnd") / 1e3),
                    _number(state.last("ssthresh") / 1e3),
                    _number(state.outstanding / 1e3),
                    _number(state.last("srtt") * 1e3),
                    _number(state.rto * 1e3, 0),
                    _rate(totals.get(path), end) if totals else UNKNOWN,
                    str(state.counts["window_cuts"]),
                    str(state.counts["timeouts"]),
                )
            )
    return Table(f"Paths of {flow.name}", PATH_COLUMNS, rows).html() if rows else ""


def link_table(log: Log) -> str:
    """Return a table of the links of a log, with the mean rate of the last second."""
    rows = [
        (
            name,
            _rate(link.carried, log.end),
            *(f"{link.counters[counter]:,}" for counter in ("queue", "arrived", "delivered", "dropped", "lost")),
        )
        for name, link in log.links.items()
    ]
    return Table("Links", LINK_COLUMNS, rows).html() if rows else ""


def said_of(flow: Flow) -> str:
    """Return the state of a flow in words."""
    again = sum(side.retransmissions for side in flow.sides.values())
    state = f"closed ({flow.closed.replace('-', ' ')})" if flow.closed else "open"
    return f"{flow.name}: {state}, {counted(again, 'retransmission')} marked"


def status(log: Log, state: State, name: str, *, is_paused: bool) -> str:
    """Return the state of a log in one line."""
    words = [f"{name}: {counted(log.events, 'event')}"]
    if log.end:
        words.append(f"{log.end:,.1f} s")
    match state.phase:
        case Phase.READING:
            words.append(f"{state.phase.value}: {state.read / state.size:.0%} of {state.size / 1e6:,.0f} MB")
        case Phase.QUIET:
            words.append(f"{state.phase.value} for {state.silence:.0f} s")
        case Phase.FAILED:
            words.append(f"{state.phase.value}: {state.failure}")
        case _:
            words.append(state.phase.value)
    if is_paused:
        words.append("paused")
    return " · ".join(words)


def empty(log: Log, state: State, name: str) -> str:
    """Return why the page shows nothing; an empty text if the log has events."""
    if log.events:
        return ""
    # The begin of a line may be completed while its writer is busy.
    is_cut = state.rest > 0 and state.phase in (Phase.QUIET, Phase.ENDED)
    is_other = not log.runs and (log.refused > 0 or is_cut)
    return f"{name}: {NO_LOG if is_other else state.phase.value}"


def remarks(log: Log, state: State) -> list[str]:
    """Return what a reader of the page must know about a log: wrong lines, and what was left out."""
    found: list[str] = []
    if log.refused:
        found.append(f"Left out: {counted(log.refused, 'line')}. The last one: {log.why_refused}")
    if state.rest and state.phase is Phase.ENDED:
        found.append(f"The last line is incomplete ({state.rest:,} bytes).")
    if log.runs > 1:
        found.append(f"The log began again {counted(log.runs - 1, 'time')}; the last run is shown.")
    if log.forgotten:
        found.append(f"Not kept: {counted(log.forgotten, 'flow')} that ended or had no events.")
    if log.left_out:
        found.append(f"Left out: {counted(log.left_out, 'event')} of further flows, because too many flows are open.")
    return found


def paragraphs(texts: Iterable[str]) -> str:
    """Return texts as paragraphs."""
    return "".join(f"<p>{html.escape(text)}</p>" for text in texts)


def spoken(flow: Flow | None, log: Log) -> str:
    """Return the picture in words, for screen readers."""
    if flow is None:
        return f"Queues and rates of {counted(len(log.links), 'link')}"
    parts = [
        f"{path}: window {_number(end.last('cwnd') / 1e3)} kB, round-trip time {_number(end.last('srtt') * 1e3)} ms"
        for host in flow.shown()
        for path, end in flow.sides[host].paths.items()
    ]
    return f"Windows, round-trip times and goodput of {flow.name} over time. {'; '.join(parts)}"


def _rate(total: Total | Counter | None, end: float) -> str:
    """Return the mean rate of the last second in Mbit/s."""
    if total is None:
        return "0.00"
    edges = np.array([max(end - 1.0, 0.0), max(end, 1e-3)])
    return f"{8e-6 * total.rates(edges)[0]:.2f}"


def _number(value: float, digits: int = 1) -> str:
    """Return a number; a dash for one that is unknown, or for a threshold that no loss has set."""
    return f"{value:,.{digits}f}" if value < UNSET / 1e3 else UNKNOWN


UNKNOWN = "–"
"""What the log does not have."""

NO_LOG = (
    "no line is an event of manypath: attach a log that the option --events of manypath net, run, emulate or measure "
    "writes"
)
"""What the page says about a file that is no log."""

UNSET = 1 << 31
"""Bytes from which a threshold means that there is none yet."""

PATH_COLUMNS = (
    *text_columns("path", "end", "state"),
    *number_columns("window, kB", "ssthresh, kB", "outstanding, kB", "SRTT, ms", "RTO, ms"),
    *number_columns("goodput, Mbit/s", "window cuts", "timeouts"),
)
"""Columns of the table of paths."""

LINK_COLUMNS = (
    *text_columns("link"),
    *number_columns("Mbit/s", "queue", "arrived", "delivered", "dropped", "lost"),
)
"""Columns of the table of links."""
