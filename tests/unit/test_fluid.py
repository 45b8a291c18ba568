"""Fluid models of scenarios, and congestion controls alone under given losses."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import manypath as mp
from manypath.theory import fluid

LINK = mp.Link(rate="10 Mbit/s", delay="20 ms", queue=mp.Red(min=20, max=60, gentle=True, packets=200), overhead=0)
FILLED = {"option_bytes": "0 B", "app": mp.Saturated(message="1460 B")}


def scenario(link: mp.Link = LINK, **changes: Any) -> mp.Scenario:
    """Return a scenario with a coupled connection and a TCP flow on one link."""
    flows = {
        "flow": mp.Mptcp(paths=["path1", "path2"], **{"cc": "lia", **FILLED, **changes}),
        "tcp": mp.Tcp(path="path1", app=mp.Saturated(message="1460 B")),
    }
    return mp.Scenario(network=mp.bottleneck(link, paths=2), flows=flows, warmup="20 s", measure="100 s")


def with_access(**access: Any) -> mp.Scenario:
    """Return the scenario with other access links."""
    plain = scenario()
    return plain.but(network=plain.network.but(access=mp.Link(**access)))


def test_access_links_add_their_delay_four_times():
    found = fluid(with_access(rate="1 Gbit/s", delay="10 ms"))
    assert found.flows["tcp"].rtts == [pytest.approx(0.08)]


def test_udp_encapsulation_makes_messages_of_full_packets_smaller():
    flow = mp.Sctp.standard("path1", udp_encapsulation=True, app=mp.Saturated(message="1444 B"))
    assert fluid(scenario().but(flows={"flow": flow})).payload == {"flow": 1444}


def test_a_scenario_has_the_links_flows_and_units_of_theory():
    found = fluid(scenario())
    (link,) = found.links.values()
    assert link.rate == pytest.approx(10e6 / (8 * 1500))
    assert link.queue == pytest.approx(40 / link.rate)
    assert {name: flow.rtts for name, flow in found.flows.items()} == {"flow": [0.04, 0.04], "tcp": [0.04]}
    assert found.payload == {"flow": 1460, "tcp": 1460}


@pytest.mark.parametrize("cc", ["newreno", "lia", "coupled", "cmt-rpv2"])
def test_fluid_and_simulated_flows_share_a_bottleneck_alike(cc: str):
    described = scenario(cc=cc)
    rates = fluid(described).equilibrium().goodput
    share = rates["flow"].sum() / (rates["flow"].sum() + rates["tcp"].sum())
    goodput = mp.run(described).flows["goodput"]
    assert goodput["flow"] / goodput.sum() == pytest.approx(share, rel=0.15)


@pytest.mark.parametrize(
    ("described", "message"),
    [
        (scenario(app=mp.Cbr(rate="1 Mbit/s")), "flows.flow.app: is cbr: theory describes saturated flows"),
        (scenario(app=mp.Transfer(size="1 MB")), "flows.flow.app: is transfer"),
        (scenario(cc="cubic"), "flows.flow.cc: the fluid model has no formulas of cubic"),
        (scenario(mss="1000 B"), "flows: packets have 1040 to 1500 B"),
        (
            scenario(LINK.but(events=[mp.Event(at="5 s", change="down")])),
            "network.links.bottleneck.events: theory describes links that do not",
        ),
        (scenario(LINK.but(loss=mp.GilbertElliott(to_bad=0.01, to_good=0.1))), "loss: is gilbert-elliott"),
        (scenario(LINK.but(loss=mp.Bernoulli(p=1))), "loses all packets"),
        (scenario(mp.Link(trace=[1, 2, 3])), "network.links.bottleneck.trace: theory describes links with one rate"),
        (with_access(rate="8 Mbit/s"), "network.access: 8 Mbit/s is below 10 Mbit/s of a path: theory"),
        (with_access(rate="20 Mbit/s", loss=mp.Bernoulli(p=0.1)), "network.access.loss: theory describes"),
    ],
)
def test_a_scenario_outside_of_the_theory_is_reported_in_one_line(described: mp.Scenario, message: str):
    with pytest.raises(mp.UserError) as caught:
        fluid(described)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_sctp_has_a_fluid_model_if_messages_fill_packets():
    def described(message: str) -> mp.Scenario:
        flow = mp.Sctp(paths=["path1"], app=mp.Saturated(message=message))
        return mp.Scenario(network=mp.bottleneck(LINK, paths=1), flows={"flow": flow}, warmup="1 s", measure="1 s")

    assert fluid(described("1452 B")).payload == {"flow": 1452}
    with pytest.raises(mp.UserError, match=r'flows.flow.app.message: .* write "1452 B"'):
        fluid(described("1000 B"))


def test_periodic_losses_give_the_square_root_formula():
    found = mp.ideal("newreno", [0.001], "100 ms", periodic=True, runs=1)
    assert found.total.mean == pytest.approx(math.sqrt(1.5 / 0.001) / 0.1, rel=0.01)


def test_the_rates_of_paths_add_up_and_the_result_has_the_settings():
    found = mp.ideal("coupled", [0.001, 0.004], ["100 ms", "50 ms"], packets=200_000, runs=3, seed=5)
    assert sum(path.mean for path in found.paths) == pytest.approx(found.total.mean)
    assert found.total.n == 3
    assert found.settings["rtts"] == ["100 ms", "50 ms"]
    assert found.settings["seed"] == 5
    again = mp.ideal("coupled", [0.001, 0.004], ["100 ms", "50 ms"], packets=200_000, runs=3, seed=5)
    np.testing.assert_array_equal([path.mean for path in again.paths], [path.mean for path in found.paths])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"cc": "lya"}, "cc: "),
        ({"losses": []}, "losses: is empty: give one probability for each path"),
        ({"losses": 0.1}, "losses: 0.1 is no list"),
        ({"losses": [0.0, 0.1]}, "losses[0]: 0.0 has no finite rate"),
        ({"losses": [2, 0.1]}, "losses[0]: "),
        ({"losses": ["much", 0.1]}, "losses[0]: "),
        ({"rtts": ["1 ms"]}, "rtts: 1 for 2 losses"),
        ({"rtts": "100"}, "rtts[0]: "),
        ({"rtts": [0.1, 0.1]}, "rtts[0]: 0.1 has no unit"),
        ({"rtts": "0 ms"}, "give 1 ns or more"),
        ({"runs": 0}, "runs: 0 is not a number of runs"),
        ({"packets": 1.5}, "packets: 1.5 is not a number"),
        ({"seed": -1}, "seed: -1 is not a number of 64 bits"),
    ],
)
def test_invalid_given_losses_are_reported_in_one_line(arguments: dict[str, Any], message: str):
    with pytest.raises(mp.UserError) as caught:
        mp.ideal(**{"cc": "lia", "losses": [0.01, 0.01], "rtts": "10 ms", "packets": 1000, "runs": 1, **arguments})
    assert str(caught.value).startswith(message) or message in str(caught.value)
    assert "\n" not in str(caught.value)
