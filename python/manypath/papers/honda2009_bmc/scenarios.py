"""The scenarios of the thesis: weighted and standard flows over one bottleneck, and single sawtooths."""

from __future__ import annotations

from functools import partial
from itertools import cycle, islice

from manypath.papers.experiment import Experiments
from manypath.papers.honda2009_bmc.names import (
    AIMD,
    BMC,
    BUNDLE,
    BUNDLES,
    EQUAL,
    PACKET,
    RENO,
    TCP,
    weighted,
    weights_of,
)
from manypath.scenario import (
    Bernoulli,
    DropTail,
    Link,
    Mptcp,
    Network,
    Red,
    Saturated,
    Scenario,
    Sizes,
    Tcp,
    TcpRto,
    disjoint,
    dumbbell,
)

experiment = Experiments()

GREEDY = Saturated(message=Sizes(min=f"{PACKET} B", max=f"{PACKET} B"))
"""A source that always has a packet to send."""

SETTINGS = {
    "mss": f"{PACKET} B",
    "option_bytes": 0,
    "initial_window": 3,
    "sack": False,
    "ack_every": 1,
    "abc_limit": 1,
    "rto": TcpRto(initial="3 s", min="200 ms", max="60 s", rule="rfc6298"),
    "app": GREEDY,
}
"""Common settings of all flows: the defaults of ns-2, except the initial window and no limit by buffers."""

SIDE = Link(rate="100 Mbit/s", delay="2 ms", queue=DropTail(packets=1000), overhead=0)
"""The link of a sender ([H09] section 5.1)."""

STEADY = ("20 s", "280 s")
"""Window of single sawtooths; the longest epoch is about half a minute."""

OFTEN = "10 ms"
"""Sampling interval of windows of single sawtooths."""

WHOLE = ("0 s", "100 s")
"""The window of the thesis, also with quick precision."""

DECREASES = {"4/5": "1/2", "8/13": "3/4"}
"""Weights of the flows with other decrease factors than 1/2 ([H09] section 3.1), by decrease factor."""

CLEAN = {"10": 10.0, "20": 20.0, "40": 40.0}
"""One-way delays of the paths of the bundle without competing flows, ms, by name."""


@experiment("figure1.2", figure="1.2", window=("10 s", "90 s"))
def per_subflow_tcp(subflows: int, rivals: int) -> Scenario:
    """A bundle of uncoupled subflows and TCP flows ([H09] figure 1.2)."""
    network = _network([*range(1, subflows + 1), *range(1, rivals + 1)])
    flows = {BUNDLE: mptcp(network, subflows, RENO), **standard(network, subflows, rivals)}
    return Scenario(network=network, flows=flows)


@experiment("figure2.1", figure="2.1", window=STEADY, series=OFTEN)
def one_sawtooth(weight: str) -> Scenario:
    """One weighted flow alone, with a queue so short that its round-trip time hardly varies ([H09] figure 2.1)."""
    network = disjoint(alone=clean(20.0)).but(access=None)
    return Scenario(network=network, flows={AIMD: tcp("alone", weighted(weight))})


@experiment("sawtooths", window=STEADY, series=OFTEN)
def a_bundle_alone() -> Scenario:
    """A bundle of three uncoupled subflows alone, on paths with different delays ([H09] section 2.1)."""
    network = disjoint(**{name: clean(delay) for name, delay in CLEAN.items()}).but(access=None)
    return Scenario(network=network, flows={BUNDLE: mptcp(network, len(CLEAN), RENO)})


@experiment("sawtooth-decrease", window=STEADY, series=OFTEN)
def one_sawtooth_with_another_decrease(decrease: str) -> Scenario:
    """The flow of figure 2.1 with another decrease factor than 1/2."""
    network = disjoint(alone=clean(20.0)).but(access=None)
    return Scenario(network=network, flows={AIMD: tcp("alone", decreased(decrease))})


@experiment("given-loss", window=("20 s", "480 s"))
def under_equal_losses() -> Scenario:
    """Flows with other decrease factors than 1/2, each alone under independent losses of 0.1 % ([H09] section 3.1)."""
    controls = {"tcp": RENO, **{decrease.replace("/", "-"): decreased(decrease) for decrease in DECREASES}}
    network = disjoint(**dict.fromkeys(controls, lossy(0.001, 25.0))).but(access=None).with_clean_way_back()
    return Scenario(network=network, flows={name: tcp(name, cc) for name, cc in controls.items()})


@experiment("formula", window=("20 s", "480 s"))
def tcp_under_losses(loss: float, delay: float) -> Scenario:
    """A TCP flow alone, under independent losses with a probability, over a one-way delay in ms ([H09] section 3.1)."""
    network = disjoint(alone=lossy(loss, delay)).but(access=None).with_clean_way_back()
    return Scenario(network=network, flows={TCP: tcp("alone", RENO)})


@experiment("flowshares", window=("10 s", "90 s"))
def several_flowshares(shares: int) -> Scenario:
    """BMC over four paths with this sum of weights, and four TCP flows ([H09] section 4.2)."""
    network = _network([1, 2, 3, 4, 1, 2, 3, 4])
    flows = {BUNDLE: mptcp(network, 4, f"{BMC}:shares={shares}"), **standard(network, 4, 4)}
    return Scenario(network=network, flows=flows)


def _against_tcp(weights: tuple[str, ...], flows: int) -> Scenario:
    """Weighted flows, with the weights in turn, and the same number of standard flows ([H09] figure 5.1).

    All recover losses as TCP Reno does, as in section 5.1; the thesis gives no TCP version for other examples.
    """
    indices = list(range(1, flows + 1))
    network = _network([*indices, *indices])
    kinds = dict(zip(indices, islice(cycle(weights), flows), strict=True))
    aimd = {f"{AIMD}{n}": tcp(f"path{n}", weighted(weight)) for n, weight in kinds.items()}
    all_flows = {**aimd, **standard(network, flows, flows)}
    return Scenario(network=network, flows={name: flow.but(recovery="reno") for name, flow in all_flows.items()})


@experiment("sack-for-one-kind", window=WHOLE)
def selective_acknowledgements_for_one_kind(weight: str, kind: str, flows: int) -> Scenario:
    """Flows of figure 5.1, where only the weighted or only the standard flows have selective acknowledgements."""
    scenario = _against_tcp((weight,), flows)
    changed = {
        name: flow.but(sack=True) if name.startswith(kind) else flow
        for name, flow in scenario.flows.items()
        if isinstance(flow, Tcp)
    }
    return scenario.but(flows=changed)


for _number, _weight in EQUAL.items():
    experiment(f"figure{_number}", figure=_number)(partial(_against_tcp, (_weight,)))
for _number, _bundle in BUNDLES.items():
    experiment(f"figure{_number}", figure=_number)(partial(_against_tcp, weights_of(_bundle)))


def red(rate: float) -> Red:
    """Return the queue of a bottleneck of a rate in Mbit/s, with thresholds in proportion to the rate."""
    part = rate / 60.0
    return Red(weight=0.002, min=30.0 * part, max=150.0 * part, max_p=0.1, gentle=True, packets=round(400 * part))


def core(rate: float) -> Link:
    """Return a bottleneck of a rate in Mbit/s ([H09] section 5.1)."""
    return Link(rate=f"{rate:g} Mbit/s", delay="20 ms", queue=red(rate), overhead=0)


def clean(delay: float) -> Link:
    """Return a link of 10 Mbit/s, a one-way delay in ms, and a queue too short for long queueing delays."""
    return Link(rate="10 Mbit/s", delay=f"{delay:g} ms", queue=DropTail(packets=5), overhead=0)


def lossy(loss: float, delay: float) -> Link:
    """Return a link of 100 Mbit/s, which limits no flow, with a loss probability and a one-way delay in ms."""
    queue = DropTail(packets=1000)
    return Link(rate="100 Mbit/s", delay=f"{delay:g} ms", queue=queue, loss=Bernoulli(p=loss), overhead=0)


def decreased(decrease: str) -> str:
    """Return the control of a flow with this decrease factor and its weight (`DECREASES`)."""
    return f"{weighted(DECREASES[decrease])},decrease={decrease}"


def _network(indices: list[int]) -> Network:
    """Return the dumbbell of figure 5.1 with a path for each flow; `indices` number the flows of each kind."""
    receivers = [SIDE.but(delay=f"{round(index * 1e6 / 3.0)} ns") for index in indices]
    return dumbbell(core(60.0), senders=[SIDE] * len(indices), receivers=receivers)


def tcp(path: str, cc: str) -> Tcp:
    """Return a connection over one path."""
    return Tcp(path=path, cc=cc, **SETTINGS)


def mptcp(network: Network, subflows: int, cc: str) -> Mptcp:
    """Return a multipath connection over the first paths of a network."""
    return Mptcp(paths=tuple(network.paths)[:subflows], cc=cc, **SETTINGS)


def standard(network: Network, first: int, rivals: int) -> dict[str, Tcp]:
    """Return standard TCP flows over the paths after the first ones."""
    paths = list(network.paths)[first : first + rivals]
    return {f"{TCP}{number}": tcp(path, RENO) for number, path in enumerate(paths, 1)}
