"""Changes of fields that a user gives: a switch, and the scenarios of a paper that it reaches.

A change is a dotted place as in a sweep file, with ``*`` for any name, and the new value. It applies to every scenario
in which the field exists. All mistakes are reported before the first run.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time
from typing import Any

from manypath import _native
from manypath.arguments import text
from manypath.campaign.fields import ANY, matching, replaced, value_at
from manypath.errors import UserError, quoted
from manypath.papers.evidence import Case
from manypath.papers.switch import Switch
from manypath.refusal import told
from manypath.scenario import Scenario

Changes = Mapping[str, Any]
"""The new values of fields by their dotted places: ``{"flows.*.send_buffer": "1 MB"}``."""


@dataclass(frozen=True)
class Reach:
    """The scenarios of one paper that a change reaches.

    Attributes
    ----------
    switch : Switch
        The change.
    changed : tuple of Case
        The cases whose scenarios it changes.
    equal : int
        Number of cases that have a field, but with the new value.
    without : int
        Number of cases without any of the fields.
    varied : mapping
        Names of the experiments that vary a field, by its place. All their cases get the same value.
    """

    switch: Switch
    changed: tuple[Case, ...]
    equal: int
    without: int
    varied: Mapping[str, tuple[str, ...]]


def switch_of(changes: Changes) -> Switch:
    """Return the switch that makes the changes together.

    Raises
    ------
    UserError
        If there are no changes, or a place is no text.
    """
    if not isinstance(changes, Mapping) or not changes:
        raise UserError(f'changes: {quoted(changes)} are no changes: give {{"flows.*.send_buffer": "1 MB"}}')
    for place in changes:
        text("changes", place, "places of fields")
    says = ", ".join(f"{place} = {written(value)}" for place, value in changes.items())
    return Switch(says, says, lambda scenario: with_changes(scenario, changes))


def with_changes(scenario: Scenario, changes: Changes) -> Scenario:
    """Return a scenario with the new values of the fields that it has; the others are ignored.

    Raises
    ------
    UserError
        If the scenario is invalid with them.
    """
    before = fields = scenario.model_dump()
    for place, value in changes.items():
        if matching(fields, place):
            fields = replaced(fields, place, value)
    if fields is before:
        return scenario
    changed = Scenario(**fields)
    try:
        _native.check(changed.document())
    except _native.ScenarioError as error:
        raise UserError(told(error)) from None
    return changed


def reach_of(changes: Changes, papers: Mapping[str, Mapping[Case, Scenario]]) -> dict[str, Reach]:
    """Return the reach of the changes in each paper with one of the fields, by the name of the paper.

    Parameters
    ----------
    changes
        The changes.
    papers
        The scenarios of each paper that would be run.

    Raises
    ------
    UserError
        If a field exists in no scenario, or a scenario is invalid with the new values.
    """
    switch = switch_of(changes)
    _refuse_unknown(changes, papers)
    found = {name: _reach(switch, changes, scenarios) for name, scenarios in papers.items()}
    return {name: reach for name, reach in found.items() if reach.changed or reach.equal}


def _reach(switch: Switch, changes: Changes, scenarios: Mapping[Case, Scenario]) -> Reach:
    having = [case for case, scenario in scenarios.items() if _has_any(scenario, changes)]
    changed: list[Case] = []
    mistakes: dict[Case, str] = {}
    for case in having:
        try:
            if switch.change(scenarios[case]) != scenarios[case]:
                changed.append(case)
        except UserError as error:
            mistakes[case] = _shortened(str(error))
    if mistakes:
        case, mistake = next(iter(mistakes.items()))
        raise UserError(mistake if len(mistakes) == len(having) else f"{case}: {mistake}")
    varied = {place: _varying(place, scenarios) for place in changes}
    return Reach(
        switch=switch,
        changed=tuple(changed),
        equal=len(having) - len(changed),
        without=len(scenarios) - len(having),
        varied={place: names for place, names in varied.items() if names},
    )


def _has_any(scenario: Scenario, changes: Changes) -> bool:
    fields = scenario.model_dump()
    return any(matching(fields, place) for place in changes)


def _shortened(message: str) -> str:
    """Return the lines about different mistakes: a value for several fields has the same mistake in each of them."""
    first: dict[str, str] = {}
    for line in message.splitlines():
        first.setdefault(line.partition(": ")[2], line)
    return "\n".join(first.values())


def _varying(place: str, scenarios: Mapping[Case, Scenario]) -> tuple[str, ...]:
    """Return the names of the experiments whose cases differ in the value of a field."""
    values: dict[tuple[str, str], set[str]] = {}
    for case, scenario in scenarios.items():
        fields = scenario.model_dump()
        for here in matching(fields, place):
            values.setdefault((case.experiment, here), set()).add(repr(value_at(fields, here)))
    return tuple(dict.fromkeys(experiment for (experiment, _), found in values.items() if len(found) > 1))


def _refuse_unknown(changes: Changes, papers: Mapping[str, Mapping[Case, Scenario]]) -> None:
    """Refuse fields that no scenario has, with the nearest places of fields."""
    trees = [scenario.model_dump() for scenarios in papers.values() for scenario in scenarios.values()]
    for place, value in changes.items():
        if not any(matching(tree, place) for tree in trees):
            near = near_places(place, {known: None for tree in trees for known in places_of(tree)})
            hint = f"did you mean {' or '.join(quoted(each) for each in near)}?" if near else STARTS
            raise UserError(f"{place}: no scenario of {' or '.join(papers)} has this field: {hint}")
        # A later place may be inside of an earlier value.
        trees = [replaced(tree, place, value) for tree in trees]


def places_of(fields: Mapping[str, Any]) -> list[str]:
    """Return the places of all fields of a scenario, as they are and with ``*`` for names of flows and links."""
    found: list[str] = []

    def visit(here: Mapping[str, Any], way: tuple[str, ...]) -> None:
        for name, inner in here.items():
            for step in (ANY, name) if way in NAMED else (name,):
                place = (*way, step)
                found.append(".".join(place))
                if isinstance(inner, Mapping):
                    visit(inner, place)

    visit(fields, ())
    return list(dict.fromkeys(found))


def near_places(place: str, known: Iterable[str]) -> list[str]:
    """Return the places that are similar to an unknown one, or end with the same field; the most similar first."""
    every = list(known)
    ending = f".{place.rpartition('.')[2]}"
    same = [each for each in every if each.endswith(ending)]
    similar = difflib.get_close_matches(place, same, MOST_NEAR, cutoff=0.0)
    return similar or difflib.get_close_matches(place, every, MOST_NEAR)


def written(value: Any) -> str:
    """Return a value as it is written in a scenario file; a part of a scenario as in Python."""
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{name} = {written(inner)}' for name, inner in value.items())} }}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"[{', '.join(map(written, value))}]"
    if isinstance(value, date | time):
        return value.isoformat()
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str | bool | int | float) else repr(value)


NAMED = {("flows",), ("network", "links"), ("network", "paths")}
"""Tables of a scenario whose names a paper chooses."""

MOST_NEAR = 3
"""Largest number of places in a message about an unknown one."""

STARTS = "give a place such as flows.*.send_buffer or network.links.*.queue"
"""Remedy for a place that is similar to none."""
