"""Two hosts, each a network namespace, and the paths between them: pairs of virtual Ethernet, or emulated links."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import ip_address
from itertools import count
from pathlib import Path

import manypath as mp
from manypath.emulation import Emulation, Pair
from manypath.testbed.emulation import running


@dataclass(frozen=True)
class Host:
    """One end; everything is in the order of the paths."""

    namespace: str
    """Where its programs run."""
    interfaces: tuple[str, ...]
    """Names of its interfaces."""
    ipv4: tuple[str, ...]
    """An address of each interface."""
    ipv6: tuple[str, ...]
    """The same, of IPv6."""

    def command(self, *words: str) -> list[str]:
        """A command line that runs there."""
        return ["ip", "netns", "exec", self.namespace, *words]

    def set_link(self, path: int, state: str) -> None:
        """Take an interface ``up`` or ``down``."""
        _ip(f"link set {self.interfaces[path]} {state}", self.namespace)

    def limit(self, rate: str) -> None:
        """Let every interface send at this rate, such as ``20mbit``."""
        for interface in self.interfaces:
            words = ["tc", "qdisc", "replace", "dev", interface, "root", "tbf", "rate", rate]
            subprocess.run(self.command(*words, "burst", "32kb", "latency", "50ms"), check=True)


@dataclass(frozen=True)
class Network:
    """Both hosts."""

    left: Host
    right: Host


@contextmanager
def wired(paths: int, *, offload: bool = False) -> Iterator[Network]:
    """Join two hosts by pairs of virtual Ethernet, which neither delay nor lose packets.

    Unless told otherwise, packets leave without segmentation offload, so that captures have them as they would be on a
    wire.
    """
    number = next(NETWORKS)
    left, right = (
        Host(
            namespace=f"interop-{os.getpid()}-{number}-{side}",
            interfaces=tuple(f"p{path}" for path in range(paths)),
            ipv4=tuple(f"10.9.{path}.{end}" for path in range(paths)),
            ipv6=tuple(f"fd09:{path + 1}::{end}" for path in range(paths)),
        )
        for end, side in enumerate(("left", "right"), start=1)
    )
    for host in (left, right):
        _ip(f"netns add {host.namespace}")
    try:
        for path in range(paths):
            link = f"p{path} address {MAC[1]} type veth peer name p{path} address {MAC[2]}"
            _ip(f"link add {link} netns {right.namespace}", left.namespace)
        for host in (left, right):
            _configure(host, offload=offload)
        # The first packets of a test need not wait until the addresses are resolved.
        for host, other, end in ((left, right, 2), (right, left, 1)):
            _ip("\n".join(_neighbours(other, MAC[end])), host.namespace)
        yield Network(left, right)
    finally:
        for host in (left, right):
            _ip(f"netns del {host.namespace}")


@contextmanager
def joined(host: Host) -> Iterator[Host]:
    """Join a third host to one of two; it reaches all addresses of that host."""
    namespace = f"interop-{os.getpid()}-{next(NETWORKS)}-third"
    _ip(f"netns add {namespace}")
    try:
        _ip(f"link add third type veth peer name third netns {host.namespace}", namespace)
        for place, end in ((namespace, 1), (host.namespace, 2)):
            _ip(f"addr add 10.10.0.{end}/24 dev third\nlink set third up", place)
        _ip("route add default via 10.10.0.2", namespace)
        yield Host(namespace, ("third",), ("10.10.0.1",), ())
    finally:
        _ip(f"netns del {namespace}")


def remove_stale() -> None:
    """Remove what tests left whose process was killed, with the programs that still run there."""
    listed = subprocess.run(["ip", "netns", "list"], check=True, capture_output=True, text=True).stdout
    for name in (line.split()[0] for line in listed.splitlines()):
        made_by = re.fullmatch(r"interop-(\d+)-\d+-(left|right|third)", name)
        if made_by is None or Path(f"/proc/{made_by[1]}").exists():
            continue
        inside = subprocess.run(["ip", "netns", "pids", name], check=True, capture_output=True, text=True).stdout
        for process in inside.split():
            os.kill(int(process), signal.SIGKILL)
        # Another worker may remove it at the same time.
        subprocess.run(["ip", "netns", "del", name], check=False, stderr=subprocess.DEVNULL)


def _configure(host: Host, *, offload: bool) -> None:
    lines = ["link set lo up"]
    for interface, ipv4, ipv6 in zip(host.interfaces, host.ipv4, host.ipv6, strict=True):
        lines += [
            f"addr add {ipv4}/24 dev {interface}",
            # An address that is still being checked for duplicates cannot be bound.
            f"addr add {ipv6}/64 dev {interface} nodad",
            f"link set {interface} up",
        ]
    # Else an interface that goes down loses its IPv6 addresses.
    subprocess.run(host.command("sysctl", "-qw", "net.ipv6.conf.all.keep_addr_on_down=1"), check=True)
    _ip("\n".join(lines), host.namespace)
    for interface in host.interfaces if not offload else ():
        offloads = ["tx-udp-segmentation", "off", "gro", "off"]
        subprocess.run(host.command("ethtool", "-K", interface, *offloads), check=True)


def _neighbours(of: Host, mac: str) -> list[str]:
    addresses = zip(of.interfaces * 2, of.ipv4 + of.ipv6, strict=True)
    return [f"neigh add {address} lladdr {mac} dev {interface} nud permanent" for interface, address in addresses]


def _ip(lines: str, namespace: str | None = None) -> None:
    """Run commands of ``ip``, one a line."""
    inside = ["-n", namespace] if namespace else []
    subprocess.run(["ip", *inside, "-batch", "-"], input=lines, text=True, check=True)


@contextmanager
def emulated(paths: int, link: mp.Link) -> Iterator[Network]:
    """Join two hosts by emulated links, each path having one such link in each direction."""
    names = [f"p{path}" for path in range(paths)]
    emulation = Emulation(
        name=f"interop-{os.getpid()}-{next(NETWORKS)}",
        network=mp.disjoint(**dict.fromkeys(names, link)),
        pairs={"x": Pair(paths=tuple(names))},
    )
    with running(emulation) as links:
        left, right = (links.host("x", side) for side in ("left", "right"))
        yield Network(
            *(
                Host(
                    namespace=host.namespace,
                    interfaces=tuple(names),
                    ipv4=tuple(host.addresses[name] for name in names),
                    ipv6=tuple(str(ip_address(f"fd6d:70:0:{path}::{end}")) for path in range(paths)),
                )
                for end, host in enumerate((left, right), start=1)
            )
        )


MAC = {1: "02:00:00:00:00:01", 2: "02:00:00:00:00:02"}
"""The Ethernet address of all interfaces of the left and the right host; no two of a host are on one link."""

LOSSY = mp.Link(rate="20 Mbit/s", delay="10 ms", loss=mp.Bernoulli(p="1 %"))
"""A link that loses some packets."""

NETWORKS = count(1)
"""Tells the networks of this process apart."""
