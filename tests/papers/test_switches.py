"""Every change that a paper may try applies to every scenario of the paper."""

from __future__ import annotations

import pytest

from manypath.papers import registry
from manypath.papers.evidence import Case
from manypath.papers.paper import Paper
from manypath.papers.switch import Change, every_flow, single_flows_join, single_path_flows
from manypath.scenario import Link, Mptcp, Scenario, Sctp, Tcp, disjoint


def changes_of(paper: Paper) -> dict[str, Change]:
    """Return the switches, mutations, factors and open settings of a paper."""
    switches = {
        **paper.switches,
        **{each.name: each for each in paper.mutations},
        **{each.name: each.switch for each in paper.factors},
        **{f"{each.name}={value.name}": value.switch for each in paper.open_settings for value in each.values},
    }
    return {name: each.change for name, each in switches.items() if each is not None}


def scenarios_of(paper: Paper) -> list[Scenario]:
    """Return a scenario for each experiment and each combination of its factors, but one rate and few flows."""
    cases: dict[tuple[object, ...], Case] = {}
    for case in paper.experiments.cases(paper.quick):
        levels = (level for factor, level in case.factors if not isinstance(level, float) and factor != "flows")
        cases.setdefault((case.experiment, *levels), case)
    return [paper.experiments.scenario(case, paper.quick) for case in cases.values()]


@pytest.mark.parametrize("name", registry())
def test_every_change_of_a_paper_applies_to_all_of_its_scenarios_and_changes_some(name):
    paper = registry()[name]
    scenarios = scenarios_of(paper)
    for what, change in changes_of(paper).items():
        changed = [change(plain) != plain for plain in scenarios]
        assert any(changed), f"{what} changes no scenario"


def three_transports() -> Scenario:
    network = disjoint(north=Link(rate="10 Mbit/s"), south=Link(rate="10 Mbit/s"))
    flows = {
        "cmt": Sctp(paths=["north", "south"]),
        "tcp": Tcp(path="north"),
        "mptcp": Mptcp(paths=["north", "south"]),
    }
    return Scenario(network=network, flows=flows)


def fields(scenario: Scenario) -> dict[str, dict[str, object]]:
    """Return the fields of each flow."""
    return {name: flow.model_dump() for name, flow in scenario.flows.items()}


def test_a_setting_of_one_transport_leaves_the_flows_of_others():
    plain = three_transports()
    changed = every_flow(sack_path="last-data")(plain)
    assert fields(changed)["cmt"] == {**fields(plain)["cmt"], "sack_path": "last-data"}
    assert {name: changed.flows[name] for name in ("tcp", "mptcp")} == {
        name: plain.flows[name] for name in ("tcp", "mptcp")
    }


def test_the_frequency_of_acknowledgements_has_a_name_in_each_transport():
    changed = fields(every_flow(sack_every=1)(three_transports()))
    assert changed["cmt"]["sack_every"] == changed["tcp"]["ack_every"] == changed["mptcp"]["ack_every"] == 1
    alone = fields(single_path_flows(sack_every=1)(three_transports()))
    assert (alone["cmt"]["sack_every"], alone["tcp"]["ack_every"]) == (2, 1)


def test_a_tcp_flow_keeps_its_path_where_single_path_flows_join():
    joined = single_flows_join(
        three_transports().but(flows={"a": Tcp(path="north"), "b": Mptcp(paths=["north", "south"])})
    )
    assert [joined.flows[name].paths for name in "ab"] == [("north",), ("north", "south")]


def test_a_setting_of_no_transport_is_refused():
    with pytest.raises(ValueError, match="no transport has sack_evry"):
        every_flow(sack_evry=1)
