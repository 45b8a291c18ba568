"""Payload of packets, counted once: at its arrival, or when the sender gets its acknowledgement."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from typing import Any


class Serial:
    """Extends serial numbers of 32 bits to integers that do not wrap. RFC 1982."""

    def __init__(self) -> None:
        self._last: int | None = None

    def extended(self, number: int) -> int:
        """Return the integer of a number, which is near the largest one so far."""
        if self._last is None:
            self._last = number
            return number
        distance = (number - self._last + HALF) % (2 * HALF) - HALF
        found = self._last + distance
        if distance > 0:
            self._last = found
        return found


class Arrived:
    """Numbers that have arrived, as disjoint ranges."""

    def __init__(self) -> None:
        self._first: list[int] = []
        self._last: list[int] = []

    def take(self, first: int, last: int) -> int:
        """Add the numbers from `first` to `last`; return how many of them are new."""
        firsts, lasts = self._first, self._last
        if lasts and first == lasts[-1] + 1:
            lasts[-1] = last
            return last - first + 1
        # Ranges that overlap or touch the new one become one range with it.
        begin = bisect_left(lasts, first - 1)
        end = bisect_right(firsts, last + 1)
        known = sum(max(0, min(lasts[place], last) - max(firsts[place], first) + 1) for place in range(begin, end))
        merged = (min(firsts[begin], first), max(lasts[end - 1], last)) if begin < end else (first, last)
        firsts[begin:end], lasts[begin:end] = [merged[0]], [merged[1]]
        if len(firsts) > MOST_RANGES:
            # The numbers in the oldest gap count as arrived.
            del firsts[1], lasts[0]
        return last - first + 1 - known


class Sent:
    """DATA chunks of an end that are not acknowledged, with their payload and the path of their last transmission."""

    def __init__(self) -> None:
        self._serial = Serial()
        self._waiting: dict[int, tuple[int, str]] = {}
        self._cumulative: int | None = None
        self._gaps: dict[int, int] = {}

    def send(self, tsn: int, payload: int, path: str) -> None:
        """Record a transmission."""
        number = self._serial.extended(tsn)
        if self._cumulative is None:
            self._cumulative = number - 1
        if number > self._cumulative:
            self._waiting[number] = (payload, path)
            if len(self._waiting) > MOST_WAITING:
                self._waiting.pop(next(iter(self._waiting)))

    def acknowledge(self, cumulative: int, gaps: Iterable[Any]) -> Iterator[tuple[int, str]]:
        """Read a SACK; yield the payload and the path of each chunk that it acknowledges first."""
        if self._cumulative is None:
            return
        number = self._serial.extended(cumulative)
        if number > self._cumulative:
            yield from self._taken(self._cumulative + 1, number)
            self._cumulative = number
        known, self._gaps = self._gaps, {}
        for first, last in gaps:
            begin, end = self._serial.extended(int(first)), self._serial.extended(int(last))
            self._gaps[begin] = end
            # The next SACK usually has the same ranges, the last one longer.
            yield from self._taken(max(begin, known.get(begin, begin - 1) + 1), end)

    def _taken(self, first: int, last: int) -> Iterator[tuple[int, str]]:
        """Remove the chunks from `first` to `last` and yield those that wait."""
        waiting = self._waiting
        if last - first > len(waiting):
            numbers: Iterable[int] = [number for number in waiting if first <= number <= last]
        else:
            numbers = range(first, last + 1)
        for number in numbers:
            chunk = waiting.pop(number, None)
            if chunk is not None:
                yield chunk


HALF = 1 << 31
"""Half of the serial numbers."""

MOST_RANGES = 4096
"""Largest number of ranges of numbers that have arrived."""

MOST_WAITING = 200_000
"""Largest number of chunks that wait for their acknowledgement; beyond it the oldest ones are removed."""
