"""The controls of flows: congestion control, mechanisms, buffers, application and start, and the number of rivals."""

from __future__ import annotations

import typing
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any, Literal

from manypath import _native
from manypath.explore.controls.control import (
    BYTES,
    RATES,
    SPANS,
    Control,
    Short,
    definition,
    explanation,
    joined,
    known,
    read,
    shown,
    summary,
    whole,
)
from manypath.explore.state import State
from manypath.scenario import Cbr, Mptcp, OnOff, Saturated, Scenario, Sctp, Tcp, Transfer
from manypath.scenario.model import Model


def controls_of_flows(state: State) -> Iterator[Control]:
    """Yield the number of rivals, then the controls of each flow; equal rivals have the controls of the first one."""
    if state.multipath is not None:
        yield Control(
            "rivals",
            "Flows",
            "rivals",
            "amount",
            str(len(rivals(state))),
            "Number of single-path flows that compete with the multipath flow. All have the settings of the first one. "
            "The first one that is added has the buffers and the application of the multipath flow.",
            "manypath.Scenario.flows",
            definition(Scenario, "flows"),
            steps=tuple(map(str, range(MOST_RIVALS + 1))),
        )
    paths = tuple(list(state.scenario.network.paths)[:MOST_PATHS])
    for name in flows_with_controls(state)[:MOST_FLOWS]:
        yield from _of_flow(name, state.scenario.flows[name], name == state.multipath, paths)


def flows_with_controls(state: State) -> list[str]:
    """Return the flows with a group of controls: the multipath flow, the first rival, then the others."""
    twins = set(rivals(state)[1:])
    flows = (state.multipath, state.rival, *state.scenario.flows)
    return [name for name in dict.fromkeys(flows) if name is not None and name not in twins]


def rivals(state: State) -> list[str]:
    """Return the single-path flows that are equal to the first rival."""
    if state.rival is None:
        return []
    flows = state.scenario.flows
    return [name for name, flow in flows.items() if flow == flows[state.rival]]


def with_rivals(state: State, value: Any) -> State:
    """Add rivals, which are equal to the first one, or remove the last ones."""
    multipath, old = state.multipath, rivals(state)
    count = whole("rivals", value, 0, MOST_RIVALS)
    if multipath is None or count == len(old):
        return state
    flows = state.scenario.flows
    kept = {name: flow for name, flow in flows.items() if name not in old[count:]}
    name = state.rival or "rival"
    flow = flows[name] if old else _single(flows[multipath])
    names = (name if number == 1 else f"{name}{number}" for number in range(1, 10 * MOST_RIVALS))
    for _ in range(count - len(old)):
        kept[next(each for each in names if each not in kept)] = flow
    return state.but(scenario=state.scenario.but(flows=kept))


def with_transport(state: State, name: str, transport: str) -> State:
    """Change the protocol of a multipath flow, and of the single-path flows."""
    if known("transport", transport, ("sctp", "mptcp")) == state.scenario.flows[name].transport:
        return state
    flows = dict(state.scenario.flows)
    for each, flow in flows.items():
        if each == name:
            multi = Mptcp if transport == "mptcp" else Sctp
            flows[each] = multi(paths=flow.paths, cc=flow.cc, **_kept(flow))
        elif len(flow.paths) == 1:
            flows[each] = _one_path(transport, flow)
    with Short(f"flows.{name}."):
        return state.but(scenario=state.scenario.but(flows=flows))


def with_flow(state: State, name: str, field: str, value: Any) -> State:
    """Change a flow, and with the first rival those that are equal to it."""
    old = state.scenario.flows[name]
    outer, _, inner = field.partition(".")
    with Short(f"flows.{name}."):
        if field == "app":
            if value == old.app.kind:
                return state
            new = old.but(app=_application(old.app, known("app", value, tuple(APPLICATIONS))))
        elif field == "path":
            new = old.but(paths=(value,))
        elif inner:
            part = getattr(old, outer)
            with Short(f"{outer}."):
                new = old.but(**{outer: part.but(**{inner: read(type(part), inner, value)})})
        else:
            new = old.but(**{field: read(type(old), field, value)})
        alike = rivals(state) if name == state.rival else [name]
        flows = {each: new if each in alike else flow for each, flow in state.scenario.flows.items()}
        return state.but(scenario=state.scenario.but(flows=flows))


@lru_cache(maxsize=64)
def _of_flow(name: str, flow: Any, is_multipath: bool, paths: tuple[str, ...]) -> list[Control]:
    """Return the controls of a flow: the most frequent first, then its application, then its mechanisms.

    They are kept, because a move changes one flow at most.
    """
    found: list[Control] = []
    if is_multipath:
        found.append(
            Control(
                joined("transport", name),
                f"Flow {name}",
                "transport",
                "choice",
                flow.transport,
                "The protocol. The rivals use the same one: SCTP, or TCP beside Multipath TCP. A change "
                "resets the mechanisms to the defaults of the protocol.",
                f"manypath.{type(flow).__name__}",
                definition(type(flow)),
                choices=("sctp", "mptcp"),
            )
        )
    if len(flow.paths) == 1 and len(paths) > 1:
        path = _of_field(name, "path", flow, "paths")
        found.append(replace(path, label="path", kind="choice", value=flow.paths[0], choices=paths))
    fields = _fields(flow)
    found += [_of_field(name, field, flow, field) for field in fields if field in FIRST]
    found += _of_application(name, flow.app)
    rest = ("start", *(field for field in fields if field not in FIRST))
    found += [replace(_of_field(name, field, flow, field), advanced=True) for field in rest]
    for field in type(flow.rto).model_fields:
        control = _of_field(name, f"rto.{field}", flow.rto, field, page="explanation/timeouts.md")
        found.append(replace(control, label=f"RTO {field}", advanced=True))
    return found


def _of_application(name: str, app: Any) -> Iterator[Control]:
    """Yield the kind of the application, and its settings."""
    yield Control(
        joined("flows", name, "app"),
        f"Flow {name}",
        "application",
        "choice",
        app.kind,
        f"What the application sends. {app.kind}: {summary(type(app))}",
        f"manypath.{type(app).__name__}",
        definition(type(app)),
        choices=tuple(APPLICATIONS),
    )
    for field in type(app).model_fields:
        if field != "kind":
            control = _of_field(name, f"app.{field}", app, field)
            yield replace(control, label=LABELS.get(field, field), advanced=field == "ordered")


def _of_field(name: str, place: str, model: Any, field: str, page: str = "") -> Control:
    """Return the control of one field of a flow, of its application, or of its timeouts."""
    value, annotation = getattr(model, field), type(model).model_fields[field].annotation
    says = explanation(type(model), field)
    kind, choices = "amount", ()
    if field == "cc":
        known_ones = dict(_native.algorithms())
        kind, choices = "choice", tuple(dict.fromkeys([*known_ones, value]))
        says = f"{value}: {known_ones[value]}" if value in known_ones else says
        # A name may have parameters, as `mptcp-like:2011`.
        name_only = value.partition(":")[0]
        page = f"explanation/algorithms/{name_only}.md" if value in known_ones else "explanation/congestion-controls.md"
    elif field == "profile":
        kind, choices = "choice", tuple(entry for entry, _ in _native.profiles())
    elif annotation is bool:
        kind = "switch"
    elif typing.get_origin(annotation) is Literal:
        kind, choices = "choice", typing.get_args(annotation)
    return Control(
        joined("flows", name, place),
        f"Flow {name}",
        NAMES.get(field, field.replace("_", " ")),
        kind,
        value if isinstance(value, bool) else shown(value),
        says,
        f"manypath.{type(model).__name__}.{field}",
        definition(type(model), field),
        page or (MECHANISMS if kind == "switch" else ""),
        choices,
        STEPS.get(field, ()),
    )


def _fields(flow: Model) -> list[str]:
    """Return the fields of a flow that are controls, the most frequent first."""
    own = ("transport", "paths", "app", "start", "rto")
    plain = [name for name in type(flow).model_fields if name not in own]
    return sorted(plain, key=lambda name: FIRST.index(name) if name in FIRST else len(FIRST))


def _application(old: Any, kind: str) -> Any:
    """Return the first settings of an application, with the messages of the old one."""
    new = APPLICATIONS[kind]
    return new.but(message=old.message, ordered=old.ordered)


def _kept(flow: Any) -> dict[str, Any]:
    """Return the settings of a flow that every protocol has."""
    return {name: getattr(flow, name) for name in ("app", "start", "send_buffer", "receive_buffer")}


def _single(flow: Any) -> Any:
    """Return a rival of a multipath flow, on its first path."""
    return _one_path(flow.transport, flow.but(cc="newreno"))


def _one_path(transport: str, flow: Any) -> Any:
    """Return a flow on the first path of another flow, over SCTP, or over TCP beside Multipath TCP."""
    path = flow.paths[0]
    if transport == "mptcp":
        return Tcp(path=path, cc=flow.cc, **_kept(flow))
    return Sctp.standard(path, cc=flow.cc, **_kept(flow))


APPLICATIONS: dict[str, Any] = {
    "saturated": Saturated(),
    "transfer": Transfer(size="10 MB"),
    "cbr": Cbr(rate="2 Mbit/s"),
    "on-off": OnOff(rate="10 Mbit/s", on="1 s", off="1 s"),
}
"""The first settings of each application."""

LABELS = {
    "message": "message size",
    "size": "data to send",
    "rate": "application rate",
    "on": "mean active time",
    "off": "mean pause",
    "ordered": "ordered messages",
}
"""Names of the settings of applications."""

NAMES = {
    "abc_limit": "ABC limit",
    "ack_delay": "ACK delay",
    "ack_every": "segments per ACK",
    "burst": "burst limit",
    "concurrent": "concurrent transfer",
    "cuc": "CUC",
    "dac": "DAC",
    "mss": "MSS",
    "mtu": "MTU",
    "nagle": "Nagle algorithm",
    "nr_sack": "NR-SACK",
    "profile": "accounting profile",
    "recovery": "fast recovery",
    "rtt_sample": "RTT samples",
    "sack": "SACK",
    "sack_delay": "SACK delay",
    "sack_every": "packets per SACK",
    "sack_immediately": "SACK immediately",
    "sack_immediately_at": "SACK immediately at",
    "sack_path": "SACK path",
    "sfr": "SFR",
    "smart_fast_rtx": "smart fast retransmission",
    "split_by": "buffer split by",
    "start": "start time",
    "t3_path": "path after timeout",
    "t3_reset": "T3 reset",
    "udp_encapsulation": "UDP encapsulation",
}
"""Names of the settings of flows, if they are not those of their fields in words."""

FIRST = ("cc", "scheduler", "send_order", "send_buffer", "receive_buffer")
"""The fields of flows that are shown at once, in their order."""

STEPS: dict[str, tuple[str, ...]] = {
    "send_buffer": BYTES,
    "receive_buffer": BYTES,
    "message": tuple(f"{n} B" for n in (100, 250, 500, 1000, 1452, 2904)),
    "size": tuple(f"{n} MB" for n in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50)),
    "rate": RATES,
    "on": SPANS[1:],
    "off": SPANS,
}
"""Values of sliders."""

MECHANISMS = "explanation/which-mechanism.md"
"""The page on mechanisms."""

MOST_RIVALS = 8
"""Largest number of rivals."""

MOST_FLOWS = 6
"""Largest number of flows with controls."""

MOST_PATHS = 32
"""Largest number of paths to choose from."""
