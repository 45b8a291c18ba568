"""The contestant of each flow of a scenario: the user's choice, else the default."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote

from manypath.errors import UserError, quoted, remedy
from manypath.testbed.contestants import CONTESTANTS, Contestant

EVERY_FLOW = ""
"""The key of the stack for all flows without a stack of their own."""

Flows = Mapping[str, Mapping[str, Any]]
"""The flows of a scenario's document, by name."""


def check_names(stacks: Mapping[str, str]) -> None:
    """Raise `UserError` if a stack does not exist."""
    for name in stacks.values():
        if name not in CONTESTANTS:
            raise UserError(f"stacks: there is no {quoted(name)}: {remedy(name, CONTESTANTS)}")


def check_flows(stacks: Mapping[str, str], scenarios: Iterable[Flows]) -> None:
    """Raise `UserError` if a flow of `stacks` is in none of the scenarios, or if a stack does not run its flow."""
    scenarios = list(scenarios)
    transports = {name: flow["transport"] for flows in scenarios for name, flow in flows.items()}
    if not transports:
        return
    for flow in stacks:
        if flow != EVERY_FLOW and flow not in transports:
            raise UserError(f"stacks: there is no flow {quoted(flow)}: {remedy(flow, transports)}")
    for flows in scenarios:
        assigned(stacks, flows)
    if EVERY_FLOW in stacks:
        every = CONTESTANTS[stacks[EVERY_FLOW]]
        if not set(every.transports) & set(transports.values()):
            others = " and ".join(sorted(set(transports.values())))
            right = " or ".join(dict.fromkeys(standard(transport).name for transport in transports.values()))
            raise UserError(f"stacks: {every.name} does not run {others}, the transports of the flows: give {right}")


def assigned(stacks: Mapping[str, str], flows: Flows) -> dict[str, Contestant]:
    """Return the contestant of each flow.

    A flow has its own stack, else the stack of `EVERY_FLOW` if it runs the flow's transport, else the default stack.

    Raises
    ------
    UserError
        If the stack of a flow does not run its transport.
    """
    return {name: _contestant(stacks, name, flow["transport"]) for name, flow in flows.items()}


def _contestant(stacks: Mapping[str, str], name: str, transport: str) -> Contestant:
    if name in stacks:
        own = CONTESTANTS[stacks[name]]
        if transport not in own.transports:
            right = " or ".join(each.name for each in CONTESTANTS.values() if transport in each.transports)
            raise UserError(f"stacks: {own.name} does not run {transport}, the transport of flow {name}: give {right}")
        return own
    every = CONTESTANTS.get(stacks.get(EVERY_FLOW, EVERY_FLOW))
    return every if every and transport in every.transports else standard(transport)


def standard(transport: str) -> Contestant:
    """Return the contestant that runs a transport by default."""
    return next(each for each in CONTESTANTS.values() if transport in each.transports)


def standards() -> list[Contestant]:
    """Return the contestants that are the default for a transport."""
    return [each for each in CONTESTANTS.values() if any(standard(transport) is each for transport in each.transports)]


def chosen(stacks: Mapping[str, str]) -> list[str]:
    """Return the choice and the hashes of the chosen contestants, or nothing if all of them are defaults."""
    contestants = {name: CONTESTANTS[name] for name in sorted(stacks.values())}
    others = [each for each in contestants.values() if each not in standards()]
    if not others:
        return []
    choice = ",".join(f"{quote(flow, safe='')}={name}" for flow, name in sorted(stacks.items()))
    return [choice, *(each for contestant in others for each in contestant.fingerprints)]
