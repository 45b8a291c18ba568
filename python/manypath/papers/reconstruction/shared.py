"""Factors that [D10], [D11] and [D12] share. The papers have the same group of authors and the same simulator."""

from __future__ import annotations

from manypath.papers.reconstruction.factors import Deviation, Factor
from manypath.papers.settings import FORMS, SETTINGS
from manypath.papers.switch import Switch, by_name, every_flow, multipath_flows, single_path_flows
from manypath.scenario import Scenario

GROUPS = (("dreibholz2010_asymmetric", "dreibholz2011_impact", "dreibholz2012_testbed"),)
"""Groups of papers with the same authors, by name. The settings of each paper are tested on the others of its group."""

_SWITCHES = by_name((*SETTINGS, *FORMS))


def multipath_sack(deviation: Deviation) -> Factor:
    """Return the factor of the SACK frequency of multipath flows."""
    says = "a SACK for every packet of multipath flows"
    switch = Switch("multipath-sack-every-1", says, multipath_flows(sack_every=1))
    return Factor("multipath-sack", "a SACK for every second packet of multipath flows", switch, deviation)


def single_sack(deviation: Deviation) -> Factor:
    """Return the factor of the SACK frequency of single-path flows."""
    says = "a SACK for every packet of single-path flows"
    switch = Switch("single-sack-every-1", says, single_path_flows(sack_every=1))
    return Factor("single-sack", "a SACK for every second packet of single-path flows", switch, deviation)


def sack_path(deviation: Deviation) -> Factor:
    """Return the factor of the path of SACKs."""
    switch = Switch("sack-last", "SACK on the path of the last packet", every_flow(sack_path="last-data"))
    return Factor("sack-path", "SACK on the path with the smallest round-trip time", switch, deviation)


def burst(deviation: Deviation) -> Factor:
    """Return the factor of the burst mitigation."""
    stated = "burst mitigation: at most 4 packets, the window is reduced to its used part"
    return Factor("burst", stated, _SWITCHES["burst-max"], deviation)


def accounting(deviation: Deviation) -> Factor:
    """Return the factor of the accounting profile."""
    return Factor("accounting", "accounting of the authors' simulator", _SWITCHES["profile-paper"], deviation)


def form(deviation: Deviation) -> Factor:
    """Return the factor of the formula of the MPTCP-like control."""
    return Factor("form", "MPTCP-like in its coupled form", _SWITCHES["mptcp-2012"], deviation)


def jitter(deviation: Deviation) -> Factor:
    """Return the factor of the jitter of hosts."""
    says = "hosts with up to 1.2 ms of jitter, the time of a packet at 10 Mbit/s"
    return Factor("jitter", "hosts without jitter", Switch("jitter-1.2ms", says, _with_jitter), deviation)


def _with_jitter(scenario: Scenario) -> Scenario:
    access = scenario.network.access
    if access is None:
        return scenario
    return scenario.but(network=scenario.network.but(access=access.but(jitter="1.2 ms")))
