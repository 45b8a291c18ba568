"""A flow of a log: an association or connection with its ends, paths, curves and marks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from math import nan
from typing import Any

from manypath.explore.live.curve import Curve, Spent, Total
from manypath.explore.live.marks import Marks
from manypath.explore.live.payload import Arrived, Sent, Serial
from manypath.explore.moves import MARKED, Mark
from manypath.measurements import COUNTERS

OTHER = {"source": "sink", "sink": "source"}
"""The other end of a flow."""


class End:
    """A path at one end of a flow."""

    def __init__(self) -> None:
        self.curves: dict[str, Curve] = defaultdict(Curve)
        """Curves of the metrics `CURVES`."""
        self.rto = nan
        """Retransmission timeout, seconds."""
        self.outstanding = nan
        """Outstanding bytes."""
        self.standing = ""
        """State of the path, such as ``up``."""
        self.counts = {"timeouts": 0, "window_cuts": 0}
        """Number of events of each kind."""
        self.blocked: dict[str, Spent] = defaultdict(Spent)
        """The time during which each limit stopped new data."""

    def last(self, name: str) -> float:
        """Return the last value of a metric; NaN if it is unknown."""
        return self.curves[name].last if name in self.curves else nan

    def changes(self) -> bool:
        """Whether the congestion window has changed."""
        return "cwnd" in self.curves and self.curves["cwnd"].changes > 1


class Side:
    """One end of a flow, with its paths."""

    def __init__(self) -> None:
        self.paths: dict[str, End] = defaultdict(End)
        """Paths by name."""
        self.retransmissions = 0
        """Chunks or segments that were marked for retransmission."""
        self.has_packets = False
        """Whether the log has packets that this end sends and receives."""
        self.sent = Sent()
        self.serial = Serial()
        self.arrived = Arrived()
        self.came: dict[str, Total] = defaultdict(Total)
        """Payload that arrived at this end, by path."""
        self.acknowledged: dict[str, Total] = defaultdict(Total)
        """Payload that this end sent and that was acknowledged, by path."""


class Flow:
    """One association or connection of a log."""

    def __init__(self, name: str) -> None:
        self.name = name
        """Name of the flow."""
        self.sides: dict[str, Side] = defaultdict(Side)
        """The ends that the log has, by host."""
        self.marks = Marks()
        """Losses, timeouts, retransmissions and changes of paths."""
        self.began = nan
        """Time of the first event, seconds."""
        self.latest = 0.0
        """Time of the last event, seconds."""
        self.closed = ""
        """Reason of the end; empty while the flow continues."""
        self.is_known = False
        """Whether it is more than packets outside of associations."""
        self.paths: list[str] = []
        """Names of its paths."""

    def take(self, time: float, host: str, path: str, name: str, data: Mapping[str, Any]) -> None:
        """Add an event."""
        if self.began != self.began:
            self.began = time
        self.latest = max(self.latest, time)
        if path and path not in self.paths:
            if len(self.paths) >= MOST_PATHS:
                return
            self.paths.append(path)
        side = self.sides[host]
        match name:
            case "transport:packet_sent":
                _sent(side, path, data)
            case "transport:packet_received":
                self._received(side, time, path, data)
            case "connectivity:connection_closed":
                self.is_known, self.closed = True, str(data.get("reason", ""))[:MOST_LETTERS] or "unknown"
            case _:
                self.is_known = True
                self._changed(side, time, path, name, data)

    def shown(self) -> list[str]:
        """Return the ends whose windows are drawn: those that send, or the only one."""
        found = [host for host in OTHER if host in self.sides and self.sides[host].paths]
        sending = [host for host in found if any(end.changes() for end in self.sides[host].paths.values())]
        return sending or found[:1]

    def carried(self, host: str) -> dict[str, Total]:
        """Return the payload that an end has sent to the other one, by path; empty if the log does not have it."""
        to = self.sides.get(OTHER[host])
        if to is not None and to.has_packets:
            return to.came
        side = self.sides.get(host)
        return side.acknowledged if side is not None else {}

    def marked(self, begin: float, end: float) -> list[Mark]:
        """Return the marks of a time."""
        return self.marks.between(self.name, begin, end)

    def _changed(self, side: Side, time: float, path: str, name: str, data: Mapping[str, Any]) -> None:
        """Add an event of a path or of the whole flow."""
        count = natural(data.get("count", 1))
        if name in MARKED:
            reason = str(data.get("reason") or data.get("trigger") or data.get("new") or "")
            # A path that is new is no event.
            if name != "connectivity:path_updated" or "old" in data:
                self.marks.add(time, path, name, reason, count)
        if name == "recovery:marked_for_retransmit":
            side.retransmissions += count
        if not path or name.startswith("link:"):
            return
        end = side.paths[path]
        match name:
            case "recovery:metrics_updated":
                _metrics(end, time, data)
            case "connectivity:path_updated":
                end.standing = str(data["new"])[:MOST_LETTERS]
            case "recovery:loss_timer_expired":
                end.counts["timeouts"] += count
            case "recovery:window_cut":
                end.counts["window_cuts"] += count
            case "recovery:sending_blocked":
                since = number(data["since"])
                for limit in LIMITS:
                    if limit in data:
                        end.blocked[limit].add(since, time, number(data[limit]))

    def _received(self, side: Side, time: float, path: str, data: Mapping[str, Any]) -> None:
        side.has_packets = True
        for bytes_ in _new_payload(side, data):
            side.came[path].count(time, bytes_)
        for chunk in data.get("chunks", ()):
            if chunk["type"] in ("sack", "nr_sack"):
                gaps = (*chunk.get("gaps", ()), *chunk.get("kept_gaps", ()))
                for payload, sender in side.sent.acknowledge(natural(chunk["cumulative"]), gaps):
                    side.acknowledged[sender].count(time, payload)


def _sent(side: Side, path: str, data: Mapping[str, Any]) -> None:
    for chunk in data.get("chunks", ()):
        if chunk["type"] == "data":
            side.sent.send(natural(chunk["tsn"]), natural(chunk["payload"]), path)


def _metrics(end: End, time: float, data: Mapping[str, Any]) -> None:
    for name, value in data.items():
        if name in CURVES:
            # A threshold of 0 is undefined, and so is a round-trip time of 0.
            if number(value) or name == "cwnd":
                end.curves[name].add(time, float(value))
        elif name == "rto":
            end.rto = number(value)
        elif name == "outstanding":
            end.outstanding = number(value)


def _new_payload(side: Side, data: Mapping[str, Any]) -> Iterator[int]:
    """Yield the bytes of a packet that had not arrived before."""
    if "chunks" in data:
        for chunk in data["chunks"]:
            if chunk["type"] == "data":
                tsn, payload = side.serial.extended(natural(chunk["tsn"])), natural(chunk["payload"])
                if side.arrived.take(tsn, tsn):
                    yield payload
    elif data.get("payload"):
        option = data.get("mptcp") or {}
        # A byte of Multipath TCP has a number of the connection, which does not depend on its subflow.
        first = natural(option["data"]) if "data" in option else side.serial.extended(natural(data["seq"]))
        new = side.arrived.take(first, first + natural(data["payload"]) - 1)
        if new:
            yield new


def number(value: Any) -> float:
    """Return a finite number that is not negative.

    Raises
    ------
    ValueError
        If the value is another one.
    """
    if not isinstance(value, (int, float)) or not 0 <= value < MOST:
        raise ValueError(value)
    return float(value)


def natural(value: Any) -> int:
    """Return an integer that is not negative.

    Raises
    ------
    ValueError
        If the value is another one.
    """
    if type(value) is not int or not 0 <= value < MOST:
        raise ValueError(value)
    return value


CURVES = ("cwnd", "ssthresh", "srtt")
"""Metrics of a path that are drawn."""

LIMITS = tuple(COUNTERS["limits"])
"""Limits that stop a path from sending new data."""

MOST_PATHS = 32
"""Largest number of paths of a flow; events of others are left out."""

MOST = 1e18
"""Bound of all numbers of a log."""

MOST_LETTERS = 40
"""Longest state or reason that is shown."""
