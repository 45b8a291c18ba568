"""A stage: a network, its captures, and the peers of one test."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from capture import ALWAYS, I_DATA, PKTDROP, capturing, chunks_of, decode, examine, source_of, tsns_of
from network import PATIENCE, Host, Network
from peer import Peer


@dataclass(frozen=True)
class Carrier:
    """The layer below SCTP."""

    version: int
    """4, 6, or 46 for IPv4 on the first path and IPv6 on the second."""
    udp: int | None
    """UDP port of RFC 6951; None means SCTP directly in IP."""

    def addresses(self, host: Host) -> tuple[str, ...]:
        """Return the addresses of a host with these IP versions, in the order of the paths."""
        families = {4: (host.ipv4, host.ipv4), 6: (host.ipv6, host.ipv6), 46: (host.ipv4, host.ipv6)}
        first, others = families[self.version]
        return (first[0], *others[1:])

    def __str__(self) -> str:
        return f"{'udp' if self.udp else 'raw'}{self.version}"


UDP4, UDP6, RAW4, RAW6 = Carrier(4, 9899), Carrier(6, 9899), Carrier(4, None), Carrier(6, None)
UDP46, RAW46 = Carrier(46, 9899), Carrier(46, None)
CARRIERS = (UDP4, UDP6, RAW4, RAW6)


@dataclass
class Stage:
    """The hosts and peers of a test. Fields about captures cover all packets sent until the end of the test."""

    network: Network
    carrier: Carrier
    paths: int
    chunks: Counter[int] = field(default_factory=Counter)
    """The number of sent chunks of each type; known at the end."""
    new_data: Counter[str] = field(default_factory=Counter)
    """The number of packets with new data from each address; known at the end."""
    reports: Counter[str] = field(default_factory=Counter)
    """The number of packets with drop reports that each host sent, by its namespace; known at the end."""
    packets: list[dict[str, str]] = field(default_factory=list)
    """All captured packets, as `capture.decode` returns them; known at the end."""
    _peers: list[Peer] = field(default_factory=list)

    @property
    def hosts(self) -> tuple[Host, Host]:
        """Return the left and the right host."""
        return self.network.left, self.network.right

    def addresses(self, host: Host) -> tuple[str, ...]:
        """Return the addresses of a host that peers use, in the order of the paths."""
        return self.carrier.addresses(host)[: self.paths]

    def limit(self, rate: str) -> None:
        """Limit the rate of all paths in both directions."""
        for host in self.hosts:
            host.limit(rate)

    def listen(self, stack: str, host: Host | None = None, **arguments: Any) -> Peer:
        """Start a listening peer, by default on the right host."""
        peer = self._start(stack, "listen", host or self.network.right, arguments)
        peer.wait_for("listening")
        return peer

    def connect(self, stack: str, host: Host | None = None, **arguments: Any) -> Peer:
        """Start a peer that connects to the other host, by default on the left host."""
        return self._start(stack, "connect", host or self.network.left, arguments)

    def _start(self, stack: str, role: str, host: Host, arguments: dict[str, Any]) -> Peer:
        other = self.network.right if host is self.network.left else self.network.left
        words = [role, "--port", "5000"]
        words += ["--udp", str(self.carrier.udp)] if self.carrier.udp else ["--raw"]
        words += ["--local", ",".join(self.addresses(host))]
        words += ["--remote", ",".join(self.addresses(other))]
        for name, value in {"timeout": round(PATIENCE), **arguments}.items():
            if value is not False and value is not None:
                words += [f"--{name.replace('_', '-')}"] + ([] if value is True else [str(value)])
        self._peers.append(Peer(stack, host, words))
        return self._peers[-1]

    def _leave(self) -> None:
        """End the peers whose associations have ended."""
        for peer in self._peers:
            if peer.has_ended:
                peer.leave()

    def _end(self) -> str:
        """End the running peers, and return the output of every peer."""
        for peer in self._peers:
            peer.kill()
        return "\n".join(peer.account() for peer in self._peers)

    def _count(self, packets: list[dict[str, str]]) -> None:
        owners = {address: host.namespace for host in self.hosts for address in self.addresses(host)}
        sent: dict[str, set[str]] = {host.namespace: set() for host in self.hosts}
        for packet in packets:
            source = source_of(packet)
            host = owners[source]
            is_report = PKTDROP in chunks_of(packet)
            self.reports[host] += is_report
            # A drop report contains a packet of the other host
            tsns = set() if is_report else tsns_of(packet)
            self.new_data[source] += not tsns <= sent[host]
            sent[host] |= tsns

    def _sources_of_empty_heartbeats(self) -> frozenset[str]:
        """Return the addresses of pion peers. Release 1.12.1 omits the mandatory Heartbeat Info of its HEARTBEATs."""
        return frozenset(
            address for peer in self._peers if peer.stack == "pion" for address in self.addresses(peer.host)
        )

    def _among_themselves(self) -> frozenset[int]:
        """Return additional chunk types that all peers of the test support."""
        return frozenset.intersection(*(EXTENSIONS.get(peer.stack, frozenset()) for peer in self._peers))


@contextmanager
def staged(
    network: Callable[[int], AbstractContextManager[Network]],
    folder: Path,
    carrier: Carrier,
    paths: int = 1,
    chunks: frozenset[int] | set[int] = frozenset(),
) -> Iterator[Stage]:
    """Make a stage, and examine its captures at the end of the test.

    Parameters
    ----------
    network
        `wired`, or another function that makes a network with a number of paths.
    chunks
        Additional allowed types of chunks.
    """
    with network(paths) as built:
        stage = Stage(built, carrier, paths)
        with capturing(built, folder) as files:
            try:
                yield stage
                stage._leave()
            except BaseException as error:
                error.add_note(stage._end())
                raise
            stage._end()
        stage.packets = packets = decode(files, carrier.udp)
        allowed = ALWAYS | chunks | stage._among_themselves()
        stage.chunks = examine(packets, allowed, stage._sources_of_empty_heartbeats())
        stage._count(packets)


EXTENSIONS = {"pion": frozenset({I_DATA})}
"""Chunk types that a stack sends only if its peer supports them."""
