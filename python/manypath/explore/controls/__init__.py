"""The controls of a scenario, with their explanations from the models, and the changes that they make.

`links` has those of links, `flows` those of flows and rivals, `control` what a control is, `refusals` their messages
about wrong values.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from manypath.display import counted
from manypath.errors import UserError, quoted
from manypath.explore.controls.control import (
    SEPARATOR,
    SPANS,
    SWITCH,
    Control,
    Short,
    definition,
    explanation,
    has_field,
    shown,
    whole,
)
from manypath.explore.controls.flows import (
    MOST_FLOWS,
    controls_of_flows,
    flows_with_controls,
    with_flow,
    with_rivals,
    with_transport,
)
from manypath.explore.controls.links import MOST_LINKS, controls_of_links, links_with_controls, with_link
from manypath.explore.controls.refusals import labelled, with_labels
from manypath.explore.state import State
from manypath.run import check
from manypath.scenario import Scenario

__all__ = ["SWITCH", "Control", "changed", "controls", "on_the_page", "whole", "without_controls"]


def controls(state: State) -> list[Control]:
    """Return the controls of the links on paths, of the flows, and of the run."""
    return [*controls_of_links(state.scenario), *controls_of_flows(state), *_of_the_run(state)]


def without_controls(state: State) -> str:
    """Return which links and flows have no controls because there are too many; empty if all have some."""
    more = {
        "link": links_with_controls(state.scenario)[MOST_LINKS:],
        "flow": flows_with_controls(state)[MOST_FLOWS:],
    }
    return "; ".join(
        f"no controls here: {counted(len(names), f'more {kind}')}" for kind, names in more.items() if names
    )


def changed(state: State, place: str, value: Any) -> State:
    """Return the state after a move of one control.

    Raises
    ------
    UserError
        If the value is invalid; the message begins with the label of the setting.
    """
    try:
        new = _moved(state, place, value)
        # The engine refuses more than the models do.
        check(new.scenario)
    except UserError as error:
        said = str(error).splitlines()[0]
        raise UserError(labelled(state, controls(state), place, value, said)) from None
    return new


def on_the_page(state: State, said: str) -> str:
    """Return a message about a scenario with the label of its setting instead of the name in a document."""
    return with_labels(state, controls(state), said)


def _moved(state: State, place: str, value: Any) -> State:
    """Return the state after a move, which the engine may still refuse."""
    part, _, rest = place.partition(SEPARATOR)
    name, _, field = rest.rpartition(SEPARATOR)
    scenario = state.scenario
    match part:
        case "seed":
            return state.but(seed=whole("seed", value, 0, 2**64 - 1))
        case "rivals":
            return with_rivals(state, value)
        case "warmup" | "measure":
            with Short(""):
                return state.but(scenario=scenario.but(**{part: value}))
        case "transport" if rest == state.multipath:
            return with_transport(state, rest, str(value))
        case "links" if name in scenario.network.links and has_field(scenario.network.links[name], field):
            return with_link(state, name, field, value)
        case "flows" if name in scenario.flows and (field == "path" or has_field(scenario.flows[name], field)):
            return with_flow(state, name, field, value)
        case _:
            raise UserError(f"control: {quoted(place)} is no setting of this scenario: choose one on the page")


def _of_the_run(state: State) -> Iterator[Control]:
    for field in ("warmup", "measure"):
        yield Control(
            field,
            "Run",
            field,
            "amount",
            shown(getattr(state.scenario, field)),
            explanation(Scenario, field),
            f"manypath.Scenario.{field}",
            definition(Scenario, field),
            steps=SPANS,
        )
    yield Control(
        "seed",
        "Run",
        "seed",
        "amount",
        str(state.seed),
        "Seed of the random numbers. Equal seeds give equal runs.",
        "manypath.run",
        "manypath.run.run",
        "explanation/time-and-chance.md",
    )
