"""The numbers of a run as tables, and the run in words."""

from __future__ import annotations

import math
from collections import Counter

from manypath.display import Table, counted, number_columns, text_columns
from manypath.explore.charts.course import MOST_FLOWS, MOST_PATHS
from manypath.explore.moves import Answer, duration
from manypath.explore.state import State


def path_table(answer: Answer) -> str:
    """Return a table of the flows and their paths."""
    rows = [
        (
            row["flow"],
            row["path"],
            f"{row['goodput']:.2f}",
            "" if math.isnan(row["loss_rate"]) else f"{100 * row['loss_rate']:.2f} %",
            f"{row['window_cuts']:.0f}",
            f"{row['timeouts']:.0f}",
            "" if math.isnan(row["srtt"]) else f"{1e3 * row['srtt']:.0f}",
        )
        for row in answer.result.paths.reset_index().to_dict("records")
    ]
    since, until = answer.scenario.warmup / 1e9, duration(answer.scenario)
    return Table(f"Measured from {since:.10g} s to {until:.10g} s", PATH_COLUMNS, rows).html()


def not_drawn(answer: Answer) -> str:
    """Return which paths, links and flows have no curves, because there are many; empty if all have some."""
    links = {link for path in answer.scenario.network.paths.values() for link in path.forward}
    kinds = {
        "windows": (answer.result.series["paths"]["path"].nunique(), MOST_PATHS, "path"),
        "queues": (len(links), MOST_PATHS, "link"),
        "curves": (len(answer.result.goodput), MOST_FLOWS, "flow"),
    }
    said = [
        f"{kind} of the first {most} of {found} {noun}s" for kind, (found, most, noun) in kinds.items() if found > most
    ]
    return f'<p class="x-note">Drawn are: {"; ".join(said)}.</p>' if said else ""


def event_table(answer: Answer) -> str:
    """Return a table of the marks: the number of events of each flow, path and reason, the most frequent first."""
    counts: Counter[tuple[str, str, str, str]] = Counter()
    for mark in answer.marks:
        counts[mark.flow, mark.path, mark.what, mark.reason] += mark.count
    if not counts:
        return "<p>None.</p>"
    found = counts.most_common(MOST_ROWS)
    rest = len(counts) - len(found)
    rows = [(flow, path or "all", what, reason, f"{count:,}") for (flow, path, what, reason), count in found]
    more = f"<p>Left out: {counted(rest, 'more row')} with fewer events.</p>" if rest else ""
    return Table(f"From 0 s to {duration(answer.scenario):.10g} s", EVENT_COLUMNS, rows).html() + more


def spoken(answer: Answer) -> str:
    """Return the picture in words, for screen readers."""
    rates = ", ".join(f"{name} {rate:.2f} Mbit/s" for name, rate in answer.result.goodput.items())
    return (
        f"Congestion windows, queues and goodput over {answer.whole:.10g} s. Goodput: {rates}. "
        f"{sum(mark.count for mark in answer.marks)} losses, timeouts and retransmissions."
    )


def flows(state: State) -> str:
    """Return the flows in words."""
    said = [
        f"{name}: {flow.transport.upper()}, {flow.cc}, on {', '.join(flow.paths[:MOST_NAMED])}"
        + (f" and {len(flow.paths) - MOST_NAMED} more" if len(flow.paths) > MOST_NAMED else "")
        for name, flow in list(state.scenario.flows.items())[:MOST_NAMED]
    ]
    rest = len(state.scenario.flows) - len(said)
    return " · ".join([*said, *([counted(rest, "more flow")] if rest else [])])


PATH_COLUMNS = (
    *text_columns("flow", "path"),
    *number_columns("goodput, Mbit/s", "loss", "window cuts", "timeouts", "mean SRTT, ms"),
)
"""Columns of the table of paths."""

EVENT_COLUMNS = (*text_columns("flow", "path", "event", "reason"), *number_columns("number"))
"""Columns of the table of events."""

MOST_ROWS = 40
"""Largest number of rows of the table of events."""

MOST_NAMED = 8
"""Largest number of flows, and of paths of a flow, that are named."""
