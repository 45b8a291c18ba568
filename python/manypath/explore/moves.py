"""The runs of a page: one run for each change of a control (a move), its marks, and partial results of a long run."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import orjson

from manypath.errors import UserError
from manypath.quantity import SPAN
from manypath.run import Result, run
from manypath.scenario import Scenario

CLOSING = threading.Event()
"""Set when the program ends: Python waits for the threads of all runs."""


class Cancelled(Exception):
    """A later move replaced the run, or the program ends."""


@dataclass(frozen=True)
class Mark:
    """Events of one kind that are close in time.

    Attributes
    ----------
    time : float
        Time of the first one, seconds.
    flow, path : str
        The flow and the path; retransmissions are known of a flow only, and have an empty path.
    name : str
        Name of the events, such as ``recovery:window_cut``.
    reason : str
        Their reason as the engine states it; empty without one.
    count : int
        Their number.
    """

    time: float
    flow: str
    path: str
    name: str
    reason: str
    count: int

    @property
    def what(self) -> str:
        """What happened once, in words."""
        return MARKED[self.name]

    @property
    def place(self) -> str:
        """Flow and path in words."""
        return f"{self.flow} on {self.path}" if self.path else self.flow

    @property
    def words(self) -> str:
        """What happened, how often and why, in words."""
        return f"{self.count} × {self.what}" + (f" ({self.reason})" if self.reason else "")


@dataclass(frozen=True)
class Answer:
    """One finished run.

    Attributes
    ----------
    scenario : Scenario
        The scenario that ran.
    result : Result
        Its result, with a series.
    marks : list of Mark
        Losses, timeouts and retransmissions in the order of time.
    whole : float
        Duration of the whole run, seconds; longer than that of a run that is only its start.
    """

    scenario: Scenario
    result: Result
    marks: list[Mark]
    whole: float

    @property
    def is_partial(self) -> bool:
        """Whether this is only the start of the run."""
        return duration(self.scenario) < self.whole


def answers(
    scenario: Scenario, seed: int, stop: threading.Event, progress: Callable[[float], object] = lambda _: None
) -> Iterator[Answer]:
    """Run a scenario; yield the starts of a long run first, then the whole run.

    Raises as `cancellable` does.
    """
    whole = duration(scenario)
    for part in (*_starts(scenario), scenario):
        yield answer(part, seed, stop, progress, whole)


def answer(
    scenario: Scenario,
    seed: int,
    stop: threading.Event,
    progress: Callable[[float], object] = lambda _: None,
    whole: float | None = None,
) -> Answer:
    """Run a scenario once, with a series and its marks. `progress` receives the finished share."""
    total = duration(scenario) if whole is None else whole
    with TemporaryDirectory(prefix="manypath-explore-") as folder:
        file = Path(folder) / "events.jsonl"
        outputs = {"series": interval(scenario), "events": file, "only": list(WORDS)}
        own = duration(scenario) / total
        result = cancellable(scenario, seed, stop, lambda share: progress(share * own), **outputs)
        with file.open("rb") as lines:
            next(lines)
            marks = gathered(map(orjson.loads, lines), duration(scenario) / BINS)
    if stop.is_set():
        raise Cancelled
    return Answer(scenario, result, marks, total)


def cancellable(
    scenario: Scenario,
    seed: int,
    stop: threading.Event,
    progress: Callable[[float], object] = lambda _: None,
    **options: Any,
) -> Result:
    """Run a scenario with further options of `run`. `progress` receives the finished share.

    Raises
    ------
    Cancelled
        When `stop` or `CLOSING` is set.
    UserError
        If the scenario cannot run.
    """
    whole = duration(scenario)

    def tell(seconds: float) -> None:
        if stop.is_set() or CLOSING.is_set():
            raise Cancelled
        # After its measurement a run goes on until its last packets have arrived.
        progress(min(seconds / whole, 1.0))

    tell(0.0)
    return run(scenario, seed, progress=tell, **options)


def after(runs: int, progress: Callable[[float], object]) -> Callable[[float], object]:
    """Return what receives the finished share of a run, and passes on the number of finished runs with those before."""
    return lambda share: progress(runs + share)


def gathered(events: Iterable[dict[str, Any]], within: float) -> list[Mark]:
    """Return the marks of events at sources; equal events `within` some seconds are one mark."""
    marks: list[Mark] = []
    last: dict[tuple[str, str, str, str], int] = {}
    for event in events:
        if event.get("host") != "source" or event["name"] not in WORDS:
            continue
        data = event.get("data", {})
        reason = str(data.get("reason") or data.get("trigger") or "")
        reason = said(event["name"], reason)
        key = (event.get("flow", ""), event.get("path", ""), event["name"], reason)
        count = int(data.get("count", 1))
        place = last.get(key)
        if place is not None and event["time"] - marks[place].time < within:
            old = marks[place]
            marks[place] = Mark(old.time, *key, old.count + count)
        else:
            last[key] = len(marks)
            marks.append(Mark(float(event["time"]), *key, count))
    return marks


def said(name: str, reason: str) -> str:
    """Return the reason of an event in words."""
    return REASONS.get((name, reason), reason.replace("_", " "))


def duration(scenario: Scenario) -> float:
    """Return the simulated time of a scenario, seconds."""
    return (scenario.warmup + scenario.measure) / 1e9


def interval(scenario: Scenario) -> str:
    """Return the sampling interval of the curves."""
    return SPAN.show(max(round(duration(scenario) * 1e9 / SAMPLES), 100_000))


def _starts(scenario: Scenario) -> Iterator[Scenario]:
    """Yield the scenarios that are the start of a long one: equal until their end, which is earlier."""
    rates = sum(map(scenario.network.bottleneck_rate, scenario.network.paths))
    packets = rates * duration(scenario) / 12_000
    for share in STARTS:
        if packets * share < LONG / 16:
            continue
        end = round(duration(scenario) * share * 1e9)
        network = scenario.network
        links = {
            name: link.but(events=tuple(event for event in link.events if event.at < end)) if link.events else link
            for name, link in network.links.items()
        }
        try:
            yield scenario.but(network=network.but(links=links), warmup="0 s", measure=f"{end} ns")
        except UserError:
            # A flow starts after this end.
            continue


WORDS = {
    "link:packet_lost": "packet lost on the link",
    "link:packet_dropped": "packet dropped by the queue",
    "link:packet_damaged": "packet damaged on the link",
    "recovery:window_cut": "fast retransmission cut the window",
    "recovery:loss_timer_expired": "retransmission timeout",
    "recovery:marked_for_retransmit": "retransmission",
}
"""Events of a run that are marked, in words."""

MARKED = {**WORDS, "connectivity:path_updated": "change of the path"}
"""Events that are marked in runs and in logs, in words."""

REASONS = {
    ("link:packet_dropped", "full"): "the queue was full",
    ("link:packet_dropped", "early"): "the discipline asked the sender to slow down",
    ("link:packet_dropped", "late"): "it waited too long",
    ("link:packet_dropped", "down"): "the link was down",
    ("link:packet_lost", "chance"): "by the loss model",
    ("link:packet_lost", "down"): "the link went down",
    ("recovery:marked_for_retransmit", "window_probe"): "the peer's buffer had been full",
}
"""Reasons of events in words."""

SAMPLES = 400
"""Number of samples of a run."""

BINS = 200
"""Smallest distance of equal marks, as a share of the run."""

LONG = 1_000_000
"""Packets of a long run: in a fourth of them, a run shows its start first."""

STARTS = (1 / 4096, 1 / 1024, 1 / 256, 1 / 64, 1 / 16, 1 / 4)
"""Shares of a long run that are shown before it has ended, if they have at least a sixteenth of `LONG`."""
