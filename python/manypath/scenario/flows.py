"""Flows: who sends what to whom, over which paths, by which protocol."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Discriminator, Tag

from manypath.scenario.sctp import Sctp
from manypath.scenario.tcp import Mptcp, Tcp


def transport(flow: Any) -> Any:
    """The protocol of a flow; SCTP if it says none."""
    return flow.get("transport", "sctp") if isinstance(flow, Mapping) else getattr(flow, "transport", "sctp")


Flow = Annotated[
    Annotated[Sctp, Tag("sctp")] | Annotated[Tcp, Tag("tcp")] | Annotated[Mptcp, Tag("mptcp")],
    Discriminator(transport),
]
"""A flow of any protocol."""
