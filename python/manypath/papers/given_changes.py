"""Changes of fields that a user gives: a switch, and the scenarios of a paper that it reaches.

A change is a dotted place as in a sweep file, with ``*`` for any name, and the new value. It applies to every scenario
in which the field exists. All mistakes are reported before the first run.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time
from typing import Any

from manypath import _native
from manypath.arguments import text
from manypath.campaign.fields import ANY, matching, replaced, value_at
from manypath.errors import UserError, quoted, remedy
from manypath.papers.equal_values import with_equal_values_kept
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
        If there are no changes, or a place is empty or no text.
    """
    if not isinstance(changes, Mapping) or not changes:
        raise UserError(f'changes: {quoted(changes)} are no changes: give {{"flows.*.send_buffer": "1 MB"}}')
    for place in changes:
        if not text("changes", place, "places of fields").strip():
            raise UserError(f"changes: {quoted(place)} is no place of a field: {STARTS}")
    _refuse_without_effect(list(changes))
    for place, value in changes.items():
        _check_depth(place, value)
    says = ", ".join(f"{place} = {written(value)}" for place, value in changes.items())
    return Switch(says, says, lambda scenario: with_changes(scenario, changes))


def _refuse_without_effect(places: Sequence[str]) -> None:
    """Refuse a change that a later one replaces: of the same fields, or of a part that has them."""
    for number, place in enumerate(places):
        steps = place.split(".")
        for later in places[number + 1 :]:
            outer = later.split(".")
            if len(outer) <= len(steps) and all(step in (ANY, name) for step, name in zip(outer, steps, strict=False)):
                raise UserError(
                    f"{place}: has no effect, because {later} replaces it: give {later} first, or one of them"
                )


def _check_depth(place: str, value: Any) -> None:
    """Refuse a value that contains itself, or is nested more deeply than any part of a scenario."""
    inner = [value]
    for _ in range(DEEPEST):
        inner = [
            each
            for outer in inner[:MOST_PARTS]
            if isinstance(outer, Mapping | list | tuple)
            for each in (outer.values() if isinstance(outer, Mapping) else outer)
        ]
        if not inner:
            return
    raise UserError(f"{place}: {quoted(value)} has more than {DEEPEST} levels: give a value with fewer")


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
            # A later place may be inside of a part that this value begins.
            fields = (_filled(fields) or fields) if len(changes) > 1 else fields
    if fields is before:
        return scenario
    changed = with_equal_values_kept(Scenario(**fields), scenario)
    try:
        _native.check(changed.document())
    except _native.ScenarioError as error:
        raise UserError(told(error)) from None
    return changed


def _filled(fields: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the fields of a scenario with the defaults of its parts; None if they are invalid so far."""
    try:
        return Scenario(**fields).model_dump()
    except UserError:
        return None


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
            mistakes[case] = mistake_of(changes, str(error))
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
    trees: list[Mapping[str, Any]] = [
        scenario.model_dump() for scenarios in papers.values() for scenario in scenarios.values()
    ]
    removed: dict[str, str] = {}
    for number, (place, value) in enumerate(changes.items()):
        if place in removed:
            raise UserError(removed[place])
        if not any(matching(tree, place) for tree in trees):
            near = near_places(place, {known: None for tree in trees for known in places_of(tree)})
            hint = f"did you mean {' or '.join(quoted(each) for each in near)}?" if near else STARTS
            raise UserError(f"{place}: no scenario of {' or '.join(papers)} has this field: {hint}")
        later = [each for each in [*changes][number + 1 :] if any(matching(tree, each) for tree in trees)]
        if len(changes) == 1:
            return
        after = [replaced(tree, place, value) for tree in trees]
        filled = [_filled(tree) for tree in after]
        # A wrong value is reported as such, and not by the fields that it lacks.
        trees = trees if None in filled and later else [full or tree for full, tree in zip(filled, after, strict=True)]
        for each in later:
            if not any(matching(tree, each) for tree in trees):
                removed.setdefault(each, _removed(each, place, value, trees))


def _removed(place: str, by: str, value: Any, trees: Iterable[Mapping[str, Any]]) -> str:
    """Return the message about a field that an earlier change removes."""
    part, _, name = place.rpartition(".")
    ways = ((tree, matching(tree, part)) for tree in trees)
    fields = next((value_at(tree, found[0]) for tree, found in ways if found), {})
    known = remedy(name, map(str, fields)) if isinstance(fields, Mapping) and fields else "leave one of them out"
    return f"{place}: does not exist after the change {by} = {written(value)}: {known}"


def mistake_of(changes: Changes, message: str) -> str:
    """Return the lines about the mistakes of changes: one line for each change.

    A value for several fields may have a mistake in each of them. A part of a scenario that lacks fields is not merged
    with the former part, and the message says so.
    """
    found: dict[str, list[str]] = {}
    for line in message.splitlines():
        field = line.partition(": ")[0]
        found.setdefault(next((place for place in changes if _is_within(field, place)), line), []).append(line)
    return "\n".join(
        _told(place, changes[place], lines) if place in changes else place for place, lines in found.items()
    )


def _is_within(field: str, place: str) -> bool:
    """Whether a dotted field may be inside of a place with ``*``, or the place inside of the field."""
    return all(step in (ANY, name) for step, name in zip(place.split("."), field.split("."), strict=False))


def _told(place: str, value: Any, lines: Sequence[str]) -> str:
    """Return one line about all mistakes of a value."""
    depth = place.count(".") + 1
    fields = [line.partition(": ")[0].split(".")[depth:] for line in lines if ": missing: " in line]
    lacking = list(dict.fromkeys(".".join(field) for field in fields if field))
    inner = list(_leaves(value)) if isinstance(value, Mapping) else []
    if lacking and inner:
        return (
            f"{place}: {quoted(value)} replaces the whole part, which then lacks {', '.join(lacking)}: give it all, or "
            f"change only {' and '.join(f'{place}.{leaf}' for leaf in inner[:MOST_NEAR])}"
        )
    others = len({line.partition(": ")[0] for line in lines}) - 1
    if others and len({line.partition(": ")[2] for line in lines}) > 1:
        return f"{lines[0]} ({others} other fields of {place} cannot have this value either)"
    return lines[0]


def _leaves(value: Mapping[str, Any]) -> Iterator[str]:
    """Yield the dotted places of the fields of a part that are no parts themselves."""
    for name, inner in value.items():
        if isinstance(inner, Mapping):
            yield from (f"{name}.{leaf}" for leaf in _leaves(inner))
        else:
            yield str(name)


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

DEEPEST = 20
"""Largest number of levels of a value; scenarios have fewer."""

MOST_PARTS = 10_000
"""Number of parts on a level of a value up to which their levels are counted."""

MOST_NEAR = 3
"""Largest number of places in a message about an unknown one."""

STARTS = "give a place such as flows.*.send_buffer or network.links.*.queue"
"""Remedy for a place that is similar to none."""
