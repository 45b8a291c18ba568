"""The counters of an emulation's links as lines of the format of events, for tools that follow a log."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any, TextIO

from manypath.emulation.model import Emulation
from manypath.programs import EMULATOR


class LinkLog:
    """Writes a header, and then the counters of each report of the emulator as one event for each link.

    Parameters
    ----------
    out
        The file. Each report is flushed, so that others can follow it.
    emulation
        The emulation.
    """

    def __init__(self, out: TextIO, emulation: Emulation) -> None:
        self._out = out
        header = {
            "file_schema": "urn:manypath:events:1",
            "serialization_format": "application/jsonl",
            "title": f"links of the emulation {emulation.name}",
            "generator": {"name": "manypath", "version": version("manypath"), "engine": EMULATOR},
            "time_unit": "s",
            "seed": emulation.seed,
            "replication": 0,
            "vantage_points": [],
            "links": list(emulation.network.links),
            "scenario": {},
        }
        self._put([header])

    def write(self, report: Mapping[str, Any]) -> None:
        """Write the counters of a report."""
        self._put(
            {
                "time": report["at"],
                "name": "link:metrics_updated",
                "data": {
                    "link": link,
                    "queue": counters["waiting"],
                    **{name: count for name, count in counters.items() if name != "waiting"},
                },
            }
            for link, counters in report["links"].items()
        )

    def _put(self, lines: Any) -> None:
        self._out.writelines(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
        self._out.flush()
