"""All frames of a run, recomputed from its event log and its capture, and compared with the frames of the run."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd
from flow_models import STATE, FlowModel, of_flow, of_path, of_stream
from link_models import LinkModel, of_link
from recording import Recording
from series_models import (
    Rows,
    arrivals_of_path,
    changes_of_link,
    changes_of_path,
    samples_of_flow,
    samples_of_link,
    samples_of_path,
    samples_of_streams,
)

import manypath as mp

Frames = Mapping[str, pd.DataFrame]
"""Frames by name: ``flows``, ``series.flows``, ``changes.links`` and so on."""

INTERVAL = 200_000_000
"""Time between samples, nanoseconds."""


def frames_of(scenario: mp.Scenario, seed: int) -> dict[str, pd.DataFrame]:
    """Run a scenario without files, and return the frames that the page about measurements describes."""
    sampled = mp.run(scenario, seed, series=f"{INTERVAL} ns")
    changed = mp.run(scenario, seed, series="event")
    assert sampled.flows.equals(changed.flows)
    frames = {kind: getattr(sampled, kind).reset_index() for kind in ("flows", "streams", "paths", "links")}
    frames |= {f"series.{kind}": frame for kind, frame in sampled.series.items()}
    return frames | {f"changes.{kind}": frame for kind, frame in changed.series.items()}


class Recomputed:
    """The frames that follow from the two files of a run."""

    def __init__(self, recording: Recording) -> None:
        scenario = recording.scenario
        self.end = recording.borders[1]
        self.links = {name: LinkModel(name, recording) for name in scenario["network"]["links"]}
        self.flows = {name: FlowModel(name, recording) for name in scenario["flows"]}
        self.paths = [(flow, path) for flow in self.flows.values() for path in flow.config["paths"]]
        self.rows = self._whole_run(recording.borders) | self._samples(list(range(0, self.end + 1, INTERVAL)))

    def _whole_run(self, window: tuple[int, int]) -> dict[str, Rows]:
        flows = {(name,): of_flow(flow, window) for name, flow in self.flows.items()}
        streams = {
            (name, number): of_stream(stream, window)
            for name, flow in self.flows.items()
            for number, stream in flow.received.streams.items()
            if stream.since <= self.end
        }
        paths = {(flow.name, path): of_path(flow, path, window) for flow, path in self.paths}
        links = {(name,): of_link(link, *window) for name, link in self.links.items()}
        return {"flows": flows, "streams": streams, "paths": paths, "links": links}

    def _samples(self, times: list[int]) -> dict[str, Rows]:
        rows: dict[str, Rows] = {f"series.{kind}": {} for kind in ("flows", "streams", "paths", "links")}
        for flow in self.flows.values():
            rows["series.flows"] |= samples_of_flow(flow, times)
            rows["series.streams"] |= samples_of_streams(flow, times)
        for flow, path in self.paths:
            rows["series.paths"] |= samples_of_path(flow, path, times)
        for name, link in self.links.items():
            rows["series.links"] |= samples_of_link(name, link, times)
        return rows

    def columns(self) -> dict[str, set[str]]:
        """Return the columns that are recomputed, by frame."""
        of_rows = {kind: {name for row in rows.values() for name in row} for kind, rows in self.rows.items()}
        return of_rows | {
            "changes.paths": set(STATE),
            "changes.arrivals": {"received_bytes"},
            "changes.links": {"queue"},
        }

    def differences(self, frames: Frames) -> list[str]:
        """Return what the frames of the run have otherwise, a line for each value."""
        return [line for kind in self.columns() for line in self.differences_of(kind, frames)]

    def differences_of(self, kind: str, frames: Frames) -> list[str]:
        """Return what one frame of the run has otherwise."""
        match kind:
            case "changes.paths":
                return self._changed_paths(frames)
            case "changes.arrivals":
                return self._arrivals(frames)
            case "changes.links":
                return self._changed_links(frames)
            case _:
                return _compare(kind, self.rows[kind], frames[kind])

    def _changed_paths(self, frames: Frames) -> list[str]:
        """Compare ``changes["paths"]``. A row without an event has the state of the row before, and a new weight."""
        frame = frames["changes.paths"]
        expected: Rows = {}
        for flow, path in self.paths:
            expected |= changes_of_path(flow, path, self.end)
        same = (
            frame.groupby(["flow", "path"])[list(STATE)]
            .shift()
            .fillna(-1)
            .eq(frame[list(STATE)].fillna(-1))
            .all(axis=1)
        )
        rows = zip(frame["time"], frame["flow"], frame["path"], same, strict=True)
        known = [is_same and (time, flow, path) not in expected for time, flow, path, is_same in rows]
        return _compare("changes.paths", expected, frame[[not each for each in known]])

    def _arrivals(self, frames: Frames) -> list[str]:
        frame, found = frames["changes.arrivals"], []
        for flow, path in self.paths:
            of_path = frame[(frame["flow"] == flow.name) & (frame["path"] == path)]
            told = list(zip(of_path["time"], of_path["received_bytes"], strict=True))
            if told != arrivals_of_path(flow, path, self.end):
                found.append(f"changes.arrivals: received_bytes of {flow.name} on {path}")
        return found

    def _changed_links(self, frames: Frames) -> list[str]:
        frame, found = frames["changes.links"], []
        for name, link in self.links.items():
            by_time = frame[frame["link"] == name].groupby("time")["queue"]
            told = {time: (len(queue), queue.iloc[-1]) for time, queue in by_time} if len(frame) else {}
            if told != changes_of_link(link, self.end):
                found.append(f"changes.links: queue of {name}")
        return found


def _compare(kind: str, expected: Rows, frame: pd.DataFrame) -> list[str]:
    """Return the differences of a frame from recomputed rows. Its first columns identify a row."""
    labels = list(frame.columns[: len(next(iter(expected), ()))])
    rows = {tuple(row[label] for label in labels): row for row in frame.to_dict("records")}
    found = [f"{kind}: row {row}" for row in expected.keys() ^ rows.keys()]
    for label in expected.keys() & rows.keys():
        found += [
            f"{kind}: {column} of {label}: {rows[label][column]!r}, recomputed {value!r}"
            for column, value in expected[label].items()
            if not _is_same(kind, column, value, rows[label][column])
        ]
    return found


def _is_same(kind: str, column: str, expected: Any, told: Any) -> bool:
    """Whether a value agrees with the recomputed one.

    Both are computed from the same whole numbers, so they differ at most by the rounding of some operations with 53
    bits. Percentiles of the whole run are documented to be exact to 0.1 % or a microsecond.
    """
    if expected is None or isinstance(expected, str):
        return told == expected or (expected is None and pd.isna(told))
    if not isinstance(told, (int, float)) or math.isnan(expected) or math.isnan(told):
        return isinstance(told, float) and math.isnan(expected) and math.isnan(told)
    if kind == "flows" and column.startswith("latency_p"):
        return math.isclose(told, expected, rel_tol=1e-3, abs_tol=1e-6)
    return told == expected if isinstance(expected, int) else math.isclose(told, expected, rel_tol=1e-9)
