"""Scenarios of the proportion manager, future work in the thesis: its examples, and BMC and other controls."""

from __future__ import annotations

from manypath.papers.honda2009_bmc.names import AIMD, BMC, BUNDLE, RENO, TCP, weighted, weights_of
from manypath.papers.honda2009_bmc.scenarios import SIDE, core, experiment, mptcp, standard, tcp
from manypath.scenario import DropTail, Network, Scenario, Start, Tcp, disjoint, dumbbell

LONG = ("60 s", "240 s")
"""Window of runs with settled weights."""

COURSE = ("0 s", "600 s")
"""Window of runs that show the convergence of weights."""

EACH_SECOND = "1 s"
"""Sampling interval of weights."""

EIGHT, TEN = "eight", "ten"
"""The two bottlenecks of figure 4.1, by their rates in Mbit/s."""

PRIVATE, SHARED = "private", "shared"
"""A path without other flows, and a path with a standard TCP flow."""


@experiment("figure3.1", figure="3.2", window=LONG)
def a_disjoint_link_may_limit(weights: str) -> Scenario:
    """Two weighted flows through 4 and 12 Mbit/s, and a TCP flow, share 30 Mbit/s ([H09] figures 3.1, 3.2)."""
    flows = {f"{AIMD}{n}": tcp(f"path{n}", weighted(weight)) for n, weight in enumerate(weights_of(weights), 1)}
    return Scenario(network=_limited(), flows={**flows, f"{TCP}1": tcp("path3", RENO)})


@experiment("figure3.1-managed", figure="3.2", window=COURSE, series=EACH_SECOND)
def the_manager_finds_the_limit(gain: float) -> Scenario:
    """The network of figure 3.1 with the proportion manager, from equal weights."""
    network = _limited()
    flows = {BUNDLE: mptcp(network, 2, f"{BMC}:gain={gain:g}"), **standard(network, 2, 1)}
    return Scenario(network=network, flows=flows)


@experiment("figure3.1-controls", window=LONG)
def other_controls_behind_the_limit(cc: str) -> Scenario:
    """The network of figure 3.1 with another control."""
    network = _limited()
    return Scenario(network=network, flows={BUNDLE: mptcp(network, 2, cc), **standard(network, 2, 1)})


@experiment("figure4.1", figure="4.1", window=LONG)
def two_bottlenecks(cc: str) -> Scenario:
    """A bundle on links of 8 and 10 Mbit/s with a TCP flow on each ([H09] figure 4.1)."""
    network = _pool()
    return Scenario(network=network, flows={BUNDLE: mptcp(network, 2, cc), **_one_each()})


@experiment("figure4.1-weights", figure="4.1", window=LONG)
def two_bottlenecks_with_fixed_weights(weights: str) -> Scenario:
    """The network of figure 4.1 with two weighted flows in place of the bundle."""
    pairs = zip((EIGHT, TEN), weights_of(weights), strict=True)
    flows = {f"{AIMD}-{path}": tcp(path, weighted(weight)) for path, weight in pairs}
    return Scenario(network=_pool(), flows={**flows, **_one_each()})


@experiment("figure4.1-managed", figure="4.1", window=COURSE, series=EACH_SECOND)
def the_manager_pools(interval: float, gain: float) -> Scenario:
    """The network of figure 4.1 with the proportion manager, from 9/10 on the slower link."""
    return _managed(interval, gain, "9:1")


@experiment("figure4.1-first", figure="4.1", window=("0 s", "150 s"), series=EACH_SECOND)
def the_first_decision(start: str) -> Scenario:
    """The network of figure 4.1 with a first interval of two minutes, from the weights `start`."""
    return _managed(120.0, 1.0, start)


@experiment("private", figure="4.1", window=LONG)
def a_path_of_its_own(weights: str) -> Scenario:
    """Two weighted flows: one on 4 Mbit/s without other flows, one on 10 Mbit/s with a TCP flow."""
    pairs = zip((PRIVATE, SHARED), weights_of(weights), strict=True)
    flows = {f"{AIMD}-{path}": tcp(path, weighted(weight)) for path, weight in pairs}
    return Scenario(network=_unequal(), flows={**flows, TCP: tcp(SHARED, RENO)})


@experiment("private-controls", figure="4.1", window=LONG)
def other_controls_on_a_path_of_their_own(cc: str) -> Scenario:
    """The same network with a bundle in place of the weighted flows."""
    network = _unequal()
    return Scenario(network=network, flows={BUNDLE: mptcp(network, 2, cc), TCP: tcp(SHARED, RENO)})


@experiment("shared-controls", window=LONG)
def one_bottleneck(cc: str) -> Scenario:
    """A bundle of two subflows and three TCP flows over one bottleneck of 20 Mbit/s."""
    network = dumbbell(core(20.0), senders=[SIDE] * 5, receivers=[SIDE] * 5)
    return Scenario(network=network, flows={BUNDLE: mptcp(network, 2, cc), **standard(network, 2, 3)})


@experiment("rtt", window=LONG)
def a_longer_path(cc: str, longer: float) -> Scenario:
    """Two subflows and two TCP flows over 20 Mbit/s; one of each has `longer` ms more delay in each direction."""
    sides = [SIDE, SIDE.but(delay=f"{2.0 + longer:g} ms")]
    network = dumbbell(core(20.0), senders=[SIDE] * 4, receivers=sides * 2)
    return Scenario(network=network, flows={BUNDLE: mptcp(network, 2, cc), **standard(network, 2, 2)})


@experiment("slow-start", window=("20 s", "5 s"))
def a_young_bundle(subflows: int) -> Scenario:
    """BMC and a TCP flow that start together, on 60 Mbit/s with four TCP flows that are 20 s old; first 5 s."""
    ends = [SIDE] * (subflows + 5)
    network = dumbbell(core(60.0), senders=ends, receivers=ends)
    young = Start(earliest="20 s", latest="20 s")
    rivals = standard(network, subflows, 5)
    rivals[f"{TCP}1"] = rivals[f"{TCP}1"].but(start=young)
    return Scenario(network=network, flows={BUNDLE: mptcp(network, subflows, BMC).but(start=young), **rivals})


def _limited() -> Network:
    """Return 30 Mbit/s that three paths share; the first two have links of 4 and 12 Mbit/s in front of it."""
    senders = [SIDE.but(rate=f"{rate} Mbit/s", queue=DropTail(packets=packets)) for rate, packets in OWN.items()]
    return dumbbell(core(30.0), senders=[*senders, SIDE], receivers=[SIDE.but(delay="0 ms")] * 3)


OWN = {4: 21, 12: 64}
"""Rates of the disjoint links of figure 3.1, Mbit/s, with their bandwidth-delay product as buffer, packets."""


def _managed(interval: float, gain: float, start: str) -> Scenario:
    """Return BMC on both links of figure 4.1, with TCP flows.

    Parameters
    ----------
    interval : float
        Seconds between decisions of the manager.
    gain : float
        Gain K of the manager.
    start : str
        Ratio of the initial weights.
    """
    network = _pool()
    cc = f"{BMC}:interval={interval:g} s,gain={gain:g},weights={start}"
    return Scenario(network=network, flows={BUNDLE: mptcp(network, 2, cc), **_one_each()})


def _pool() -> Network:
    return disjoint(**{EIGHT: core(8.0), TEN: core(10.0)}).but(access=None)


def _unequal() -> Network:
    return disjoint(**{PRIVATE: core(4.0), SHARED: core(10.0)}).but(access=None)


def _one_each() -> dict[str, Tcp]:
    return {f"{TCP}-{path}": tcp(path, RENO) for path in (EIGHT, TEN)}
