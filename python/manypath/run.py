"""One run: a scenario and a seed in, goodputs and windows out."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, TypedDict

from manypath import _native, display
from manypath.arguments import file, of_kind, seed_of, span, texts
from manypath.errors import OutputError, UserError
from manypath.outputs import CAPTURE, EVENTS, Outputs
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
        What is simulated.
    seed
        With the replication it fixes every random number of the run.
    replication
        Number of the repetition; equal numbers see equal chance in different scenarios.
    series
        Sample latency, waiting, windows, queues and goodput so often (``"100 ms"``), or have a row for each change of
        windows, arrivals and queues (``"event"``); not at all if None.
    capture
        Write the packets that come out of links into this file, which Wireshark opens (pcapng). The run itself
        stays as it is, only slower. An earlier capture of this package is replaced, any other file is not; the same
        holds for `events`.
    links
        Name or names of the links that are captured; all core links if there is none. Beside those of the network there
        are access links: ``"access/cmt/source/south/out"`` is where the flow ``cmt`` leaves its source for the path
        ``south``, with ``sink`` and ``in`` for the other ends.
    events
        Write what happens to packets, paths and connections into this file, a JSON document a line. The run itself
        stays as it is, only slower; a packet of data takes some 900 bytes.
    only
        Name or names of the events that are written, such as ``"link:packet_dropped"``, or their categories, such as
        ``"recovery"``; all events if there is none.
    progress
        Called with the simulated seconds that are done, several times a second of real time. An exception that it
        raises ends the run.

    Returns
    -------
    Result
        Frames of what was measured between warm-up and end.

    Raises
    ------
    UserError
        If an argument is wrong, the scenario cannot be run on this machine, a series has no room in its memory, or a
        capture or events cannot be written.
    OutputError
        If the disk is full before the end; it is a `UserError`.
    """
    from manypath.scenario import Scenario

    of_kind("scenario", scenario, Scenario, "one that Scenario(...) or Scenario.from_file(...) made")
    seed, replication = seed_of(seed), seed_of(replication, "replication")
    links = texts("links", links, "names of links")
    only = texts("only", only, "names of events")
    if links and capture is None:
        raise UserError("links: there is no capture to choose links for: name its file, too")
    if only and events is None:
        raise UserError("only: there is no file to choose events for: name it as events, too")
    outputs = Outputs()
    if capture is not None:
        outputs.file("capture", file("capture", capture), CAPTURE)
    if events is not None:
        outputs.file("events", file("events", events), EVENTS)
    over_time: Watch = {} if series is None else rows(series)
    watch: Watch = {
        **over_time,
        "capture": capture,
        "links": links,
        "events": events,
        "only": only,
    }
    try:
        outcome, columns = _native.run(scenario.document(), seed, replication, watch, progress)
    except (_native.ScenarioError, _native.SeriesError, _native.CaptureError, _native.EventsError) as error:
        # The files were checked before: what cannot be written now is a device that fails.
        is_failure = str(error).startswith(("capture:", "events:"))
        raise (OutputError if is_failure else UserError)(told(error)) from None
    return Result(outcome=json.loads(outcome), seed=seed, replication=replication, columns=columns)


def check(scenario: Scenario) -> None:
    """Raise `UserError` unless the scenario can be run on this machine, with its memory."""
    try:
        _native.check(scenario.document())
    except _native.ScenarioError as error:
        raise UserError(told(error)) from None


@dataclass(frozen=True, repr=False)
class Result:
    """What one run measured: frames with goodput in Mbit/s, windows in bytes, times in seconds."""

    outcome: dict[str, Any]
    """The engine's own words; goodput in bit/s."""
    seed: int
    """Seed of the run."""
    replication: int
    """Number of the repetition."""
    columns: dict[str, np.ndarray] | None = field(default=None, compare=False)
    """Samples over time as the engine gives them."""

    def __repr__(self) -> str:
        """The tables of flows, paths and links, as wide as the terminal."""
        return display.as_text(display.tables(self), display.identity(self))

    def _repr_html_(self) -> str:
        """The same for a notebook."""
        return display.as_html(display.tables(self), display.identity(self))

    @property
    def goodput(self) -> pd.Series:
        """Payload delivered to each flow's application, in Mbit/s."""
        return self.flows["goodput"]

    @property
    def digest(self) -> str:
        """A name for the whole course of the run: equal digests mean equal runs."""
        return self.outcome["digest"]

    @cached_property
    def flows(self) -> pd.DataFrame:
        """One row for each flow: goodput, counts, and how long messages took.

        ``latency_mean``, ``_p50``, ``_p95``, ``_p99`` and ``_max`` are in seconds, from the hand-over by the sending
        application to the delivery to the receiving one; not a number where no message was delivered.
        ``reorder_buffer_mean`` and ``_max`` are bytes that had arrived and could not be read yet.
        ``head_of_line_blocked`` is the time in seconds during which a complete message waited for an earlier one, all
        streams added up; ``_waited`` of ``_messages`` did, for ``_waiting`` seconds all together.
        """
        from manypath.frames import flows_frame

        return flows_frame([({}, self.outcome)]).set_index("flow")

    @cached_property
    def streams(self) -> pd.DataFrame:
        """One row for each stream that carried ordered messages: how long they waited for earlier ones, in seconds."""
        from manypath.frames import streams_frame

        return streams_frame([({}, self.outcome)]).set_index(["flow", "stream"])

    @cached_property
    def paths(self) -> pd.DataFrame:
        """One row for each flow and path; windows and round-trip times are means over time.

        ``blocked_path``, ``_window``, ``_split_share``, ``_receive_window``, ``_send_buffer`` and ``_pacing`` are the
        seconds in which the path could not send new data, by what stopped it first.
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
        """Samples over time: ``series["flows"]``, ``["streams"]``, ``["paths"]``, ``["links"]``; empty unless wanted.

        Of a run with ``series="event"`` they are ``["paths"]``, ``["arrivals"]`` and ``["links"]``, each row a change.
        """
        from manypath.frames import series_frames

        return series_frames(self.columns or {})


class Watch(TypedDict, total=False):
    """What shall be written down beside an outcome."""

    series: int | None
    """Nanoseconds between two samples."""
    changes: bool
    """Whether columns have a row for each change; samples come first."""
    capture: str | PathLike[str] | None
    """A file for packets."""
    links: Sequence[str]
    """Links whose packets are meant; all core links if there is none."""
    events: str | PathLike[str] | None
    """A file for events."""
    only: Sequence[str]
    """Events that are meant; all if there is none."""
    memory: int | None
    """Bytes that columns may take; as many as the system has if None."""
    by_bytes: bool
    """Whether packets of SCTP are encoded and decoded on their way, which is a test and changes no digest."""


def rows(series: str) -> Watch:
    """When a series has rows, in the words of the engine."""
    if isinstance(series, str) and series == EVENT:
        return {"changes": True}
    interval = span("series", series)
    if interval == 0:
        raise UserError('series: 0 s is no interval: give one such as "100 ms"')
    return {"series": interval}


EVENT = "event"
"""The word for a series with a row for each change."""
