"""The lines of a log of events: its header, flows and links, and the lines that are not events."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from math import nan
from typing import Any

from manypath.explore.live.curve import Counter, Curve
from manypath.explore.live.flow import Flow, natural, number


class Link:
    """One direction of a link, from the counters of an emulation."""

    def __init__(self) -> None:
        self.queue = Curve()
        """Packets in the queue."""
        self.carried = Counter()
        """Bytes that were delivered."""
        self.counters: dict[str, int] = {}
        """The last counters."""

    def take(self, time: float, data: Mapping[str, Any]) -> None:
        """Add counters; they count from the start of the log."""
        counters = {name: natural(data[name]) for name in COUNTERS}
        self.queue.add(time, counters["queue"])
        self.carried.count(time, max(counters["bytes_delivered"] - self.counters.get("bytes_delivered", 0), 0))
        self.counters = counters


class Log:
    """The flows, links and counters of the lines of a log that were read. The caller holds a lock during all calls."""

    def __init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        """Remove all data, because the file was truncated or replaced: the next line is the first one of a new file."""
        self.lines = 0
        """Lines of the file, pipe or socket, header lines and wrong ones included."""
        self.refused = 0
        """Lines that are not events."""
        self.why_refused = ""
        """Description of the last of these lines."""
        self.runs = 0
        """Headers that were read; each begins a run."""
        self._begin()

    def _begin(self) -> None:
        """Remove all data of the run. The counts of lines and runs go on."""
        self.title = ""
        """Title of the run."""
        self.events = 0
        """Events of this run."""
        self.names: set[str] = set()
        """Names of the events of this run, as far as they are known."""
        self.flows: dict[str, Flow] = {}
        """Flows by name, in the order of their first events."""
        self.links: dict[str, Link] = {}
        """Links by name."""
        self.end = 0.0
        """Time of the last event, seconds."""
        self.begin = nan
        """Time of the first event, seconds."""
        self.forgotten = 0
        """Number of closed flows that were removed to bound the memory."""
        self.left_out = 0
        """Events of flows that are not kept, because too many flows are open."""

    def take(self, lines: Iterable[bytes]) -> None:
        """Read complete lines."""
        for line in lines:
            self.lines += 1
            if not line or line.isspace():
                continue
            try:
                self._take(line)
            except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError) as error:
                self.refuse(line, "no JSON" if isinstance(error, json.JSONDecodeError) else "no event of manypath")

    def refuse(self, line: bytes, why: str) -> None:
        """Count a line that is not an event."""
        self.refused += 1
        start = line[:MOST_SHOWN].decode(errors="replace").strip()
        more = "…" if len(line.strip()) > MOST_SHOWN else ""
        self.why_refused = f"line {self.lines:,} is {why}: {start}{more}"

    def listed(self) -> list[Flow]:
        """Return the flows that can be chosen; packets outside of associations are none."""
        known = [flow for flow in self.flows.values() if flow.is_known]
        return known or [flow for flow in self.flows.values() if any(flow.carried(host) for host in flow.sides)]

    def _take(self, line: bytes) -> None:
        event = json.loads(line.decode())
        if "file_schema" in event:
            self._header(event)
            return
        time, name, data = number(event["time"]), event["name"], event["data"]
        if time > MOST_TIME or type(name) is not str or type(data) is not dict or ":" not in name:
            raise ValueError(name)
        if name == "link:metrics_updated":
            self._link(time, data)
        else:
            flow = self._flow(event["flow"], time)
            if flow is not None:
                path = event.get("path", "")
                if event["host"] not in HOSTS or type(path) is not str:
                    raise ValueError(path)
                flow.take(time, event["host"], path[:MOST_NAME], name, data)
        if len(self.names) < MOST_NAMES:
            self.names.add(name)
        self.events += 1
        if self.begin != self.begin:
            self.begin = time
        self.end = max(self.end, time)

    def _header(self, header: Mapping[str, Any]) -> None:
        if not str(header["file_schema"]).startswith(SCHEMA):
            raise ValueError(header["file_schema"])
        self._begin()
        self.runs += 1
        self.title = str(header.get("title", ""))[:MOST_NAME]

    def _link(self, time: float, data: Mapping[str, Any]) -> None:
        name = data["link"]
        if type(name) is not str:
            raise ValueError(name)
        name = name[:MOST_NAME]
        link = self.links.get(name)
        if link is None:
            if len(self.links) >= MOST_LINKS:
                return
            link = Link()
        link.take(time, data)
        # A link whose first counters are wrong is not kept.
        self.links[name] = link

    def _flow(self, name: Any, time: float) -> Flow | None:
        """Return the flow of an event; None if too many flows are open."""
        if type(name) is not str or not name:
            raise ValueError(name)
        name = name[:MOST_NAME]
        flow = self.flows.get(name)
        if flow is None:
            if len(self.flows) >= MOST_FLOWS and not self._forget(time):
                self.left_out += 1
                return None
            flow = self.flows[name] = Flow(name)
        return flow

    def _forget(self, time: float) -> bool:
        """Remove the flow that ended first, or the one without events for longest; return whether there is one."""
        closed = [flow for flow in self.flows.values() if flow.closed or not flow.is_known]
        silent = [flow for flow in self.flows.values() if time - flow.latest > SILENCE]
        for flows in (closed, silent):
            if flows:
                del self.flows[min(flows, key=lambda flow: flow.latest).name]
                self.forgotten += 1
                return True
        return False


SCHEMA = "urn:manypath:events:"
"""Begin of the name of the schema of all logs."""

HOSTS = ("source", "sink")
"""Ends of a flow."""

COUNTERS = ("queue", "arrived", "delivered", "dropped", "lost", "bytes_delivered")
"""Counters of a link that are read."""

MOST_FLOWS = 32
"""Largest number of flows that are kept."""

MOST_LINKS = 64
"""Largest number of links that are kept."""

MOST_NAMES = 100
"""Largest number of names of events that are kept."""

MOST_NAME = 200
"""Longest name of a flow, path or link, in letters."""

MOST_SHOWN = 60
"""Number of bytes of a wrong line that are shown."""

MOST_TIME = 1e9
"""Latest time of an event, seconds."""

SILENCE = 60.0
"""Time without events after which a flow may be removed, seconds."""
