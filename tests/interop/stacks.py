"""Pairs of stacks, their capabilities, and the carriers between them."""

from __future__ import annotations

from collections.abc import Sequence
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


def meetings(
    *carriers: Carrier,
    only: tuple[str, ...] = tuple(CARRIED),
    variants: Sequence[tuple[Any, ...]] = ((),),
    controls: bool = False,
) -> list[Any]:
    """Return parameters ``listener, connecter, carrier`` and those of a variant: all combinations that stacks support.

    The gate takes a covering selection, and the long list (``@pytest.mark.long``) has the rest:

    - Each pair with our stack and another one is tested in both roles, over one carrier on UDP and one on raw IP, if
      both stacks support it. The IP version alternates from pair to pair.
    - A pair of a stack with itself is a control, for the case that another pair fails. The gate takes it if `controls`.
    - These take the variants in turn, so that each variant is in the gate once at least.

    Parameters
    ----------
    carriers
        The carriers; by default all with one IP version.
    only
        The stacks that support the subject of the test.
    variants
        Further parameters of the test, each combined with each pair and carrier.
    controls
        Whether the gate has the pairs of a stack with itself.
    """
    found, turn = [], 0
    for place, (listener, connecter) in enumerate(PAIRS):
        if not {listener, connecter} <= set(only):
            continue
        both = [each for each in carriers or CARRIERS if each in CARRIED[listener] and each in CARRIED[connecter]]
        chosen = covering(both, place) if controls or listener != connecter else []
        for carrier in both:
            taken = turn % len(variants) if carrier in chosen else None
            turn += carrier in chosen
            for number, variant in enumerate(variants):
                name = "-".join([listener, connecter, *map(str, (carrier, *variant))])
                marks = () if number == taken else pytest.mark.long
                found.append(pytest.param(listener, connecter, carrier, *variant, id=name, marks=marks))
    return found


def covering(carriers: Sequence[Carrier], place: int) -> list[Carrier]:
    """Return one carrier over UDP and one over raw IP, if there are such; the IP version depends on the place."""
    kinds = [[each for each in carriers if (each.udp is None) == is_raw] for is_raw in (False, True)]
    return [kind[(place + number) % len(kind)] for number, kind in enumerate(kinds) if kind]


BOTH_FAMILIES = (UDP4, RAW6)
"""The carriers of tests about other subjects: UDP and raw IP, IPv4 and IPv6, once each."""

PROMPT: dict[str, Any] = {"rto_min": 300, "sack_delay": 20}
"""Timers with which a loss in the handshake is repaired within a short test."""

TIMES: dict[str, Any] = {
    "rto_min": 100,
    "rto_max": 400,
    "sack_delay": 20,
    "path_retransmissions": 2,
    "association_retransmissions": 1000,
    "heartbeat": 200,
}
"""Timers with a failover in less than a second. A SACK must be delayed less than a retransmission timeout. The default
limit of an association would end it while its peer has no processor for two seconds."""
