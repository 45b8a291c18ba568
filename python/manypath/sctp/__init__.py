"""SCTP between real hosts, for asyncio: messages over several paths, inside UDP (RFC 9260, RFC 6951).

An association connects two endpoints. Each endpoint may have several addresses. The state machine is the one that the
simulator runs. Nothing needs rights of an administrator or a kernel with SCTP.
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
