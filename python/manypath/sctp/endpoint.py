"""How associations begin: by `connect`, or by a peer of `listen`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Generator, Iterable
from ipaddress import IPv4Address, IPv6Address, ip_address
from os import PathLike
from types import TracebackType
from typing import Any, Self

from manypath import _native
from manypath.arguments import file, of_kind, text, texts, whole
from manypath.errors import NetworkError, UserError, quoted
from manypath.outputs import EVENTS, Outputs
from manypath.refusal import told as told_setting
from manypath.sctp.association import Association, complete_events
from manypath.sctp.counters import EndpointCounters
from manypath.sctp.errors import Closed, told
from manypath.sctp.options import Options
from manypath.sctp.waiting import finish

ENCAPSULATION = 9899
"""The UDP port that SCTP has of its own. RFC 6951 section 4.1"""

DEFAULTS = Options()
"""What holds where nothing else is said."""


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
    """Open an association with a peer, and wait until it stands: ``asyncio.timeout`` bounds how long.

    Parameters
    ----------
    addresses
        Address or addresses of the peer, IPv4 and IPv6. Data takes the first one first. The peer may name others when
        it answers.
    port
        Its SCTP port.
    local
        Local addresses; those from which the system's routes lead to the peer if there is none.
    encapsulation
        The peer's UDP port.
    local_port
        Own SCTP port; any that is free if 0.
    local_encapsulation
        Own UDP port; any that is free if 0.
    cc
        Congestion control, as ``manypath list`` shows them.
    concurrent
        Let all paths carry data at once; else one does and the others stand by. If None, they do with a congestion
        control that couples paths, such as ``cmt-rpv2``.
    streams
        Streams that are asked for in each direction; both sides agree on the smaller number.
    options
        Sizes of buffers, timers and limits.
    events
        A file for what happens to the association, as JSON lines: the same events as those of a simulated run. It is
        complete when `Association.shutdown` or `Association.closed` returns.

    Raises
    ------
    UserError
        If an argument cannot be, an address is none of this machine, a UDP port is in use, or the file of events is one
        that manypath did not write.
    NetworkError
        `Refused` if the peer does not want the association, `Unreachable` if it does not answer.
    """
    peer = _addresses("addresses", addresses)
    if not peer:
        raise UserError('addresses: there is none: give those of the peer, such as "10.1.0.2"')
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
    """Let peers open associations: ``async with listen(...) as endpoint`` or ``endpoint = await listen(...)``.

    Parameters
    ----------
    port
        SCTP port; a random one if 0.
    local
        Local addresses, which peers learn in this order; without one, all of the machine but link-local IPv6 ones.
    backlog
        So many associations may wait for `Endpoint.accept`; more are refused.
    encapsulation
        UDP port; any that is free if 0.
    cc, concurrent, streams, options
        As in `connect`, for associations that peers open.
    events
        A file for what happens to the associations, as JSON lines. It is complete when `Endpoint.close` returns.

    Raises
    ------
    UserError
        If an argument cannot be, an address is none of this machine, or a UDP port is in use; the last two are found
        when the listener is awaited or entered.
    """
    whole("backlog", backlog, "number of associations", least=1, below=2**31, right="1 or more")
    ports = ("port", port), ("encapsulation", encapsulation)
    return Listener(_bind(local, *ports, backlog, cc, concurrent, streams, options, events))


class Listener:
    """An endpoint that is about to be made: see `listen`."""

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
    """An SCTP port of this machine that peers open associations with; ``async for`` accepts them until it is closed.

    ``async with`` closes it at its end, as `close` does. If an exception leaves the block, nothing waits for the
    associations.
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
        """Return what the endpoint has done so far, for all its associations."""
        return EndpointCounters(**self._endpoint.counters())

    async def accept(self) -> Association:
        """Wait for the next association that a peer opened. If the task is cancelled, none is lost.

        Raises
        ------
        Closed
            If the endpoint is closed, before or meanwhile.
        """
        return Association(await finish(self._endpoint.accept()))

    async def __anext__(self) -> Association:
        try:
            return await self.accept()
        except Closed:
            raise StopAsyncIteration from None

    async def close(self) -> None:
        """Shut down all associations and wait until they have ended: what was sent has arrived then, or cannot.

        Messages that were not received are discarded, as by `Association.close`. A peer that does not answer takes
        minutes. If the task is cancelled, the associations go on ending.
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
            closing.poll()  # begins
            closing.cancel()  # stops only the waiting

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
    """Check what both sides have, and begin to make an endpoint; ports come with their names."""
    if not hasattr(_native, "SctpEndpoint"):
        raise UserError("manypath.sctp: this system is no Unix: use Linux, in a virtual machine if need be")
    whole("streams", streams, "number of streams", least=1, below=2**16, right="1 to 65535")
    mistake = _native.algorithm_mistake(text("cc", cc, 'the name of a congestion control, such as "cmt-rpv2"'))
    if mistake is not None:
        raise UserError(f"cc: {told_setting(mistake)}")
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
    """Read addresses of interfaces."""
    example = 'an address, such as "10.1.0.2"'
    return [_address(name, each) for each in texts(name, given, example)]


def _address(name: str, given: str) -> IPv4Address | IPv6Address:
    try:
        address = ip_address(given)
    except ValueError:
        raise UserError(f'{name}: {quoted(given)} is no IP address: give one, such as "10.1.0.2"') from None
    if isinstance(address, IPv6Address) and address.scope_id is not None:
        raise UserError(
            f"{name}: {quoted(given)} names an interface, which cannot be chosen here: give the address alone"
        )
    if address.is_multicast or address.is_unspecified or address == BROADCAST:
        raise UserError(f"{name}: {quoted(given)} is not the address of one interface: give one that is")
    return address


BROADCAST = IPv4Address("255.255.255.255")
"""All hosts of a network."""
