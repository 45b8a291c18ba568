"""The columns of flows, streams and paths, from what their sources sent and their sinks received."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import islice
from typing import Any

from applications import due_times, handed_over
from link_models import Course
from loss_detection import LossDetection
from received import Received, Stream
from recording import Line, Recording
from sctp_sink import SctpSink
from sources import source_of
from tcp_sink import TcpSink

Window = tuple[int, int]
"""The time after its first number, up to its second one, in nanoseconds."""


STATE = ("cwnd", "ssthresh", "srtt", "outstanding")
"""Metrics of a path."""

UNKNOWN = {"ssthresh": (0, 2**32), "srtt": (0,)}
"""Values of metrics that stand for no number. TCP begins with a threshold above the largest window."""


class FlowModel:
    """A flow: its two hosts."""

    def __init__(self, name: str, recording: Recording) -> None:
        self.name, self.recording = name, recording
        self._events: dict[tuple[str, str, str | None], list[Line]] = {}
        self._metrics: dict[tuple[str, str], Course] = {}
        self.config: dict[str, Any] = recording.scenario["flows"][name]
        self.is_sctp = self.config["transport"] == "sctp"
        self.sent = source_of(name, recording)
        self.received: Received = (SctpSink if self.is_sctp else TcpSink)(name, recording).seen
        self.losses = LossDetection(name, recording) if self.is_sctp else None
        self.fast = self.losses.fast if self.losses else self.sent.fast
        """When chunks or segments were fast retransmitted, by path."""
        self.latencies = self._latencies()
        """Latency of each delivered message, with the time of its delivery."""

    def events(self, name: str, host: str = "source", path: str | None = None) -> list[Any]:
        """Return the events of a kind at a host."""
        key = name, host, path
        if key not in self._events:
            lines = self.recording.of(self.name, host)
            self._events[key] = [line for line in lines if line.name == name and path in (None, line.path)]
        return self._events[key]

    def total(self, name: str, window: Window, path: str | None = None, **fields: str) -> int:
        """Return the sum of the counts of events of a kind at the source."""
        lines = self.events(name, path=path)
        wanted = [line for line in lines if fields.items() <= line.data.items()]
        return sum(line.data["count"] for line in wanted if within(line.at, window))

    def lost(self, path: str) -> list[int]:
        """Return when packets of the source were dropped or lost by a link, or arrived damaged."""
        names = ("link:packet_dropped", "link:packet_lost")
        lines = [line for link in self.recording.of_links.values() for line in link if line.name in names]
        by_links = [line.at for line in lines if (line.flow, line.host, line.path) == (self.name, "source", path)]
        return by_links + [line.at for line in self.events("transport:packet_dropped", "sink", path)]

    def metric(self, path: str, name: str) -> Course:
        """Return a metric of a path at the source over time."""
        if (path, name) not in self._metrics:
            course = self._metrics[path, name] = Course()
            for line in self.events("recovery:metrics_updated", path=path):
                if name in line.data:
                    course.set(line.at, line.data[name])
        return self._metrics[path, name]

    def state(self, path: str, at: int) -> dict[str, float]:
        """Return the state of a path after everything that happens at a time; NaN for what is not known yet."""
        state = {name: self.metric(path, name).at(at) for name in STATE}
        return {name: math.nan if value in UNKNOWN.get(name, ()) else value for name, value in state.items()}

    def mean_state(self, path: str, window: Window) -> dict[str, float]:
        """Return the means of the state over the time for which each number was known."""
        return {name: self._mean(self.metric(path, name), window, UNKNOWN.get(name, ())) for name in STATE}

    def _mean(self, course: Course, window: Window, unknown: Sequence[int]) -> float:
        known = [float(value not in unknown) for value in course.values]
        values = [value * is_known for value, is_known in zip(course.values, known, strict=True)]
        return share(Course(course.times, values).area(*window), Course(course.times, known).area(*window))

    def _latencies(self) -> list[tuple[int, int]]:
        """Return the latencies of delivered messages; those of an application with a rate begin when they are due."""
        if self.sent.opened_at is None or not self.received.messages:
            return []
        if self.config["app"]["kind"] in ("cbr", "on-off"):
            times = due_times(self.name, self.recording, self.sent.opened_at)
        else:
            times = handed_over(self.name, self.recording, self.sent.opened_at, self.sent.freed)
        begun = list(islice(times, 1 + max(number for _, number in self.received.messages)))
        return [(at, at - begun[number]) for at, number in self.received.messages]


def within(at: int, window: Window) -> bool:
    """Whether a time is after the begin of a window and not after its end."""
    return window[0] < at <= window[1]


def rate(count: int, window: Window) -> float:
    """Return bytes in a window as Mbit/s."""
    return 8 * count / ((window[1] - window[0]) / 1e9) / 1e6


def share(part: float, whole: float) -> float:
    """Return a part of a whole; NaN without a whole."""
    return part / whole if whole else math.nan


def sum_of(pairs: Sequence[tuple[int, int]], window: Window) -> int:
    """Return the sum of the numbers whose times are in a window."""
    return sum(number for at, number in pairs if within(at, window))


def count_of(times: Sequence[int], window: Window) -> int:
    """Return how many times are in a window."""
    return sum(within(at, window) for at in times)


def percentile(latencies: list[int], percent: int) -> float:
    """Return the smallest latency, in seconds, that this share of the messages does not exceed."""
    if not latencies:
        return math.nan
    return sorted(latencies)[-(-percent * len(latencies) // 100) - 1] / 1e9


def of_flow(flow: FlowModel, window: Window) -> dict[str, Any]:
    """Return the columns of a flow."""
    received, paths = flow.received, [of_path(flow, path, window) for path in flow.config["paths"]]
    delivered, data_packets = sum_of(received.bytes, window), sum(path["data_packets"] for path in paths)
    latencies = [latency for at, latency in flow.latencies if within(at, window)]
    unreadable = [count for at, count in received.after_packets if within(at, window)]
    streams = [of_stream(stream, window) for stream in received.streams.values()]
    closed = [line for line in flow.events("connectivity:connection_closed") if line.at <= window[1]]
    return {
        "goodput": rate(delivered, window),
        "throughput": sum(path["throughput"] for path in paths),
        "delivered_bytes": delivered,
        "delivered_messages": sum(within(at, window) for at, _ in received.messages),
        "data_packets": data_packets,
        "loss_rate": share(sum(path["lost_packets"] for path in paths), data_packets),
        **_counters(flow, window),
        "latency_mean": share(sum(latencies), len(latencies)) / 1e9,
        **{f"latency_p{percent}": percentile(latencies, percent) for percent in (50, 95, 99)},
        "latency_max": max(latencies, default=math.nan) / 1e9,
        "reorder_buffer_mean": received.unreadable.mean(*window),
        "reorder_buffer_max": max([received.unreadable.at(window[0]), *unreadable]),
        **{f"head_of_line_{name}": sum(stream[name] for stream in streams) for name in STREAM},
        "closed": closed[0].data["reason"] if closed else None,
        "closed_at": closed[0].at / 1e9 if closed else math.nan,
    }


def _counters(flow: FlowModel, window: Window) -> dict[str, int]:
    def marked(trigger: str) -> int:
        return flow.total("recovery:marked_for_retransmit", window, trigger=trigger)

    def chunks(kind: str) -> int:
        lines = flow.events("transport:packet_received") if flow.is_sctp else []
        return sum(chunk["type"] == kind for line in lines if within(line.at, window) for chunk in line.data["chunks"])

    damaged = [line.at for host in ("source", "sink") for line in flow.events("transport:packet_dropped", host)]
    return {
        "window_cuts": flow.total("recovery:window_cut", window),
        "fast_retransmissions": marked("fast_retransmission"),
        "timeouts": flow.total("recovery:loss_timer_expired", window),
        "retransmitted_chunks": sum(within(at, window) for at, _ in flow.sent.again),
        "duplicate_chunks": count_of(flow.received.duplicates, window),
        "spurious_fast_retransmissions": count_of(flow.losses.spurious if flow.losses else [], window),
        "spurious_bursts": count_of(flow.losses.bursts if flow.losses else [], window),
        "rescheduled_chunks": marked("rescheduling"),
        "damaged_packets": count_of(damaged, window),
        "drop_reports": chunks("packet_drop"),
        "reported_chunks": marked("drop_report"),
        "refused_chunks": count_of(flow.received.refused, window),
        "given_up_chunks": count_of(flow.received.given_up, window),
    }


def of_stream(stream: Stream, window: Window) -> dict[str, float]:
    """Return the columns of a stream."""
    waits = [duration for at, duration in stream.waits if within(at, window)]
    return {
        "messages": count_of(stream.offered, window),
        "waited": len(waits),
        "waiting": sum(waits) / 1e9,
        "blocked": stream.blocked.area(*window) / 1e9,
    }


STREAM = ("messages", "waited", "waiting", "blocked")


def of_path(flow: FlowModel, path: str, window: Window) -> dict[str, Any]:
    """Return the columns of a path."""
    sent = [length for at, length in flow.sent.packets[path] if within(at, window)]
    lost = count_of(flow.lost(path), window)
    standing = [line for line in flow.events("connectivity:path_updated", path=path) if line.at <= window[1]]
    return {
        "goodput": rate(sum_of(flow.received.new_bytes[path], window), window),
        "throughput": rate(sum(sent), window),
        **flow.mean_state(path, window),
        "data_packets": len(sent),
        "lost_packets": lost,
        "loss_rate": share(lost, len(sent)),
        "window_cuts": flow.total("recovery:window_cut", window, path),
        "timeouts": flow.total("recovery:loss_timer_expired", window, path),
        "fast_retransmissions": count_of(flow.fast[path], window),
        **_rescheduled(flow, path, window),
        "path_state": standing[-1].data["new"] if standing else "connecting",
    }


def _rescheduled(flow: FlowModel, path: str, window: Window) -> dict[str, int]:
    """Return the chunks that were moved to a path; nothing if no packet shows the path of one."""
    moved = flow.losses.rescheduled if flow.losses else {}
    if count_of(moved.get("", []), window):
        return {}
    return {"rescheduled_chunks": count_of(moved.get(path, []), window)}
