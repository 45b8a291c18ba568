"""Flows of any protocol."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Discriminator, Tag

from manypath.scenario.sctp import Sctp
from manypath.scenario.tcp import Mptcp, Tcp


def transport(flow: Any) -> Any:
    """Return the protocol of a flow; SCTP by default."""
    return flow.get("transport", "sctp") if isinstance(flow, Mapping) else getattr(flow, "transport", "sctp")


Flow = Annotated[
    Annotated[Sctp, Tag("sctp")] | Annotated[Tcp, Tag("tcp")] | Annotated[Mptcp, Tag("mptcp")],
    Discriminator(transport),
]
"""A flow of any protocol."""
