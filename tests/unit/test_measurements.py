"""The page about measurements names exactly the existing columns."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import manypath as mp
from manypath import measurements
from manypath.explore.charts.course import BLOCKS

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "measurements.md"
LABELS = {"time", "flow", "stream", "path", "link"}
"""Columns that identify a row."""


@pytest.fixture(scope="module")
def result() -> mp.Result:
    """A short run that has all columns."""
    flow = mp.Sctp(paths=["only"], app=mp.Saturated(ordered=True))
    network = mp.disjoint(only=mp.Link(rate="5 Mbit/s"))
    return mp.run(mp.Scenario(network=network, flows={"flow": flow}, warmup="1 s", measure="1 s"), series="100 ms")


def documented(part: str) -> set[str]:
    """Return the columns in the table after the first mention of a part of the result."""
    _, text = PAGE.read_text(encoding="utf-8").split(f"`{part}`", 1)
    rows = re.search(r"\| --- \| --- \|\n((?:\|.*\n)+)", text)
    assert rows is not None
    cells = [row.split("|")[1] for row in rows[1].splitlines()]
    return {name for cell in cells for name in re.findall(r"`(\w+)`", cell)}


@pytest.mark.parametrize("kind", ["flows", "streams", "paths", "links"])
def test_columns_of_frames_are_documented(kind: str, result: mp.Result):
    generated = {*measurements.COUNTERS.get(kind, ()), *(measurements.BLOCKED if kind == "paths" else ())}
    assert documented(f"result.{kind}") | generated == set(getattr(result, kind).columns)


@pytest.mark.parametrize("kind", ["flows", "streams", "paths", "links"])
def test_columns_of_series_are_documented(kind: str, result: mp.Result):
    generated = set(measurements.BLOCKED if kind == "paths" else ())
    assert documented(f'series["{kind}"]') | generated == set(result.series[kind].columns) - LABELS


@pytest.mark.parametrize("kind", ["paths", "arrivals", "links"])
def test_columns_of_changes_are_documented(kind: str):
    flow = mp.Sctp(paths=["only"])
    network = mp.disjoint(only=mp.Link(rate="5 Mbit/s"))
    scenario = mp.Scenario(network=network, flows={"flow": flow}, warmup="0 s", measure="2 s")
    series = mp.run(scenario, series="event").series
    assert documented(f'changes["{kind}"]') == set(series[kind].columns) - LABELS


@pytest.mark.parametrize("kind", ["flows", "streams", "paths", "links"])
def test_columns_of_frames_are_known_without_a_run(kind: str, result: mp.Result):
    assert measurements.columns(kind) == tuple(getattr(result, kind).reset_index().columns)


def test_columns_of_runs_are_known_without_a_run(result: mp.Result):
    assert measurements.columns("runs") == tuple(name for name in result.outcome if name not in ("flows", "links"))


def test_columns_of_samples_are_known_without_a_run(result: mp.Result):
    assert dict(measurements.SAMPLES) == {kind: tuple(frame.columns) for kind, frame in result.series.items()}
    network = mp.disjoint(only=mp.Link(rate="5 Mbit/s"))
    scenario = mp.Scenario(network=network, flows={"flow": mp.Sctp(paths=["only"])}, warmup="0 s", measure="2 s")
    changes = mp.run(scenario, series="event").series
    assert dict(measurements.CHANGES) == {kind: tuple(frame.columns) for kind, frame in changes.items()}


def test_the_explorer_draws_every_limit():
    assert set(BLOCKS) == set(measurements.BLOCKED)


def test_a_packet_that_arrives_damaged_before_the_association_exists_counts():
    cured = mp.Event(at="100 ms", loss=mp.NoLoss())
    link = mp.Link(rate="5 Mbit/s", delay="5 ms", loss=mp.BitError(rate=1), events=[cured])
    common = {"paths": ["only"], "app": mp.Transfer(size="9 kB"), "start": "0 s"}
    for flow in (mp.Sctp(rto=mp.Rto(initial="1 s"), **common), mp.Tcp(**common)):
        network = mp.disjoint(only=(link, mp.Link(rate="5 Mbit/s")))
        result = mp.run(mp.Scenario(network=network, flows={"flow": flow}, warmup="0 s", measure="2 s"))
        assert result.flows["damaged_packets"]["flow"] == 1, flow.transport
        assert result.paths["lost_packets"]["flow", "only"] == 1
        assert result.flows["delivered_bytes"]["flow"] > 0


def test_data_that_establishes_a_connection_out_of_order_is_in_the_reorder_buffer():
    # The acknowledgement of the handshake and the first segment are lost. The second segment takes 12 ms.
    lost = [mp.Event(at="20 ms", loss=mp.Bernoulli(p=1)), mp.Event(at="48 ms", loss=mp.NoLoss())]
    link = mp.Link(rate="1 Mbit/s", delay="10 ms", events=lost)
    network = mp.disjoint(only=(link, link.but(events=())))
    flow = mp.Tcp(path="only", start="0 s")
    scenario = mp.Scenario(network=network, flows={"flow": flow}, warmup="0 s", measure="1 s")
    samples = mp.run(scenario, series="1 ms").series["flows"].set_index("time")["reorder_buffer"]
    assert samples[0.050] == 0
    assert samples[0.060] == 1460
    assert samples[0.072] == 2 * 1460
