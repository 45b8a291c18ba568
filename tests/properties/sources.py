"""What the source of a flow sent, sent again, and may forget because the sink acknowledged it."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from recording import Line, Recording


@dataclass
class Sent:
    """What happened at the source of a flow. Times in nanoseconds."""

    opened_at: int | None = None
    """When the association or connection was established."""
    packets: dict[str, list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))
    """Packets with data by path, each with its bytes."""
    again: list[tuple[int, str]] = field(default_factory=list)
    """Chunks or segments that were sent again, each with its path."""
    freed: list[tuple[int, int]] = field(default_factory=list)
    """Bytes that left the send buffer."""
    fast: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    """Fast retransmissions by path."""


def source_of(name: str, recording: Recording) -> Sent:
    """Return what the source of a flow sent."""
    is_sctp = recording.scenario["flows"][name]["transport"] == "sctp"
    source = SctpSource() if is_sctp else TcpSource()
    for line in recording.of(name, "source"):
        if line.name == "connectivity:connection_established":
            source.sent.opened_at = line.at
        elif line.name == "connectivity:connection_closed":
            source.is_closed = True
        elif line.name == "transport:packet_sent":
            source.send(line)
        elif line.name == "transport:packet_received" and not source.is_closed:
            source.receive(line)
        elif line.name == "recovery:marked_for_retransmit":
            source.note_marks(line)
    return source.sent


class SctpSource:
    """TSNs that the source sent, and those that the sink acknowledged so that it cannot drop them."""

    def __init__(self) -> None:
        self.sent = Sent()
        self.is_closed = False
        self._lengths: dict[int, int] = {}
        """Payload of each TSN in the send buffer that was sent."""
        self._first: int | None = None
        self._next = 0
        self._cumulative = -1

    def send(self, line: Line) -> None:
        """Note the data of a packet."""
        data = [chunk for chunk in line.data["chunks"] if chunk["type"] == "data"]
        if data:
            self.sent.packets[line.path].append((line.at, line.data["length"]))
        for chunk in line.data["chunks"]:
            if chunk["type"] == "init":
                self._first = chunk["initial_tsn"]
        for chunk in data:
            offset = self._offset(chunk["tsn"])
            if offset < self._next:
                self.sent.again.append((line.at, line.path))
            else:
                self._next = offset + 1
                self._lengths[offset] = chunk["payload"]

    def receive(self, line: Line) -> None:
        """Note what a SACK acknowledges cumulatively or non-renegably, unless a later SACK was faster."""
        for chunk in line.data["chunks"]:
            if chunk["type"] not in ("sack", "nr_sack"):
                continue
            cumulative = self._offset(chunk["cumulative"])
            if cumulative < self._cumulative:
                continue
            acknowledged = [range(self._cumulative + 1, cumulative + 1)]
            acknowledged += [
                range(self._offset(first), self._offset(last) + 1) for first, last in chunk.get("kept_gaps", [])
            ]
            self._cumulative = cumulative
            freed = sum(self._lengths.pop(offset, 0) for part in acknowledged for offset in part)
            if freed:
                self.sent.freed.append((line.at, freed))

    def note_marks(self, line: Line) -> None:
        """The event has no path."""

    def _offset(self, tsn: int) -> int:
        return (tsn - (self._first or 0) + (1 << 31)) % (1 << 32) - (1 << 31)


class TcpSource:
    """Bytes of the stream and of each subflow."""

    def __init__(self) -> None:
        self.sent = Sent()
        self.is_closed = False
        self._first: dict[str, int] = {}
        self._next: dict[str, int] = {}
        self._end = 0
        """The end of the stream that was sent."""
        self._acknowledged = 0
        self._unmarked: list[str] = []
        """Paths of the segments that were sent again since the last event about their reasons."""

    def send(self, line: Line) -> None:
        """Note a segment."""
        segment: dict[str, Any] = line.data
        if "syn" in segment["flags"]:
            self._first[line.path] = segment["seq"] + 1
            self._next[line.path] = 0
            return
        payload = segment["payload"]
        length = payload + ("fin" in segment["flags"])
        if not length:
            return
        if payload:
            self.sent.packets[line.path].append((line.at, segment["length"]))
        start = self._offset(segment["seq"], line.path)
        if start < self._next[line.path]:
            self.sent.again.append((line.at, line.path))
            self._unmarked.append(line.path)
        self._next[line.path] = max(self._next[line.path], start + length)
        data = segment["mptcp"]["data"] if "mptcp" in segment and payload else start
        self._end = max(self._end, data + payload)

    def receive(self, line: Line) -> None:
        """Note the acknowledged bytes of the stream."""
        segment: dict[str, Any] = line.data
        if "ack" not in segment or "syn" in segment["flags"]:
            return
        if "mptcp" in segment:
            acknowledged = segment["mptcp"].get("data_ack", 0)
        else:
            acknowledged = self._offset(segment["ack"], line.path)
        acknowledged = min(acknowledged, self._end)
        if acknowledged > self._acknowledged:
            self.sent.freed.append((line.at, acknowledged - self._acknowledged))
            self._acknowledged = acknowledged

    def note_marks(self, line: Line) -> None:
        """The event follows the segments that were sent again, and has the number of those with one reason."""
        paths, self._unmarked = self._unmarked[: line.data["count"]], self._unmarked[line.data["count"] :]
        assert len(paths) == line.data["count"], "each segment that was sent again has a reason"
        if line.data["trigger"] == "fast_retransmission":
            for path in paths:
                self.sent.fast[path].append(line.at)

    def _offset(self, seq: int, path: str) -> int:
        return (seq - self._first[path] - self._next[path] + (1 << 31)) % (1 << 32) - (1 << 31) + self._next[path]
