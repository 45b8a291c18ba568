"""Every column of docs/reference/measurements.md follows from the events and the captures of random runs."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from recomputed import INTERVAL, Recomputed, frames_of
from recording import record
from scenarios import scenario

import manypath as mp
from lists import cases
from manypath.measurements import BLOCKED, CHANGES, COUNTERS, LABELS, MEASUREMENTS, SAMPLES

UNTOLD = {
    "blocked_": "a simulation has no event recovery:sending_blocked, and its packets do not show why none was sent",
    "weight": "a formula of the congestion control: recovery:metrics_updated does not have it",
}
"""Beginnings of columns that neither events nor captures contain, each with the reason."""
GATE, LONG = 20, 400
"""The random scenarios of the gate, and those of the long list after them."""


def columns_of_frames() -> dict[str, set[str]]:
    """Return the columns of each frame without those that identify a row."""
    frames = {kind: set(MEASUREMENTS[kind]) for kind in ("flows", "streams", "paths", "links")}
    frames |= {f"series.{kind}": set(columns) for kind, columns in SAMPLES.items()}
    frames |= {f"changes.{kind}": set(columns) for kind, columns in CHANGES.items()}
    labels = {"time", *(label for kind in LABELS.values() for label in kind)}
    return {kind: columns - labels for kind, columns in frames.items()}


def check(number: int, folder: Path) -> None:
    """Compare the frames of a random scenario with those that its files give."""
    frames = frames_of(scenario(number), number)
    recomputed = Recomputed(record(scenario(number), number, folder))
    assert not recomputed.differences(frames), scenario(number)
    check_limits(frames, scenario(number))


def check_limits(frames: dict[str, pd.DataFrame], of: mp.Scenario) -> None:
    """Check the columns about limits by their laws.

    Each instant counts for one limit at most, what is disabled is no limit, and samples have the same times.
    """
    paths = frames["paths"].set_index(["flow", "path"])[list(BLOCKED)]
    assert (paths >= 0).all(axis=None)
    assert (paths.sum(axis=1) <= of.measure / 1e9 * (1 + 1e-9)).all()
    for name, flow in of.flows.items():
        is_sctp = isinstance(flow, mp.Sctp)
        if not (is_sctp and flow.pacing):
            assert not paths.xs(name)["blocked_pacing"].any()
        if not (is_sctp and flow.buffer_split != "none"):
            assert not paths.xs(name)["blocked_split_share"].any()
    if of.warmup % INTERVAL == 0:
        samples = frames["series.paths"]
        measured = samples[samples["time"] > of.warmup / 1e9].groupby(["flow", "path"], sort=False)[list(BLOCKED)].sum()
        pd.testing.assert_frame_equal(measured * INTERVAL / 1e9, paths)


# The seventh has as many packets as ten others.
@pytest.mark.parametrize("number", cases(range(GATE), long=lambda number: number == 7))
def test_events_and_captures_give_the_measurements_of_a_random_scenario(number: int, tmp_path: Path):
    check(number, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("number", range(GATE, LONG))
def test_events_and_captures_give_the_measurements_of_further_random_scenarios(number: int, tmp_path: Path):
    check(number, tmp_path)


def test_every_counter_counts_in_a_scenario_of_the_gate():
    flows = pd.concat(mp.run(scenario(number), number).flows for number in range(GATE))
    assert [name for name in COUNTERS["flows"] if not flows[name].any()] == []


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, pd.DataFrame], Recomputed]:
    """The frames of a scenario, as the run has them and recomputed."""
    folder = tmp_path_factory.mktemp("recomputed")
    return frames_of(scenario(EXAMPLE), EXAMPLE), Recomputed(record(scenario(EXAMPLE), EXAMPLE, folder))


def test_each_column_is_recomputed_or_has_a_reason(example: tuple[dict[str, pd.DataFrame], Recomputed]):
    recomputed = example[1].columns()
    for kind, columns in columns_of_frames().items():
        untold = {name for name in columns if name.startswith(tuple(UNTOLD))}
        assert recomputed[kind] == columns - untold, kind


@pytest.mark.parametrize("kind", list(columns_of_frames()))
def test_a_wrong_value_in_any_recomputed_column_is_noticed(
    kind: str, example: tuple[dict[str, pd.DataFrame], Recomputed]
):
    frames, recomputed = example
    assert len(frames[kind])
    for column in recomputed.columns()[kind]:
        frame = frames[kind].copy()
        frame[column] = [*frame[column].iloc[:-1], wrong(column, frame[column].iloc[-1])]
        assert any(column in line for line in recomputed.differences_of(kind, {**frames, kind: frame})), column


def wrong(column: str, value: Any) -> Any:
    """Return a value that is wrong by little: a count by one, another number by 0.1 %, a percentile by 1 %."""
    if isinstance(value, str) or value is None:
        return "wrong"
    if math.isnan(value):
        return 1.0
    if value == int(value):
        return value + 1
    return value * (1.01 if column.startswith("latency_p") else 1.001)


EXAMPLE = 13
"""A short scenario with rows in every frame."""
