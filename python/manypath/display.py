"""Results as tables: text for terminals and for ``print``, HTML for notebooks. Also durations as text."""

from __future__ import annotations

import io
import math
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from manypath.measurements import HOST_BUFFERS
from manypath.rows import Outcome, flow_rows, link_rows, path_rows

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table as RichTable


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    title : str
        Heading with unit, for wide pages.
    show : callable
        Format of a value, for wide pages.
    brief : str
        Heading on a narrow page, with one word a line.
    show_briefly : callable or None
        Format of a value on a narrow page; `show` if None.
    dropped : int
        Order in which columns are left out of a page that is too narrow: the highest number first; 0 is never left out.
    is_number : bool
        Whether the values are numbers, also with a unit or an interval; these are right-aligned.
    """

    title: str
    show: Callable[[Any], str] = str
    brief: str = ""
    show_briefly: Callable[[Any], str] | None = None
    dropped: int = 0
    is_number: bool = False

    def cell(self, value: Any, *, briefly: bool = False) -> str:
        """Return the text of a value; an empty text for None."""
        show = self.show_briefly or self.show
        return "" if value is None else show(value) if briefly else self.show(value)

    def briefly(self) -> Column:
        """Return the column with its heading for a narrow page."""
        return replace(self, title="\n".join((self.brief or self.title).split(" ")))


@dataclass(frozen=True)
class Table:
    """Rows of values under columns; None is an empty cell.

    Attributes
    ----------
    title : str
        Caption.
    columns : sequence of Column
        The columns, from left to right; the first one has the row's name.
    rows : sequence of sequence
        A value for each column.
    """

    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Any]]

    def fitted(self, width: int) -> tuple[list[Column], list[list[str]]]:
        """Return columns and cells that fit into `width` characters: in full, briefly, or without some columns."""
        cells = [[c.cell(value) for c, value in zip(self.columns, row, strict=True)] for row in self.rows]
        if _width(self.columns, cells) <= width:
            return list(self.columns), cells
        kept = list(range(len(self.columns)))
        while True:
            columns = [self.columns[k].briefly() for k in kept]
            cells = [[self.columns[k].cell(row[k], briefly=True) for k in kept] for row in self.rows]
            first = max(kept, key=lambda k: self.columns[k].dropped)
            if _width(columns, cells) <= width or not self.columns[first].dropped:
                return columns, cells
            kept.remove(first)

    def html(self) -> str:
        """Return the table as an HTML element."""
        classes = [' class="number"' if column.is_number else "" for column in self.columns]
        heads = (
            f'<th scope="col"{css}>{escape(column.title)}</th>'
            for css, column in zip(classes, self.columns, strict=True)
        )
        rows = (self._html_row(row, classes) for row in self.rows)
        return (
            f"<table><caption>{escape(self.title)}</caption>"
            f"<thead><tr>{''.join(heads)}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
        )

    def _html_row(self, row: Sequence[Any], classes: Sequence[str]) -> str:
        """Return a row as HTML; its first cell with a text is its heading."""
        texts = [column.cell(value) for column, value in zip(self.columns, row, strict=True)]
        heading = next((k for k, text in enumerate(texts) if text), 0)
        cells = (
            f'<th scope="row"{css}>{escape(text)}</th>' if k == heading else f"<td{css}>{escape(text)}</td>"
            for k, (css, text) in enumerate(zip(classes, texts, strict=True))
        )
        return f"<tr>{''.join(cells)}</tr>"


def tables(outcome: Outcome) -> list[Table]:
    """Return the tables of a run: flows with their paths, and links."""
    return [_flows(outcome), _links(outcome)]


def remarks(outcome: Outcome) -> list[str]:
    """Return a line for each flow that ended early, and for each path that did not work or that a host buffer stopped.

    Paths of a flow that had ended are left out of those that did not work at the end of the run.
    """
    ended = [f"{flow}: ended early, at {time:.4g} s: {why}" for flow, why, time in _ended_early(outcome)]
    idle = (f"{flow}: path {path} {STATES[state]} at the end of the run" for flow, path, state in _idle_paths(outcome))
    stopped = (
        f"{flow}: {buffer} stopped path {path} for {time:.3g} s{LARGER[buffer]}"
        for flow, path, buffer, time in _stopped(outcome)
    )
    return [*_first(ended, "flow"), *_first([*idle, *stopped], "path")]


def remarks_of_runs(outcomes: Sequence[Outcome]) -> list[str]:
    """Return the same lines for the flows and paths of some runs, with the number of runs."""
    runs = len(outcomes)
    ends: dict[tuple[str, str], list[float]] = {}
    for outcome in outcomes:
        for flow, why, time in _ended_early(outcome):
            ends.setdefault((flow, why), []).append(time)
    ended = [
        f"{flow}: ended early in {len(each)} of {runs} runs, the first at {min(each):.4g} s: {why}"
        for (flow, why), each in ends.items()
    ]
    found = Counter(each for outcome in outcomes for each in _idle_paths(outcome))
    idle = [
        f"{flow}: path {path} {STATES[state]} at the end of {count} of {runs} runs"
        for (flow, path, state), count in found.items()
    ]
    times: dict[tuple[str, str, str], list[float]] = {}
    for outcome in outcomes:
        for flow, path, buffer, seconds in _stopped(outcome):
            times.setdefault((flow, path, buffer), []).append(seconds)
    stopped = [
        f"{flow}: {buffer} stopped path {path} in {len(each)} of {runs} runs, for up to {max(each):.3g} s"
        + LARGER[buffer]
        for (flow, path, buffer), each in times.items()
    ]
    return [*_first(ended, "flow"), *_first([*idle, *stopped], "path")]


def _first(lines: list[str], of: str) -> list[str]:
    """Return some lines with the number of the others, which are about flows or paths."""
    others = len(lines) - MOST_REMARKS
    return lines if others <= 0 else [*lines[:MOST_REMARKS], f"and {counted(others, f'other such {of}')}"]


def _ended_early(outcome: Outcome) -> Iterator[tuple[str, str, float]]:
    """Iterate over the flows that ended before all their data had arrived: name, reason in words, and time in seconds.

    They deliver nothing in the rest of the run, which is a part of their goodput.
    """
    for name, flow in outcome.get("flows", {}).items():
        if (reason := str(flow.get("closed") or "")) and reason not in COMPLETE:
            yield name, ENDINGS.get(reason, reason), flow["closed_at"]


def _idle_paths(outcome: Outcome) -> Iterator[tuple[str, str, str]]:
    """Iterate over flow, path and state of each path that did not work at the end of a run of its flow."""
    for name, flow in outcome.get("flows", {}).items():
        for path, numbers in flow["paths"].items():
            if not flow.get("closed") and numbers.get("path_state") in STATES:
                yield name, path, numbers["path_state"]


def _stopped(outcome: Outcome) -> Iterator[tuple[str, str, str, float]]:
    """Iterate over flow, path and buffer, and the seconds for which the buffer stopped the path, unless they are few.

    Each instant counts for the first limit only, and the congestion window comes before the buffers.
    """
    # Results of earlier versions lack the measured time.
    least = LEAST_STOPPED * outcome.get("measured_seconds", outcome.get("simulated_seconds", 0.0))
    for name, flow in outcome.get("flows", {}).items():
        for path, numbers in flow["paths"].items():
            for limit, buffer in HOST_BUFFERS.items():
                if (seconds := numbers.get("blocked", {}).get(limit, 0.0)) > least:
                    yield name, path, buffer, seconds


def as_text(shown: Iterable[Table], last: Sequence[str], width: int | None = None) -> str:
    """Return tables and last lines as text without colours, `width` characters wide (the terminal's width if None)."""
    from rich.console import Console

    out = io.StringIO()
    width = width or shutil.get_terminal_size().columns
    console = Console(file=out, width=width, force_terminal=False, color_system=None)
    for table in shown:
        console.print(rich_table(table, width))
    lines = [line.rstrip() for line in [*out.getvalue().splitlines(), "", *last]]
    return "\n".join(line for before, line in pairwise(["", *lines]) if before or line)


def as_html(shown: Iterable[Table], last: Sequence[str]) -> str:
    """Return tables and last lines as HTML for a notebook; all colours are inherited from the page."""
    parts = "".join(table.html() for table in shown)
    said = "".join(f"<p>{escape(line)}</p>" for line in last)
    return f'<div class="manypath-tables"><style>{STYLE}</style>{parts}{said}</div>'


def rich_table(table: Table, width: int) -> RenderableType:
    """Return a table for a console of `width` characters."""
    return table_of(*table.fitted(width))


def table_of(columns: Iterable[Column], rows: Iterable[Sequence[str]]) -> RichTable:
    """Return texts as a table for a console; long texts are wrapped."""
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    table = RichTable(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for column in columns:
        table.add_column(Text(column.title), justify="right" if column.is_number else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    return table


def text_columns(*titles: str) -> tuple[Column, ...]:
    """Return columns of texts."""
    return tuple(map(Column, titles))


def number_columns(*titles: str) -> tuple[Column, ...]:
    """Return columns of numbers, also with a unit or an interval."""
    return tuple(Column(title, is_number=True) for title in titles)


def short_number(number: float) -> str:
    """Return a count with six characters at most: ``12345``, ``123.5k``, ``1.23M``."""
    if number < FIVE_DIGITS:
        return f"{number:.0f}"
    for divisor, unit in ((1e3, "k"), (1e6, "M")):
        if number < FOUR_DIGITS * divisor:
            return f"{number / divisor:.4g}{unit}"
    return f"{number / 1e9:.4g}G"


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, as in ``1 event`` and ``2,000 events``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def duration(seconds: float) -> str:
    """Return a duration as text with at most two units: ``3 min 20 s``."""
    whole = max(round(seconds), 0)
    if whole < MINUTE:
        return f"{whole} s"
    if whole < HOUR:
        return f"{whole // MINUTE} min {whole % MINUTE} s"
    if whole < DAY:
        return f"{whole // HOUR} h {whole % HOUR // MINUTE} min"
    return f"{whole // DAY} days {whole % DAY // HOUR} h"


def _flows(outcome: Outcome) -> Table:
    paths: dict[str, list[list[Any]]] = {}
    for path in path_rows(outcome):
        window, rtt = path["cwnd"] / 1e3, None if math.isnan(path["srtt"]) else 1e3 * path["srtt"]
        counts = [path[count] for count in COUNTS]
        row = [None, path["path"], path["goodput"], None, window, rtt, *counts]
        paths.setdefault(path["flow"], []).append(row)
    rows: list[list[Any]] = []
    for flow in flow_rows(outcome):
        latency = 1e3 * flow["latency_mean"] if flow["delivered_messages"] else None
        counts = [flow[count] for count in COUNTS]
        rows.append([flow["flow"], None, flow["goodput"], latency, None, None, *counts])
        rows.extend(paths.get(flow["flow"], []))
    return Table("flows and their paths", FLOW_COLUMNS, rows)


def _links(outcome: Outcome) -> Table:
    rows = [
        [link["link"], 100 * link["utilisation"], link["mean_queue"], *(link[count] for count in LINK_COUNTS)]
        for link in link_rows(outcome)
    ]
    return Table("links", LINK_COLUMNS, rows)


def _width(titled: Sequence[Column], cells: Sequence[Sequence[str]]) -> int:
    """Return the width of a table without wrapped cells, characters."""
    from rich.cells import cell_len

    columns = [[*column.title.split("\n"), *(row[k] for row in cells)] for k, column in enumerate(titled)]
    return sum(max(map(cell_len, column)) for column in columns) + BETWEEN * len(columns)


def _count(title: str, brief: str, dropped: int) -> Column:
    return Column(title, "{:.0f}".format, brief, short_number, dropped, is_number=True)


def _amount(title: str, digits: int, brief: str = "", dropped: int = 0) -> Column:
    return Column(title, f"{{:.{digits}f}}".format, brief, dropped=dropped, is_number=True)


STATES = {
    "connecting": "was not open",
    "potentially_failed": "was potentially failed",
    "down": "was down (SCTP uses it again when it answers, Multipath TCP does not)",
}
"""States of a path in which it does not work, in words."""

COMPLETE = ("finished", "shutdown")
"""Reasons for the end of a flow whose data have all arrived."""

ENDINGS = {"unreachable": "its peer did not answer"}
"""Other reasons, in words."""

LEAST_STOPPED = 0.01
"""Share of the measured time from which on a limit by a host buffer is reported."""

LARGER = {
    "send_buffer": ": a larger send_buffer removes this limit",
    "receive_buffer": ": a larger receive_buffer removes this limit",
    "buffer_split": ": larger buffers remove this limit",
}
"""How to remove the limit that a host buffer sets, by the name of the buffer."""

MOST_REMARKS = 20
"""Largest number of remarks on the flows of a result, and of those on its paths."""

COUNTS = ("window_cuts", "fast_retransmissions", "timeouts")
"""Columns that count losses and retransmissions."""

FLOW_COLUMNS = (
    *text_columns("flow", "path"),
    _amount("goodput Mbit/s", 3),
    _amount("latency ms", 1, dropped=2),
    _amount("window kB", 1),
    _amount("RTT ms", 1),
    _count("window cuts", "window cuts", 3),
    _count("fast retransmissions", "fast rtx", 4),
    _count("timeouts", "timeouts", 1),
)

LINK_COUNTS = ("delivered", "damaged", "dropped", "lost")
"""Columns that count packets by their fate."""

LINK_COLUMNS = (
    Column("link"),
    _amount("utilisation %", 1, "use %"),
    _amount("mean queue", 1),
    *(_count(name, name, dropped) for name, dropped in zip(LINK_COUNTS, (2, 3, 0, 1), strict=True)),
)

FIVE_DIGITS = 100_000
"""Counts below this are shown with all digits."""

FOUR_DIGITS = 999.95
"""Numbers below this have at most three digits before the point after rounding to four digits."""

MINUTE, HOUR, DAY = 60, 3600, 86_400
"""Seconds."""

BETWEEN = 2
"""Characters between two columns; each edge of the table has half of them."""

STYLE = (
    ".manypath-tables table { border-collapse: collapse; color: inherit; background: none; margin: 0 0 0.8em }"
    ".manypath-tables caption { text-align: left; font-weight: bold; padding: 0.2em 0; color: inherit }"
    ".manypath-tables :is(th, td) { text-align: left; padding: 0.15em 0.7em; background: none; color: inherit;"
    " border: 0; font-variant-numeric: tabular-nums; white-space: nowrap }"
    ".manypath-tables .number { text-align: right }"
    ".manypath-tables thead th { border-bottom: 1px solid currentColor }"
    ".manypath-tables tbody td { font-weight: normal }"
    ".manypath-tables p { opacity: 0.75; margin: 0 }"
    ".manypath-tables { overflow-x: auto }"
)
"""Colours are inherited, so that the tables fit light and dark pages."""
