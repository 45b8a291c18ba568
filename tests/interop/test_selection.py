"""The gate takes a covering selection of pairs, roles, carriers and variants."""

from __future__ import annotations

import pytest
from stacks import BOTH_FAMILIES, CARRIED, MULTIHOMED, OURS, PAIRS, meetings
from stage import CARRIERS, UDP4

pytestmark = pytest.mark.interop

VARIANTS = [(number,) for number in range(4)]


def gate(parameters: list) -> list[tuple]:
    """Return the values of the parameters without the mark of the long list."""
    return [each.values for each in parameters if not each.marks]


def test_the_gate_has_every_pair_in_both_roles_and_every_carrier():
    chosen = gate(meetings(controls=True))
    assert {(listener, connecter) for listener, connecter, _ in chosen} == set(PAIRS)
    assert {carrier for *_, carrier in chosen} == set(CARRIERS)
    for other in CARRIED:
        carriers = {carrier for listener, connecter, carrier in chosen if {listener, connecter} == {OURS, other}}
        assert {carrier.udp is None for carrier in carriers} == {carrier.udp is None for carrier in CARRIED[other]}


def test_the_gate_has_every_other_stack_in_each_test():
    chosen = gate(meetings(UDP4))
    assert {(listener, connecter) for listener, connecter, _ in chosen} == {pair for pair in PAIRS if len({*pair}) == 2}


def test_the_gate_has_every_variant():
    chosen = gate(meetings(*BOTH_FAMILIES, only=MULTIHOMED, variants=VARIANTS))
    assert [variant for *_, variant in chosen] == [0, 1, 2, 3]
    assert len({each[:3] for each in chosen}) == 4


def test_the_long_list_has_the_rest():
    every = meetings(*BOTH_FAMILIES, only=MULTIHOMED, variants=VARIANTS)
    assert len({each.values for each in every}) == len(every) == 4 * 2 * 4
