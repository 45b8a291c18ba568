"""Samples and changes over time, from the models of flows and links."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from flow_models import STATE, FlowModel, Window, of_stream, percentile, rate, share, sum_of, within
from link_models import LinkModel

Rows = dict[tuple[Any, ...], dict[str, Any]]
"""Columns of each row, by the values that identify it."""


def samples_of_flow(flow: FlowModel, times: list[int]) -> Rows:
    """Return the rows of a flow in ``series["flows"]``."""
    return {(at / 1e9, flow.name): _flow_sample(flow, window) for at, window in _windows(times)}


def _flow_sample(flow: FlowModel, window: Window) -> dict[str, float]:
    latencies = [latency for at, latency in flow.latencies if within(at, window)]
    begin, end = window
    return {
        "latency": share(sum(latencies), len(latencies)) / 1e9,
        **{f"latency_p{percent}": percentile(latencies, percent) for percent in (50, 95, 99)},
        "reorder_buffer": flow.received.unreadable.mean(begin, end) if begin < end else 0.0,
    }


def samples_of_streams(flow: FlowModel, times: list[int]) -> Rows:
    """Return the rows of the streams of a flow in ``series["streams"]``."""
    return {
        (at / 1e9, flow.name, number): of_stream(stream, window)
        for at, window in _windows(times)
        for number, stream in flow.received.streams.items()
        if stream.since <= at
    }


def samples_of_path(flow: FlowModel, path: str, times: list[int]) -> Rows:
    """Return the rows of a path in ``series["paths"]``, without limits and weights."""
    every = times[1] - times[0]
    rows = {}
    for at, window in _windows(times):
        whole = (at - every, at)
        rows[at / 1e9, flow.name, path] = {
            **flow.state(path, at),
            "goodput": rate(sum_of(flow.received.new_bytes[path], window), whole),
            "throughput": rate(sum_of(flow.sent.packets[path], window), whole),
        }
    return rows


def samples_of_link(name: str, link: LinkModel, times: list[int]) -> Rows:
    """Return the rows of a link in ``series["links"]``."""
    return {(at / 1e9, name): {"queue": link.waiting.at(at)} for at in times}


def _windows(times: list[int]) -> Iterator[tuple[int, Window]]:
    """Iterate over samples, each with the time since the previous one; the first sample has none."""
    yield times[0], (times[0], times[0])
    for window in pairwise(times):
        yield window[1], window


def changes_of_path(flow: FlowModel, path: str, end: int) -> Rows:
    """Return the rows of a path in ``changes["paths"]``, except those in which only the weight changed."""
    lines = flow.events("recovery:metrics_updated", path=path)
    times = {line.at for line in lines if line.at <= end and any(name in line.data for name in STATE)}
    return {(at / 1e9, flow.name, path): flow.state(path, at) for at in times}


def arrivals_of_path(flow: FlowModel, path: str, end: int) -> list[tuple[float, int]]:
    """Return the rows of a path in ``changes["arrivals"]``: time, and bytes so far."""
    rows, so_far = [], 0
    for at, count in flow.received.new_bytes[path]:
        so_far += count
        if at <= end:
            rows.append((at / 1e9, so_far))
    return rows


def changes_of_link(link: LinkModel, end: int) -> dict[float, tuple[int, float]]:
    """Return for each time of rows of a link in ``changes["links"]`` their number, and the queue in the last one."""
    left = [line for line in link.events if line.name == "link:packet_lost" or line.data.get("reason") == "late"]
    times = [at for at, _ in link.offered] + [each.at for each in link.delivered] + [line.at for line in left]
    return {at / 1e9: (count, link.waiting.at(at)) for at, count in Counter(times).items() if at <= end}
