"""Endpoints: `connect` opens an association, `listen` accepts associations of peers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Generator, Iterable
from ipaddress import IPv4Address, IPv6Address, ip_address
from os import PathLike
from types import TracebackType
from typing import Any, Self

from manypath import _native
from manypath.arguments import control, file, of_kind, texts, whole
from manypath.errors import NetworkError, UserError, quoted
from manypath.outputs import EVENTS, Outputs
from manypath.sctp.association import Association, complete_events
from manypath.sctp.counters import EndpointCounters
from manypath.sctp.errors import Closed, told
from manypath.sctp.options import Options
from manypath.sctp.waiting import finish

ENCAPSULATION = 9899
"""UDP port of SCTP. RFC 6951 section 4.1"""

DEFAULTS = Options()
"""Default options."""


async def connect(
    addresses: str | Iterable[str],
    port: int,
    *,
    local: str | Iterable[str] = (),
    encapsulation: int = ENCAPSULATION,
    local_port: int = 0,
    local_encapsulation: int = 0,
    cc: str = "newreno",
    concurrent: bool | None = None,
    streams: int = 16,
    options: Options = DEFAULTS,
    events: str | PathLike[str] | None = None,
) -> Association:
    """Open an association with a peer, and wait until it is established; ``asyncio.timeout`` limits the wait.

    Parameters
    ----------
    addresses
        Address or addresses of the peer, IPv4 and IPv6. The first one gives the first primary path. The peer may
        announce further addresses.
    port
        The peer's SCTP port.
    local
        Local addresses; by default those that the system's routes to the peer use.
    encapsulation
        The peer's UDP port.
    local_port
        Local SCTP port; a free one if 0.
    local_encapsulation
        Local UDP port; a free one if 0.
    cc
        Name of the congestion control; ``manypath list`` prints all names.
    concurrent
        Whether all paths carry data concurrently (CMT). If False, one path carries data and the others are on standby.
        If None, True for a congestion control that couples paths, such as ``cmt-rpv2``.
    streams
        Requested number of streams in each direction; both sides use the smaller number.
    options
        Buffer sizes, timers and limits.
    events
        File for the events of the association as JSON lines, with the same events as in a simulation. It is complete
        when `Association.shutdown` or `Association.closed` returns.

    Raises
    ------
    UserError
        If an argument is invalid, this machine does not have a local address, a UDP port is in use, or another program
        wrote the file of events.
    NetworkError
        `Refused` if the peer refuses the association, `Unreachable` if it does not answer.

    Examples
    --------
    >>> import asyncio
    >>> import manypath as mp
    >>> async def greet():
    ...     async with mp.sctp.listen(local="127.0.0.1", encapsulation=0) as server:
    ...         ports = {"port": server.port, "encapsulation": server.encapsulation}
    ...         async with await mp.sctp.connect("127.0.0.1", **ports) as client:
    ...             await client.send(b"hello", stream=3)
    ...             message = await (await server.accept()).receive()
    ...     return bytes(message), message.stream
    >>> asyncio.run(greet())
    (b'hello', 3)
    """
    peer = _addresses("addresses", addresses)
    if not peer:
        raise UserError('addresses: empty: give those of the peer, such as "10.1.0.2"')
    _port("port", port, least=1)
    _port("encapsulation", encapsulation, least=1)
    own_ports = ("local_port", local_port), ("local_encapsulation", local_encapsulation)
    operation = _bind(local, *own_ports, None, cc, concurrent, streams, options, events)
    endpoint: _native.SctpEndpoint = await finish(operation)
    recorder = None if events is None else endpoint
    try:
        return Association(await finish(endpoint.connect(peer, port, encapsulation)), recorder)
    except NetworkError:
        await complete_events(recorder)
        raise


def listen(
    port: int = 0,
    *,
    local: str | Iterable[str] = (),
    backlog: int = 64,
    encapsulation: int = ENCAPSULATION,
    cc: str = "newreno",
    concurrent: bool | None = None,
    streams: int = 16,
    options: Options = DEFAULTS,
    events: str | PathLike[str] | None = None,
) -> Listener:
    """Accept associations of peers: ``async with listen(...) as endpoint`` or ``endpoint = await listen(...)``.

    Parameters
    ----------
    port
        SCTP port; a random one if 0.
    local
        Local addresses, announced to peers in this order; by default all of the machine except link-local IPv6 ones.
    backlog
        Largest number of associations that wait for `Endpoint.accept`; further ones are refused.
    encapsulation
        UDP port; a free one if 0.
    cc, concurrent, streams, options
        As in `connect`, for the accepted associations.
    events
        File for the events of the associations as JSON lines. It is complete when `Endpoint.close` returns.

    Raises
    ------
    UserError
        If an argument is invalid, this machine does not have a local address, or a UDP port is in use. The last two
        errors are raised when the listener is awaited or entered.

    Examples
    --------
    >>> import asyncio
    >>> import manypath as mp
    >>> async def ends():
    ...     async with mp.sctp.listen(5000, local="127.0.0.1", encapsulation=0) as endpoint:
    ...         return endpoint.local, endpoint.port
    >>> asyncio.run(ends())
    (['127.0.0.1'], 5000)
    """
    whole("backlog", backlog, "number of associations", least=1, below=2**31, right="1 or more")
    ports = ("port", port), ("encapsulation", encapsulation)
    return Listener(_bind(local, *ports, backlog, cc, concurrent, streams, options, events))


class Listener:
    """An endpoint that is made when it is awaited or entered; see `listen`."""

    def __init__(self, operation: _native.SctpOperation) -> None:
        self._operation = operation
        self._endpoint: Endpoint | None = None

    def __await__(self) -> Generator[Any, None, Endpoint]:
        return self._made().__await__()

    async def _made(self) -> Endpoint:
        if self._endpoint is None:
            self._endpoint = Endpoint(await finish(self._operation))
        return self._endpoint

    async def __aenter__(self) -> Endpoint:
        return await self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await (await self).__aexit__(kind, error, trace)


class Endpoint(AsyncIterator[Association]):
    """A listening SCTP port; ``async for`` accepts associations of peers until it is closed.

    At its end, ``async with`` calls `close`. If an exception leaves the block, it does not wait for the associations.
    """

    def __init__(self, endpoint: _native.SctpEndpoint) -> None:
        self._endpoint = endpoint

    @property
    def port(self) -> int:
        """The SCTP port."""
        return self._endpoint.port()

    @property
    def encapsulation(self) -> int:
        """The UDP port."""
        return self._endpoint.encapsulation()

    @property
    def local(self) -> list[str]:
        """The local addresses."""
        return self._endpoint.local()

    def counters(self) -> EndpointCounters:
        """Return the counters of the endpoint, for all its associations."""
        return EndpointCounters(**self._endpoint.counters())

    async def accept(self) -> Association:
        """Wait for the next association of a peer and return it. If the task is cancelled, no association is lost.

        Raises
        ------
        Closed
            If the endpoint is closed, also during the wait.
        """
        return Association(await finish(self._endpoint.accept()))

    async def __anext__(self) -> Association:
        try:
            return await self.accept()
        except Closed:
            raise StopAsyncIteration from None

    async def close(self) -> None:
        """Shut down all associations and wait until they have ended.

        Messages that the program has not received are discarded, as in `Association.close`. If a peer does not answer,
        this takes minutes. If the task is cancelled, the shutdowns continue.
        """
        await finish(self._endpoint.close())
        await complete_events(self._endpoint)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            await self.close()
        else:
            closing = self._endpoint.close()
            closing.poll()  # starts the operation
            closing.cancel()  # stops only the wait

    def __repr__(self) -> str:
        return f"<manypath.sctp.Endpoint port {self.port} on {', '.join(self.local)}, UDP port {self.encapsulation}>"


def _bind(
    local: str | Iterable[str],
    port: tuple[str, int],
    encapsulation: tuple[str, int],
    backlog: int | None,
    cc: str,
    concurrent: bool | None,
    streams: int,
    options: Options,
    events: str | PathLike[str] | None,
) -> _native.SctpOperation:
    """Check the common arguments of `connect` and `listen`, and start to make an endpoint; ports have their names."""
    if not hasattr(_native, "SctpEndpoint"):
        raise UserError("manypath.sctp: needs a Unix system: use Linux, for example in a virtual machine")
    whole("streams", streams, "number of streams", least=1, below=2**16, right="1 to 65535")
    control("cc", cc)
    if concurrent is None:
        concurrent = bool(_native.algorithm_is_coupled(cc))
    of_kind("concurrent", concurrent, bool, "True, False or None")
    own = _addresses("local", local)
    ports = _port(*port), _port(*encapsulation)
    of_kind("options", options, Options, "mp.sctp.Options(...)")
    if events is not None:
        Outputs().file("events", file("events", events), EVENTS)
    try:
        return _native.SctpEndpoint.bind(own, *ports, backlog, streams, cc, concurrent, options.row(), events)
    except _native.SctpError as error:
        raise told(*error.args) from None


def _port(name: str, value: object, least: int = 0) -> int:
    return whole(name, value, "port", least=least, below=2**16, right=f"{least} to 65535")


def _addresses(name: str, given: object) -> list[IPv4Address | IPv6Address]:
    """Read IP addresses."""
    example = 'an address, such as "10.1.0.2"'
    return [_address(name, each) for each in texts(name, given, example)]


def _address(name: str, given: str) -> IPv4Address | IPv6Address:
    try:
        address = ip_address(given)
    except ValueError:
        raise UserError(f'{name}: {quoted(given)} is no IP address: give one, such as "10.1.0.2"') from None
    if isinstance(address, IPv6Address) and address.scope_id is not None:
        raise UserError(f"{name}: {quoted(given)} has an interface, which is not supported: give only the address")
    if address.is_multicast or address.is_unspecified or address == BROADCAST:
        raise UserError(f"{name}: {quoted(given)} is not the address of a single interface: give a unicast address")
    return address


BROADCAST = IPv4Address("255.255.255.255")
"""Broadcast address."""
