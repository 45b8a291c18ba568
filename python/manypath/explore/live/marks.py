"""Losses, timeouts, retransmissions and changes of paths, as marks in bounded memory."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from manypath.explore.moves import REASONS, Mark, said


class _Kind(NamedTuple):
    path: str
    name: str
    reason: str


class Marks:
    """Marks of a flow: the newest events one by one, older ones as numbers of equal events in equal spans."""

    def __init__(self) -> None:
        self._recent: deque[tuple[float, _Kind, int]] = deque(maxlen=RECENT_EVENTS)
        self._whole: dict[tuple[_Kind, int], tuple[float, int]] = {}
        self._width = FIRST_WIDTH

    def __len__(self) -> int:
        return len(self._recent) + len(self._whole)

    def add(self, time: float, path: str, name: str, reason: str, count: int) -> None:
        """Add an event."""
        kind = _Kind(path, name, reason if reason in KNOWN else "")
        self._recent.append((time, kind, count))
        place = (kind, int(time / self._width))
        first, sum_ = self._whole.get(place, (time, 0))
        self._whole[place] = (first, sum_ + count)
        while len(self._whole) > MOST_SPANS and self._width < MOST_WIDTH:
            self._merge()

    def between(self, flow: str, begin: float, end: float) -> list[Mark]:
        """Return the marks of a time. Equal events within a two-hundredth of it are one mark."""
        is_whole = len(self._recent) == RECENT_EVENTS and self._recent[0][0] > begin
        events = (
            [(time, kind, count) for (kind, _), (time, count) in self._whole.items()]
            if is_whole
            else list(self._recent)
        )
        within = max(end - begin, 1e-9) / MOST_MARKS
        found: dict[tuple[_Kind, int], tuple[float, int]] = {}
        for time, kind, count in events:
            if begin <= time <= end:
                place = (kind, int(time / within))
                first, sum_ = found.get(place, (time, 0))
                found[place] = (min(first, time), sum_ + count)
        marks = [
            Mark(time, flow, kind.path, kind.name, said(kind.name, kind.reason), count)
            for (kind, _), (time, count) in found.items()
        ]
        return sorted(marks, key=lambda mark: mark.time)

    def _merge(self) -> None:
        """Double the spans of the older marks."""
        self._width *= 2
        merged: dict[tuple[_Kind, int], tuple[float, int]] = {}
        for (kind, number), (time, count) in self._whole.items():
            first, sum_ = merged.get((kind, number // 2), (time, 0))
            merged[kind, number // 2] = (min(first, time), sum_ + count)
        self._whole = merged


KNOWN = {
    *(reason for _, reason in REASONS),
    "fast_retransmission",
    "timeout",
    "drop_report",
    "rescheduling",
    "connecting",
    "up",
    "potentially_failed",
    "down",
}
"""Reasons of events. Others are left out, so that a log cannot have any number of kinds."""

RECENT_EVENTS = 2000
"""Number of the newest events that are kept one by one."""

MOST_SPANS = 2000
"""Largest number of spans with marks."""

MOST_MARKS = 200
"""Largest number of marks of one kind that are drawn."""

FIRST_WIDTH = 0.1
"""Length of the first spans, seconds."""

MOST_WIDTH = 1e9
"""Length beyond which spans are not doubled, seconds."""
