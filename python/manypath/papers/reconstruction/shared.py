"""Factors that [D10], [D11] and [D12] share: one group of authors, one simulator. Settings are carried between them."""

from __future__ import annotations

from manypath.papers.reconstruction.factors import Deviation, Factor
from manypath.papers.settings import FORMS, SETTINGS
from manypath.papers.switch import Switch, by_name, every_flow, multipath_flows, single_path_flows
from manypath.scenario import Scenario

GROUPS = (("dreibholz2010_asymmetric", "dreibholz2011_impact", "dreibholz2012_testbed"),)
"""Papers of one group of authors, by name; what is found on one is tested on the others."""

_SWITCHES = by_name((*SETTINGS, *FORMS))


def multipath_sack(deviation: Deviation) -> Factor:
    """How often multipath flows are acknowledged."""
    says = "a SACK for every packet of multipath flows"
    switch = Switch("multipath-sack-every-1", says, multipath_flows(sack_every=1))
    return Factor("multipath-sack", "a SACK for every second packet of multipath flows", switch, deviation)


def single_sack(deviation: Deviation) -> Factor:
    """How often single-path flows are acknowledged."""
    says = "a SACK for every packet of single-path flows"
    switch = Switch("single-sack-every-1", says, single_path_flows(sack_every=1))
    return Factor("single-sack", "a SACK for every second packet of single-path flows", switch, deviation)


def sack_path(deviation: Deviation) -> Factor:
    """Which path a SACK takes."""
    switch = Switch("sack-last", "SACK on the path of the last packet", every_flow(sack_path="last-data"))
    return Factor("sack-path", "SACK on the path with the smallest round-trip time", switch, deviation)


def burst(deviation: Deviation) -> Factor:
    """How a burst is limited."""
    stated = "burst mitigation: at most 4 packets, the window shrinks to what was used"
    return Factor("burst", stated, _SWITCHES["burst-max"], deviation)


def accounting(deviation: Deviation) -> Factor:
    """How the bytes of a window are counted."""
    return Factor("accounting", "accounting of the authors' simulator", _SWITCHES["profile-paper"], deviation)


def form(deviation: Deviation) -> Factor:
    """Which formula the MPTCP-like control has."""
    return Factor("form", "MPTCP-like in its coupled form", _SWITCHES["mptcp-2012"], deviation)


def jitter(deviation: Deviation) -> Factor:
    """Whether hosts are exact."""
    says = "hosts that take up to 1.2 ms longer, a packet's time at 10 Mbit/s"
    return Factor("jitter", "exact hosts", Switch("jitter-1.2ms", says, _with_jitter), deviation)


def _with_jitter(scenario: Scenario) -> Scenario:
    access = scenario.network.access
    if access is None:
        return scenario
    return scenario.but(network=scenario.network.but(access=access.but(jitter="1.2 ms")))
