"""Values of a changed scenario that are written differently, but mean the same as before."""

from __future__ import annotations

from typing import Any

from manypath import _native
from manypath.scenario import Bernoulli, BitError, Event, GilbertElliott, Link, NoLoss, Scenario


def with_equal_values_kept(changed: Scenario, before: Scenario) -> Scenario:
    """Return a changed scenario with the former values where the new ones mean the same.

    These are loss models without losses, such as a probability of 0, and congestion controls with their default
    parameters. A scenario with such values has the same runs, which are not computed again.
    """
    network = changed.network
    links = {name: _link(link, before.network.links.get(name)) for name, link in network.links.items()}
    access = None if network.access is None else _link(network.access, before.network.access)
    flows = {name: _flow(flow, before.flows.get(name)) for name, flow in changed.flows.items()}
    kept = changed.but(network=network.but(links=links, access=access), flows=flows)
    return before if kept == before else kept


def _link(link: Link, before: Link | None) -> Link:
    if before is None or link == before:
        return link
    events = link.events
    if len(events) == len(before.events):
        events = tuple(_event(*pair) for pair in zip(events, before.events, strict=True))
    return link.but(loss=before.loss if _lose_nothing(link.loss, before.loss) else link.loss, events=events)


def _event(event: Event, before: Event) -> Event:
    return event.but(loss=before.loss) if _lose_nothing(event.loss, before.loss) else event


def _flow(flow: Any, before: Any) -> Any:
    if before is None or flow.cc == before.cc or _without_defaults(flow.cc) != _without_defaults(before.cc):
        return flow
    return flow.but(cc=before.cc)


def _lose_nothing(*losses: Any) -> bool:
    return all(map(_loses_nothing, losses))


def _loses_nothing(loss: Any) -> bool:
    match loss:
        case NoLoss():
            return True
        case Bernoulli():
            return loss.p == 0
        case BitError():
            return loss.rate == 0
        case GilbertElliott():
            return loss.loss_good == loss.loss_bad == 0
        case _:
            return False


def _without_defaults(cc: str) -> tuple[str, frozenset[str]]:
    """Return the name of a congestion control and its parameters that are not the default ones."""
    name, _, written = cc.partition(":")
    defaults = {f"{key}={default}" for of, key, default, _ in _native.algorithm_parameters() if of == name}
    return name, frozenset(part for part in written.split(",") if part) - defaults
