"""SCTP over UDP between real hosts for asyncio, with messages over several paths (RFC 9260, RFC 6951).

An association connects two endpoints. Each endpoint may have several addresses. The protocol implementation is that of
the simulator. It needs neither root nor SCTP in the kernel.
"""

from __future__ import annotations

from manypath.sctp.association import Association, Message, Path
from manypath.sctp.counters import AssociationCounters, Blocked, EndpointCounters
from manypath.sctp.endpoint import Endpoint, Listener, connect, listen
from manypath.sctp.errors import Aborted, Closed, Refused, Unreachable
from manypath.sctp.events import (
    Event,
    Events,
    Finished,
    PathDown,
    PathPotentiallyFailed,
    PathUp,
    PeerShutdown,
    RemoteError,
    Restarted,
    SenderDry,
    SendFailed,
)
from manypath.sctp.options import Options

__all__ = [
    "Aborted",
    "Association",
    "AssociationCounters",
    "Blocked",
    "Closed",
    "Endpoint",
    "EndpointCounters",
    "Event",
    "Events",
    "Finished",
    "Listener",
    "Message",
    "Options",
    "Path",
    "PathDown",
    "PathPotentiallyFailed",
    "PathUp",
    "PeerShutdown",
    "Refused",
    "RemoteError",
    "Restarted",
    "SendFailed",
    "SenderDry",
    "Unreachable",
    "connect",
    "listen",
]
