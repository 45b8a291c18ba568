"""Pandas frames of the engine's outcomes, in the units of `manypath.rows`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from manypath.errors import UserError
from manypath.rows import MBIT, RATES, Outcome, Row, flow_rows, link_rows, path_rows, stream_rows

if TYPE_CHECKING:
    import pandas as pd

Labels = Mapping[str, Any]
"""Columns that identify a run: values of the factors, replication."""


def flows_frame(runs: Iterable[tuple[Labels, Outcome]]) -> pd.DataFrame:
    """Return a frame with one row for each flow of each run."""
    return _frame(flow_rows, runs)


def streams_frame(runs: Iterable[tuple[Labels, Outcome]]) -> pd.DataFrame:
    """Return a frame with one row for each stream with ordered messages, of each flow of each run."""
    import pandas as pd

    frame = _frame(stream_rows, runs)
    return frame if len(frame) else pd.DataFrame(columns=["flow", "stream"])


def paths_frame(runs: Iterable[tuple[Labels, Outcome]]) -> pd.DataFrame:
    """Return a frame with one row for each path of each flow of each run."""
    return _frame(path_rows, runs)


def links_frame(runs: Iterable[tuple[Labels, Outcome]]) -> pd.DataFrame:
    """Return a frame with one row for each link of each run."""
    return _frame(link_rows, runs)


def runs_frame(runs: Iterable[tuple[Labels, Outcome]]) -> pd.DataFrame:
    """Return a frame with one row for each run: digest, simulated length, CPU time and counts."""
    return _frame(_run_rows, runs)


def series_frames(columns: Mapping[str, np.ndarray]) -> dict[str, pd.DataFrame]:
    """Return frames of samples over time by kind (``flows``, ``streams``, ...), from columns named ``KIND.COLUMN``."""
    import pandas as pd

    frames: dict[str, dict[str, np.ndarray]] = {}
    for name, column in columns.items():
        kind, field = name.split(".", 1)
        frames.setdefault(kind, {})[field] = column / MBIT if field in RATES else column
    return {kind: pd.DataFrame(fields) for kind, fields in frames.items()}


def with_none_as_text(frame: pd.DataFrame, columns: Iterable[str]) -> pd.DataFrame:
    """Return a frame with the text ``None`` for None in some columns, for files and figures without such a value."""
    texts = {name: frame[name].map(lambda value: "None" if value is None else value) for name in columns}
    return frame.assign(**texts)


def _frame(rows: Callable[[Outcome], Iterator[Row]], runs: Iterable[tuple[Labels, Outcome]]) -> pd.DataFrame:
    import pandas as pd

    found: list[Row] = []
    with_none: set[str] = set()
    for labels, outcome in runs:
        with_none.update(name for name, value in labels.items() if value is None)
        found.extend(_joined(labels, row) for row in rows(outcome))
    frame = pd.DataFrame(found)
    for name in with_none.intersection(frame.columns):
        # pandas would read [10, None] as 10.0 and NaN.
        frame[name] = pd.Series([row[name] for row in found], frame.index, dtype=object)
    return frame


def _run_rows(outcome: Outcome) -> Iterator[Row]:
    """Iterate over the only row of a run."""
    yield {name: value for name, value in outcome.items() if name not in {"flows", "links"}}


def _joined(labels: Labels, row: Row) -> Row:
    """Return a row with its labels; a runner of a user may have measurements that no list of names knows."""
    twice = labels.keys() & row.keys()
    if twice:
        raise UserError(
            f'results: "{min(twice)}" is the name of a measurement of this runner: give the factor another name'
        )
    return {**labels, **row}
