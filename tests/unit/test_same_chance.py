"""Measurement and simulation with one seed have the same chance: flows start at the same times."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

import manypath as mp
from manypath import _native
from manypath.testbed import runner
from manypath.testbed.contestants import Part


def three_flows() -> mp.Scenario:
    """Flows of every transport; one of them starts late."""
    link = mp.Link(rate="5 Mbit/s", delay="1 ms")
    flows = {
        "sctp": mp.Sctp(paths=["north", "south"]),
        "tcp": mp.Tcp(path="north", start=mp.Start(earliest="0.5 s", latest="1.5 s")),
        "mptcp": mp.Mptcp(paths=["north", "south"], start=mp.Start(latest="0.1 s")),
    }
    return mp.Scenario(network=mp.disjoint(north=link, south=link), flows=flows, warmup="1 s", measure="1 s")


def simulated_starts(scenario: mp.Scenario, seed: int, file: Path) -> dict[str, float]:
    """When each flow of a simulation opens its connection."""
    mp.run(scenario, seed=seed, events=file, only=["connectivity:connection_started"])
    _, *events = (json.loads(line) for line in file.read_text("utf-8").splitlines())
    return {event["flow"]: event["time"] for event in events if event["host"] == "source"}


class Hosts:
    """Stands in for an emulation."""

    def host(self, pair: str, side: str) -> None:
        """No host: nothing runs there."""


class Notes:
    """Stands in for a contestant, and keeps what it is given."""

    def __init__(self) -> None:
        self.starts: dict[str, float] = {}

    def start(self, part: Part) -> None:
        """Keep when the flow would start."""
        self.starts[part.name] = part.starts


@pytest.mark.parametrize("seed", [1, 7, 2**31 - 1])
def test_flows_of_the_testbed_start_when_those_of_the_simulator_do(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    scenario = three_flows()
    notes = Notes()
    monkeypatch.setattr(runner, "_contestant", lambda _: notes)
    links: Any = Hosts()
    with ExitStack() as processes:
        for name, flow in json.loads(scenario.document())["flows"].items():
            runner._start(links, name, flow, 0.0, (1.0, 2.0), seed, processes)
    simulated = simulated_starts(scenario, seed, tmp_path / "events.jsonl")
    assert list(notes.starts) == ["sctp", "tcp", "mptcp"]
    assert notes.starts == pytest.approx(simulated, abs=1e-9)


def test_a_range_that_ends_before_it_begins_has_no_number():
    assert _native.first_between("flow/a/start", 1, 0, 5, 5) == 5
    with pytest.raises(ValueError, match="`low` is 6, expected 5 or less"):
        _native.first_between("flow/a/start", 1, 0, 6, 5)
