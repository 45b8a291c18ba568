"""What is done otherwise to find a cause, to see what matters, or to prove that a claim would notice."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from manypath.papers.honda2009_bmc import ns2
from manypath.papers.honda2009_bmc.names import BMC, PACKET, RENO
from manypath.papers.honda2009_bmc.scenarios import SIDE
from manypath.papers.switch import Change, Mutation, Switch, by_name, every_flow, links_with
from manypath.scenario import Bernoulli, DropTail, Link, Red, Saturated, Scenario, Sizes, TcpRto


def _bottlenecks(change: Callable[[Link, Red], Link]) -> Change:
    """Change every link with RED: the bottlenecks, in both directions."""
    return links_with(lambda link: change(link, link.queue) if isinstance(link.queue, Red) else link)


def _sides(change: Callable[[str, Link], Link]) -> Change:
    """Change the links of senders and receivers."""

    def apply(scenario: Scenario) -> Scenario:
        links = {
            name: change(name, link) if name.startswith(("sender", "receiver")) else link
            for name, link in scenario.network.links.items()
        }
        return scenario.but(network=scenario.network.but(links=links))

    return apply


def _controls(change: Callable[[str], str]) -> Change:
    """Change the congestion control of every flow."""
    return lambda scenario: scenario.but(
        flows={name: flow.but(cc=change(flow.cc)) for name, flow in scenario.flows.items()}
    )


def _own_links(change: Callable[[Link], Link]) -> Change:
    """Change the disjoint links of figure 3.1."""
    return _sides(lambda name, link: change(link) if name.startswith("sender") and link.rate < SIDE.rate else link)


def _after_the_start(scenario: Scenario) -> Scenario:
    whole = scenario.warmup + scenario.measure
    return scenario.but(warmup="20 s", measure=f"{whole - 20_000_000_000} ns") if scenario.warmup == 0 else scenario


def _settled(scenario: Scenario) -> Scenario:
    """Look at few flows when all have had losses: an epoch of a small weight and a large window takes a minute."""
    whole = {"warmup": "300 s", "measure": "300 s"}
    return scenario.but(**whole) if scenario.warmup == 0 and len(scenario.flows) <= FEW else scenario


def _other_packets(scenario: Scenario) -> Scenario:
    size = "1460 B"
    return every_flow(mss=size, app=Saturated(message=Sizes(min=size, max=size)))(scenario)


FIFO = _bottlenecks(lambda link, queue: link.but(queue=DropTail(packets=queue.packets)))
"""Put FIFO queues of the same limit where RED is."""

NS2_RED = _bottlenecks(lambda link, _: link.but(queue=ns2.red(link)))
"""Let RED be as ns-2 sets it by itself."""

NS2_SIDES = _sides(lambda _, link: link.but(queue=DropTail(packets=ns2.LIMIT)))
"""Give the links of senders and receivers ns-2's default queue."""

NS2_WINDOW = every_flow(initial_window=ns2.INITIAL_WINDOW)
"""Begin with ns-2's initial window."""

FEW = 4
"""Flows of both kinds that count as few."""

OPEN = (
    Switch(
        "limited-transmit-off", "no limited transmit, so that timeouts are more", every_flow(limited_transmit=False)
    ),
    Switch(
        "newreno",
        "NewReno, which recovers several losses of a flight one after the other",
        every_flow(recovery="newreno"),
    ),
    Switch("sack", "selective acknowledgements", every_flow(sack=True)),
    Switch(
        "red-ns2",
        "RED with ns-2's default thresholds until 2001, 5 and 15, and limit, 50",
        _bottlenecks(lambda link, queue: link.but(queue=queue.but(min=5, max=15, packets=50))),
    ),
    Switch(
        "red-auto",
        "RED as ns-2 sets it by itself: for 60 Mbit/s 18 and 54 packets, weight 0.000067, room for 25 packets",
        NS2_RED,
    ),
    Switch(
        "ns2",
        "what ns-2 does by default, all at once except the limit of the window: RED, room for 50 packets at senders "
        "and receivers, an initial window of 2 packets",
        lambda scenario: NS2_RED(NS2_SIDES(NS2_WINDOW(scenario))),
    ),
    Switch(
        "red-strict",
        "RED that drops all above its upper threshold",
        _bottlenecks(lambda link, queue: link.but(queue=queue.but(gentle=False))),
    ),
    Switch(
        "fifo",
        "FIFO queues of the same limit instead of RED",
        FIFO,
    ),
    Switch(
        "queue-100",
        "room for 100 packets at the bottleneck",
        _bottlenecks(lambda link, queue: link.but(queue=queue.but(packets=100))),
    ),
    Switch("packets-1500", "packets of 1500 bytes", _other_packets),
    Switch("after-start", "the first 20 s are left out", _after_the_start),
    Switch("settled", "with few flows, 300 s after 300 s instead of the start", _settled),
    Switch(
        "rto-1s",
        "timeouts of 1 s at least, ns-2's default until 2004",
        every_flow(rto=TcpRto(initial="3 s", min="1 s", max="60 s", rule="rfc6298")),
    ),
    Switch(
        "rto-linux",
        "timeouts as in Linux, SRTT and 200 ms at least",
        every_flow(rto=TcpRto(initial="3 s", min="200 ms", max="60 s", rule="linux")),
    ),
    Switch(
        "equal-delays",
        "all receivers at the same distance",
        _sides(lambda name, link: link.but(delay="0 ms") if name.startswith("receiver") else link),
    ),
    Switch(
        "window-20",
        "windows of 20 packets at most, ns-2's default",
        every_flow(receive_buffer=f"{ns2.WINDOW * PACKET} B"),
    ),
    Switch("initial-window-2", "an initial window of 2 packets, ns-2's default", NS2_WINDOW),
    Switch("initial-window-10", "an initial window of 10 packets", every_flow(initial_window=10)),
    Switch("ack-every-2", "every second packet is acknowledged", every_flow(ack_every=2)),
)
"""What the thesis leaves open."""


def _packets(link: Link) -> int:
    return (link.queue.packets or 1) if isinstance(link.queue, DropTail) else 1


WIDE_LINKS = _own_links(lambda link: link.but(rate=f"{2 * link.rate} bit/s"))
"""Make the disjoint links of figure 3.1 twice as fast."""

WIDE_BUFFERS = _bottlenecks(
    lambda link, queue: link.but(
        queue=queue.but(min=3 * queue.min, max=3 * queue.max, packets=3 * (queue.packets or 1))
    )
)
"""Let RED keep three times as many packets."""

EXAMPLES = (
    Switch("wide-buffers", "RED with thresholds three times as high", WIDE_BUFFERS),
    Switch("wide-own-links", "disjoint links that are twice as fast", WIDE_LINKS),
    Switch(
        "wide-buffers, wide-own-links",
        "both RED with thresholds three times as high and disjoint links that are twice as fast",
        lambda scenario: WIDE_BUFFERS(WIDE_LINKS(scenario)),
    ),
    Switch(
        "narrow-buffers",
        "disjoint links with a quarter of the buffer",
        _own_links(lambda link: link.but(queue=DropTail(packets=max(1, _packets(link) // 4)))),
    ),
)
"""Parts of the examples, one at a time the other way."""

SWITCHES = by_name((*OPEN, *EXAMPLES))
"""Every switch that may be a cause, by name."""


def _linear(cc: str) -> str:
    """Grow a weighted flow by D instead of D²."""
    head, _, rest = cc.partition("weight=")
    if not rest or not head.startswith("weighted-aimd"):
        return cc
    weight, comma, others = rest.partition(",")
    return f"{head}weight={float(Fraction(weight)) ** 0.5:.9f}{comma}{others}"


def _in_place_of(old: str, new: str) -> Change:
    return _controls(lambda cc: new if cc.partition(":")[0] == old else cc)


def _gain(cc: str) -> str:
    """Freeze the weights of BMC."""
    if not cc.startswith(BMC):
        return cc
    parts = [part for part in cc.partition(":")[2].split(",") if part and not part.startswith("gain=")]
    return f"{BMC}:{','.join([*parts, 'gain=0'])}"


def _one_share(cc: str) -> str:
    return f"{BMC}:shares=1" if cc.startswith(f"{BMC}:shares=") else cc


MUTATIONS = (
    Mutation(
        "aimd-is-newreno",
        "weighted flows as aggressive as TCP",
        _in_place_of("weighted-aimd", RENO),
        flips=("C-003-5", "C-003-6", "C-003-13", "C-003-17", "C-003-22", "C-003-23", "C-003-27"),
    ),
    Mutation(
        "growth-linear",
        "weighted flows that grow by D, not D²",
        _controls(_linear),
        flips=("C-003-5", "C-003-6", "C-003-17", "C-003-22", "C-003-27"),
    ),
    Mutation(
        "aimd-is-cubic",
        "CUBIC in place of weighted flows",
        _in_place_of("weighted-aimd", "cubic"),
        flips=("C-003-4", "C-003-6", "C-003-10"),
    ),
    Mutation(
        "reno-is-cubic", "CUBIC in place of standard TCP", _in_place_of(RENO, "cubic"), flips=("C-003-2", "C-003-3")
    ),
    Mutation(
        "uncoupled-is-bmc",
        "BMC in place of uncoupled subflows",
        _in_place_of(RENO, BMC),
        flips=("C-003-1", "C-003-2"),
    ),
    Mutation(
        "bmc-is-uncoupled",
        "uncoupled subflows in place of BMC",
        _in_place_of(BMC, RENO),
        flips=("C-003-9", "C-003-14", "C-003-15", "C-003-16"),
    ),
    Mutation("manager-sleeps", "a manager that never moves a weight", _controls(_gain), flips=("C-003-9", "C-003-14")),
    Mutation("one-share", "weights that add up to one whatever P is", _controls(_one_share), flips=("C-003-16",)),
    Mutation(
        "given-losses",
        "losses of 0.13 % instead of a queue",
        _bottlenecks(lambda link, _: link.but(queue=DropTail(packets=5000), loss=Bernoulli(p=0.0013))),
        flips=("C-003-21",),
    ),
)
"""Wrong implementations and the claims that must notice."""
