"""A stage: a network, its captures, and the peers of one test."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from capture import ALWAYS, DATA, I_DATA, PKTDROP, capturing, chunks_of, decode, examine, source_of
from network import Host, Network
from peer import PATIENCE, Peer


@dataclass(frozen=True)
class Carrier:
    """What carries SCTP."""

    version: int
    """4, 6, or 46: IPv4 on the first path, and IPv6 on the second."""
    udp: int | None
    """Port of RFC 6951; None is SCTP on IP itself."""

    def __str__(self) -> str:
        return f"{'udp' if self.udp else 'raw'}{self.version}"


UDP4, UDP6, RAW4, RAW6 = Carrier(4, 9899), Carrier(6, 9899), Carrier(4, None), Carrier(6, None)
UDP46, RAW46 = Carrier(46, 9899), Carrier(46, None)
CARRIERS = (UDP4, UDP6, RAW4, RAW6)


@dataclass
class Stage:
    """Where peers play. What a test says of captures holds for all packets that hosts sent until its end."""

    network: Network
    carrier: Carrier
    paths: int
    chunks: Counter[int] = field(default_factory=Counter)
    """How many chunks of each type were sent; known at the end."""
    data: Counter[str] = field(default_factory=Counter)
    """How many packets with data left from each address; known at the end."""
    reports: Counter[str] = field(default_factory=Counter)
    """How many packets with reports of damage each host sent, by its namespace; known at the end."""
    _peers: list[Peer] = field(default_factory=list)

    @property
    def hosts(self) -> tuple[Host, Host]:
        """Left and right."""
        return self.network.left, self.network.right

    def addresses(self, host: Host) -> tuple[str, ...]:
        """The addresses of a host that peers use, path by path."""
        families = {4: (host.ipv4, host.ipv4), 6: (host.ipv6, host.ipv6), 46: (host.ipv4, host.ipv6)}
        first, others = families[self.carrier.version]
        return (first[0], *others[1 : self.paths])

    def listen(self, stack: str, host: Host | None = None, **arguments: Any) -> Peer:
        """Start a peer that waits for another one; on the right unless said otherwise."""
        peer = self._start(stack, "listen", host or self.network.right, arguments)
        peer.wait_for("listening")
        return peer

    def connect(self, stack: str, host: Host | None = None, **arguments: Any) -> Peer:
        """Start a peer that connects to the other host; on the left unless said otherwise."""
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
        """End those whose associations have ended."""
        for peer in self._peers:
            if peer.has_ended:
                peer.leave()

    def _end(self) -> str:
        """End what still runs, and return what every peer said."""
        for peer in self._peers:
            peer.kill()
        return "\n".join(peer.account() for peer in self._peers)

    def _count(self, packets: list[dict[str, str]]) -> None:
        owners = {address: host.namespace for host in self.hosts for address in self.addresses(host)}
        for packet in packets:
            source = source_of(packet)
            chunks = chunks_of(packet)
            self.data[source] += DATA in chunks
            self.reports[owners[source]] += PKTDROP in chunks

    def _sources_of_empty_heartbeats(self) -> frozenset[str]:
        """Addresses of peers over pion, whose release 1.12.1 leaves out the mandatory Heartbeat Info of its probes."""
        return frozenset(
            address for peer in self._peers if peer.stack == "pion" for address in self.addresses(peer.host)
        )

    def _among_themselves(self) -> frozenset[int]:
        """Chunks that all of these stacks use, beyond those of any association."""
        return frozenset.intersection(*(EXTENSIONS.get(peer.stack, frozenset()) for peer in self._peers))


@contextmanager
def staged(
    network: Callable[[int], AbstractContextManager[Network]],
    folder: Path,
    carrier: Carrier,
    paths: int = 1,
    chunks: frozenset[int] | set[int] = frozenset(),
) -> Iterator[Stage]:
    """Make a stage, and examine what was captured when its test is over.

    Parameters
    ----------
    network
        `wired`, or another function that makes a network of so many paths.
    chunks
        Types of chunks that this test has beyond those of any association.
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
        packets = decode(files, carrier.udp)
        allowed = ALWAYS | chunks | stage._among_themselves()
        stage.chunks = examine(packets, allowed, stage._sources_of_empty_heartbeats())
        stage._count(packets)


EXTENSIONS = {"pion": frozenset({I_DATA})}
"""What a stack sends if its peer knows it, too."""
