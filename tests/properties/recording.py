"""A run as its event log and its capture tell it: lines and packets with times in nanoseconds, and nothing else."""

from __future__ import annotations

import json
import struct
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import manypath as mp

Mark = tuple[int, ...]
"""What tells packets of one path and length apart: numbers of the sequence spaces."""


class Label(NamedTuple):
    """A packet as both files identify it."""

    flow: int
    path: int
    host: str
    """The host that sent it."""
    length: int
    mark: Mark


class Line(NamedTuple):
    """An event."""

    at: int
    flow: str
    host: str
    path: str
    name: str
    data: dict[str, Any]


class Delivery(NamedTuple):
    """A packet that a link delivered."""

    at: int
    label: Label
    packet: bytes
    """From the header of the transport protocol on, with the damage undone."""


@dataclass
class Recording:
    """The two files of a run."""

    header: dict[str, Any]
    lines: list[Line]
    deliveries: dict[str, list[Delivery]]
    """Packets by link, in the order in which links delivered them."""
    arrivals: dict[str, list[tuple[int, Label]]]
    """Packets that were offered to each core link, dropped ones included."""

    @property
    def scenario(self) -> dict[str, Any]:
        return self.header["scenario"]

    @property
    def borders(self) -> tuple[int, int]:
        """End of the warm-up and end of the run."""
        warmup = self.scenario["warmup"]
        return warmup, warmup + self.scenario["measure"]

    def of(self, flow: str, host: str) -> list[Line]:
        """Return the events of a host."""
        return self._by_host[flow, host]

    @cached_property
    def _by_host(self) -> dict[tuple[str, str], list[Line]]:
        found: dict[tuple[str, str], list[Line]] = defaultdict(list)
        for line in self.lines:
            if not line.name.startswith("link:"):
                found[line.flow, line.host].append(line)
        return found

    @cached_property
    def of_links(self) -> dict[str, list[Line]]:
        """Events of links by link."""
        found: dict[str, list[Line]] = defaultdict(list)
        for line in self.lines:
            if line.name.startswith("link:"):
                found[line.data["link"]].append(line)
        return found

    def label(self, line: Line, packet: dict[str, Any]) -> Label:
        """Return the label of the packet of an event of a link or of `transport:packet_sent`."""
        flow = self._flows[line.flow]
        path = self.scenario["flows"][line.flow]["paths"].index(line.path)
        return Label(flow, path, line.host, packet["length"], mark(packet))

    @cached_property
    def _flows(self) -> dict[str, int]:
        return {name: index for index, name in enumerate(self.scenario["flows"])}


def record(scenario: mp.Scenario, seed: int, folder: Path) -> Recording:
    """Run a scenario beyond its end, and return its two files with the times of the scenario itself.

    What happens until the end does not depend on what happens later. But a packet that is on its way at the end is only
    known from its arrival, and a packet that a queue dropped only from the next event of the link.
    """
    events, capture = folder / "run.jsonl", folder / "run.pcapng"
    longer = scenario.but(measure=f"{scenario.measure + BEYOND} ns")
    mp.run(longer, seed, events=events, capture=capture, links=_all_links(scenario))
    header, lines = _read_events(events)
    header["scenario"]["measure"] = scenario.measure
    recording = Recording(header, lines, defaultdict(list), defaultdict(list))
    _read_capture(capture, recording)
    events.unlink()
    capture.unlink()
    return recording


def _all_links(scenario: mp.Scenario) -> list[str]:
    if scenario.network.access is None:
        return list(scenario.network.links)
    ends = [f"{host}/{{}}/{way}" for host in ("source", "sink") for way in ("in", "out")]
    access = [
        f"access/{name}/{end.format(path)}"
        for name, flow in scenario.flows.items()
        for path in flow.paths
        for end in ends
    ]
    return [*scenario.network.links, *access]


def _read_events(file: Path) -> tuple[dict[str, Any], list[Line]]:
    with file.open(encoding="utf-8") as text:
        header, *rest = map(json.loads, text)
    lines = [
        Line(round(line["time"] * 1e9), line["flow"], line["host"], line.get("path", ""), line["name"], line["data"])
        for line in rest
    ]
    return header, lines


def mark(packet: dict[str, Any]) -> Mark:
    """Return the mark of a packet of an event."""
    if "chunks" not in packet:
        return (packet["seq"], packet.get("ack", 0))
    numbers = [chunk[NUMBERS[chunk["type"]]] for chunk in packet["chunks"] if chunk["type"] in NUMBERS]
    return (len(packet["chunks"]), *numbers)


NUMBERS = {"data": "tsn", "sack": "cumulative", "nr_sack": "cumulative"}
"""The chunks with a TSN after their header, and its name in events."""


def _mark_of_bytes(protocol: int, packet: bytes) -> Mark:
    """Return the mark of a captured packet."""
    if protocol == TCP:
        seq, ack = struct.unpack_from(">II", packet, 4)
        return (seq, ack if packet[13] & ACK else 0)
    found = [(packet[at], at) for at, _ in chunks(packet)]
    return (len(found), *(int.from_bytes(packet[at + 4 : at + 8], "big") for kind, at in found if kind in WITH_TSN))


def chunks(packet: bytes) -> Iterator[tuple[int, int]]:
    """Iterate over the chunks of an SCTP packet: offset and length without padding.

    RFC 9260 section 3.2
    """
    at = 12
    while at + 4 <= len(packet):
        length = int.from_bytes(packet[at + 2 : at + 4], "big")
        yield at, length
        at += (length + 3) // 4 * 4


def _read_capture(file: Path, recording: Recording) -> None:
    """Read the blocks of a pcapng file: interfaces with names, and packets with times and comments."""
    content = memoryview(file.read_bytes())
    names: list[str] = []
    routes = _routes(recording)
    at = 0
    while at < len(content):
        kind, length = struct.unpack_from("<II", content, at)
        if kind == INTERFACE:
            names.append(_option(content[at + 16 : at + length - 4], NAME).decode())
        elif kind == PACKET:
            interface, high, low, size = struct.unpack_from("<IIII", content, at + 8)
            packet = bytearray(content[at + 28 : at + 28 + size])
            comment = _option(content[at + 28 + (size + 3) // 4 * 4 : at + length - 4], COMMENT).decode()
            if comment:
                packet[int(comment.rsplit(" ", 1)[1])] ^= 0xFF
            label, payload = _opened(bytes(packet))
            when = high << 32 | low
            link = names[interface]
            recording.deliveries[link].append(Delivery(when, label, payload))
            following = routes[label[:3]].get(link)
            if following is not None:
                recording.arrivals[following].append((when, label))
        at += length
    if recording.scenario["network"]["access"] is None:
        _enter_from_hosts(recording, routes)


def _opened(packet: bytes) -> tuple[Label, bytes]:
    """Return the label of an IPv4 packet, and its payload: addresses encode flow, path and side."""
    protocol, source = packet[9], packet[12:16]
    payload = packet[20:]
    if protocol == UDP:
        protocol, payload = SCTP, payload[8:]
    host = "source" if source[3] == 1 else "sink"
    return Label(source[1], source[2], host, len(packet), _mark_of_bytes(protocol, payload)), payload


def _option(options: memoryview, code: int) -> bytes:
    """Return the value of an option of a block; empty without it."""
    at = 0
    while at + 4 <= len(options):
        found, length = struct.unpack_from("<HH", options, at)
        if found == code:
            return bytes(options[at + 4 : at + 4 + length])
        at += 4 + (length + 3) // 4 * 4
    return b""


def _routes(recording: Recording) -> dict[tuple[int, int, str], dict[str, str]]:
    """Return for each path of each sender the core link that follows on each link; the first one follows on ``""``."""
    network, found = recording.scenario["network"], {}
    for number, (name, flow) in enumerate(recording.scenario["flows"].items()):
        for index, path in enumerate(flow["paths"]):
            for host, way in (("source", "forward"), ("sink", "reverse")):
                core = network["paths"][path][way]
                first = "" if network["access"] is None else f"access/{name}/{host}/{path}/out"
                found[number, index, host] = dict(zip([first, *core], core, strict=False))
    return found


def _enter_from_hosts(recording: Recording, routes: dict[tuple[int, int, str], dict[str, str]]) -> None:
    """Add the packets that hosts offer to core links themselves, because there are no access links."""
    for line in recording.lines:
        if line.name == "transport:packet_sent":
            label = recording.label(line, line.data)
            recording.arrivals[routes[label[:3]][""]].append((line.at, label))


BEYOND = 100_000_000
"""Time after the end in nanoseconds: more than the transmission and propagation of a packet on one link."""
INTERFACE, PACKET = 1, 6
NAME, COMMENT = 2, 1
TCP, UDP, SCTP = 6, 17, 132
ACK = 0x10
DATA = 0
WITH_TSN = (DATA, 3, 16)
"""Types of DATA, SACK and NR-SACK."""
