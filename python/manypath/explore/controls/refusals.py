"""Refusals with the names that settings have on the page, instead of their names in a scenario."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from manypath.explore.controls.control import SEPARATOR, SWITCH, Control, told
from manypath.explore.controls.flows import rivals
from manypath.explore.controls.links import mirrored
from manypath.explore.state import State


def labelled(state: State, found: Sequence[Control], place: str, value: Any, said: str) -> str:
    """Return a refusal of a value, which begins with the label of its control among those of the state.

    A refusal that is about another setting has the label of that one, too. A refusal of a place without a control is
    unchanged.
    """
    own = next((control for control in found if control.place == place), None)
    if own is None:
        return said
    names = _names(state, found)
    name, rest = _split(said, _document_name(place), names)
    rest = _with_labels(rest, own, _document_name(place), names, has_name=bool(name))
    if not name or names[name] == _Name(own.label, own.group):
        return f"{own.label}: {rest}"
    written = SWITCH[not value] if isinstance(value, bool) else told(str(value))
    return f"{own.label}: {written} does not fit {names[name].beside(own)}: {rest}"


def with_labels(state: State, found: Sequence[Control], said: str) -> str:
    """Return a message about the scenario of a state, which begins with the label of the setting that it is about."""
    names = _names(state, found)
    name, rest = _split(said, "", names)
    return f"{names[name].of()}: {rest}" if name else said


class _Name(NamedTuple):
    """The name of a setting on the page."""

    label: str
    group: str

    def beside(self, own: Control) -> str:
        """Return it for a message about a control: with its link or flow, if that is another one."""
        return self.label if self.group == own.group else self.of()

    def of(self) -> str:
        """Return it with its link or flow."""
        if not self.group.startswith(("Link ", "Flow ")):
            return self.label
        return f"{self.label} of {self.group[0].lower()}{self.group[1:]}"


def _names(state: State, found: Sequence[Control]) -> dict[str, _Name]:
    """Return the names on the page by names in documents, longest names first."""
    links = state.scenario.network.links
    named = {f"network.links.{link}.events": _Name("events", f"Link {link}") for link in links if links[link].events}
    named["network.access.events"] = _Name("events of access links", "")
    named["network.access"] = _Name("access links", "")
    for control in found:
        for place in _alike(state, control.place):
            named[_document_name(place)] = _Name(control.label, control.group)
            if place.endswith(f"{SEPARATOR}path"):
                # The name of this field depends on the protocol.
                named[f"{_document_name(place)}s"] = _Name(control.label, control.group)
    return dict(sorted(named.items(), key=lambda item: len(item[0]), reverse=True))


def _alike(state: State, place: str) -> Iterator[str]:
    """Yield a place, and the same setting of the links or flows that change together with its own."""
    yield place
    kind, _, rest = place.partition(SEPARATOR)
    name, _, field = rest.rpartition(SEPARATOR)
    twin = mirrored(state.scenario, name) if kind == "links" else None
    others = [twin] if twin is not None else rivals(state) if kind == "flows" and name == state.rival else []
    yield from (SEPARATOR.join((kind, other, field)) for other in others)


def _document_name(place: str) -> str:
    """Return the name of a setting in documents, such as ``flows.rival.app.message``."""
    kind, _, rest = place.partition(SEPARATOR)
    name, _, field = rest.rpartition(SEPARATOR)
    match kind:
        case "links":
            return f"network.links.{name}.{field}"
        case "flows":
            return f"flows.{name}.{field}"
        case "transport":
            return f"flows.{rest}.transport"
        case _:
            return kind


def _split(said: str, own: str, names: dict[str, _Name]) -> tuple[str, str]:
    """Return the setting with which a refusal begins, and the rest; an empty name if it begins with none.

    Messages of a part of a scenario begin with the name of a field in this part.
    """
    ends = [match.end() for match in re.finditer(r"\.", own)]
    for within in ("", *(own[:end] for end in reversed(ends))):
        for name in names:
            begin = re.match(rf"{re.escape(name)}{INNER}: ", within + said)
            if begin is not None:
                return name, (within + said)[begin.end() :]
    return "", said


def _with_labels(said: str, own: Control, place: str, names: dict[str, _Name], *, has_name: bool) -> str:
    """Return a message with the labels of the settings that it names.

    A message about a whole part, which begins with no name, also names the fields of this part by single words.
    """
    part = place[: place.rindex(".") + 1] if "." in place else ""
    words = {name: named.beside(own) for name, named in names.items()}
    fields = {name.removeprefix(part): words[name] for name in names if part and name.startswith(part)}
    words |= {name: label for name, label in fields.items() if "_" in name or not has_name}
    either = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
    return re.sub(rf"(?<![\w.])({either}){INNER}(?!\w)", lambda match: words[match[1]], said)


INNER = r"(?:\.(?:min|max|earliest|latest)|\.\d+\.at)?"
"""The end of a range, or the time of an event, after the name of its setting."""
