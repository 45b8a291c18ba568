"""The sink of a flow over TCP or Multipath TCP: sequence spaces of subflows, and the stream.

RFC 9293, RFC 8684
"""

from __future__ import annotations

from itertools import accumulate
from typing import Any

from applications import lengths
from received import Intervals, Received
from recording import Line, Recording

WINDOW_SCALE = 3
SYN = 2


class TcpSink:
    """Follows the segments that reach the sink."""

    def __init__(self, name: str, recording: Recording) -> None:
        config: dict[str, Any] = recording.scenario["flows"][name]
        self.seen = Received()
        self.is_multipath = config["transport"] == "mptcp"
        self._shifts = _window_shifts(name, recording)
        self._first: dict[str, int] = {}
        """First sequence number of each subflow, by path."""
        self._subflows: dict[str, Intervals] = {}
        self._edges: dict[str, int] = {}
        """The end of the window that the sink has announced: in the subflow, or in the stream for Multipath TCP."""
        self._ended: set[str] = set()
        self._stream = Intervals()
        self._delivered = 0
        self._ends = accumulate(lengths(name, recording))
        self._end = next(self._ends)
        self._number = 0
        for line in recording.of(name, "sink"):
            if line.name == "transport:packet_received":
                self._receive(line)
            elif line.name == "transport:packet_sent":
                self._announce(line)
            elif line.name == "connectivity:path_updated" and line.data["new"] == "down":
                # Data that arrives after the end of a subflow is acknowledged, but is no data of the connection.
                self._ended.add(line.path)

    def _announce(self, line: Line) -> None:
        """Move the end of the window."""
        segment = line.data
        if "ack" not in segment or "rst" in segment["flags"] or line.path not in self._first:
            return
        shift = 0 if "syn" in segment["flags"] else self._shifts[line.path]
        window = segment["window"] << shift
        if not self.is_multipath:
            edge = _ahead(segment["ack"], self._first[line.path], self._subflows[line.path].next) + window
            self._edges[line.path] = max(self._edges[line.path], edge)
        else:
            received = segment.get("mptcp", {}).get("data_ack", 0)
            self._edges[""] = max(self._edges.get("", 0), received + window)

    def _receive(self, line: Line) -> None:
        segment = line.data
        flags = segment["flags"]
        if "syn" in flags:
            if line.path not in self._first:
                self._first[line.path] = segment["seq"] + 1
                self._subflows[line.path] = Intervals()
                self._edges[line.path] = 0
            return
        length = segment["payload"] + ("fin" in flags)
        if "rst" in flags or line.path not in self._first or line.path in self._ended:
            return
        if length:
            self._take(line, segment, length)
        self.seen.note_unreadable(line.at, self._stream.early)

    def _take(self, line: Line, segment: dict[str, Any], length: int) -> None:
        subflow = self._subflows[line.path]
        start = _ahead(segment["seq"], self._first[line.path], subflow.next)
        edge = (1 << 62) if self.is_multipath else max(self._edges[line.path], subflow.next + 1)
        if start != subflow.next and start + length <= subflow.next:
            return self.seen.duplicates.append(line.at)
        if start != subflow.next and start >= edge:
            return self.seen.refused.append(line.at)
        payload, data = segment["payload"], start
        if self.is_multipath and payload:
            data = segment["mptcp"]["data"]
            if data + payload > self._edges[""]:
                return self.seen.refused.append(line.at)
        accepted = min(payload, max(edge, subflow.next) - start)
        has_fin = length > payload and accepted == payload
        is_new = subflow.insert(start, start + accepted + has_fin) > 0
        new = self._stream.insert(data, data + accepted) if is_new and accepted else 0
        if not is_new or (payload and not new):
            self.seen.duplicates.append(line.at)
        if new:
            self.seen.new_bytes[line.path].append((line.at, new))
            self._deliver(line.at)
        return None

    def _deliver(self, at: int) -> None:
        """Deliver what is in order."""
        self.seen.bytes.append((at, self._stream.next - self._delivered))
        self._delivered = self._stream.next
        while self._end <= self._stream.next:
            self.seen.messages.append((at, self._number))
            self._number += 1
            self._end = next(self._ends, 1 << 62)


def _ahead(seq: int, first: int, near: int) -> int:
    """Return the offset of a sequence number from the first one, as the nearest one to `near`."""
    return near + (seq - first - near + (1 << 31)) % (1 << 32) - (1 << 31)


def _window_shifts(name: str, recording: Recording) -> dict[str, int]:
    """Return the window scale of the sink on each path, from the captured SYN ACKs.

    RFC 7323
    """
    flows = recording.scenario["flows"]
    index = list(flows).index(name)
    found = dict.fromkeys(flows[name]["paths"], 0)
    for delivery in (each for link in recording.deliveries.values() for each in link):
        label, packet = delivery.label, delivery.packet
        if label.flow == index and label.host == "sink" and packet[13] & SYN:
            at = 20
            while at < packet[12] // 16 * 4 and packet[at] != 0:
                if packet[at] == WINDOW_SCALE:
                    found[flows[name]["paths"][label.path]] = packet[at + 2]
                at += 1 if packet[at] == 1 else packet[at + 1]
    return found
