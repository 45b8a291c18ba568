"""Two hosts in network namespaces, and the paths between them: pairs of virtual Ethernet, or emulated links."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from ipaddress import ip_address
from itertools import count
from pathlib import Path

import manypath as mp
from manypath.emulation import Emulation, Pair
from manypath.testbed.emulation import running


@dataclass(frozen=True)
class Host:
    """A host. All lists are in the order of the paths."""

    namespace: str
    """The network namespace of the host."""
    interfaces: tuple[str, ...]
    """Names of the interfaces."""
    ipv4: tuple[str, ...]
    """The IPv4 address of each interface."""
    ipv6: tuple[str, ...]
    """The IPv6 address of each interface."""

    def command(self, *words: str) -> list[str]:
        """Return the command line that runs a program on the host."""
        return ["ip", "netns", "exec", self.namespace, *words]

    def run(self, *words: str) -> str:
        """Run a command on the host, check that it succeeds, and return its output."""
        return subprocess.run(self.command(*words), check=True, stdout=subprocess.PIPE, text=True).stdout

    def set_link(self, path: int, state: str) -> None:
        """Set an interface ``up`` or ``down``."""
        _ip(f"link set {self.interfaces[path]} {state}", self.namespace)

    def lose(self, path: int, to: Host) -> None:
        """Lose all packets sent on a wire: they get an Ethernet address that the other host does not have."""
        for address in (to.ipv4[path], to.ipv6[path]):
            words = ["neighbour", "replace", address, "lladdr", UNUSED_MAC, "dev", self.interfaces[path]]
            self.run("ip", *words, "nud", "permanent")

    def limit(self, rate: str) -> None:
        """Limit the rate of every interface, for instance to ``20mbit``."""
        for interface in self.interfaces:
            words = ["tc", "qdisc", "replace", "dev", interface, "root", "tbf", "rate", rate]
            self.run(*words, "burst", "32kb", "latency", "50ms")

    def received(self, path: int) -> int:
        """Return the number of bytes that an interface has received."""
        return int(self.run("cat", f"/sys/class/net/{self.interfaces[path]}/statistics/rx_bytes"))

    def wait_until_received(self, length: int) -> None:
        """Wait until every interface has received a number of bytes."""
        end = time.monotonic() + PATIENCE
        while min(received := [self.received(path) for path in range(len(self.interfaces))]) < length:
            assert time.monotonic() < end, f"the interfaces of {self.namespace} have received {received} bytes"
            time.sleep(0.02)


@dataclass(frozen=True)
class Network:
    """Both hosts."""

    left: Host
    right: Host


@contextmanager
def wired(paths: int, *, offload: bool = False) -> Iterator[Network]:
    """Connect two hosts by pairs of virtual Ethernet, which neither delay nor lose packets.

    By default segmentation offload is off, so that captures have packets as on a real wire.
    """
    with _hosts(paths) as network:
        for path in range(paths):
            link = f"p{path} address {MAC[1]} type veth peer name p{path} address {MAC[2]}"
            _ip(f"link add {link} netns {network.right.namespace}", network.left.namespace)
        _join(network, offload=offload)
        yield network


@contextmanager
def meddled(paths: int, share: float) -> Iterator[Network]:
    """Connect two hosts by wires that duplicate a share of the packets and reorder the same share."""
    with _hosts(paths) as network, _namespace("middle") as middle:
        for host, side, mac in ((network.left, "left", MAC[1]), (network.right, "right", MAC[2])):
            for path, interface in enumerate(host.interfaces):
                end = f"{side}{path}"
                _ip(f"link add {interface} address {mac} type veth peer name {end} netns {middle}", host.namespace)
                _ip(f"link set {end} up", middle)
                # With checksum offload, frames that a packet socket reads would have no checksum yet.
                subprocess.run(
                    host.command("ethtool", "-K", interface, "tx", "off"), check=True, stdout=subprocess.DEVNULL
                )
        _join(network)
        bridge = [sys.executable, str(Path(__file__).with_name("meddler.py"))]
        lines = [[*bridge, f"left{path}", f"right{path}", str(share), str(path)] for path in range(paths)]
        inside = ["ip", "netns", "exec", middle]
        bridges = [subprocess.Popen([*inside, *line], stdout=subprocess.PIPE, text=True) for line in lines]
        try:
            for each in bridges:
                assert each.stdout is not None
                assert each.stdout.readline() == "ready\n"
            yield network
            for each in bridges:
                assert each.poll() is None, "the bridge ended early"
        finally:
            for each in bridges:
                each.kill()
                each.communicate()


@contextmanager
def _hosts(paths: int) -> Iterator[Network]:
    """Yield two hosts without interfaces."""
    with _namespace("left") as left, _namespace("right") as right:
        yield Network(
            *(
                Host(
                    namespace=namespace,
                    interfaces=tuple(f"p{path}" for path in range(paths)),
                    ipv4=tuple(f"10.9.{path}.{end}" for path in range(paths)),
                    ipv6=tuple(f"fd09:{path + 1}::{end}" for path in range(paths)),
                )
                for end, namespace in enumerate((left, right), start=1)
            )
        )


@contextmanager
def _namespace(side: str) -> Iterator[str]:
    name = f"interop-{os.getpid()}-{next(NETWORKS)}-{side}"
    _ip(f"netns add {name}")
    try:
        yield name
    finally:
        _ip(f"netns del {name}")


def _join(network: Network, *, offload: bool = False) -> None:
    """Configure the addresses of the interfaces of both hosts."""
    for host in (network.left, network.right):
        _configure(host, offload=offload)
    # Static neighbours: the first packets of a test do not wait for address resolution.
    meet(network)


def meet(network: Network) -> None:
    """Set the Ethernet addresses of the other host as static neighbours of each host."""
    for host, other, end in ((network.left, network.right, 2), (network.right, network.left, 1)):
        _ip("\n".join(_neighbours(other, MAC[end])), host.namespace)


@contextmanager
def joined(host: Host) -> Iterator[Host]:
    """Connect a third host to one of two hosts. It reaches all addresses of that host."""
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
    """Remove namespaces of killed tests, with the programs that still run there."""
    listed = subprocess.run(["ip", "netns", "list"], check=True, capture_output=True, text=True).stdout
    for name in (line.split()[0] for line in listed.splitlines()):
        made_by = re.fullmatch(r"interop-(\d+)-\d+-(left|middle|right|third)", name)
        if made_by is None or Path(f"/proc/{made_by[1]}").exists():
            continue
        # Another worker may kill the programs and remove the namespace at the same time.
        inside = subprocess.run(["ip", "netns", "pids", name], check=False, capture_output=True, text=True).stdout
        for process in inside.split():
            with suppress(ProcessLookupError):
                os.kill(int(process), signal.SIGKILL)
        subprocess.run(["ip", "netns", "del", name], check=False, stderr=subprocess.DEVNULL)


def _configure(host: Host, *, offload: bool) -> None:
    lines = ["link set lo up"]
    for interface, ipv4, ipv6 in zip(host.interfaces, host.ipv4, host.ipv6, strict=True):
        lines += [
            f"addr add {ipv4}/24 dev {interface}",
            # Programs cannot bind an address during duplicate address detection.
            f"addr add {ipv6}/64 dev {interface} nodad",
            f"link set {interface} up",
        ]
    # Without this setting an interface that goes down loses its IPv6 addresses.
    host.run("sysctl", "-qw", "net.ipv6.conf.all.keep_addr_on_down=1")
    _ip("\n".join(lines), host.namespace)
    end = time.monotonic() + PATIENCE
    while not all(host.run("ip", "-6", "route", "show", "table", "local", address) for address in host.ipv6):
        # The kernel adds these routes later, and drops packets that arrive before.
        assert time.monotonic() < end, f"{host.namespace} has no local route of one of {', '.join(host.ipv6)}"
        time.sleep(0.001)
    for interface in host.interfaces if not offload else ():
        offloads = ["tx-udp-segmentation", "off", "gro", "off"]
        host.run("ethtool", "-K", interface, *offloads)


def _neighbours(of: Host, mac: str) -> list[str]:
    addresses = zip(of.interfaces * 2, of.ipv4 + of.ipv6, strict=True)
    return [f"neigh replace {address} lladdr {mac} dev {interface} nud permanent" for interface, address in addresses]


def _ip(lines: str, namespace: str | None = None) -> None:
    """Run commands of ``ip``, one per line."""
    inside = ["-n", namespace] if namespace else []
    subprocess.run(["ip", *inside, "-batch", "-"], input=lines, text=True, check=True)


@contextmanager
def emulated(paths: int, link: mp.Link | Sequence[mp.Link]) -> Iterator[Network]:
    """Connect two hosts by emulated links: the given link, or one link of a list per path, in both directions."""
    names = [f"p{path}" for path in range(paths)]
    links = [link] * paths if isinstance(link, mp.Link) else link
    emulation = Emulation(
        name=f"interop-{os.getpid()}-{next(NETWORKS)}",
        network=mp.disjoint(**dict(zip(names, links, strict=True))),
        pairs={"x": Pair(paths=tuple(names))},
    )
    with running(emulation) as built:
        left, right = (built.host("x", side) for side in ("left", "right"))
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


PATIENCE = 300.0
"""Seconds that a test waits for an event, which takes a few seconds. It bounds failures only."""

MAC = {1: "02:00:00:00:00:01", 2: "02:00:00:00:00:02"}
"""The Ethernet addresses of all interfaces of the left and of the right host. Each interface is on another link."""

UNUSED_MAC = "02:00:00:00:00:03"
"""An Ethernet address that no interface has."""

LOSSY = mp.Link(rate="20 Mbit/s", delay="10 ms", loss=mp.Bernoulli(p="1 %"))
"""A link with losses."""

NETWORKS = count(1)
"""Numbers for unique names of the networks of this process."""
