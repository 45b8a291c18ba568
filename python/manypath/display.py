"""Results as tables: text for terminals and for ``print``, HTML for notebooks. Also durations as text."""

from __future__ import annotations

import io
import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING, Any

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
    """

    title: str
    show: Callable[[Any], str] = str
    brief: str = ""
    show_briefly: Callable[[Any], str] | None = None
    dropped: int = 0

    def cell(self, value: Any, *, briefly: bool = False) -> str:
        """Return the text of a value; an empty text for None."""
        show = self.show_briefly or self.show
        return "" if value is None else show(value) if briefly else self.show(value)


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

    def fitted(self, width: int) -> tuple[list[str], list[list[str]]]:
        """Return headings and cells that fit into `width` characters: in full, briefly, or without some columns."""
        cells = [[c.cell(value) for c, value in zip(self.columns, row, strict=True)] for row in self.rows]
        titles = [column.title for column in self.columns]
        if _width(titles, cells) <= width:
            return titles, cells
        kept = list(range(len(self.columns)))
        while True:
            titles = ["\n".join((self.columns[k].brief or self.columns[k].title).split(" ")) for k in kept]
            cells = [[self.columns[k].cell(row[k], briefly=True) for k in kept] for row in self.rows]
            first = max(kept, key=lambda k: self.columns[k].dropped)
            if _width(titles, cells) <= width or not self.columns[first].dropped:
                return titles, cells
            kept.remove(first)

    def html(self) -> str:
        """Return the table as an HTML element."""
        right = [_is_numeric(column.cell(row[k]) for row in self.rows) for k, column in enumerate(self.columns)]
        classes = [' class="number"' if number else "" for number in right]
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


def as_text(shown: Iterable[Table], last: str, width: int | None = None) -> str:
    """Return tables and a last line as text without colours, `width` characters wide (the terminal's width if None)."""
    from rich.console import Console

    out = io.StringIO()
    width = width or shutil.get_terminal_size().columns
    console = Console(file=out, width=width, force_terminal=False, color_system=None)
    for table in shown:
        console.print(rich_table(table, width))
    lines = [line.rstrip() for line in [*out.getvalue().splitlines(), "", last]]
    return "\n".join(line for before, line in pairwise(["", *lines]) if before or line)


def as_html(shown: Iterable[Table], last: str) -> str:
    """Return tables and a last line as HTML for a notebook; all colours are inherited from the page."""
    parts = "".join(table.html() for table in shown)
    return f'<div class="manypath-tables"><style>{STYLE}</style>{parts}<p>{escape(last)}</p></div>'


def rich_table(table: Table, width: int) -> RenderableType:
    """Return a table for a console of `width` characters."""
    return table_of(*table.fitted(width))


def table_of(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> RichTable:
    """Return texts as a table for a console; numeric columns are right-aligned, long texts are wrapped."""
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    cells = [list(row) for row in rows]
    table = RichTable(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for index, column in enumerate(columns):
        numeric = _is_numeric(row[index] for row in cells)
        table.add_column(Text(column), justify="right" if numeric else "left", overflow="fold")
    for row in cells:
        table.add_row(*(Text(cell) for cell in row))
    return table


def short_number(number: float) -> str:
    """Return a count with six characters at most: ``12345``, ``123.5k``, ``1.23M``."""
    if number < FIVE_DIGITS:
        return f"{number:.0f}"
    for divisor, unit in ((1e3, "k"), (1e6, "M")):
        if number < FOUR_DIGITS * divisor:
            return f"{number / divisor:.4g}{unit}"
    return f"{number / 1e9:.4g}G"


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
        window, rtt = path["cwnd"] / 1e3, 1e3 * path["srtt"]
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


def _width(titles: Sequence[str], cells: Sequence[Sequence[str]]) -> int:
    """Return the width of a table without wrapped cells, characters."""
    from rich.cells import cell_len

    columns = [[*title.split("\n"), *(row[k] for row in cells)] for k, title in enumerate(titles)]
    return sum(max(map(cell_len, column)) for column in columns) + BETWEEN * len(titles)


def _is_numeric(cells: Iterable[str]) -> bool:
    return all(_begins_as_number(cell) or cell in ("", "-", "–", "nan") for cell in cells)


def _begins_as_number(cell: str) -> bool:
    """Whether a cell is a number (with a unit or an interval, if any), not a sentence or an IP address."""
    if not cell.removeprefix("-")[:1].isdigit():
        return False
    words = cell.split()
    return len(words) <= WORDS and words[0].count(".") <= 1 and ":" not in words[0]


def _count(title: str, brief: str, dropped: int) -> Column:
    return Column(title, "{:.0f}".format, brief, short_number, dropped)


COUNTS = ("window_cuts", "fast_retransmissions", "timeouts")
"""Columns that count losses and retransmissions."""

FLOW_COLUMNS = (
    Column("flow"),
    Column("path"),
    Column("goodput Mbit/s", "{:.3f}".format),
    Column("latency ms", "{:.1f}".format, dropped=2),
    Column("window kB", "{:.1f}".format),
    Column("RTT ms", "{:.1f}".format),
    _count("window cuts", "window cuts", 3),
    _count("fast retransmissions", "fast rtx", 4),
    _count("timeouts", "timeouts", 1),
)

LINK_COUNTS = ("delivered", "damaged", "dropped", "lost")
"""Columns that count packets by their fate."""

LINK_COLUMNS = (
    Column("link"),
    Column("utilisation %", "{:.1f}".format, "use %"),
    Column("mean queue", "{:.1f}".format),
    *(_count(name, name, dropped) for name, dropped in zip(LINK_COUNTS, (2, 3, 0, 1), strict=True)),
)

FIVE_DIGITS = 100_000
"""Counts below this are shown with all digits."""

FOUR_DIGITS = 999.95
"""Numbers below this have at most three digits before the point after rounding to four digits."""

MINUTE, HOUR, DAY = 60, 3600, 86_400
"""Seconds."""

WORDS = 3
"""Largest number of words of a number with its unit or its interval."""

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
