"""Which chunks an SCTP source took for lost, on which path, and which of them proved to have arrived.

RFC 9260 section 7.2.4, with split fast retransmit (SFR) and delayed acknowledgement for CMT (DAC). The events have the
number of these chunks for each SACK, which this model must reproduce.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Any

from link_models import Course
from recording import DATA, Line, Recording, chunks

FLIGHT, LOST, REPORTED, KEPT = "flight", "lost", "reported", "kept"


@dataclass
class Chunk:
    """A chunk that is not acknowledged cumulatively."""

    path: str
    sent_at: int
    payload: int
    state: str = FLIGHT
    missing: int = 0
    is_fast: bool = False
    """It was fast retransmitted, which happens once, or reported as damaged."""
    is_moved: bool = False
    """A timeout or rescheduling moved it to another path."""
    is_reneged: bool = False
    copies: int = 1
    damaged: int = 0
    """Copies that arrived damaged, according to reports."""


@dataclass
class Mark:
    """A chunk that a SACK marked for fast retransmission."""

    sack: int
    needed: int = 1
    """Duplicates that show that the copy from before has arrived."""


class LossDetection:
    """Follows the packets that the source of a flow sends and the SACKs that it receives."""

    def __init__(self, name: str, recording: Recording) -> None:
        self.config: dict[str, Any] = recording.scenario["flows"][name]
        self.fast: dict[str, list[int]] = defaultdict(list)
        """When chunks were marked for fast retransmission, by path."""
        self.rescheduled: dict[str, list[int]] = defaultdict(list)
        """When chunks were moved to a path; the name is empty if they were acknowledged before they were sent there."""
        self.spurious: list[int] = []
        self.bursts: list[int] = []
        self._lines = recording.of(name, "source")
        self._first = next((self._initial(line) for line in self._lines if self._initial(line) is not None), 0)
        self._sends = self._all_sends()
        self._srtt = self._smoothed()
        self._chunks: dict[int, Chunk] = {}
        self._cumulative, self._next = -1, 0
        self._reported: set[int] = set()
        self._marks: dict[int, Mark] = {}
        self._sacks = 0
        self._revealed: Counter[int] = Counter()
        self._recovery: dict[str, int] = {}
        self._window, self._probes = 0, {}
        self._unreported: Counter[str] = Counter()
        self._reports = _reports(name, recording)
        for index, line in enumerate(self._lines):
            self._index = index
            self._see(line)

    def _initial(self, line: Line) -> int | None:
        chunks = line.data.get("chunks", [{}]) if line.name == "transport:packet_sent" else [{}]
        return chunks[0].get("initial_tsn") if chunks[0].get("type") == "init" else None

    def _offset(self, tsn: int) -> int:
        return (tsn - (self._first or 0) + (1 << 31)) % (1 << 32) - (1 << 31)

    def _all_sends(self) -> dict[int, list[tuple[int, str]]]:
        """Return for each chunk the lines in which it was sent, each with the path."""
        found: dict[int, list[tuple[int, str]]] = defaultdict(list)
        for index, line in enumerate(self._lines):
            if line.name == "transport:packet_sent":
                for chunk in line.data["chunks"]:
                    if chunk["type"] == "data":
                        found[self._offset(chunk["tsn"])].append((index, line.path))
        return found

    def _smoothed(self) -> dict[str, Course]:
        found = {path: Course() for path in self.config["paths"]}
        for line in self._lines:
            if line.name == "recovery:metrics_updated" and "srtt" in line.data:
                found[line.path].set(line.at, round(line.data["srtt"] * 1e9))
        return found

    def _next_path(self, offset: int) -> str:
        """Return the path on which a lost chunk will be sent again; its last one if it never is."""
        sends = self._sends[offset]
        at = bisect_right(sends, (self._index, "\U0010ffff"))
        return sends[at][1] if at < len(sends) else self._chunks[offset].path

    def _flight(self, path: str) -> list[int]:
        return sorted(offset for offset, chunk in self._chunks.items() if chunk.path == path and chunk.state == FLIGHT)

    def _unacknowledged(self, path: str) -> list[int]:
        """Return the chunks that are in flight on a path, or will be sent again on it."""
        lost = [
            offset for offset, chunk in self._chunks.items() if chunk.state == LOST and self._next_path(offset) == path
        ]
        return sorted([*self._flight(path), *lost])

    def _see(self, line: Line) -> None:
        match line.name:
            case "transport:packet_sent":
                for chunk in line.data["chunks"]:
                    if chunk["type"] == "data":
                        self._send(line, self._offset(chunk["tsn"]), chunk["payload"])
            case "transport:packet_received":
                for chunk in line.data["chunks"]:
                    if chunk["type"] in ("sack", "nr_sack"):
                        self._receive(line, chunk)
                    elif chunk["type"] == "init_ack":
                        self._window = chunk["window"]
                    elif chunk["type"] == "packet_drop":
                        self._report(line)
            case "recovery:loss_timer_expired":
                self._time_out(line.path)
            case "recovery:window_cut":
                self._recovery.setdefault(line.path, self._exit(line.path))
            case "recovery:marked_for_retransmit":
                self._note_marks(line)

    def _send(self, line: Line, offset: int, payload: int) -> None:
        self._next = max(self._next, offset + 1)
        if payload > self._window:
            self._probes[line.path] = offset
        chunk = self._chunks.get(offset)
        if chunk is None:
            self._chunks[offset] = Chunk(line.path, line.at, payload)
            return
        if chunk.state == FLIGHT:
            # Nothing else sends a chunk in flight again.
            self.rescheduled[line.path].append(line.at)
            self._unreported["rescheduling"] += 1
            chunk.is_moved = False
        chunk.is_moved |= chunk.path != line.path
        chunk.path, chunk.sent_at, chunk.missing = line.path, line.at, 0
        chunk.state, chunk.is_reneged = FLIGHT, False
        chunk.copies += 1

    def _time_out(self, path: str) -> None:
        self._recovery.pop(path, None)
        for offset in self._flight(path):
            chunk = self._chunks[offset]
            chunk.missing, chunk.state = 0, LOST
            chunk.is_moved = self._next_path(offset) != path
            if chunk.is_fast and offset in self._marks and self._marks[offset].needed:
                self._marks[offset].needed += 1

    def _receive(self, line: Line, sack: dict[str, Any]) -> None:
        """Handle a SACK in the order in which it shows things."""
        for tsn in sack.get("duplicates", []):
            self._reveal(line.at, self._offset(tsn))
        cumulative = self._offset(sack["cumulative"])
        if cumulative < self._cumulative:
            return
        self._window = sack["window"]
        news = _News()
        for offset in range(self._cumulative + 1, cumulative + 1):
            chunk = self._chunks.pop(offset)
            news.moved = True
            if chunk.state in (FLIGHT, LOST) and not chunk.is_reneged:
                news.is_cumulative = True
                news.paths.add(chunk.path)
        self._cumulative = cumulative
        kept, gaps = self._ranges(sack.get("kept_gaps", [])), self._ranges(sack.get("gaps", []))
        self._acknowledge(kept, KEPT, news)
        self._acknowledge(gaps, REPORTED, news)
        self._take_back(set(gaps))
        self._answer_probes()
        for path, end in list(self._recovery.items()):
            waiting = self._unacknowledged(path)
            has_recovered = self.config["path_fast_recovery"] and (not waiting or waiting[0] > end)
            if cumulative >= end or has_recovered:
                del self._recovery[path]
        if news.paths and (kept or gaps):
            self._count_missing(line.at, news, max([*kept, *gaps]), sack.get("packets", 0))

    def _ranges(self, ranges: list[list[int]]) -> list[int]:
        return [offset for first, last in ranges for offset in range(self._offset(first), self._offset(last) + 1)]

    def _acknowledge(self, offsets: list[int], state: str, news: _News) -> None:
        for offset in offsets:
            chunk = self._chunks.get(offset)
            if chunk is None:
                continue
            if chunk.state in (FLIGHT, LOST) and not chunk.is_reneged:
                if not (self.config["smart_fast_rtx"] and chunk.is_moved):
                    news.highest[chunk.path] = max(offset, news.highest.get(chunk.path, -1))
                    news.lowest = offset if news.lowest is None else min(news.lowest, offset)
                news.last = max(news.last, offset)
                news.paths.add(chunk.path)
            chunk.state = KEPT if chunk.state == KEPT else state

    def _take_back(self, gaps: set[int]) -> None:
        for offset in self._reported - gaps:
            chunk = self._chunks.get(offset)
            if chunk is not None and chunk.state == REPORTED:
                chunk.state, chunk.missing, chunk.is_reneged = FLIGHT, 1, True
        self._reported = gaps

    def _answer_probes(self) -> None:
        """Take probes of a full receive window for lost if the sink did not accept them and has room again."""
        for path, offset in list(self._probes.items()):
            chunk = self._chunks.get(offset)
            if chunk is None or chunk.state != FLIGHT or chunk.path != path:
                del self._probes[path]
            elif chunk.payload <= self._window:
                del self._probes[path]
                chunk.state = LOST

    def _covers(self, path: str) -> bool:
        return path in self._recovery if self.config["path_fast_recovery"] else bool(self._recovery)

    def _exit(self, path: str) -> int:
        """Return the highest chunk whose arrival ends a Fast Recovery that begins."""
        waiting = self._unacknowledged(path) if self.config["path_fast_recovery"] else []
        return waiting[-1] if waiting else self._next - 1

    def _count_missing(self, at: int, news: _News, reported: int, packets: int) -> None:
        self._sacks += 1
        is_per_packet = self.config["dac"] and len(news.paths) == 1 and not news.is_cumulative
        begun = []
        for path in self.config["paths"]:
            if self.config["sfr"]:
                below = news.highest.get(path, -1)
            else:
                below = reported if news.moved and self._covers(path) else news.last
            srtt = self._srtt[path].at(at) or self.config["rto"]["initial"]
            for offset in self._flight(path):
                chunk = self._chunks[offset]
                just_moved = self.config["smart_fast_rtx"] and chunk.is_moved and chunk.sent_at > at - srtt
                if offset >= below or chunk.is_fast or just_moved:
                    continue
                several = is_per_packet and news.lowest is not None and offset < news.lowest
                chunk.missing += max(packets, 1) if several else 1
                if chunk.missing >= 3:
                    chunk.is_fast, chunk.state = True, LOST
                    self._marks[offset] = Mark(self._sacks)
                    self.fast[path].append(at)
                    self._unreported["fast_retransmission"] += 1
                    begun += [] if self._covers(path) else [path]
        for path in begun:
            self._recovery[path] = self._exit(path)

    def _reveal(self, at: int, offset: int) -> None:
        mark = self._marks.get(offset)
        if mark is None or not mark.needed:
            return
        mark.needed -= 1
        if not mark.needed:
            self.spurious.append(at)
            self._revealed[mark.sack] += 1
            if self._revealed[mark.sack] == 2:
                self.bursts.append(at)

    def _report(self, line: Line) -> None:
        """Take reported chunks for lost whose last copy must be the damaged one.

        draft-stewart-sctp-pktdrprep
        """
        round_trip_ago = line.at - (self._srtt[line.path].at(line.at) or self.config["rto"]["initial"])
        if not self._window:
            return
        for tsn, is_whole in self._reports.get((line.at, line.path), []):
            chunk = self._chunks.get(self._offset(tsn))
            if chunk is None or chunk.state != FLIGHT or chunk.path != line.path or not is_whole:
                continue
            if chunk.copies < MOST_COPIES and (chunk.copies <= chunk.damaged + 1 or chunk.sent_at <= round_trip_ago):
                chunk.state, chunk.is_fast, chunk.missing = LOST, True, 0
                chunk.damaged += 1
                self._unreported["drop_report"] += 1

    def _note_marks(self, line: Line) -> None:
        """Compare the number of chunks that the source took for lost with that of the event."""
        trigger, count = line.data["trigger"], line.data["count"]
        if trigger == "rescheduling" and count == self._unreported[trigger] + 1:
            # The lowest chunk will be sent later: its new path has no room for it.
            lowest = self._cumulative + 1
            chunk, path = self._chunks[lowest], self._next_path(lowest)
            is_sent = self._sends[lowest][-1][0] > self._index
            self.rescheduled[path if is_sent else ""].append(line.at)
            chunk.state, chunk.is_moved = LOST, path != chunk.path
        elif trigger in ("fast_retransmission", "rescheduling", "drop_report"):
            assert self._unreported[trigger] == count, f"{trigger}: {count} chunks, found {self._unreported[trigger]}"
        self._unreported[trigger] = 0


MOST_COPIES = 6
"""A chunk that was sent as often is left to the retransmission timer."""


class _News:
    """What a SACK acknowledges for the first time."""

    def __init__(self) -> None:
        self.moved = False
        self.is_cumulative = False
        self.paths: set[str] = set()
        self.highest: dict[str, int] = {}
        self.lowest: int | None = None
        self.last = -1


def _reports(name: str, recording: Recording) -> dict[tuple[int, str], list[tuple[int, bool]]]:
    """Return the chunks in captured packet drop reports, by time and path: TSN, and whether it is as it was sent."""
    flows = recording.scenario["flows"]
    index = list(flows).index(name)
    mine = [each for link in recording.deliveries.values() for each in link if each.label.flow == index]
    sent = {_head(each.packet, at)[0]: _head(each.packet, at) for each in mine for at in _data(each.packet)}
    found: dict[tuple[int, str], list[tuple[int, bool]]] = {}
    for each in mine:
        for at, length in chunks(each.packet):
            if each.packet[at] == PACKET_DROP:
                dropped = each.packet[at + 16 : at + length]
                heads = [_head(dropped, inner) for inner in _data(dropped)]
                told = [(head[0], _agree(head, sent[head[0]])) for head in heads if head[0] in sent]
                found[each.at, flows[name]["paths"][each.label.path]] = told
    return found


def _data(packet: bytes) -> list[int]:
    """Return the offsets of the DATA chunks of a packet."""
    return [at for at, _ in chunks(packet) if packet[at] == DATA and at + 16 <= len(packet)]


def _head(packet: bytes, at: int) -> tuple[int, int, bytes]:
    """Return TSN, length and other recognisable bytes of a DATA chunk, without the I bit."""
    length = int.from_bytes(packet[at + 2 : at + 4], "big")
    other = bytes([packet[at + 1] & ~IMMEDIATE]) + packet[at + 8 : min(at + length, at + 16 + COMPARED)]
    return int.from_bytes(packet[at + 4 : at + 8], "big"), length, other


def _agree(one: tuple[int, int, bytes], other: tuple[int, int, bytes]) -> bool:
    """Whether a reported chunk agrees with the one that was sent; the report may end within its payload."""
    return one[1] == other[1] and all(left == right for left, right in zip(one[2], other[2], strict=False))


PACKET_DROP = 129
IMMEDIATE = 8
COMPARED = 31
"""Bytes of the payload that the source compares."""
