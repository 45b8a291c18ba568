"""Stacks chosen by the user: names, refusals, versions, and the stack of each flow."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any, cast

import pandas as pd
import pytest
from typing_extensions import override

import manypath as mp
from manypath import testbed
from manypath.campaign import Cell, Results
from manypath.errors import UserError
from manypath.testbed.beside import _stacks
from manypath.testbed.contestants import CONTESTANTS
from manypath.testbed.contestants.contestant import Contestant, Ends, Part
from manypath.testbed.grid import _paths
from manypath.testbed.stacks import assigned, standards


class Other(Contestant):
    """A second stack for SCTP."""

    @property
    @override
    def name(self) -> str:
        return "other"

    @property
    @override
    def transports(self) -> tuple[str, ...]:
        return ("sctp",)

    @property
    @override
    def fingerprints(self) -> Sequence[str]:
        return ["abcd1234"]

    @override
    def check(self, field: str, flow: Mapping[str, Any]) -> None:
        raise UserError(f"{field}: was given to the other stack")

    @override
    def sysctl(self, flow: Mapping[str, Any]) -> Mapping[str, str]:
        return {}

    @override
    def start(self, part: Part) -> Ends:
        pytest.fail("the check refuses the flow before it is started")


@pytest.fixture(autouse=True)
def other(monkeypatch: pytest.MonkeyPatch):
    """Add a stack that is no default, and replace the program of the emulator by some file."""
    monkeypatch.setitem(CONTESTANTS, "other", Other())
    monkeypatch.setattr("manypath.testbed.runner.program", lambda _: "/bin/true")
    monkeypatch.setattr(os, "geteuid", lambda: 0)


def mixed() -> mp.Scenario:
    """Two associations and one TCP connection."""
    message = mp.Saturated(message="1452 B")
    return mp.Scenario(
        network=mp.disjoint(p=mp.Link(rate="5 Mbit/s")),
        flows={
            "a": mp.Sctp(paths=("p",), app=message),
            "b": mp.Sctp(paths=("p",), app=message),
            "c": mp.Tcp(path="p"),
        },
    )


def names(stacks: Mapping[str, str]) -> list[str]:
    flows = json.loads(mixed().document())["flows"]
    return [contestant.name for contestant in assigned(stacks, flows).values()]


def refused(stacks: Mapping[str, str]) -> str:
    with pytest.raises(UserError) as raised:
        testbed.Testbed(stacks=stacks).prepare([Cell({}, mixed().document(), 1, 0)], 1)
    return str(raised.value)


@pytest.mark.parametrize(
    ("stacks", "run"),
    [
        ({}, ["manypath", "manypath", "kernel"]),
        ({"a": "other"}, ["other", "manypath", "kernel"]),
        ({"": "other"}, ["other", "other", "kernel"]),
        ({"": "other", "b": "manypath"}, ["other", "manypath", "kernel"]),
        ({"": "kernel", "c": "kernel"}, ["manypath", "manypath", "kernel"]),
    ],
)
def test_a_flow_has_its_own_stack_else_the_common_one_else_the_default(stacks: dict[str, str], run: list[str]):
    assert names(stacks) == run


@pytest.mark.parametrize(
    ("stacks", "message"),
    [
        ({"a": "othr"}, 'stacks: there is no "othr": did you mean "other"? (known: kernel, manypath'),
        ({"d": "other"}, 'stacks: there is no flow "d": known: a, b, c'),
        ({"c": "other"}, "stacks: other does not run tcp, the transport of flow c: give kernel"),
        ({"a": "kernel"}, "stacks: kernel does not run sctp, the transport of flow a: give manypath or "),
        ({"b": "other"}, "flows.b: was given to the other stack"),
    ],
)
def test_a_wrong_choice_is_refused_in_one_line(stacks: dict[str, str], message: str):
    assert refused(stacks).startswith(message)


def test_a_common_stack_that_runs_no_flow_is_refused():
    scenario = mixed().but(flows={"c": mixed().flows["c"]})
    with pytest.raises(UserError) as raised:
        testbed.Testbed(stacks={"": "other"}).prepare([Cell({}, scenario.document(), 1, 0)], 1)
    assert str(raised.value) == "stacks: other does not run tcp, the transports of the flows: give kernel"


@pytest.mark.parametrize("stacks", [None, {}, {"a": "manypath"}, {"": "kernel"}, {"": "manypath", "c": "kernel"}])
def test_the_version_of_default_stacks_is_the_same_with_and_without_a_choice(stacks: dict[str, str] | None):
    assert testbed.Testbed(stacks=stacks).version == testbed.Testbed().version


def test_another_stack_adds_the_choice_and_its_hash_to_the_version():
    standard = testbed.Testbed().version
    assert testbed.Testbed(stacks={"a": "other"}).version == f"{standard}-a=other-abcd1234"
    assert testbed.Testbed(stacks={"b": "manypath", "": "other"}).version == f"{standard}-=other,b=manypath-abcd1234"


def test_names_of_flows_do_not_change_a_version_up_to_its_last_colon():
    version = testbed.Testbed(stacks={"a:b=c,d-e": "other"}).version
    assert version.rpartition(":")[0] == testbed.Testbed().version.rpartition(":")[0]
    assert "a%3Ab%3Dc%2Cd-e=other" in version


def test_the_first_stack_that_runs_a_transport_is_its_default():
    assert [each.name for each in standards()] == ["kernel", "manypath"]
    assert all(name == contestant.name for name, contestant in CONTESTANTS.items())


def test_the_kernel_gets_the_congestion_controls_of_its_own_flows_only():
    def scenario(cc: str) -> mp.Scenario:
        link = mp.Link(rate="5 Mbit/s")
        flows = {
            "a": mp.Sctp(paths=("p", "q"), cc=cc),
            "b": mp.Mptcp(paths=("p", "q"), cc="olia"),
            "c": mp.Tcp(path="p"),
        }
        return mp.Scenario(network=mp.disjoint(p=link, q=link), flows=flows)

    run_by, controls = _stacks(scenario, ["cmt-rpv1", "cmt-rpv2"], {"a": "other"})
    assert run_by == {"a": "other", "b": "kernel", "c": "kernel"}
    assert set(controls) == {"olia", "newreno"}


def test_a_grid_has_nan_for_a_measurement_that_a_stack_does_not_report():
    paths = pd.DataFrame({"path": ["p", "p"], "cwnd": [1000.0, 3000.0], "srtt": [0.02, 0.04], "active": [1.0, 1.0]})
    means = _paths(cast("Results", SimpleNamespace(paths=paths)))["p"]
    assert (means["cwnd"], means["srtt"]) == (2000, pytest.approx(0.03))
    assert all(math.isnan(means[name]) for name in ("goodput", "timeouts", "fast_retransmissions"))
