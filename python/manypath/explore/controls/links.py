"""The controls of links: rates, delays, queues and losses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any, get_args

from manypath.display import counted
from manypath.errors import UserError
from manypath.explore.controls.control import (
    BYTES,
    DELAYS,
    RATES,
    Control,
    Short,
    definition,
    explanation,
    joined,
    known,
    read,
    shown,
    summary,
)
from manypath.explore.state import State
from manypath.quantity import Quantity
from manypath.scenario import Link, Scenario
from manypath.scenario.losses import Bernoulli, BitError, GilbertElliott
from manypath.scenario.model import Model
from manypath.scenario.queues import DropTail, Queue


def controls_of_links(scenario: Scenario) -> Iterator[Control]:
    """Yield the controls of the links that paths cross; a link and its equal other direction have one group."""
    for name in links_with_controls(scenario)[:MOST_LINKS]:
        yield from _of_link(name, scenario.network.links[name], mirrored(scenario, name) is not None)


def links_with_controls(scenario: Scenario) -> list[str]:
    """Return the links with a group of controls, without those that have the settings of their other direction."""
    paths = scenario.network.paths.values()
    there = dict.fromkeys(link for path in paths for link in path.forward)
    back = dict.fromkeys(link for path in paths for link in path.reverse if link not in there)
    found: list[str] = []
    for name in (*there, *back):
        twin = mirrored(scenario, name)
        if twin is None or twin not in found:
            found.append(name)
    return found


def with_link(state: State, name: str, field: str, value: Any) -> State:
    """Change a link, and its other direction if both are equal."""
    network = state.scenario.network
    link = network.links[name]
    back = mirrored(state.scenario, name)
    outer, _, inner = field.partition(".")
    with Short(""):
        if field in ("queue", "loss") and value == getattr(link, field).kind:
            return state
        if field == "queue":
            new = link.but(queue=QUEUES[known("queue", value, tuple(QUEUES))](**_limit(link)))
        elif field == "loss":
            new = link.but(loss=LOSSES[known("loss", value, tuple(LOSSES))])
        elif inner:
            part = getattr(link, outer)
            _needs_limit(part, inner, value)
            new = link.but(**{outer: part.but(**{inner: read(type(part), inner, value)})})
        else:
            new = link.but(**{field: value})
    links = {**network.links, name: new, **({back: new} if back is not None else {})}
    return state.but(scenario=state.scenario.but(network=network.but(links=links)))


@lru_cache(maxsize=64)
def _of_link(name: str, link: Any, is_mirrored: bool) -> list[Control]:
    """Return the controls of a link; they are kept, because a move changes one link at most."""
    return list(_Of(name, link, is_mirrored).controls())


class _Of:
    """The controls of one link."""

    def __init__(self, name: str, link: Link, is_mirrored: bool) -> None:
        self._name, self._link = name, link
        self._also = " Holds for both directions." if is_mirrored else ""

    def controls(self) -> Iterator[Control]:
        """Yield them."""
        link = self._link
        if link.trace is None:
            yield self._interrupted(self._first(self._amount(Link, "rate", link.rate, steps=RATES)))
        delay = self._first(self._amount(Link, "delay", link.delay, steps=DELAYS))
        yield delay if link.trace is None else self._interrupted(delay)
        yield self._choice("queue", link.queue.kind, tuple(QUEUES))
        yield from self._of_queue(link.queue)
        yield self._first(self._choice("loss", link.loss.kind, tuple(LOSSES)))
        for inner in type(link.loss).model_fields:
            if inner != "kind":
                value = getattr(link.loss, inner)
                text = shown(value) if isinstance(value, Quantity) else f"{100 * value:.12g} %"
                yield self._amount(type(link.loss), inner, text, "loss", steps=SHARES if inner == "p" else ())
        yield replace(self._amount(Link, "jitter", link.jitter), advanced=True)
        yield replace(self._amount(Link, "overhead", link.overhead), advanced=True)

    def _first(self, control: Control) -> Control:
        """Return the control of a setting, whose label says so if events of the link change the setting."""
        if all(getattr(event, control.label) is None for event in self._link.events):
            return control
        says = f"{control.explanation} Events of the link change it during the run."
        return replace(control, label=f"{control.label} at the start", explanation=says)

    def _interrupted(self, control: Control) -> Control:
        """Return the first control of the link, whose explanation says so if events take the link down."""
        times = [f"{event.change} at {shown(event.at)}" for event in self._link.events if event.change is not None]
        if not times:
            return control
        more = [f"and {counted(len(times) - MOST_TIMES, 'more time')}"] if len(times) > MOST_TIMES else []
        says = f"{control.explanation} Events change the state of the link: {', '.join([*times[:MOST_TIMES], *more])}."
        return replace(control, label="rate while up" if control.label == "rate" else control.label, explanation=says)

    def _of_queue(self, queue: Any) -> Iterator[Control]:
        """Yield the size and the settings of the queue."""
        model = type(queue)
        field = "bytes" if queue.packets is None and queue.bytes is not None else "packets"
        steps = BYTES if field == "bytes" else PACKETS
        yield self._amount(model, field, getattr(queue, field), "queue", steps=steps)
        for inner in model.model_fields:
            if inner not in ("kind", "packets", "bytes"):
                value = getattr(queue, inner)
                control = replace(self._amount(model, inner, value, "queue"), advanced=True)
                yield replace(control, kind="switch", value=value) if isinstance(value, bool) else control

    def _amount(
        self, model: type[Model], field: str, value: Any, part: str = "", steps: tuple[str, ...] = ()
    ) -> Control:
        """Return the control of a field of the link, or of its `part`, the queue or the loss model."""
        label = LABELS.get((part, field), f"{part} {field}".strip().replace("_", " "))
        return Control(
            joined("links", self._name, f"{part}.{field}" if part else field),
            f"Link {self._name}",
            label,
            "amount",
            value if isinstance(value, str) else shown(value),
            explanation(model, field) + self._also,
            f"manypath.{model.__name__}.{field}",
            definition(model, field),
            QUEUES_AND_LOSSES if part else "",
            steps=steps,
        )

    def _choice(self, field: str, value: str, choices: tuple[str, ...]) -> Control:
        says = explanation(Link, field)
        model = type(getattr(self._link, field))
        return Control(
            joined("links", self._name, field),
            f"Link {self._name}",
            field,
            "choice",
            value,
            f"{says}{'' if says.endswith('.') else '.'} {value}: {summary(model)}{self._also}",
            f"manypath.{model.__name__}",
            definition(model),
            QUEUES_AND_LOSSES,
            choices,
        )


def _limit(link: Link) -> dict[str, Any]:
    """Return the size of the queue of a link, for a queue of another kind."""
    if link.queue.bytes is not None:
        return {"bytes": link.queue.bytes}
    return {"packets": link.queue.packets or 100}


def _needs_limit(part: Any, field: str, value: Any) -> None:
    """Refuse an empty limit of a queue that has no other one."""
    if isinstance(part, DropTail) and not str(value).strip():
        raise UserError(f"{field}: an empty text is no limit: write one, such as {shown(getattr(part, field))}")


def mirrored(scenario: Scenario, name: str) -> str | None:
    """Return the other direction of a link if it is equal."""
    links = scenario.network.links
    for other in (f"{name}/back", name.removesuffix("/back"), "-".join(reversed(name.split("-")))):
        if other != name and other in links:
            return other if links[other] == links[name] else None
    return None


QUEUES = {model.model_fields["kind"].default: model for model in get_args(get_args(Queue)[0])}
"""Queue disciplines by kind."""

LOSSES = {
    "none": "0 %",
    "bernoulli": Bernoulli(p="0.1 %"),
    "bit-error": BitError(rate=1e-6),
    "gilbert-elliott": GilbertElliott(to_bad=0.001, to_good=0.3),
}
"""The first settings of each loss model."""

LABELS = {
    ("queue", "packets"): "queue size",
    ("queue", "bytes"): "queue size",
    ("queue", "mtu"): "queue MTU",
    ("queue", "weight"): "queue averaging weight",
    ("queue", "min"): "queue min threshold",
    ("queue", "max"): "queue max threshold",
    ("queue", "max_p"): "queue max drop probability",
    ("queue", "gentle"): "queue gentle mode",
    ("queue", "packet_rate"): "queue idle packet rate",
    ("queue", "update"): "queue update interval",
    ("queue", "burst"): "queue burst allowance",
    ("loss", "p"): "loss probability",
    ("loss", "rate"): "bit error rate",
    ("loss", "spared"): "bytes without errors",
    ("loss", "to_bad"): "good to bad state",
    ("loss", "to_good"): "bad to good state",
    ("loss", "loss_bad"): "loss in bad state",
    ("loss", "loss_good"): "loss in good state",
}
"""Labels of settings whose names need their model beside them."""

PACKETS = tuple(str(n) for n in (5, 10, 20, 30, 50, 75, 100, 150, 200, 300, 500, 1000))
"""Steps of queues."""

SHARES = tuple(f"{n:g} %" for n in (0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10))
"""Steps of loss probabilities."""

QUEUES_AND_LOSSES = "explanation/queues-and-losses.md"
"""The page on queues and losses."""

MOST_TIMES = 4
"""Largest number of events that an explanation names."""

MOST_LINKS = 8
"""Largest number of links with controls."""
