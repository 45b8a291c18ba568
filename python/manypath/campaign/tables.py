"""The results of a campaign as tables."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from manypath.display import Column, Table, counted

if TYPE_CHECKING:
    import pandas as pd

    from manypath.campaign.results import Results


def tables(results: Results) -> list[Table]:
    """Return the table of a campaign: mean goodput of each flow, or the rows of a runner other than the simulator."""
    if not len(results):
        return []
    if not results.has_flows:
        frame = results.runs
        columns = [column_of(frame, name, _shown) for name in frame]
        return [Table("runs", columns, _rows(frame))]
    by = [*results.factors, "flow"]
    means = results.mean("goodput", by=by)
    columns = [
        *(column_of(means, name) for name in by),
        Column("goodput Mbit/s", "{:.3f}".format, is_number=True),
        Column("± 95 %", lambda half: "" if math.isnan(half) else f"{half:.3f}", is_number=True),
        Column("runs", is_number=True),
    ]
    return [Table("goodput, mean over the replications", columns, _rows(means))]


def _rows(frame: pd.DataFrame) -> list[list[Any]]:
    """Return the first rows of a frame; an empty cell of a table would be no value."""
    shown = frame.head(MOST_ROWS).to_numpy(dtype=object).tolist()
    return [["None" if value is None else value for value in row] for row in shown]


def column_of(frame: pd.DataFrame, name: Any, show: Callable[[Any], str] = str) -> Column:
    """Return a column of a frame."""
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    values = frame[name]
    return Column(str(name), show, is_number=is_numeric_dtype(values) and not is_bool_dtype(values))


def size(results: Results) -> str:
    """Return the line with the number of runs, and the number of rows if the table does not show all of them."""
    rows = len(results.mean("goodput", by=[*results.factors, "flow"])) if results.has_flows else len(results)
    cut = f"; the first {MOST_ROWS} of {rows} rows" if rows > MOST_ROWS else ""
    return f"{counted(len(results), 'run')}{cut}"


def _shown(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


MOST_ROWS = 40
"""Largest number of rows that the table of a campaign shows."""
