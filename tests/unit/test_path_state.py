"""The state of each path at the end of a run: a path that did not work is named, and a flow that ended early."""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path

import pytest

import manypath as mp
from manypath.cli import main
from manypath.display import MOST_REMARKS, remarks, remarks_of_runs

LINK = mp.Link(rate="1 Mbit/s", delay="10 ms")
DOWN = LINK.but(events=[mp.Event(at="0 s", change="down")])

DOWN_SAID = "f: path b was down (SCTP uses it again when it answers, Multipath TCP does not) at the end of the run"

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
        ("140 s", "down", DOWN_SAID),
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


@pytest.mark.parametrize("flow", [mp.Tcp(path="a"), mp.Mptcp(paths=["a"]), mp.Sctp(paths=["a"])])
def test_a_flow_whose_peer_does_not_answer_is_named(flow: mp.Tcp | mp.Mptcp | mp.Sctp):
    """It delivers nothing, and its association or connection ends before the run does."""

    def losing(loss: float) -> mp.Scenario:
        network = mp.disjoint(a=LINK.but(loss=loss))
        return mp.Scenario(network=network, flows={"f": flow}, warmup="1 s", measure="400 s")

    results = mp.Campaign(losing, {"loss": [0.0, 1.0]}, replications=2).run(store=None, progress=False)
    at = [time for time in results.flows["closed_at"] if time > 0]
    (line,) = remarks_of_runs([outcome for _, outcome in results.outcomes])
    assert line == f"f: ended early in 2 of 4 runs, the first at {min(at):.4g} s: its peer did not answer"
    assert line in repr(results).splitlines()
    assert f"<p>{line}</p>" in results._repr_html_()
    found = mp.run(losing(1.0))
    assert f"f: ended early, at {at[0]:.4g} s: its peer did not answer" in repr(found).splitlines()


def test_many_flows_that_end_early_are_counted():
    flow = {"closed": "protocol-violation", "closed_at": 2.0, "paths": {}}
    lines = remarks({"flows": {f"f{number}": flow for number in range(MOST_REMARKS + 5)}})
    assert lines[0] == "f0: ended early, at 2 s: protocol-violation"
    assert lines[MOST_REMARKS:] == ["and 5 other such flows"]


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
    assert DOWN_SAID in capsys.readouterr().out


def test_a_path_that_returns_too_late_for_multipath_tcp_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """Its link is up again at the end, but its subflow has ended; a sweep counts such runs, beside its table."""
    returns = LINK.but(events=[mp.Event(at="0 s", change="down"), mp.Event(at="140 s", change="up")])
    network = mp.disjoint(a=LINK, b=(returns, returns))
    flow = mp.Mptcp(paths=["a", "b"], start="0 s")
    late_return = mp.Scenario(network=network, flows={"f": flow}, warmup="0 s", measure="150 s")
    assert DOWN_SAID in repr(mp.run(late_return))
    fields = tomllib.loads(LATE)
    fields["measure"] = "150 s"
    fields["network"]["links"]["b"]["events"].append({"at": "140 s", "change": "up"})
    fields["flows"]["f"]["transport"] = "mptcp"
    factors = {"cc": {"field": "flows.f.cc", "values": ["lia", "olia"]}}
    sweep = {"scenario": fields, "replications": 2, "factors": factors}
    (tmp_path / "sweep.json").write_text(json.dumps(sweep))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["manypath", "sweep", "sweep.json", "--json"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    printed = capsys.readouterr()
    assert DOWN_SAID.replace("the run", "4 of 4 runs") in printed.err.splitlines()
    assert json.loads(printed.out)["rows"]
