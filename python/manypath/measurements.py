"""Names of all measurements: the columns of the frames of `manypath.frames`, in their order.

With this list, misspelt names are refused before a simulation runs, and without loading pandas. Units and meanings are
in docs/reference/measurements.md.
"""

from __future__ import annotations

from collections.abc import Mapping

from manypath import _native

COUNTERS: Mapping[str, Mapping[str, str]] = {kind: dict(rows) for kind, rows in _native.counters()}
"""Counters by kind of frame, with their meanings, from the engine; `limits` has what can stop a path."""

BLOCKED = tuple(f"blocked_{limit}" for limit in COUNTERS["limits"])
"""The columns of paths about time without new data, one for each limit, in the order in which the limits are tested."""

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
    ),
    "links": ("arrived", "delivered", "damaged", "dropped", "lost", "bytes", "utilisation", "mean_queue"),
    "runs": ("digest", "packet_hops", "data_packets", "simulated_seconds", "cpu_seconds"),
}
"""Measurements of each frame."""

WORDS = ("closed", "digest")
"""Measurements that are texts and so have no mean."""

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
"""Columns of samples over time, by kind of frame."""

CHANGES: Mapping[str, tuple[str, ...]] = {
    "paths": ("time", "flow", "path", "cwnd", "ssthresh", "srtt", "outstanding", "weight"),
    "arrivals": ("time", "flow", "path", "received_bytes"),
    "links": ("time", "link", "queue"),
}
"""Columns with ``series="event"``, by kind of frame."""


def columns(kind: str) -> tuple[str, ...]:
    """Return the columns of a frame, without those of the factors and the replication."""
    return (*LABELS[kind], *MEASUREMENTS[kind])
