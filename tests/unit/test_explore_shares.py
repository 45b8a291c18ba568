"""The fair shares of the explorer."""

from __future__ import annotations

import threading

import pytest

import manypath as mp
from manypath.explore import fair, presets
from manypath.explore.controls import changed
from manypath.explore.pooling import pooled
from short_state import small


def test_pooled_shares_are_max_min_fair():
    link = mp.Link(rate="10 Mbit/s", overhead="0 B")
    app = {"kind": "saturated", "message": "1452 B"}
    flows = {"both": mp.Sctp(paths=["a", "b"], app=app), "one": mp.Sctp.standard("a", app=app)}
    state = mp.Scenario(network=mp.disjoint(a=link, b=link.but(rate="4 Mbit/s")), flows=flows)
    payload = 1452 / 1500
    assert pooled(state) == pytest.approx({"both": 7 * payload, "one": 7 * payload})
    poor = state.but(network=mp.disjoint(a=link, b=link.but(rate="20 Mbit/s")))
    assert pooled(poor) == pytest.approx({"both": 20 * payload, "one": 10 * payload})


@pytest.mark.parametrize("cc", ["lia", "cubic"])
def test_the_fair_shares_of_runs_are_those_of_an_uncoupled_flow(cc: str):
    state = small().but(scenario=small().with_cc(cc))
    found, scenario = fair.fair(state, threading.Event()), state.scenario
    for path, rate in found.best_path.items():
        alone = scenario.flows["multipath"].but(paths=(path,), cc="newreno")
        result = mp.run(scenario.but(flows={**scenario.flows, "multipath": alone}))
        assert rate == result.goodput["multipath"]
    assert found.uncoupled == dict(mp.run(state.with_cc("newreno")).paths["goodput"]["multipath"])


def test_fair_shares_of_models_are_those_of_their_names():
    found, scenario = fair.fair(small(), threading.Event()), small().scenario
    assert found.pooling == pooled(scenario)
    # The fluid model knows the losses of RED, and linked increases take less than half of the pool and the rival less.
    assert found.fluid.keys() == found.pooling.keys()
    assert found.fluid["rival"] < 0.9 * found.pooling["rival"]


def test_the_progress_of_the_fair_shares_counts_their_runs():
    state = small(measure="200 s")
    counted: list[float] = []
    fair.fair(state, threading.Event(), counted.append)
    runs = fair.runs(state)
    assert counted == sorted(counted)
    assert {int(count) for count in counted} >= set(range(runs))
    assert runs - 1 < counted[-1] <= runs
    alone = state.scenario.but(flows={"rival": state.scenario.flows["rival"]})
    assert fair.runs(state.but(scenario=alone)) == 0


@pytest.mark.parametrize(("name", "link"), [("WiFi that fades", "wifi"), ("A path that fails", "north")])
def test_a_link_whose_rate_changes_has_a_reason_instead_of_a_pool(name: str, link: str):
    state = presets.preset(presets.OWN, name)
    found = fair.fair(state, threading.Event())
    assert found.pooling == {}
    assert f"that of {link} changes" in found.pooling_remark
    slower = changed(small(), "links\tsouth\tloss", "bernoulli")
    assert fair.fair(slower, threading.Event()).pooling_remark == ""


def test_the_pool_knows_the_access_links_of_hosts():
    slow = mp.Link(rate="8 Mbit/s", overhead="0 B")
    link = mp.Link(rate="10 Mbit/s", overhead="0 B")
    app = {"kind": "saturated", "message": "1452 B"}
    flows = {"both": mp.Sctp(paths=["a", "b"], app=app), "one": mp.Sctp.standard("a", app=app)}
    network = mp.disjoint(a=link, b=link).but(access=slow)
    payload = 1452 / 1500
    # Each host has an access link for each path.
    assert pooled(mp.Scenario(network=network, flows=flows)) == pytest.approx(
        {"both": 10 * payload, "one": 8 * payload}
    )
    brief = slow.but(events=[mp.Event(at="1 s", rate="1 Mbit/s")])
    found = fair.fair(small(network=mp.disjoint(south=link, north=link).but(access=brief)), threading.Event())
    assert found.pooling_remark == "it needs links with one rate, and that of the access links changes"


@pytest.mark.parametrize(
    ("flow", "tolerance"),
    [
        (mp.Sctp.standard("a", app={"kind": "saturated", "message": "100 B"}), 0.003),
        (mp.Sctp.standard("a", app={"kind": "saturated", "message": "1000 B"}), 0.003),
        (mp.Sctp.standard("a", app={"kind": "saturated", "message": "4 kB"}), 0.003),
        # Packets of messages of different sizes are not as full as those of equal ones.
        (mp.Sctp.standard("a", app={"kind": "saturated", "message": {"min": "500 B", "max": "1500 B"}}), 0.04),
        (mp.Sctp.standard("a", udp_encapsulation=True, app={"kind": "saturated", "message": "1444 B"}), 0.003),
        (mp.Tcp(path="a", option_bytes="12 B"), 0.003),
    ],
    ids=["many in a packet", "one in a packet", "several packets", "different sizes", "UDP", "TCP"],
)
def test_a_flow_alone_gets_the_whole_pool(flow: mp.Sctp | mp.Tcp, tolerance: float):
    link = mp.Link(rate="10 Mbit/s", delay="1 ms", queue=mp.DropTail(packets=100))
    flow = flow.but(send_buffer="1 MB", receive_buffer="1 MB")
    scenario = mp.Scenario(network=mp.disjoint(a=link), flows={"f": flow}, warmup="5 s", measure="20 s")
    assert mp.run(scenario).goodput["f"] == pytest.approx(pooled(scenario)["f"], rel=tolerance)


def test_an_application_limits_its_flow_to_its_mean_rate():
    link = mp.Link(rate="10 Mbit/s", overhead="0 B")
    app = mp.OnOff(rate="4 Mbit/s", on="1 s", off="3 s")
    flows = {"both": mp.Sctp(paths=["a", "b"], app=app), "one": mp.Sctp.standard("a")}
    assert pooled(mp.Scenario(network=mp.disjoint(a=link, b=link), flows=flows))["both"] == pytest.approx(1.0)
