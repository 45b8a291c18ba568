"""One simulation run of a scenario, and its results."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from manypath import _native, display
from manypath.arguments import file, function, of_kind, seed_of, span, texts
from manypath.errors import OutputError, UserError, quoted
from manypath.outputs import CAPTURE, EVENTS, Outputs
from manypath.quantity import SPAN
from manypath.refusal import told

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from manypath.scenario import Scenario


def run(
    scenario: Scenario,
    seed: int = 1,
    replication: int = 0,
    series: str | None = None,
    capture: str | PathLike[str] | None = None,
    links: str | Sequence[str] = (),
    events: str | PathLike[str] | None = None,
    only: str | Sequence[str] = (),
    progress: Callable[[float], object] | None = None,
) -> Result:
    """Simulate a scenario once.

    Parameters
    ----------
    scenario
        The scenario.
    seed
        Seed of the random numbers; seed and replication determine the run.
    replication
        Number of the replication; different scenarios with equal numbers have common random numbers.
    series
        Sampling interval of latency, head-of-line blocking, windows, queues and goodput (``"100 ms"``), or
        ``"event"`` for a row at each change of windows, and at each arrival, departure and loss of a packet; no series
        if None.
    capture
        Write the packets that leave links to this pcapng file, for Wireshark. The results of the run do not change, but
        it takes longer. An earlier capture of manypath is replaced, any other file is refused; this also holds for
        `events`.
    links
        Name or names of the captured links; all core links if empty. The access links have names, too:
        ``"access/cmt/source/south/out"`` carries the packets that the flow ``cmt`` sends from its source to the path
        ``south``; the other end is ``sink``, the other direction is ``in``.
    events
        Write the events of packets, paths and connections to this file, one JSON document a line. The results of the
        run do not change, but it takes longer. Each data packet takes about 900 bytes.
    only
        Name or names of the written events, such as ``"link:packet_dropped"``, or of their categories, such as
        ``"recovery"``; all events if empty.
    progress
        Function that is called with the simulated time so far, in seconds, several times per second of real time. An
        exception in it ends the run.

    Returns
    -------
    Result
        Frames of the measurements between warm-up and end.

    Raises
    ------
    UserError
        If an argument is invalid, the machine has not enough memory for the scenario or the series, or the capture or
        the events cannot be written.
    OutputError
        If writing fails during the run, for example because the disk is full. It is a `UserError`.

    Examples
    --------
    >>> import manypath as mp
    >>> link = mp.Link(rate="5 Mbit/s", delay="10 ms")
    >>> flows = {"cmt": mp.Sctp(paths=["south", "north"])}
    >>> scenario = mp.Scenario(network=mp.disjoint(south=link, north=link), flows=flows, warmup="1 s", measure="2 s")
    >>> result = mp.run(scenario, seed=7)
    >>> result.goodput.round(1).to_dict()  # Mbit/s
    {'cmt': 9.5}
    """
    from manypath.scenario import Scenario

    of_kind("scenario", scenario, Scenario, "the result of Scenario(...) or Scenario.from_file(...)")
    seed, replication = seed_of(seed), seed_of(replication, "replication")
    links = texts("links", links, "names of links")
    only = texts("only", only, "names of events")
    if links and capture is None:
        raise UserError("links: only valid with capture: give the capture file, too")
    if only and events is None:
        raise UserError("only: only valid with events: give the events file, too")
    function("progress", progress, "the simulated time in seconds")
    outputs = Outputs()
    watch = {} if series is None else rows(series)
    check_interval(series, scenario.warmup + scenario.measure)
    if capture is not None:
        outputs.file("capture", file("capture", capture), CAPTURE)
        watch["capture"] = {"file": _name("capture", capture), "links": links}
    if events is not None:
        outputs.file("events", file("events", events), EVENTS)
        watch["events"] = {"file": _name("events", events), "only": only}
    try:
        outcome, columns = _native.run(scenario.document(), seed, replication, json.dumps(watch), progress)
    except (_native.ScenarioError, _native.SeriesError, _native.CaptureError, _native.EventsError) as error:
        # The files were checked before, so an error at this point is a failure of the device.
        is_failure = str(error).startswith(("capture:", "events:"))
        raise (OutputError if is_failure else UserError)(told(error)) from None
    return Result(outcome=json.loads(outcome), seed=seed, replication=replication, columns=columns)


def check(scenario: Scenario) -> None:
    """Raise `UserError` if this machine cannot run the scenario, for example for lack of memory."""
    try:
        _native.check(scenario.document())
    except _native.ScenarioError as error:
        raise UserError(told(error)) from None


@dataclass(frozen=True, repr=False)
class Result:
    """Measurements of one run as frames: goodput in Mbit/s, windows in bytes, times in seconds.

    Examples
    --------
    >>> import manypath as mp
    >>> network = mp.disjoint(south=mp.Link(rate="5 Mbit/s", delay="10 ms"))
    >>> scenario = mp.Scenario(network=network, flows={"tcp": mp.Tcp(path="south")}, warmup="1 s", measure="2 s")
    >>> result = mp.run(scenario, series="1 s")
    >>> result.links[["delivered", "utilisation"]].round(2)
                delivered  utilisation
    link
    south             829         1.00
    south/back        543         0.02
    >>> result.series["paths"][["time", "path", "cwnd"]]
       time   path      cwnd
    0   0.0  south       0.0
    1   1.0  south  159870.0
    2   2.0  south   81028.0
    3   3.0  south   91040.0
    """

    outcome: dict[str, Any]
    """The engine's outcome; goodput in bit/s."""
    seed: int
    """Seed of the run."""
    replication: int
    """Number of the replication."""
    columns: dict[str, np.ndarray] | None = field(default=None, compare=False)
    """Samples over time in the engine's units, by column name."""

    def __repr__(self) -> str:
        """Return the tables of flows, paths and links, as wide as the terminal."""
        return display.as_text(display.tables(self.outcome), last_lines(self))

    def _repr_html_(self) -> str:
        """Return the same tables as HTML for a notebook."""
        return display.as_html(display.tables(self.outcome), last_lines(self))

    @property
    def goodput(self) -> pd.Series:
        """Payload delivered to each flow's application, in Mbit/s."""
        return self.flows["goodput"]

    @property
    def digest(self) -> str:
        """Hash of what happened to each packet at each link: time, link, size and fate.

        Runs of one scenario with equal digests are equal. Runs of two scenarios with equal digests sent packets of the
        same sizes at the same times; contents of packets and deliveries of messages, such as their order, are not in
        the hash.
        """
        return self.outcome["digest"]

    @cached_property
    def flows(self) -> pd.DataFrame:
        """One row for each flow: goodput, counts, and latency of messages.

        ``latency_mean``, ``_p50``, ``_p95``, ``_p99`` and ``_max`` are in seconds, from the time when a message is due
        at the sending application to its delivery to the receiving one; NaN without delivered messages.
        ``reorder_buffer_mean`` and ``_max`` are the received bytes that the application could not read yet.
        ``head_of_line_blocked`` is the time in seconds during which at least one complete message waited for an earlier
        one, summed over streams. ``head_of_line_waited`` of ``head_of_line_messages`` messages waited, for a total of
        ``head_of_line_waiting`` seconds.
        """
        from manypath.frames import flows_frame

        return flows_frame([({}, self.outcome)]).set_index("flow")

    @cached_property
    def streams(self) -> pd.DataFrame:
        """One row for each stream with ordered messages: their head-of-line blocking, in seconds."""
        from manypath.frames import streams_frame

        return streams_frame([({}, self.outcome)]).set_index(["flow", "stream"])

    @cached_property
    def paths(self) -> pd.DataFrame:
        """One row for each flow and path; windows and round-trip times are means over time.

        The columns ``blocked_...`` (`manypath.measurements.BLOCKED`) are the seconds during which the path could not
        send new data, by the first limit that it reached.
        """
        from manypath.frames import paths_frame

        return paths_frame([({}, self.outcome)]).set_index(["flow", "path"])

    @cached_property
    def links(self) -> pd.DataFrame:
        """One row for each link."""
        from manypath.frames import links_frame

        return links_frame([({}, self.outcome)]).set_index("link")

    @cached_property
    def series(self) -> dict[str, pd.DataFrame]:
        """Samples over time: frames ``flows``, ``streams``, ``paths`` and ``links``; empty without sampling.

        A run with ``series="event"`` has ``paths`` with a row for each change, ``arrivals`` with one for each arrival
        of new payload, and ``links`` with one each time that a packet arrives, leaves at the far end, or is lost.
        """
        from manypath.frames import series_frames

        return series_frames(self.columns or {})


def last_lines(result: Result) -> list[str]:
    """Return the lines below the tables of a run: remarks, and what identifies the run."""
    return [*display.remarks(result.outcome), identity(result)]


def identity(result: Result) -> str:
    """Return the line that identifies a run: digest, seed, replication and engine."""
    replication = f", replication {result.replication}" if result.replication else ""
    return f"digest {result.digest}, seed {result.seed}{replication}, engine {_native.engine_version()}"


def _name(field: str, file: str | PathLike[str]) -> str:
    """Return the name of a file for the engine's document."""
    name = fspath(file)
    try:
        name.encode()
    except UnicodeEncodeError:
        raise UserError(f"{field}: {name!a} is not in UTF-8: give another name") from None
    return name


def rows(series: str, name: str = "series") -> dict[str, Any]:
    """Return the sampling options of the engine for a series, as keys of its document `watch`.

    `name` is the argument in the messages.
    """
    if isinstance(series, str) and series == EVENT:
        return {"changes": True}
    interval = span(name, series)
    if interval == 0:
        raise UserError(f'{name}: 0 s is no interval: give one such as "100 ms"')
    return {"series": interval}


def check_interval(series: str | None, duration: int) -> None:
    """Refuse a sampling interval that is longer than a run, whose duration is in nanoseconds: it gives no sample."""
    if series is None or series == EVENT or span("series", series) <= duration:
        return
    written = quoted(series, "") if isinstance(series, str) else SPAN.show(series)
    raise UserError(f"series: {written} is longer than the run of {SPAN.show(duration)}: give a shorter interval")


EVENT = "event"
"""Value of `series` for one row at each change."""
