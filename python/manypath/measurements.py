"""Names of all measurements: the columns of the frames of `manypath.frames`, in their order.

A misspelt name is refused with this list, before a simulation runs and without loading pandas.
docs/reference/measurements.md has the units and meanings. A name can have different units in `MEASUREMENTS` and in
`SAMPLES`: `blocked_window` is a time of the whole run, or a fraction of the time since the previous sample.
"""

from __future__ import annotations

from collections.abc import Mapping

from manypath import _native

COUNTERS: Mapping[str, Mapping[str, str]] = {kind: dict(rows) for kind, rows in _native.counters()}
"""Counters by kind of frame, with their meanings, from the engine; `limits` has what can stop a path."""

BLOCKED = tuple(f"blocked_{limit}" for limit in COUNTERS["limits"])
"""The columns of paths about time without new data, one for each limit."""

HOST_BUFFERS: Mapping[str, str] = {
    "send_buffer": "send_buffer",
    "receive_window": "receive_buffer",
    "split_share": "buffer_split",
}
"""The limits that are buffers of hosts, each with the field of a flow that sets it."""

LABELS: Mapping[str, tuple[str, ...]] = {
    "flows": ("flow",),
    "streams": ("flow", "stream"),
    "paths": ("flow", "path"),
    "links": ("link",),
    "runs": (),
}
"""Columns that identify a row of each frame, beside the factors and the replication."""

MEASUREMENTS: Mapping[str, tuple[str, ...]] = {
    "flows": (
        "goodput",
        "throughput",
        "delivered_bytes",
        "delivered_messages",
        "data_packets",
        "loss_rate",
        "window_cuts",
        *COUNTERS["flows"],
        "latency_mean",
        "latency_p50",
        "latency_p95",
        "latency_p99",
        "latency_max",
        "reorder_buffer_mean",
        "reorder_buffer_max",
        "head_of_line_messages",
        "head_of_line_waited",
        "head_of_line_waiting",
        "head_of_line_blocked",
        "closed",
        "closed_at",
    ),
    "streams": ("messages", "waited", "waiting", "blocked"),
    "paths": (
        "goodput",
        "throughput",
        "cwnd",
        "ssthresh",
        "srtt",
        "outstanding",
        "data_packets",
        "lost_packets",
        "loss_rate",
        *COUNTERS["paths"],
        *BLOCKED,
        "path_state",
    ),
    "links": ("arrived", "delivered", "damaged", "dropped", "lost", "bytes", "utilisation", "mean_queue"),
    "runs": ("digest", "packet_hops", "data_packets", "simulated_seconds", "measured_seconds", "cpu_seconds"),
}
"""Measurements of each frame."""

TEXTS = ("closed", "path_state", "digest")
"""Measurements whose values are texts. Nothing computes a mean of them."""

SAMPLES: Mapping[str, tuple[str, ...]] = {
    "flows": ("time", "flow", "latency", "latency_p50", "latency_p95", "latency_p99", "reorder_buffer"),
    "streams": ("time", "flow", "stream", "messages", "waited", "waiting", "blocked"),
    "paths": (
        "time",
        "flow",
        "path",
        "cwnd",
        "ssthresh",
        "srtt",
        "outstanding",
        "weight",
        "goodput",
        "throughput",
        *BLOCKED,
    ),
    "links": ("time", "link", "queue"),
}
"""Columns of `series` by kind of frame, if samples are taken at an interval."""

CHANGES: Mapping[str, tuple[str, ...]] = {
    "paths": ("time", "flow", "path", "cwnd", "ssthresh", "srtt", "outstanding", "weight"),
    "arrivals": ("time", "flow", "path", "received_bytes"),
    "links": ("time", "link", "queue"),
}
"""Columns of `series` by kind of frame with ``series="event"``, which adds a row whenever a value changes."""


def columns(kind: str) -> tuple[str, ...]:
    """Return the columns of a frame, without those of the factors and the replication."""
    return (*LABELS[kind], *MEASUREMENTS[kind])
