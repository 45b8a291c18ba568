"""What the sink of a flow received: new, repeated and refused data, waiting bytes, and messages for the application."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from link_models import Course


@dataclass
class Stream:
    """Ordered messages on one stream; times in nanoseconds."""

    since: int
    """When it, or a stream with a higher number, got its first message."""
    offered: list[int] = field(default_factory=list)
    """When each message was offered to the application."""
    waits: list[tuple[int, int]] = field(default_factory=list)
    """For each message that waited for an earlier one: the end of its waiting, and its duration."""
    blocked: Course = field(default_factory=Course)
    """1 while a complete message waits."""


@dataclass
class Received:
    """What happened at the sink of a flow. Lists of events have times in nanoseconds."""

    new_bytes: dict[str, list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))
    """New payload by path."""
    duplicates: list[int] = field(default_factory=list)
    refused: list[int] = field(default_factory=list)
    given_up: list[int] = field(default_factory=list)
    unreadable: Course = field(default_factory=Course)
    """Bytes that have arrived and cannot be read."""
    after_packets: list[tuple[int, int]] = field(default_factory=list)
    """The same after each packet; two packets may arrive at one time."""
    bytes: list[tuple[int, int]] = field(default_factory=list)
    """Bytes delivered to the application."""
    messages: list[tuple[int, int]] = field(default_factory=list)
    """Numbers of the messages delivered to the application."""
    streams: dict[int, Stream] = field(default_factory=dict)

    def use_stream(self, at: int, number: int) -> None:
        """Begin a stream with its first ordered message, and those with lower numbers."""
        for each in range(number + 1):
            self.streams.setdefault(each, Stream(at))

    def note_unreadable(self, at: int, count: int) -> None:
        """Record the unreadable bytes after a packet."""
        self.unreadable.set(at, count)
        self.after_packets.append((at, count))


class Intervals:
    """Parts of a sequence space that have arrived: everything below `next`, and intervals above it."""

    def __init__(self) -> None:
        self.next = 0
        self.above: list[tuple[int, int]] = []

    def insert(self, start: int, end: int) -> int:
        """Add an interval; return how much of it is new."""
        start = max(start, self.next)
        if end <= start:
            return 0
        overlapping = [part for part in self.above if part[0] <= end and part[1] >= start]
        known = sum(max(0, min(end, high) - max(start, low)) for low, high in overlapping)
        if overlapping:
            self.above = [part for part in self.above if part not in overlapping]
        low = min([start, *(part[0] for part in overlapping)])
        high = max([end, *(part[1] for part in overlapping)])
        if low <= self.next:
            self.next = high
        else:
            self.above.append((low, high))
        return end - start - known

    @property
    def early(self) -> int:
        """What has arrived above a gap."""
        return sum(high - low for low, high in self.above)
