"""Runs that test an encoding or compute nothing ahead have the same outcome as others."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import manypath as mp
from manypath import _native
from manypath.errors import UserError
from manypath.papers import registry

Scenarios = Iterator[tuple[str, mp.Scenario]]


def of_examples() -> Scenarios:
    """Return the scenarios of the examples and of their sweep, without emulations."""
    for file in sorted((Path(__file__).parents[2] / "examples").glob("*.toml")):
        fields = tomllib.loads(file.read_text())
        if "scenario" in fields:
            yield file.name, shortened(mp.Scenario.from_fields(fields["scenario"]))
        elif "flows" in fields:
            yield file.name, shortened(mp.Scenario.from_file(file))


def of_papers() -> Scenarios:
    """Return the first scenario of each experiment of each paper and study."""
    for name, paper in registry().items():
        for experiment in paper.experiments.all():
            case = next(paper.experiments.cases(paper.quick, {experiment.name}), None)
            if case is None:
                continue
            yield f"{name}: {case}", shortened(paper.experiments.scenario(case, paper.quick))


def shortened(scenario: mp.Scenario) -> mp.Scenario:
    """Return the scenario shortened to 4 s, or to 81 s if it has events of links."""
    try:
        return scenario.but(warmup="1 s", measure="3 s")
    except UserError:
        return scenario.but(warmup="1 s", measure="80 s")


def outcome(scenario: mp.Scenario, **watch: bool) -> dict[str, Any]:
    """Return the outcome of a run, without its cost."""
    text, _ = _native.run(scenario.document(), 1, 0, json.dumps(watch))
    return {field: value for field, value in json.loads(text).items() if field != "cpu_seconds"}


@pytest.mark.parametrize("way", ["by_bytes", "event_by_event"])
@pytest.mark.parametrize("scenarios", [of_examples, pytest.param(of_papers, marks=pytest.mark.long)])
def test_runs_in_another_way_have_the_same_outcome(scenarios: Callable[[], Scenarios], way: str):
    """SCTP packets are encoded and decoded on their way, or every step of a packet is an event."""
    names = []
    for name, scenario in scenarios():
        assert outcome(scenario, **{way: True}) == outcome(scenario), name
        names.append(name)
    assert len(names) >= 3
