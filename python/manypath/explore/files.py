"""The files of a run that the page offers: its samples, its figure and its packets."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from manypath.explore.moves import Answer, Cancelled, cancellable
from manypath.explore.state import State
from manypath.run import Result

DRAWING = threading.Lock()
"""Held while matplotlib draws, because its settings belong to the process."""


def write(
    file: Path,
    state: State,
    answer: Answer,
    stop: threading.Event,
    progress: Callable[[float], object] = lambda _: None,
) -> None:
    """Write a file of the finished run of a state; its name is one of `FILES`.

    Only the packets need the run again: `progress` receives its finished share.

    Raises
    ------
    Cancelled
        When `stop` is set.
    UserError
        If the file cannot be written.
    """
    match file.suffix:
        case ".csv":
            samples(answer.result).to_csv(file, index=False)
        case ".parquet":
            samples(answer.result).to_parquet(file, index=False)
        case ".svg":
            file.write_text(_figure(answer.result), encoding="utf-8")
        case _:
            _packets(file, state, stop, progress)
    if stop.is_set():
        raise Cancelled


def samples(result: Result) -> pd.DataFrame:
    """Return the samples of flows, paths and links of a run in one frame, with their kind in the first column."""
    parts = {kind: result.series[kind] for kind in ("flows", "paths", "links") if len(result.series[kind])}
    columns = dict.fromkeys(column for frame in parts.values() for column in frame)
    frames = [frame.assign(kind=kind) for kind, frame in parts.items()]
    return pd.concat(frames, ignore_index=True)[["kind", *columns]]


def _figure(result: Result) -> str:
    from manypath.figures import course

    with DRAWING:
        return course(result)._repr_svg_()


def _packets(file: Path, state: State, stop: threading.Event, progress: Callable[[float], object]) -> None:
    cancellable(state.scenario, state.seed, stop, progress, capture=file)


FILES = {
    "data as CSV": "explored.csv",
    "data as Parquet": "explored.parquet",
    "figure as SVG": "explored.svg",
    "capture as pcapng": "explored.pcapng",
}
"""Files by their name on the page."""
