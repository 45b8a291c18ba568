"""Random scenarios by number: short runs of every protocol over links with every queue, loss model and event."""

from __future__ import annotations

from random import Random
from typing import Any

import manypath as mp

DELAYS = ("0 ms", "1 ms", "7 ms", "25 ms", "60 ms")
CONTROLS = ("newreno", "cubic", "cmt-rpv1", "cmt-rpv2", "mptcp-like", "lia", "olia", "balia", "wvegas")
END = 3000
"""End of each run in milliseconds."""


def scenario(number: int) -> mp.Scenario:
    """Return a scenario with one to three flows on one to three paths; equal numbers give equal scenarios."""
    chance = Random(number)  # noqa: S311 - a test is no secret
    network = _network(chance)
    flows = {name: _flow(chance, network) for name in ("first", "second", "third")[: chance.randint(1, 3)]}
    warmup = chance.choice((0, 600, 1234))
    return mp.Scenario(network=network, flows=flows, warmup=f"{warmup} ms", measure=f"{END - warmup} ms")


def _switch(chance: Random, default: Any, *values: Any) -> Any:
    """Return the default in half of the cases, so that not every setting is unusual at once."""
    return default if chance.random() < 0.5 else chance.choice(values)


def _network(chance: Random) -> mp.Network:
    count = chance.randint(1, 3)
    shape = chance.choice(("disjoint", "disjoint", "disjoint", "bottleneck", "dumbbell"))
    if shape == "bottleneck":
        return mp.bottleneck(_link(chance), delays=[chance.choice(DELAYS) for _ in range(count)])
    if shape == "dumbbell":
        ends = [mp.Link(rate="20 Mbit/s", delay=chance.choice(DELAYS)) for _ in range(count)]
        return mp.dumbbell(_link(chance), ends, ends)
    return mp.disjoint(**{f"path{number}": (_link(chance), _link(chance)) for number in range(1, count + 1)})


def _link(chance: Random) -> mp.Link:
    queue = _queue(chance)
    return mp.Link(
        rate=chance.choice(("1 Mbit/s", "2 Mbit/s", "3333333 bit/s", "5 Mbit/s", "20 Mbit/s")),
        delay=chance.choice(DELAYS),
        # With jitter, packets may leave a link at one time, and then the order of lost and delivered ones is unknown.
        # Only FQ-CoDel needs it, because it does not transmit packets in the order of their arrival.
        jitter="0 ms" if queue.kind == "fq-codel" else _switch(chance, "0 ms", "1 ms", "10 ms"),
        queue=queue,
        loss=_loss(chance),
        overhead=_switch(chance, "7 B", "0 B", "38 B"),
        events=_events(chance) if chance.random() < 0.4 else (),
    )


def _queue(chance: Random) -> Any:
    return chance.choice(
        (
            mp.DropTail(packets=chance.choice((3, 10, 30, 100))),
            mp.DropTail(bytes="20 kB"),
            mp.Red(min=3, max=12, packets=20, gentle=chance.random() < 0.5),
            mp.CoDel(target=chance.choice(("5 ms", "20 ms"))),
            mp.Pie(packets=chance.choice((20, 1000))),
            mp.FqCoDel(),
        )
    )


def _loss(chance: Random) -> Any:
    return _switch(
        chance,
        mp.NoLoss(),
        mp.Bernoulli(p=0.005),
        mp.Bernoulli(p=0.03),
        mp.BitError(rate=2e-6),
        mp.BitError(rate=5e-6, spared="48 B"),
        mp.GilbertElliott(to_bad=0.01, to_good=0.2, loss_bad=0.5),
    )


def _events(chance: Random) -> tuple[mp.Event, ...]:
    """Return changes in order of time; a link that goes down comes up again."""
    changes: list[tuple[int, dict[str, Any]]] = []
    at = 0
    while (at := at + chance.randint(200, 1500)) < END - 200:
        kind = chance.choice(("down", "rate", "delay", "loss"))
        if kind == "down":
            changes += [(at, {"change": "down"}), (at + chance.randint(1, 190), {"change": "up"})]
        else:
            values = {"rate": ("1 Mbit/s", "3 Mbit/s", "12 Mbit/s"), "delay": DELAYS, "loss": (_loss(chance),)}
            changes.append((at, {kind: chance.choice(values[kind])}))
    return tuple(mp.Event(at=f"{at} ms", **change) for at, change in changes)


def _flow(chance: Random, network: mp.Network) -> Any:
    every = sorted(network.paths)
    paths = chance.sample(every, chance.randint(1, len(every)))
    kind = chance.choice(("sctp", "sctp", "sctp", "mptcp", "mptcp", "tcp"))
    common = {
        "cc": chance.choice(CONTROLS),
        "send_buffer": chance.choice(("20 kB", "100 kB", "1 MB")),
        "app": _application(chance),
        "start": chance.choice((("0 ms", "0 ms"), ("0 ms", "300 ms"), ("700 ms", "1500 ms"))),
    }
    if kind == "sctp":
        return mp.Sctp(paths=paths, **common, **_sctp(chance))
    common |= _over_tcp(chance)
    if kind == "tcp":
        return mp.Tcp(path=paths[0], **common)
    return mp.Mptcp(
        paths=paths,
        scheduler=chance.choice(("lowest-rtt", "round-robin", "redundant")),
        opportunistic_retransmission=chance.random() < 0.5,
        penalisation=chance.random() < 0.5,
        **common,
    )


def _application(chance: Random) -> Any:
    message = chance.choice((("500 B", "1452 B"), ("1 B", "4 kB"), ("1452 B", "1452 B"), ("40 B", "200 B")))
    common = {"message": message, "ordered": chance.random() < 0.6}
    kind, rate = chance.choice(("saturated", "saturated", "transfer", "cbr", "on-off")), "300 kbit/s"
    if kind in ("cbr", "on-off"):
        rate = chance.choice(("300 kbit/s", "1 Mbit/s", "4 Mbit/s"))
    match kind:
        case "saturated":
            return mp.Saturated(**common)
        case "transfer":
            return mp.Transfer(size=chance.choice(("9 kB", "150 kB", "600 kB")), **common)
        case "cbr":
            return mp.Cbr(rate=rate, **common)
        case _:
            return mp.OnOff(rate=rate, on="300 ms", off="200 ms", **common)


def _sctp(chance: Random) -> dict[str, Any]:
    """Return settings of SCTP."""
    switches = {
        "concurrent": (True, False),
        "profile": ("inet", "rfc9260", "paper"),
        "udp_encapsulation": (False, True),
        "streams": (1, 2, 5),
        "nr_sack": (True, False),
        "never_renege": (True, False),
        "packet_drop_reports": (True, False),
        "buffer_split": ("both", "none", "sender", "receiver"),
        "split_by": ("outstanding", "buffered"),
        "rescheduling": ("none", "threshold", "inet"),
        "path_blocking": ("none", "rto"),
        "cuc": ("v2", "none", "v1"),
        "sfr": (True, False),
        "dac": (True, False),
        "path_fast_recovery": (True, False),
        "smart_fast_rtx": (True, False),
        "sack_path": ("smallest-srtt", "first-data", "last-data", "primary", "round-robin"),
        "burst": ("use-it-or-lose-it", "none", "max-burst"),
        "pacing": (False, True),
        "t3_reset": ("smart", "rfc9260"),
        "t3_path": ("next", "same", "largest-window", "largest-ssthresh"),
        "nagle": (True, False),
        "window_overrun": ("never", "packet", "wraps"),
        "rtt_sample": ("any-sack", "same-path"),
        "potentially_failed_after": (None, 0),
        "path_max_retransmissions": (5, 1),
    }
    settings = {
        **{name: _switch(chance, *values) for name, values in switches.items()},
        "receive_buffer": chance.choice(("12 kB", "30 kB", "100 kB", "500 kB")),
        "rto": mp.Rto(min=chance.choice(("200 ms", "1 s")), initial="1 s", max="60 s"),
    }
    return settings | OVERFULL if chance.random() < 0.25 else settings


OVERFULL = {
    "receive_buffer": "6 kB",
    "never_renege": False,
    "buffer_split": "none",
    "window_overrun": "wraps",
    "peer_window_threshold": "0 B",
}
"""Settings with which a source sends more than the receive buffer can take."""


def _over_tcp(chance: Random) -> dict[str, Any]:
    """Return settings that TCP and Multipath TCP share."""
    return {
        "mss": _switch(chance, "1460 B", "536 B"),
        "sack": _switch(chance, True, False),
        "recovery": _switch(chance, "newreno", "reno"),
        "ack_every": chance.choice((1, 2)),
        "receive_buffer": chance.choice(("12 kB", "64 kB", "1 MB")),
        "rto": mp.TcpRto(rule=_switch(chance, "linux", "rfc6298")),
    }
