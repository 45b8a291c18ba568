"""The results of a campaign as tables."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from manypath.display import Column, Table

if TYPE_CHECKING:
    from manypath.campaign.results import Results


def tables(results: Results) -> list[Table]:
    """Return the table of a campaign: mean goodput of each flow, or the rows of a runner other than the simulator."""
    if not len(results):
        return []
    if not results.has_flows:
        frame = results.runs
        columns = [
            Column(str(name), lambda value: f"{value:g}" if isinstance(value, float) else f"{value}") for name in frame
        ]
        return [Table("runs", columns, frame.head(MOST_ROWS).to_numpy(dtype=object).tolist())]
    by = [*results.factors, "flow"]
    means = results.mean("goodput", by=by)
    columns = [
        *(Column(str(name)) for name in by),
        Column("goodput Mbit/s", "{:.3f}".format),
        Column("± 95 %", lambda half: "" if math.isnan(half) else f"{half:.3f}"),
        Column("runs"),
    ]
    return [
        Table("goodput, mean over the replications", columns, means.head(MOST_ROWS).to_numpy(dtype=object).tolist())
    ]


def size(results: Results) -> str:
    """Return the line with the number of runs, and the number of rows if the table does not show all of them."""
    rows = len(results.mean("goodput", by=[*results.factors, "flow"])) if results.has_flows else len(results)
    cut = f"; the first {MOST_ROWS} of {rows} rows" if rows > MOST_ROWS else ""
    return f"{len(results)} runs{cut}"


MOST_ROWS = 40
"""Largest number of rows that the table of a campaign shows."""
