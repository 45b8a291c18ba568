"""Pairs of stacks, their capabilities, and the carriers between them."""

from __future__ import annotations

from typing import Any

import pytest
from stage import CARRIERS, RAW6, RAW46, UDP4, UDP6, UDP46, Carrier

OURS = "manypath"
"""The stack of this repository."""

CARRIED = {
    OURS: (*CARRIERS, UDP46, RAW46),
    "usrsctp": (*CARRIERS, UDP46, RAW46),
    "pion": (UDP4, UDP6),
    "dcsctp": (UDP4, UDP6),
}
"""The carriers that each stack supports."""

MULTIHOMED = (OURS, "usrsctp")
"""Stacks that support several paths."""

PAIRS = [(stack, stack) for stack in CARRIED]
PAIRS += [pair for other in ("usrsctp", "pion", "dcsctp") for pair in ((OURS, other), (other, OURS))]
"""Pairs of listener and connecter. Pairs of a stack with itself show that its peer and these tests are right."""


def meetings(*carriers: Carrier, only: tuple[str, ...] = tuple(CARRIED)) -> list[Any]:
    """Return parameters ``listener, connecter, carrier``: every pair over the carriers that both support."""
    return [
        pytest.param(listener, connecter, carrier, id=f"{listener}-{connecter}-{carrier}")
        for listener, connecter in PAIRS
        for carrier in carriers or CARRIERS
        if {listener, connecter} <= set(only)
        if carrier in CARRIED[listener] and carrier in CARRIED[connecter]
    ]


BOTH_FAMILIES = (UDP4, RAW6)
"""The carriers of tests about other subjects: UDP and raw IP, IPv4 and IPv6, once each."""

PROMPT: dict[str, Any] = {"rto_min": 300, "sack_delay": 20}
"""Timers with which a loss in the handshake is repaired within a short test."""

TIMES: dict[str, Any] = {"rto_min": 100, "rto_max": 400, "sack_delay": 20, "path_retransmissions": 2, "heartbeat": 200}
"""Timers with a failover in less than a second. A SACK must be delayed less than a retransmission timeout."""
