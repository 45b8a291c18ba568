"""Quantities over time in bounded memory. Long curves keep the extremes of equal spans of time."""

from __future__ import annotations

from array import array
from math import nan

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
"""Times in seconds, or values."""


class Spans:
    """The smallest, the largest and the last value in each of a bounded number of equal spans of time.

    Parameters
    ----------
    width
        Length of a span, seconds.
    most
        Largest number of spans.
    slides
        Whether the oldest spans are dropped beyond this number. Otherwise the spans become longer.
    """

    def __init__(self, width: float, most: int, *, slides: bool) -> None:
        self._width, self._most, self._slides = width, most, slides
        self._numbers = array("q")
        # Low, high and last one: times, and values.
        self._times = (array("d"), array("d"), array("d"))
        self._values = (array("d"), array("d"), array("d"))

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def begin(self) -> float:
        """Start of the oldest span, seconds."""
        return self._numbers[0] * self._width if self._numbers else 0.0

    def add(self, time: float, value: float) -> None:
        """Add a value. A time before the last span counts as the end of that span."""
        number = int(time / self._width)
        if not self._numbers or number > self._numbers[-1]:
            self._append(number, time, value)
            return
        low, high, last = self._values
        times = self._times
        time = max(time, times[2][-1])
        if value < low[-1]:
            low[-1], times[0][-1] = value, time
        if value > high[-1]:
            high[-1], times[1][-1] = value, time
        last[-1], times[2][-1] = value, time

    def points(self) -> tuple[Floats, Floats]:
        """Return times and values in the order of time."""
        times = np.stack([np.array(column) for column in self._times], axis=1).ravel()
        values = np.stack([np.array(column) for column in self._values], axis=1).ravel()
        # A low and a high at one instant keep this order; the last value comes last.
        order = np.argsort(times, kind="stable")
        times, values = times[order], values[order]
        if not len(times):
            return times, values
        is_new = np.concatenate([[True], (np.diff(times) > 0) | (np.diff(values) != 0)])
        return times[is_new], values[is_new]

    def _append(self, number: int, time: float, value: float) -> None:
        self._numbers.append(number)
        for times, values in zip(self._times, self._values, strict=True):
            times.append(time)
            values.append(value)
        if self._slides:
            # A tenth more, so that the front is rarely moved.
            if len(self._numbers) > self._most * 11 // 10:
                self._drop(len(self._numbers) - self._most)
        else:
            while self._numbers[-1] - self._numbers[0] >= self._most:
                self._merge()

    def _drop(self, count: int) -> None:
        for column in (self._numbers, *self._times, *self._values):
            del column[:count]

    def _merge(self) -> None:
        """Double the length of the spans."""
        self._width *= 2
        numbers = np.array(self._numbers) // 2
        starts = np.flatnonzero(np.concatenate([[True], np.diff(numbers) > 0]))
        ends = np.append(starts[1:], len(numbers))
        times = [np.array(column) for column in self._times]
        values = [np.array(column) for column in self._values]
        low = np.array([a + int(np.argmin(values[0][a:b])) for a, b in zip(starts, ends, strict=True)])
        high = np.array([a + int(np.argmax(values[1][a:b])) for a, b in zip(starts, ends, strict=True)])
        chosen = (low, high, ends - 1)
        self._numbers = array("q", numbers[starts].tolist())
        first, second, third = (array("d", part[rows].tolist()) for part, rows in zip(times, chosen, strict=True))
        self._times = (first, second, third)
        first, second, third = (array("d", part[rows].tolist()) for part, rows in zip(values, chosen, strict=True))
        self._values = (first, second, third)


class Curve:
    """A quantity that holds until it changes: exact to `RECENT` for the last minute, and coarser over the whole log."""

    def __init__(self) -> None:
        self.last = nan
        """The last value; NaN without one."""
        self.changes = 0
        """Number of values."""
        self._recent = Spans(RECENT, RECENT_SPANS, slides=True)
        self._whole = Spans(RECENT, WHOLE_SPANS, slides=False)

    def add(self, time: float, value: float) -> None:
        """Add a value."""
        self.last = value
        self.changes += 1
        self._recent.add(time, value)
        self._whole.add(time, value)

    def between(self, begin: float, end: float) -> tuple[Floats, Floats]:
        """Return times and values from `begin` to `end`, with the values that hold at both."""
        times, values = self._points(begin)
        first = max(int(np.searchsorted(times, begin, "right")) - 1, 0)
        after = int(np.searchsorted(times, end, "right"))
        times, values = times[first:after], values[first:after]
        if not len(times):
            return times, values
        return np.append(np.maximum(times, begin), end), np.append(values, values[-1])

    def at(self, times: Floats) -> Floats:
        """Return the values that hold at some times; 0 before the first one."""
        known, values = self._points(times[0] if len(times) else 0.0)
        places = np.searchsorted(known, times, "right")
        return np.concatenate([[0.0], values])[places]

    def along(self, times: Floats) -> Floats:
        """Return the values at some times on the line through all points; 0 before the first one."""
        known, values = self._points(times[0] if len(times) else 0.0)
        return np.interp(times, known, values, left=0.0) if len(known) else np.zeros(len(times))

    def _points(self, begin: float) -> tuple[Floats, Floats]:
        """Return the points of the recent spans if they begin early enough, else those of the whole."""
        is_recent = len(self._recent) and self._recent.begin <= max(begin, self._whole.begin)
        return (self._recent if is_recent else self._whole).points()


class Total:
    """A sum that grows, such as bytes that have arrived, over time."""

    def __init__(self) -> None:
        self.sum = 0.0
        """The sum so far."""
        self._curve = Curve()
        self._time = 0.0
        self._due = 0.0
        self._is_noted = True

    def count(self, time: float, amount: float) -> None:
        """Add an amount."""
        # The curve has one value for each recent span, because a packet must cost little.
        if time >= self._due:
            self._note()
            self._due = time + RECENT
        self._time = max(time, self._time)
        self.sum += amount
        self._is_noted = False

    def rates(self, edges: Floats) -> Floats:
        """Return the mean rate between each two edges, per second."""
        self._note()
        return np.maximum(np.diff(self._curve.at(edges)), 0.0) / np.diff(edges)

    def _note(self) -> None:
        if not self._is_noted:
            self._curve.add(self._time, self.sum)
            self._is_noted = True


class Counter:
    """A counter that is read from time to time. It grows evenly between two readings."""

    def __init__(self) -> None:
        self.sum = 0.0
        """The sum so far."""
        self._curve = Curve()

    def count(self, time: float, amount: float) -> None:
        """Add the growth since the last reading."""
        self.sum += amount
        self._curve.add(time, self.sum)

    def rates(self, edges: Floats) -> Floats:
        """Return the mean rate between each two edges, per second."""
        # Readings and edges do not coincide: with steps, some intervals would have one reading more than others.
        return np.maximum(np.diff(self._curve.along(edges)), 0.0) / np.diff(edges)


class Spent:
    """The time that something took, such as waiting for a window, as parts with known sums."""

    def __init__(self) -> None:
        self._sum = 0.0
        self._curve = Curve()

    def add(self, since: float, until: float, seconds: float) -> None:
        """Add a part: some seconds between two times."""
        self._curve.add(since, self._sum)
        self._sum += seconds
        self._curve.add(until, self._sum)

    def shares(self, edges: Floats) -> Floats:
        """Return the share of the time between each two edges, from 0 to 1."""
        return np.clip(np.diff(self._curve.along(edges)) / np.diff(edges), 0.0, 1.0)


RECENT = 0.05
"""Length of the spans of the last minute, and of the first spans of a log, seconds."""

RECENT_SPANS = 1300
"""Number of recent spans: a little more than `LONGEST`."""

LONGEST = 60.0
"""Length of the longest sliding window, seconds."""

WHOLE_SPANS = 600
"""Largest number of spans of the whole log."""
