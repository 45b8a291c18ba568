"""Event logs of real associations, emulations and runs, followed while they are written."""

from __future__ import annotations

import json
import socket
import stat
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from manypath.errors import UserError
from manypath.explore.charts import Trace
from manypath.explore.moves import WORDS, gathered


class Attached:
    """A log that a thread reads: a file that may grow, a FIFO, or a Unix socket that sends lines."""

    def __init__(self, place: Path) -> None:
        """Open the log.

        Raises
        ------
        UserError
            If it cannot be opened.
        """
        self.place = place
        self._lock = threading.Lock()
        self._rows: dict[tuple[str, str], list[tuple[float, float, float]]] = {}
        self._events: list[dict[str, Any]] = []
        self._end = 0.0
        self.lines = 0
        """Events that were read."""
        self.refused = 0
        """Lines that are no events."""
        self.title = ""
        """Title of the log."""
        self._stop = threading.Event()
        try:
            is_socket = stat.S_ISSOCK(place.stat().st_mode)
            if is_socket:
                self._socket = socket.socket(socket.AF_UNIX)
                self._socket.connect(str(place))
                self._file = self._socket.makefile("r", encoding="utf-8", errors="replace")
            else:
                self._file = place.open(encoding="utf-8", errors="replace")
        except OSError as error:
            why = error.strerror or error
            raise UserError(f"--attach: {place} cannot be read ({why}): give a file of events or a socket") from None
        self._grows = not is_socket

    def start(self) -> None:
        """Begin to read, in a thread that ends with the program."""
        threading.Thread(target=self._read, name="explore-attach", daemon=True).start()

    def close(self) -> None:
        """Stop reading."""
        self._stop.set()

    def trace(self) -> Trace:
        """Return what has been read so far."""
        with self._lock:
            # A metric holds until the next event that has it, so the last one holds until the end.
            rows = [
                (time, flow, path, cwnd, ssthresh)
                for (flow, path), samples in self._rows.items()
                for time, cwnd, ssthresh in (*samples, (self._end, *samples[-1][1:]))
            ]
            events, end = list(self._events), self._end
        paths = pd.DataFrame(rows, columns=["time", "flow", "path", "cwnd", "ssthresh"])
        marks = gathered(events, max(end, 1.0) / 200)
        return Trace(paths, pd.DataFrame(columns=["time", "link", "queue"]), marks, max(end, 1.0))

    def take(self, line: str) -> None:
        """Read one line."""
        try:
            event = json.loads(line)
            if "file_schema" in event:
                self.title = str(event.get("title", ""))
                return
            time, name = float(event["time"]), str(event["name"])
        except (ValueError, TypeError, KeyError, RecursionError):
            self.refused += 1
            return
        with self._lock:
            self.lines += 1
            self._end = max(self._end, time)
            if event.get("host") != "source":
                return
            if name in WORDS:
                self._events.append({**event, "time": time})
                del self._events[:-MOST_EVENTS]
            elif name == "recovery:metrics_updated" and isinstance(event.get("data"), dict):
                self._metrics(str(event.get("flow")), str(event.get("path")), time, event["data"])

    def _metrics(self, flow: str, path: str, time: float, data: dict[str, Any]) -> None:
        """Add the window and the threshold; a metric holds until the next event that has it."""
        if not data.keys() & {"cwnd", "ssthresh"}:
            return
        samples = self._rows.setdefault((flow, path), [])
        last = samples[-1] if samples else (0.0, float("nan"), float("nan"))
        samples.append((time, float(data.get("cwnd", last[1])), float(data.get("ssthresh", last[2]))))
        if len(samples) > MOST_SAMPLES:
            # The older half is thinned, so that the newest samples stay exact.
            half = MOST_SAMPLES // 2
            samples[:half] = samples[:half:2]

    def _read(self) -> None:
        rest = ""
        for part in self._parts():
            rest += part
            if rest.endswith("\n"):
                self.take(rest)
                rest = ""

    def _parts(self) -> Iterator[str]:
        """Yield lines, and parts of lines at the end of a file that grows."""
        while not self._stop.is_set():
            part = self._file.readline()
            if part:
                yield part
            elif self._grows:
                self._stop.wait(0.2)
            else:
                return


MOST_SAMPLES = 4000
"""Largest number of samples of a path."""

MOST_EVENTS = 5000
"""Largest number of events that are marked; the newest are kept."""
