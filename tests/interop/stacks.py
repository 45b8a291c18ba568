"""Which stacks meet, what each of them can do, and over what they meet."""

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
"""What each stack runs on."""

MULTIHOMED = (OURS, "usrsctp")
"""Stacks that know more than one path."""

PAIRS = [(stack, stack) for stack in CARRIED]
PAIRS += [pair for other in ("usrsctp", "pion", "dcsctp") for pair in ((OURS, other), (other, OURS))]
"""Who listens, and who connects. A stack that meets itself shows that its peer and these tests are right."""


def meetings(*carriers: Carrier, only: tuple[str, ...] = tuple(CARRIED)) -> list[Any]:
    """Parameters ``listener, connecter, carrier``: every pair over what both run on."""
    return [
        pytest.param(listener, connecter, carrier, id=f"{listener}-{connecter}-{carrier}")
        for listener, connecter in PAIRS
        for carrier in carriers or CARRIERS
        if {listener, connecter} <= set(only)
        if carrier in CARRIED[listener] and carrier in CARRIED[connecter]
    ]


BOTH_FAMILIES = (UDP4, RAW6)
"""Where a test is about something else, UDP and raw IP, IPv4 and IPv6 are tried once each."""

PROMPT: dict[str, Any] = {"rto_min": 300, "sack_delay": 20}
"""Timers that repair a loss at the very beginning within a short test."""

TIMES: dict[str, Any] = {"rto_min": 100, "rto_max": 400, "sack_delay": 20, "path_retransmissions": 2, "heartbeat": 200}
"""Timers that let a failover take less than a second. A SACK must not wait longer than a retransmission timeout."""
