"""The sink of an SCTP flow: TSNs, receive buffer, reassembly and streams.

RFC 9260 sections 6.2 to 6.9
"""

from __future__ import annotations

import struct
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from received import Received
from recording import DATA, Line, Recording, chunks


@dataclass
class Message:
    """A complete message."""

    first: int
    """Offset of its first TSN from the initial one."""
    chunks: int
    length: int
    complete_at: int


class SctpSink:
    """Follows the packets that reach the sink, and checks each SACK that the sink sends."""

    def __init__(self, name: str, recording: Recording) -> None:
        config: dict[str, Any] = recording.scenario["flows"][name]
        self.seen = Received()
        self.capacity = config["receive_buffer"]
        self.keeps_all = config["nr_sack"] and config["never_renege"]
        self._numbers = _message_numbers(name, recording)
        self._initial: int | None = None
        self._cumulative = -1
        self._above: set[int] = set()
        self._held = 0
        """Bytes in the receive buffer."""
        self._ready = 0
        """Bytes of these that the application may read, at the latest after the packet."""
        self._fragments: dict[int, dict[str, Any]] = {}
        self._next: dict[int, int] = defaultdict(int)
        self._early: dict[int, dict[int, Message]] = defaultdict(dict)
        for line in recording.of(name, "sink"):
            self._see(line)
            if line.name == "connectivity:connection_closed":
                self._close(line.at)
                break

    def _see(self, line: Line) -> None:
        if line.name not in ("transport:packet_received", "transport:packet_sent"):
            return
        is_received = line.name == "transport:packet_received"
        data = []
        for chunk in line.data["chunks"]:
            if chunk["type"] == "init" and is_received and self._initial is None:
                self._initial = chunk["initial_tsn"]
            elif chunk["type"] == "data" and is_received:
                data.append(chunk)
            elif chunk["type"] in ("sack", "nr_sack") and not is_received:
                self._check(chunk)
        if data:
            self._receive(line, data)

    def _receive(self, line: Line, data: list[dict[str, Any]]) -> None:
        new = sum(self._accept(line.at, chunk) for chunk in data)
        if new:
            self.seen.new_bytes[line.path].append((line.at, new))
        self.seen.note_unreadable(line.at, self._held - self._ready)
        self._held -= self._ready
        self._ready = 0

    def _offset(self, tsn: int) -> int:
        assert self._initial is not None
        return (tsn - self._initial + (1 << 31)) % (1 << 32) - (1 << 31)

    def _has(self, offset: int) -> bool:
        return offset <= self._cumulative or offset in self._above

    def _accept(self, at: int, chunk: dict[str, Any]) -> int:
        """Take a chunk, unless it is known or has no room; return its new bytes."""
        offset, length = self._offset(chunk["tsn"]), chunk["payload"]
        if self._has(offset):
            self.seen.duplicates.append(at)
            return 0
        if not self._fits(length) and not self._make_room(at, offset, length):
            self.seen.refused.append(at)
            return 0
        self._above.add(offset)
        while self._cumulative + 1 in self._above:
            self._cumulative += 1
            self._above.remove(self._cumulative)
        self._held += length
        whole = self._reassemble(at, offset, chunk)
        if whole is not None:
            self._deliver(at, chunk, whole)
        return length

    def _fits(self, length: int) -> bool:
        return self._held == 0 or self._held + length <= self.capacity

    def _make_room(self, at: int, offset: int, length: int) -> bool:
        """Make room for a chunk that closes a gap; one beyond all others is refused.

        Data that the receiver must not drop may exceed the buffer: by its size, and by its size once more to close the
        lowest gap. RFC 9260 section 6.2
        """
        if offset > max(self._above, default=self._cumulative):
            return False
        if self.keeps_all:
            return self._held + length <= (3 if offset == self._cumulative + 1 else 2) * self.capacity
        while not self._fits(length):
            if not self._give_up_highest(at, offset):
                return False
        return True

    def _give_up_highest(self, at: int, offset: int) -> bool:
        """Drop the unreadable data with the highest TSN above an offset: a fragment, or a message."""
        fragment = max(self._fragments, default=-1)
        last = {stream: max(early) for stream, early in self._early.items() if early}
        stream, ssn = max(last.items(), key=lambda each: self._early[each[0]][each[1]].first, default=(-1, -1))
        message = self._early[stream][ssn].first if stream >= 0 else -1
        if max(fragment, message) <= offset:
            return False
        if fragment > message:
            dropped, length = [fragment], self._fragments.pop(fragment)["payload"]
        else:
            gone = self._early[stream].pop(ssn)
            dropped, length = range(gone.first, gone.first + gone.chunks), gone.length
            self._note_blocked(at, stream)
        self._above.difference_update(dropped)
        self.seen.given_up += [at] * len(dropped)
        self._held -= length
        return True

    def _reassemble(self, at: int, offset: int, chunk: dict[str, Any]) -> Message | None:
        if "fragment" not in chunk:
            return Message(offset, 1, chunk["payload"], at)
        self._fragments[offset] = chunk
        first = offset
        while self._fragments[first]["fragment"] != "first":
            first -= 1
            if first not in self._fragments:
                return None
        last = offset
        while self._fragments[last]["fragment"] != "last":
            last += 1
            if last not in self._fragments:
                return None
        parts = [self._fragments.pop(each) for each in range(first, last + 1)]
        return Message(first, len(parts), sum(part["payload"] for part in parts), at)

    def _deliver(self, at: int, chunk: dict[str, Any], whole: Message) -> None:
        if "ssn" not in chunk:
            return self._offer(at, whole)
        number = chunk["stream"]
        self.seen.use_stream(at, number)
        early = self._early[number]
        early[chunk["ssn"]] = whole
        if chunk["ssn"] != self._next[number]:
            return self._note_blocked(at, number)
        stream = self.seen.streams[number]
        while (ssn := self._next[number]) in early:
            message = early.pop(ssn)
            if message is not whole:
                stream.waits.append((at, at - message.complete_at))
            stream.offered.append(at)
            self._offer(at, message)
            self._next[number] = (ssn + 1) % (1 << 16)
        return self._note_blocked(at, number)

    def _note_blocked(self, at: int, number: int) -> None:
        self.seen.streams[number].blocked.set(at, int(bool(self._early[number])))

    def _offer(self, at: int, message: Message) -> None:
        self._ready += message.length
        self.seen.bytes.append((at, message.length))
        self.seen.messages.append((at, self._numbers[message.first + (self._initial or 0)]))

    def _check(self, sack: dict[str, Any]) -> None:
        """Compare a SACK with what this model has received."""
        cumulative = self._offset(sack["cumulative"])
        assert cumulative == self._cumulative, "the cumulative TSN of a SACK"
        gaps = [*sack.get("gaps", []), *sack.get("kept_gaps", [])]
        reported = {tsn for first, last in gaps for tsn in range(self._offset(first), self._offset(last) + 1)}
        assert reported == self._above, "the gap blocks of a SACK"

    def _close(self, at: int) -> None:
        """End what waits when the association ends."""
        self.seen.unreadable.set(at, 0)
        for stream in self.seen.streams.values():
            stream.blocked.set(at, 0)


def _message_numbers(name: str, recording: Recording) -> dict[int, int]:
    """Return the number of the message of each captured DATA chunk, by TSN: its payload protocol identifier has it.

    TSNs may wrap around: those below the first one count on from 2^32.
    """
    index = list(recording.scenario["flows"]).index(name)
    found: dict[int, int] = {}
    for delivery in (each for link in recording.deliveries.values() for each in link):
        if delivery.label.flow == index and delivery.label.host == "source":
            for at, _ in chunks(delivery.packet):
                if delivery.packet[at] == DATA:
                    tsn, _, _, identifier = struct.unpack_from(">IHHI", delivery.packet, at + 4)
                    found[tsn] = identifier - (1 << 31)
    first = next((tsn for tsn, number in found.items() if number == 0), 0)
    return found | {tsn + (1 << 32): number for tsn, number in found.items() if tsn < first}
