"""[H09] with the defaults of ns-2: the parameters of RED that ns-2.35 prints, and the joint switch of all defaults."""

import pytest

from manypath.papers.evidence import Case
from manypath.papers.honda2009_bmc.ns2 import MEAN_PACKET, WIRE, red
from manypath.papers.honda2009_bmc.switches import SWITCHES
from manypath.scenario import DropTail, Link, Red, Tcp

PRINTED = {
    ("60 Mbit/s", "20 ms"): (37.5, 112.5, 6.6664444493880204e-05),
    ("30 Mbit/s", "20 ms"): (18.75, 56.25, 0.0001333244448394888),
    ("8 Mbit/s", "20 ms"): (5.0, 15.0, 0.000499875020830709),
    ("4 Mbit/s", "20 ms"): (5.0, 15.0, 0.00099950016662497809),
    ("60 Mbit/s", "60 ms"): (37.5, 112.5, 3.6995246106674706e-05),
}
"""The output of ns-2.35 for a RED queue after the start, by rate and delay: thresh_, maxthresh_ and q_weight_."""


@pytest.mark.parametrize(("link", "printed"), PRINTED.items())
def test_red_has_the_thresholds_and_the_weight_that_ns2_prints(link, printed):
    rate, delay = link
    queue = red(Link(rate=rate, delay=delay))
    lower, upper, weight = printed
    assert (queue.min, queue.max) == pytest.approx((lower * MEAN_PACKET / WIRE, upper * MEAN_PACKET / WIRE))
    assert queue.weight == pytest.approx(weight, rel=1e-9)


def test_the_limit_is_25_packets_because_ns2_counts_500_bytes_per_packet():
    queue = red(Link(rate="60 Mbit/s", delay="20 ms"))
    assert (queue.bytes, queue.packets) == (25 * 1040, None)


def test_gaps_between_drops_have_the_distribution_of_ns2():
    # In ns-2 a gap of b bytes is uniform from 500/p to 1000/p; here one of n packets is uniform from 0 to 1/p.
    share = 0.25
    queue = red(Link(rate="60 Mbit/s", delay="20 ms"))
    of_ns2 = 750.0 / (share * 0.1) / 1040.0
    assert 0.5 / (share * queue.max_p) == pytest.approx(of_ns2)


def test_the_joint_switch_sets_all_defaults_and_leaves_the_rest(bmc):
    plain = bmc.experiments.scenario(Case.of("figure5.6", flows=2), bmc.quick)
    changed = SWITCHES["ns2"].change(plain)
    assert {flow.initial_window for flow in changed.flows.values() if isinstance(flow, Tcp)} == {2}
    queues = {name: link.queue for name, link in changed.network.links.items()}
    assert all(queue == DropTail(packets=50) for name, queue in queues.items() if "bottleneck" not in name)
    assert all(isinstance(queue, Red) and queue.packets is None for name, queue in queues.items() if "bottle" in name)
    back = {name: flow.but(initial_window=3) for name, flow in changed.flows.items()}
    links = {name: link.but(queue=plain.network.links[name].queue) for name, link in changed.network.links.items()}
    assert changed.but(flows=back, network=changed.network.but(links=links)) == plain
