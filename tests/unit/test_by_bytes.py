"""A run in which SCTP packets are encoded and decoded has the same digest."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

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
    """Return the first scenario with an SCTP flow of each experiment of each paper and study."""
    for name, paper in registry().items():
        for experiment in paper.experiments.all():
            case = next(paper.experiments.cases(paper.quick, {experiment.name}), None)
            if case is None:
                continue
            scenario = paper.experiments.scenario(case, paper.quick)
            if any(isinstance(flow, mp.Sctp) for flow in scenario.flows.values()):
                yield f"{name}: {case}", shortened(scenario)


def shortened(scenario: mp.Scenario) -> mp.Scenario:
    """Return the scenario shortened to 4 s, or to 81 s if it has events of links."""
    try:
        return scenario.but(warmup="1 s", measure="3 s")
    except UserError:
        return scenario.but(warmup="1 s", measure="80 s")


def digest(scenario: mp.Scenario, *, by_bytes: bool) -> str:
    """Return the digest of a run."""
    outcome, _ = _native.run(scenario.document(), 1, 0, json.dumps({"by_bytes": by_bytes}))
    return json.loads(outcome)["digest"]


@pytest.mark.parametrize("scenarios", [of_examples, pytest.param(of_papers, marks=pytest.mark.long)])
def test_encoding_and_decoding_packets_does_not_change_digests(scenarios: Callable[[], Scenarios]):
    names = []
    for name, scenario in scenarios():
        assert digest(scenario, by_bytes=True) == digest(scenario, by_bytes=False), name
        names.append(name)
    assert len(names) >= 3
