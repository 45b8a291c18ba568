"""The rows of an outcome in the units of manypath's tables, without pandas, which takes half a second to load.

Units in every table: goodput in Mbit/s of payload delivered to the application; throughput in Mbit/s of whole packets
at the sender; windows, thresholds and sizes in bytes; times in seconds; utilisation and loss rates as shares of 1. All
other columns are counts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

Outcome = Mapping[str, Any]
"""The engine's outcome of one run: flows, links, digest, counters; goodput in bit/s."""

Row = dict[str, Any]
"""Values by the name of the column."""


def flow_rows(outcome: Outcome) -> Iterator[Row]:
    """Iterate over one row for each flow."""
    for name, flow in outcome.get("flows", {}).items():
        yield {"flow": name, **_numbers(flow)}


def stream_rows(outcome: Outcome) -> Iterator[Row]:
    """Iterate over one row for each stream with ordered messages, of each flow."""
    for name, flow in outcome.get("flows", {}).items():
        for stream, numbers in enumerate(flow["streams"]):
            yield {"flow": name, "stream": stream, **_numbers(numbers)}


def path_rows(outcome: Outcome) -> Iterator[Row]:
    """Iterate over one row for each path of each flow."""
    for name, flow in outcome.get("flows", {}).items():
        for path, numbers in flow["paths"].items():
            yield {"flow": name, "path": path, **_numbers(numbers)}


def link_rows(outcome: Outcome) -> Iterator[Row]:
    """Iterate over one row for each link."""
    for name, link in outcome.get("links", {}).items():
        yield {"link": name, **_numbers(link)}


def _numbers(values: Mapping[str, Any], prefix: str = "") -> Row:
    """Return the numbers of a part of an outcome in the units of frames; inner tables become columns ``OUTER_INNER``.

    A measurement without any sample is NaN.
    """
    row: Row = {}
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
"""Parts of a flow's outcome that have their own frames."""

TEXTS = frozenset({"closed"})
"""Columns with texts; a missing text is None."""

RATES = frozenset({"goodput", "throughput"})
"""Columns in Mbit/s, which the engine has in bit/s."""

MBIT = 1e6
"""bit/s in a Mbit/s."""
