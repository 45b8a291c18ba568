"""One association on two paths, between our stack and usrsctp, whichever end connects."""

from __future__ import annotations

from functools import partial

import pytest
from capture import NR_SACK, PKTDROP, SACK, forgets_data
from network import LOSSY, Host, emulated
from peer import PATIENCE, Peer, TooLateError
from stacks import BOTH_FAMILIES, MULTIHOMED, PROMPT, TIMES, meetings
from stage import RAW4, RAW46, UDP46, Carrier, Stage

import manypath as mp

pytestmark = pytest.mark.interop

ONE_PACKET = 1200
"""Bytes of a message that fits into a packet: usrsctp stalls where it spreads the fragments of a message."""

LEAST_SHARE = 1 / 20
"""The part of the packets with new data that each of two equal paths carries under CMT, at least. It depends on
the load of the machine; usually it is a quarter to a half. Without CMT the second path carries a hundredth, while the
first one waits for a timer, and up to 400 packets with retransmissions."""


@pytest.mark.parametrize("cmt", [1, 2, 3, 4])
@pytest.mark.parametrize(("listener", "connecter", "carrier"), meetings(*BOTH_FAMILIES, only=MULTIHOMED))
def test_load_sharing_both_ways(stage, listener: str, connecter: str, carrier: Carrier, cmt: int) -> None:
    total, size = 3_000_000, ONE_PACKET
    with stage(carrier, paths=2) as on:
        for host in on.hosts:
            host.limit("40mbit")
        right = on.listen(listener, send=total, size=size, expect=total, cmt=cmt, dac=cmt % 2 == 1, **PROMPT)
        left = on.connect(
            connecter, send=total, size=size, expect=total, cmt=cmt, dac=cmt % 2 == 1, shutdown=True, **PROMPT
        )
        left.end()
        right.end()
        left.received(total, size)
        right.received(total, size)
    for host in on.hosts:
        data = [on.new_data[address] for address in on.addresses(host)]
        assert min(data) > LEAST_SHARE * sum(data), f"the paths of one host carried {data} packets with new data"


@pytest.mark.parametrize(("listener", "connecter", "carrier"), meetings(UDP46, RAW46, only=MULTIHOMED))
def test_both_families_share_the_load(stage, listener: str, connecter: str, carrier: Carrier) -> None:
    total, size = 1_000_000, ONE_PACKET
    with stage(carrier, paths=2) as on:
        for host in on.hosts:
            host.limit("40mbit")
        right = on.listen(listener, expect=total, cmt=1, **PROMPT)
        left = on.connect(connecter, send=total, size=size, cmt=1, shutdown=True, **PROMPT)
        left.end()
        right.end()
        right.received(total, size)
    data = [on.new_data[address] for address in on.addresses(on.network.left)]
    assert min(data) > LEAST_SHARE * sum(data), f"the paths carried {data} packets with new data"


@pytest.mark.parametrize(("listener", "connecter", "carrier"), meetings(*BOTH_FAMILIES, only=MULTIHOMED))
def test_losses_with_selective_acknowledgements_that_are_final(
    stage, listener: str, connecter: str, carrier: Carrier
) -> None:
    total, size = 1_000_000, ONE_PACKET
    network = partial(emulated, link=LOSSY)
    with stage(carrier, paths=2, chunks={NR_SACK}, network=network) as on:
        right = on.listen(listener, send=total, size=size, expect=total, cmt=1, nr_sack=True)
        left = on.connect(connecter, send=total, size=size, expect=total, cmt=1, nr_sack=True, shutdown=True)
        left.end()
        right.end()
        left.received(total, size)
        right.received(total, size)
    assert on.chunks[NR_SACK] > 0
    assert on.chunks[SACK] == 0
    for end in (left, right):
        assert counted(end, "fast_retransmitted") > 0, f"{end} does not use the gaps of NR-SACKs"


@pytest.mark.parametrize(("listener", "connecter", "carrier"), meetings(RAW4, only=MULTIHOMED))
def test_damage_is_reported(stage, listener: str, connecter: str, carrier: Carrier) -> None:
    total, size = 1_500_000, ONE_PACKET
    network = partial(emulated, link=DAMAGING)
    with stage(carrier, paths=2, chunks={PKTDROP}, network=network) as on:
        right = on.listen(listener, send=total, size=size, expect=total, cmt=1, pktdrop=True)
        left = on.connect(connecter, send=total, size=size, expect=total, cmt=1, pktdrop=True, shutdown=True)
        left.end()
        right.end()
        left.received(total, size)
        right.received(total, size)
    assert min(on.reports.values()) > 0
    assert len(on.reports) == 2, f"only {set(on.reports)} reported damage"
    for end in (left, right):
        assert counted(end, "drop_reports_marked") > 0, f"{end} retransmitted nothing that was reported"


def counted(end: Peer, name: str) -> int:
    """A counter of a peer that has ended."""
    (statistics,) = end.said("statistics")
    return statistics[name]


@pytest.mark.parametrize("cmt", [0, 1])
@pytest.mark.parametrize("end", ["left", "right"])
@pytest.mark.parametrize(("listener", "connecter", "carrier"), meetings(*BOTH_FAMILIES, only=MULTIHOMED))
def test_a_link_goes_down_and_comes_up(
    stage, listener: str, connecter: str, carrier: Carrier, end: str, cmt: int
) -> None:
    # usrsctp 0.9.5.0 rarely forgets what it sent on the failed path: its peer reports the gap, both paths work, and it
    # sends nothing more, also to itself. Nothing else is tried again.
    for _ in range(3):
        with stage(carrier, paths=2) as on:
            arrived = fail_over(on, listener, connecter, cmt, on.network.left if end == "left" else on.network.right)
        if arrived:
            return
        assert connecter == "usrsctp", "the transfer does not end"
        assert forgets_data(on.packets, on.addresses(on.network.left)), "the transfer does not end"
    raise AssertionError("usrsctp forgot data three times")


def fail_over(on: Stage, listener: str, connecter: str, cmt: int, host: Host) -> bool:
    """Transfer something while the first link is down for a while, at this host; whether all of it arrives in time."""
    total, size, limit = 4_000_000, ONE_PACKET, round(3 * PATIENCE)
    for each in on.hosts:
        each.limit("20mbit")
    right = on.listen(listener, expect=total, cmt=cmt, timeout=limit, **TIMES)
    left = on.connect(connecter, send=total, size=size, cmt=cmt, timeout=limit, **TIMES)
    # This end learns the other path from INIT; left has no reason to confirm what its user gave.
    right.wait_for("path", state="up")
    # usrsctp does not always say that a path is down which the kernel refuses to send on.
    watcher, other = (right, on.network.left) if connecter == "usrsctp" else (left, on.network.right)
    primary = on.addresses(other)[0]
    host.set_link(0, "down")
    watcher.wait_for("path", state="down", address=primary)
    host.set_link(0, "up")
    watcher.wait_for("path", state="up", address=primary)
    if not right.said("received"):
        try:
            right.wait_for("received")
        except TooLateError:
            return False
    right.received(total, size)
    return True


@pytest.mark.parametrize(("listener", "connecter", "carrier"), meetings(*BOTH_FAMILIES, only=MULTIHOMED))
def test_a_peer_restarts(stage, listener: str, connecter: str, carrier: Carrier) -> None:
    with stage(carrier, paths=2) as on:
        right = on.listen(listener)
        first = on.connect(connecter, send=100_000, size=1000)
        first.wait_for("sent")
        right.wait_for("connected")
        first.kill()
        second = on.connect(connecter, send=50_000, size=1000, streams=2, shutdown=True)
        second.end()
        right.end()
        assert right.said("restarted")
        right.received(50_000, 1000, streams=2)


DAMAGING = mp.Link(rate="20 Mbit/s", delay="10 ms", loss=mp.BitError(rate=2e-6, spared="48 B"))
"""A link that damages some packets, behind what tells their receiver which packet it was."""
