"""Changes of one setting: they find a cause, measure sensitivity, or prove that a claim detects a mistake."""

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
    """Measure few flows after all have had losses: with a small weight and a large window an epoch takes a minute."""
    whole = {"warmup": "300 s", "measure": "300 s"}
    return scenario.but(**whole) if scenario.warmup == 0 and len(scenario.flows) <= FEW else scenario


def _other_packets(scenario: Scenario) -> Scenario:
    size = "1460 B"
    return every_flow(mss=size, app=Saturated(message=Sizes(min=size, max=size)))(scenario)


FIFO = _bottlenecks(lambda link, queue: link.but(queue=DropTail(packets=queue.packets)))
"""Replace RED by FIFO queues of the same limit."""

NS2_RED = _bottlenecks(lambda link, _: link.but(queue=ns2.red(link)))
"""Replace RED by ns-2's default RED."""

NS2_SIDES = _sides(lambda _, link: link.but(queue=DropTail(packets=ns2.LIMIT)))
"""Set ns-2's default queue on the links of senders and receivers."""

NS2_WINDOW = every_flow(initial_window=ns2.INITIAL_WINDOW)
"""Set ns-2's default initial window."""

FEW = 4
"""Largest number of flows, of both kinds together, that counts as few."""

OPEN = (
    Switch(
        "limited-transmit-off",
        "no limited transmit, so that timeouts are more frequent",
        every_flow(limited_transmit=False),
    ),
    Switch(
        "newreno",
        "NewReno, which recovers several losses in a window without a timeout",
        every_flow(recovery="newreno"),
    ),
    Switch("sack", "selective acknowledgements", every_flow(sack=True)),
    Switch(
        "red-ns2",
        "RED with ns-2's default thresholds until 2001, 5 and 15, and a limit of 50 packets",
        _bottlenecks(lambda link, queue: link.but(queue=queue.but(min=5, max=15, packets=50))),
    ),
    Switch(
        "red-auto",
        "RED with ns-2's defaults: for 60 Mbit/s thresholds 18 and 54, weight 0.000067, limit 25 packets",
        NS2_RED,
    ),
    Switch(
        "ns2",
        "all defaults of ns-2 except the limit of the window: RED, queues of 50 packets at senders and receivers, an "
        "initial window of 2 packets",
        lambda scenario: NS2_RED(NS2_SIDES(NS2_WINDOW(scenario))),
    ),
    Switch(
        "red-strict",
        "RED that drops all packets above its upper threshold",
        _bottlenecks(lambda link, queue: link.but(queue=queue.but(gentle=False))),
    ),
    Switch(
        "fifo",
        "FIFO queues of the same limit instead of RED",
        FIFO,
    ),
    Switch(
        "queue-100",
        "a limit of 100 packets at the bottleneck",
        _bottlenecks(lambda link, queue: link.but(queue=queue.but(packets=100))),
    ),
    Switch("packets-1500", "packets of 1500 bytes", _other_packets),
    Switch("after-start", "a measurement without the first 20 s", _after_the_start),
    Switch("settled", "with few flows, a measurement of 300 s after 300 s", _settled),
    Switch(
        "rto-1s",
        "a minimum retransmission timeout of 1 s, ns-2's default until 2004",
        every_flow(rto=TcpRto(initial="3 s", min="1 s", max="60 s", rule="rfc6298")),
    ),
    Switch(
        "rto-linux",
        "the retransmission timeout of Linux, SRTT plus at least 200 ms",
        every_flow(rto=TcpRto(initial="3 s", min="200 ms", max="60 s", rule="linux")),
    ),
    Switch(
        "equal-delays",
        "equal delays of all receivers",
        _sides(lambda name, link: link.but(delay="0 ms") if name.startswith("receiver") else link),
    ),
    Switch(
        "window-20",
        "windows of at most 20 packets, ns-2's default",
        every_flow(receive_buffer=f"{ns2.WINDOW * PACKET} B"),
    ),
    Switch("initial-window-2", "an initial window of 2 packets, ns-2's default", NS2_WINDOW),
    Switch("initial-window-10", "an initial window of 10 packets", every_flow(initial_window=10)),
    Switch("ack-every-2", "an acknowledgement for every second packet", every_flow(ack_every=2)),
)
"""Settings that the thesis leaves open, one changed at a time."""


def _packets(link: Link) -> int:
    return (link.queue.packets or 1) if isinstance(link.queue, DropTail) else 1


WIDE_LINKS = _own_links(lambda link: link.but(rate=f"{2 * link.rate} bit/s"))
"""Double the rate of the disjoint links of figure 3.1."""

WIDE_BUFFERS = _bottlenecks(
    lambda link, queue: link.but(
        queue=queue.but(min=3 * queue.min, max=3 * queue.max, packets=3 * (queue.packets or 1))
    )
)
"""Triple the thresholds and the limit of RED."""

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
"""Parts of the setup of the examples, one changed at a time."""

SWITCHES = by_name((*OPEN, *EXAMPLES))
"""All switches that may be a cause, by name."""


def _linear(cc: str) -> str:
    """Make a weighted flow grow by D instead of D²."""
    head, _, rest = cc.partition("weight=")
    if not rest or not head.startswith("weighted-aimd"):
        return cc
    weight, comma, others = rest.partition(",")
    return f"{head}weight={float(Fraction(weight)) ** 0.5:.9f}{comma}{others}"


def _in_place_of(old: str, new: str) -> Change:
    return _controls(lambda cc: new if cc.partition(":")[0] == old else cc)


def _gain(cc: str) -> str:
    """Return BMC with fixed weights."""
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
    Mutation("manager-sleeps", "a manager that never changes weights", _controls(_gain), flips=("C-003-9", "C-003-14")),
    Mutation("one-share", "weights that add up to one, for every P", _controls(_one_share), flips=("C-003-16",)),
    Mutation(
        "given-losses",
        "random losses of 0.13 % in place of queue drops",
        _bottlenecks(lambda link, _: link.but(queue=DropTail(packets=5000), loss=Bernoulli(p=0.0013))),
        flips=("C-003-21",),
    ),
)
"""Wrong implementations, and the claims that must detect them."""
