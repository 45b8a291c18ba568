"""The state of each path at the end of a run: a path that did not work is named."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import manypath as mp
from manypath.cli import main

LINK = mp.Link(rate="1 Mbit/s", delay="10 ms")
DOWN = LINK.but(events=[mp.Event(at="0 s", change="down")])

LATE = """
warmup = "0 s"
measure = "240 s"
[network.links.a]
rate = "1 Mbit/s"
delay = "10 ms"
[network.links.b]
rate = "1 Mbit/s"
delay = "10 ms"
events = [{ at = "0 s", change = "down" }]
[network.paths.a]
forward = ["a"]
reverse = ["a"]
[network.paths.b]
forward = ["b"]
reverse = ["b"]
[flows.f]
transport = "sctp"
paths = ["a", "b"]
start = "0 s"
"""
"""A file with a path that never works."""


def late(flow: mp.Mptcp | mp.Sctp, measure: str) -> mp.Scenario:
    """Return a scenario with two paths. The second never works."""
    return mp.Scenario(network=mp.disjoint(a=LINK, b=(DOWN, DOWN)), flows={"f": flow}, warmup="0 s", measure=measure)


@pytest.mark.parametrize(
    ("measure", "state", "said"),
    [
        ("20 s", "connecting", "f: path b was not open at the end of the run"),
        ("140 s", "down", "f: path b was down at the end of the run"),
    ],
)
def test_a_subflow_that_never_joins_is_named(measure: str, state: str, said: str):
    found = mp.run(late(mp.Mptcp(paths=["a", "b"], start="0 s"), measure))
    assert dict(found.paths.loc["f"]["path_state"]) == {"a": "up", "b": state}
    assert said in repr(found)
    assert f"<p>{said}</p>" in found._repr_html_()


def test_a_flow_that_has_ended_has_no_remark():
    ends = mp.Mptcp(paths=["a", "b"], start="0 s", app=mp.Transfer(size="100 kB"))
    assert "at the end of the run" not in repr(mp.run(late(ends, "20 s")))


def test_a_path_that_returns_is_up_again_and_the_command_names_one_that_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    outage = LINK.but(events=[mp.Event(at="5 s", change="down"), mp.Event(at="15 s", change="up")])
    flows = {"f": mp.Sctp(paths=["a", "b"], start="0 s")}
    returns = mp.Scenario(network=mp.disjoint(a=LINK, b=(outage, outage)), flows=flows, warmup="0 s", measure="60 s")
    assert set(mp.run(returns).paths["path_state"]) == {"up"}
    file = tmp_path / "late.toml"
    file.write_text(LATE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["manypath", "run", str(file)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    assert "f: path b was down at the end of the run" in capsys.readouterr().out
