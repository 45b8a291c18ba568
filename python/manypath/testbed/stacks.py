"""The contestant of each flow of a scenario: the user's choice, else the default."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote

from manypath.arguments import MOST_AT_ONCE, MOST_RUNS, MOST_TRIES, text, whole
from manypath.errors import UserError, quoted, remedy
from manypath.testbed.contestants import CONTESTANTS, Contestant

EVERY_FLOW = ""
"""The key of the stack for all flows without a stack of their own."""

Flows = Mapping[str, Mapping[str, Any]]
"""The flows of a scenario's document, by name."""


def checked(stacks: Mapping[str, str] | None) -> dict[str, str]:
    """Return the given stacks of flows; raise `UserError` if they are no table, or if a stack does not exist."""
    if stacks is None:
        return {}
    if not isinstance(stacks, Mapping):
        raise UserError(f'stacks: {quoted(stacks)} are no stacks of flows: give {{"": "manypath"}}')
    for flow, name in stacks.items():
        text("stacks", flow, 'the name of a flow, or "" for all flows')
        check_stack("stacks", name)
    return dict(stacks)


def check_stack(field: str, name: str) -> None:
    """Raise `UserError` if there is no stack of this name."""
    if text(field, name, f"the name of a stack: {', '.join(CONTESTANTS)}") not in CONTESTANTS:
        raise UserError(f"{field}: there is no {quoted(name)}: {remedy(name, CONTESTANTS)}")


def tries_of(value: int) -> int:
    """Return the largest number of measurements of a run."""
    return whole("tries", value, "number of measurements", least=1, below=MOST_TRIES + 1)


def runs_of(field: str, value: int) -> int:
    """Return a number of measured runs."""
    return whole(field, value, "number of runs", least=1, below=MOST_RUNS + 1)


def at_once_of(value: int) -> int:
    """Return a number of concurrent measurements."""
    return whole("at_once", value, "number of measurements at once", least=1, below=MOST_AT_ONCE + 1)


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
