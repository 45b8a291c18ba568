"""Queues and transmitters of links, from the packets that links were offered, delivered, dropped and lost."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict, deque
from dataclasses import dataclass, field
from typing import Any

from recording import Label, Recording


@dataclass
class Course:
    """A number over time, which changes at known times."""

    times: list[int] = field(default_factory=lambda: [0])
    values: list[float] = field(default_factory=lambda: [0])

    def set(self, at: int, value: float) -> None:
        """Set the value from a time on, which is not before the last change."""
        if self.times[-1] == at:
            self.values[-1] = value
        elif self.values[-1] != value:
            self.times.append(at)
            self.values.append(value)

    def at(self, time: int) -> float:
        """Return the value after everything that happens at a time."""
        return self.values[bisect_right(self.times, time) - 1]

    def area(self, begin: int, end: int) -> float:
        """Return the integral from `begin` to `end`, in the unit of the number times nanoseconds."""
        total, first = 0.0, bisect_right(self.times, begin) - 1
        for index in range(first, len(self.times)):
            start = max(begin, self.times[index])
            stop = min(end, self.times[index + 1]) if index + 1 < len(self.times) else end
            if start >= end:
                break
            total += self.values[index] * (stop - start)
        return total

    def mean(self, begin: int, end: int) -> float:
        """Return the mean over time."""
        return self.area(begin, end) / (end - begin)


class LinkModel:
    """One direction of a core link: its queue is first in, first out, except with FQ-CoDel."""

    def __init__(self, name: str, recording: Recording) -> None:
        self.config: dict[str, Any] = recording.scenario["network"]["links"][name]
        self.offered = recording.arrivals[name]
        self.delivered = recording.deliveries[name]
        self.events = recording.of_links[name]
        self.waiting = Course()
        """Packets in the queue."""
        self.busy = Course()
        """1 while the transmitter is busy."""
        self._queue: deque[Label] = deque()
        self._free_at, self._carried, self._rate = 0, 0, self.config["rate"]
        self._is_down = False
        self._labels = [(line, recording.label(line, line.data["packet"])) for line in self.events]
        self._late = self._reported_late()
        self._calls = self._times_of_calls()
        self._leaving = self._order_of_leaving()
        self._run(recording.borders[1])

    def count(self, name: str, begin: int, end: int) -> int:
        """Return the number of events of a kind after `begin`, up to `end`."""
        return sum(line.name == name and begin < line.at <= end for line in self.events)

    def _reported_late(self) -> dict[int, Counter[Label]]:
        """Return the packets that the queue dropped while they waited, by the time of their events.

        A packet may have been dropped earlier, when the transmitter became free: its event is written at the next time
        at which a packet arrives at the link or leaves it.
        """
        found: dict[int, Counter[Label]] = defaultdict(Counter)
        for line, label in self._labels:
            if line.data.get("reason") == "late":
                found[line.at][label] += 1
        return found

    def _times_of_calls(self) -> list[int]:
        times = {at for at, _ in self.offered} | {delivery.at for delivery in self.delivered}
        return sorted(times | {line.at for line in self.events} | {event["at"] for event in self.config["events"]})

    def _order_of_leaving(self) -> deque[Label] | None:
        """Return the packets in the order of their transmission, if it is not that of their arrival.

        Packets leave a link in the order of their transmission. A link that goes down loses first the packets in its
        queue, then the one in transmission, which is the last of those that left before.
        """
        if self.config["queue"]["kind"] != "fq-codel":
            return None
        left = [(delivery.at, delivery.label) for delivery in self.delivered]
        left += [(line.at, label) for line, label in self._labels if line.data.get("reason") == "chance"]
        delay = self.config["delay"]
        for event in self.config["events"]:
            if event["change"] == "down":
                down = [
                    label
                    for line, label in self._labels
                    if line.name == "link:packet_lost" and line.data["reason"] == "down" and line.at == event["at"]
                ]
                left += [(event["at"] + delay, label) for label in down[-1:]]
            elif isinstance(event["change"], dict):
                delay = event["change"].get("delay", delay)
        return deque(label for _, label in sorted(left, key=lambda each: each[0]))

    def _run(self, end: int) -> None:
        """Follow the queue from the start of the run to its end."""
        dropped = [each for each in self._labels if each[0].name == "link:packet_dropped"]
        refused = Counter((line.at, label) for line, label in dropped if line.data["reason"] != "late")
        changes = deque(self.config["events"])
        for at, label in self.offered:
            if at > end:
                break
            while changes and changes[0]["at"] <= at:
                self._change(changes.popleft())
            self._advance(at)
            if refused[at, label]:
                refused[at, label] -= 1
                continue
            self._queue.append(label)
            self._advance(at)
            self.waiting.set(at, len(self._queue))
        for change in changes:
            self._change(change)
        self._advance(end)
        assert all(at > end for at, _ in +refused), "each packet that the link refused was offered to it"
        assert not any(+reported for at, reported in self._late.items() if at <= end), "each late drop has its packet"

    def _change(self, change: dict[str, Any]) -> None:
        at, what = change["at"], change["change"]
        self._advance(at)
        if what == "down":
            is_busy = self._free_at > at
            gone = sum(
                line.at == at and line.data.get("reason") == "down" for line in self.events if "lost" in line.name
            )
            assert gone == len(self._queue) + is_busy, "a link that goes down loses the packets in it"
            self._queue.clear()
            self.waiting.set(at, 0)
            if is_busy:
                self.busy.times[-1] = at
                self._free_at, self._carried = at, 0
        elif isinstance(what, dict) and "rate" in what:
            self._rate, self._carried = what["rate"], 0

    def _advance(self, now: int) -> None:
        """Start each packet whose turn comes up to now."""
        while self._queue and self._free_at <= now:
            # A packet waits only while the transmitter is busy, so the only packet of an idle link has just arrived.
            start = self._free_at if self._is_waiting else now
            self._drop_late(start)
            self._start(start, self._next())
            self.waiting.set(start, len(self._queue))

    @property
    def _is_waiting(self) -> bool:
        return self.waiting.values[-1] > 0

    def _drop_late(self, start: int) -> None:
        reported = self._calls[bisect_left(self._calls, start)] if self._calls[-1] >= start else None
        if reported is None or reported not in self._late:
            return
        late = self._late[reported]
        if self._leaving is None:
            while self._queue and late[self._queue[0]]:
                late[self._queue.popleft()] -= 1
            return
        # FQ-CoDel drops packets of the flow whose packet it sends next, from the head of this flow's queue.
        sent = self._leaving[0]
        for label in [each for each in self._queue if each[:3] == sent[:3]]:
            # Equal acknowledgements have equal labels: the last of them is the one that is sent.
            if not late[label] or (label == sent and self._queue.count(label) == 1):
                return
            self._queue.remove(label)
            late[label] -= 1

    def _next(self) -> Label:
        if self._leaving is None:
            return self._queue.popleft()
        label = self._leaving.popleft()
        self._queue.remove(label)
        return label

    def _start(self, start: int, label: Label) -> None:
        """Transmit a packet. The fraction of a nanosecond at its end is carried while the link is busy."""
        carried = self._carried if start == self._free_at else 0
        bits = 8 * (label.length + self.config["overhead"])
        span, self._carried = divmod(bits * 1_000_000_000 + carried, self._rate)
        self.busy.set(start, 1)
        self._free_at = start + span
        self.busy.set(self._free_at, 0)


def of_link(model: LinkModel, begin: int, end: int) -> dict[str, float]:
    """Return the columns of a link for the time after `begin`, up to `end`."""
    delivered = [delivery for delivery in model.delivered if begin < delivery.at <= end]
    return {
        "arrived": sum(begin < at <= end for at, _ in model.offered),
        "delivered": len(delivered),
        "damaged": model.count("link:packet_damaged", begin, end),
        "dropped": model.count("link:packet_dropped", begin, end),
        "lost": model.count("link:packet_lost", begin, end),
        "bytes": sum(delivery.label.length for delivery in delivered),
        "utilisation": model.busy.mean(begin, end),
        "mean_queue": model.waiting.mean(begin, end),
    }
