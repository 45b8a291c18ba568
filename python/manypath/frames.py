"""From the engine's outcome to pandas frames.

One convention holds in every frame of manypath: goodput in Mbit/s of payload delivered to the application, throughput
in Mbit/s of whole packets at the sender, windows, thresholds and sizes in bytes, times in seconds, utilisation and
loss rates as shares of 1, everything else as a count.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

Outcome = Mapping[str, Any]
"""What the engine says of one run: flows, links, digest, counters; goodput in bit/s."""

Labels = Mapping[str, Any]
"""What tells one run from another: values of the factors, replication."""


def flows_frame(runs: Iterable[tuple[Labels, Outcome]]) -> pd.DataFrame:
    """One row for each flow of each run."""
    return pd.DataFrame(
        {**labels, "flow": name, **_numbers(flow)}
        for labels, outcome in runs
        for name, flow in outcome.get("flows", {}).items()
    )


def streams_frame(runs: Iterable[tuple[Labels, Outcome]]) -> pd.DataFrame:
    """One row for each stream that carried ordered messages, of each flow of each run."""
    rows = [
        {**labels, "flow": name, "stream": stream, **_numbers(numbers)}
        for labels, outcome in runs
        for name, flow in outcome.get("flows", {}).items()
        for stream, numbers in enumerate(flow["streams"])
    ]
    return pd.DataFrame(rows) if rows else pd.DataFrame(columns=["flow", "stream"])


def paths_frame(runs: Iterable[tuple[Labels, Outcome]]) -> pd.DataFrame:
    """One row for each path of each flow of each run."""
    return pd.DataFrame(
        {**labels, "flow": name, "path": path, **_numbers(numbers)}
        for labels, outcome in runs
        for name, flow in outcome.get("flows", {}).items()
        for path, numbers in flow["paths"].items()
    )


def links_frame(runs: Iterable[tuple[Labels, Outcome]]) -> pd.DataFrame:
    """One row for each link of each run."""
    return pd.DataFrame(
        {**labels, "link": name, **_numbers(link)}
        for labels, outcome in runs
        for name, link in outcome.get("links", {}).items()
    )


def runs_frame(runs: Iterable[tuple[Labels, Outcome]]) -> pd.DataFrame:
    """One row for each run: its digest, its length and what it cost."""
    return pd.DataFrame(
        {**labels, **{name: value for name, value in outcome.items() if name not in {"flows", "links"}}}
        for labels, outcome in runs
    )


def series_frames(columns: Mapping[str, np.ndarray]) -> dict[str, pd.DataFrame]:
    """Frames of samples over time, by kind (``flows``, ``streams``, ...), from columns named ``KIND.COLUMN``."""
    frames: dict[str, dict[str, np.ndarray]] = {}
    for name, column in columns.items():
        kind, field = name.split(".", 1)
        frames.setdefault(kind, {})[field] = column / MBIT if field in RATES else column
    return {kind: pd.DataFrame(fields) for kind, fields in frames.items()}


def _numbers(values: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """The numbers of a part of an outcome in the units of frames; inner tables become columns ``OUTER_INNER``.

    What there was nothing to measure for is not a number (NaN).
    """
    row: dict[str, Any] = {}
    for name, value in values.items():
        if name in PARTS:
            continue
        if isinstance(value, Mapping):
            row.update(_numbers(value, f"{prefix}{name}_"))
        elif name in RATES:
            row[f"{prefix}{name}"] = value / MBIT
        else:
            row[f"{prefix}{name}"] = math.nan if value is None and name not in TEXTS else value
    return row


PARTS = frozenset({"paths", "streams"})
"""Parts of a flow's outcome that have frames of their own."""

TEXTS = frozenset({"closed"})
"""What is said in words, or not at all."""

RATES = frozenset({"goodput", "throughput"})
"""What the engine says in bit/s and frames in Mbit/s."""

MBIT = 1e6
"""bit/s in a Mbit/s."""
