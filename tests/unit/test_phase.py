"""Phase effects: goodputs on drop-tail queues that depend on hosts that are exact to the nanosecond."""

from __future__ import annotations

from pathlib import Path

import pytest

import manypath as mp
from manypath.errors import UserError

SCENARIO = """
warmup = "10 s"
measure = "30 s"
[network.disjoint]
a = { rate = "10 Mbit/s", delay = "10 ms", queue = { kind = "drop-tail", packets = PACKETS } }
b = { rate = "10 Mbit/s", delay = "40 ms", queue = { kind = "drop-tail", packets = 60 } }
[flows]
both = { transport = "mptcp", paths = ["a", "b"], cc = "lia" }
one = { transport = "tcp", path = "a" }
"""
"""Linked increases beside one TCP flow. With exact hosts the TCP flow has too many of the losses."""


def shared(packets: int = 25, flows: tuple[str, ...] = ("both", "one"), queue: object = None) -> mp.Scenario:
    """Return the same scenario with some of its flows."""
    a = mp.Link(rate="10 Mbit/s", delay="10 ms", queue=queue or mp.DropTail(packets=packets))
    b = mp.Link(rate="10 Mbit/s", delay="40 ms", queue=queue or mp.DropTail(packets=60))
    each = {"both": mp.Mptcp(paths=["a", "b"], cc="lia"), "one": mp.Tcp(path="a")}
    return mp.Scenario(
        network=mp.disjoint(a=a, b=b), flows={name: each[name] for name in flows}, warmup="10 s", measure="30 s"
    )


def test_goodputs_that_depend_on_exact_hosts_are_found():
    results = mp.Campaign(shared(), replications=10).run(store=None, progress=False)
    found = mp.check_phase(results).set_index("flow")
    assert found["depends"].all()
    assert found["exact"].tolist() == pytest.approx(
        [results.values("goodput", flow=flow).mean() for flow in found.index]
    )
    # Linked increases lose a part of what exact hosts give them, and the TCP flow gets it.
    both, one = found["difference"]
    assert both < 0 < one
    assert (found["difference"].abs() > found["half_width"]).all()


def test_the_goodput_of_a_flow_alone_does_not_depend_on_them():
    results = mp.Campaign(shared(flows=("one",)), replications=3).run(store=None, progress=False)
    (row,) = mp.check_phase(results).to_dict("records")
    assert not row["depends"]
    assert row["exact"] == pytest.approx(row["jittered"], rel=0.02)


@pytest.mark.parametrize("queue", [mp.DropTail(packets=9000), mp.Red(min=10, max=30)], ids=["roomy", "red"])
def test_without_a_full_drop_tail_queue_there_is_nothing_to_check(queue: object):
    results = mp.Campaign(shared(queue=queue), replications=2).run(store=None, progress=False)
    found = mp.check_phase(results)
    assert found.empty
    assert list(found.columns) == ["flow", "exact", "jittered", "difference", "half_width", "depends"]


def test_each_scenario_of_a_campaign_is_compared_with_itself():
    def make(room: int) -> mp.Scenario:
        return shared(room, flows=("one",))

    results = mp.Campaign(make, {"room": [25, 9000, 40]}, replications=2).run(store=None, progress=False)
    found = mp.check_phase(results)
    assert found["room"].tolist() == [25, 40]
    for room, flow, exact in zip(found["room"], found["flow"], found["exact"], strict=True):
        assert exact == pytest.approx(results.select(room=room).values("goodput", flow=flow).mean())


def test_a_link_with_the_name_of_a_jitter_link_stays():
    link = mp.Link(rate="2 Mbit/s", delay="5 ms", queue=mp.DropTail(packets=5))
    name = "a: jitter there"
    network = mp.Network(links={name: link, "a/back": link}, paths={"a": {"forward": [name], "reverse": ["a/back"]}})
    scenario = mp.Scenario(network=network, flows={"one": mp.Tcp(path="a")}, warmup="1 s", measure="5 s")
    results = mp.Campaign(scenario, replications=2).run(store=None, progress=False)
    assert mp.check_phase(results)["jittered"].iloc[0] == pytest.approx(results.flows["goodput"].mean(), rel=0.1)


def test_what_cannot_be_compared_is_refused():
    once = mp.Campaign(shared(), replications=1).run(store=None, progress=False)
    with pytest.raises(UserError, match="a scenario has one replication, so no interval: give results with 2 or more"):
        mp.check_phase(once)
    with pytest.raises(UserError, match="replications: 1 is"):
        mp.check_phase(once, replications=1)

    def make(exact: int) -> mp.Scenario:
        return shared(exact)

    named = mp.Campaign(make, {"exact": [25]}, replications=2).run(store=None, progress=False)
    with pytest.raises(UserError, match='check_phase: "exact" is also the name of a column of this check'):
        mp.check_phase(named)
    function = mp.Function(lambda seed: {"goodput": seed}, version="1")
    others = mp.Campaign(function, replications=2).run(store=None, progress=False)
    with pytest.raises(UserError, match="are not of simulations"):
        mp.check_phase(others)


def test_the_commands_say_it_in_one_line(tmp_path: Path, called, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scenario.toml").write_text(SCENARIO.replace("PACKETS", "25"))
    printed = called("run", "scenario.toml", "--check-phase").err
    said = "phase: with jitter of the hosts, 2 of 2 goodputs change by more than their interval"
    assert said in printed
    assert "give network.access a jitter, or use another queue" in printed
    (tmp_path / "sweep.toml").write_text('scenario = "scenario.toml"\nreplications = 2\n')
    assert "of 2 goodputs change by more than their interval" in called("sweep", "sweep.toml", "--check-phase").err
    (tmp_path / "roomy.toml").write_text(
        SCENARIO.replace("PACKETS", "9000").replace("= 60", "= 9000").replace('"30 s"', '"5 s"')
    )
    assert "phase: no drop-tail queue was full" in called("run", "roomy.toml", "--check-phase").err
    paths = ("--path", "a: 4 Mbit/s, 20 ms", "--path", "b: 4 Mbit/s, 80 ms", "--tcp", "a=1")
    expected = called("expect", *paths, "--cc", "lia", "--runs", "2", "--measure", "10 s", "--check-phase").err
    assert "of 2 goodputs change by more than their interval" in expected


def test_a_sweep_of_another_runner_is_not_checked(tmp_path: Path, called, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sweep.toml").write_text('runner = { command = "true" }\nreplications = 2\nmetrics = ["x"]\n')
    (line,) = called("sweep", "sweep.toml", "--check-phase", code=2).err.splitlines()
    assert line == (
        "error: --check-phase: only valid for simulations, and the sweep file has another runner: leave it out"
    )
