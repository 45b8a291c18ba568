"""The controls of a scenario, with their explanations from the models, and the changes that they make."""

from __future__ import annotations

import re
import typing
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from manypath import _native
from manypath.errors import UserError
from manypath.explore.state import State
from manypath.quantity import Quantity
from manypath.scenario import Link, Scenario
from manypath.scenario.losses import Bernoulli, BitError, GilbertElliott
from manypath.scenario.model import Model
from manypath.scenario.queues import CoDel, DropTail, FqCoDel, Pie, Red


@dataclass(frozen=True)
class Control:
    """One setting of a scenario.

    Attributes
    ----------
    place : str
        The setting: its parts joined by `SEPARATOR`.
    group : str
        Heading of the controls that belong together.
    label : str
        Its name on the page.
    kind : str
        ``amount`` (a text with a unit, or a number), ``choice`` or ``switch``.
    value : str or bool
        Its value.
    explanation : str
        What the setting does, from the model.
    reference : str
        Its name in the documentation of the Python package.
    choices : tuple of str
        Values of a choice.
    steps : tuple of str
        Values of the slider; empty without a slider.
    advanced : bool
        Whether the page shows it only on request.
    """

    place: str
    group: str
    label: str
    kind: Literal["amount", "choice", "switch"]
    value: str | bool
    explanation: str
    reference: str
    choices: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    advanced: bool = False


def controls(state: State) -> list[Control]:
    """Return the controls of the links on forward paths, of the flows, and of the run."""
    scenario = state.scenario
    return [*_of_links(scenario), *_of_flows(state), *_of_the_run(state)]


def changed(state: State, place: str, value: Any) -> State:
    """Return the state after a move of one control.

    Raises
    ------
    UserError
        If the value is invalid; the message begins with the name of the setting.
    """
    match place.split(SEPARATOR):
        case ["seed"]:
            return state.but(seed=_whole("seed", value, 0, 2**63 - 1))
        case ["rivals"]:
            return _with_rivals(state, _whole("rivals", value, 1, MOST_RIVALS))
        case ["transport", flow]:
            return _with_transport(state, flow, str(value))
        case ["links", link, field]:
            return _with_link(state, link, field, value)
        case ["flows", flow, field]:
            flows = dict(state.scenario.flows)
            with _Short(f"flows.{flow}."):
                flows[flow] = flows[flow].but(**{field: _read(type(flows[flow]), field, value)})
            return state.but(scenario=state.scenario.but(flows=flows))
        case [field]:
            return state.but(scenario=state.scenario.but(**{field: value}))
        case _:
            raise UserError(f"control: {place} is no setting of this scenario: choose one on the page")


def _of_links(scenario: Scenario) -> Iterator[Control]:
    crossed = dict.fromkeys(link for path in scenario.network.paths.values() for link in path.forward)
    for name in list(crossed)[:MOST_LINKS]:
        link = scenario.network.links[name]
        both = _mirrored(scenario, name) is not None

        def control(
            field: str, label: str, *, name: str = name, both: bool = both, model: type[Model] = Link, **own: Any
        ) -> Control:
            also = " Holds for both directions." if both else ""
            says = f"{_explanation(model, own.pop('source', field))}{also}"
            place = SEPARATOR.join(("links", name, field))
            return Control(
                place,
                f"Link {name}",
                label,
                own.pop("kind", "amount"),
                **own,
                explanation=says,
                reference=f"manypath.{model.__name__}",
            )

        if link.trace is None:
            yield control("rate", "rate", value=_shown(link.rate), steps=RATES)
        yield control("delay", "delay", value=_shown(link.delay), steps=DELAYS)
        queue = link.queue
        yield control("queue", "queue", kind="choice", value=queue.kind, choices=tuple(QUEUES))
        size = queue.packets if queue.packets is not None else queue.bytes
        if size is not None or queue.kind != "drop-tail":
            field = "bytes" if queue.packets is None and queue.bytes is not None else "packets"
            shown = "" if size is None else _shown(size)
            yield control(
                f"queue.{field}",
                "queue size",
                model=type(queue),
                source=field,
                value=shown,
                steps=PACKETS if field == "packets" else BYTES,
            )
            for inner in type(queue).model_fields:
                if inner not in ("kind", "packets", "bytes"):
                    value = getattr(queue, inner)
                    yield control(
                        f"queue.{inner}",
                        f"queue {inner}",
                        model=type(queue),
                        source=inner,
                        advanced=True,
                        kind="switch" if isinstance(value, bool) else "amount",
                        value=value if isinstance(value, bool) else _shown(value),
                    )
        loss = link.loss
        yield control("loss", "loss", kind="choice", value=loss.kind, choices=tuple(LOSSES))
        for inner in type(loss).model_fields:
            if inner != "kind":
                value = getattr(loss, inner)
                share = not isinstance(value, Quantity)
                yield control(
                    f"loss.{inner}",
                    f"loss {inner.replace('_', ' ')}",
                    model=type(loss),
                    source=inner,
                    value=f"{100 * value:.12g} %" if share else _shown(value),
                    steps=SHARES if inner == "p" else (),
                )
        yield control("jitter", "jitter", value=_shown(link.jitter), advanced=True)


def _of_flows(state: State) -> Iterator[Control]:
    multipath, rival = state.multipath, state.rival
    if rival is not None:
        yield Control(
            "rivals",
            "Flows",
            "rivals",
            "amount",
            str(len(_rivals(state))),
            "Number of single-path flows that compete with the multipath flow. All have the settings of the first one.",
            "manypath.Scenario",
            steps=tuple(map(str, range(1, MOST_RIVALS + 1))),
        )
    shown = list(dict.fromkeys(name for name in (multipath, rival, *state.scenario.flows) if name is not None))
    twins = set(_rivals(state)[1:])
    for name in [name for name in shown if name not in twins][:MOST_FLOWS]:
        flow = state.scenario.flows[name]
        group = f"Flow {name}"
        if name == multipath and flow.app.kind == "saturated":
            yield Control(
                SEPARATOR.join(("transport", name)),
                group,
                "transport",
                "choice",
                flow.transport,
                "The protocol. The rivals use the same one: SCTP, or TCP beside Multipath TCP. A change "
                "resets the mechanisms to the defaults of the protocol.",
                f"manypath.{type(flow).__name__}",
                choices=("sctp", "mptcp"),
            )
        for field in _fields(flow):
            yield _of_flow(name, flow, field, group)


def _of_flow(name: str, flow: Model, field: str, group: str) -> Control:
    """Return the control of one field of a flow."""
    value, annotation = getattr(flow, field), type(flow).model_fields[field].annotation
    kind, choices, steps = "amount", (), ()
    if field == "cc":
        known = [entry for entry, _ in _native.algorithms()]
        kind, choices = "choice", tuple(dict.fromkeys([*known, value]))
    elif field == "profile":
        kind, choices = "choice", tuple(entry for entry, _ in _native.profiles())
    elif annotation is bool:
        kind = "switch"
    elif typing.get_origin(annotation) is Literal:
        kind, choices = "choice", typing.get_args(annotation)
    elif field in ("send_buffer", "receive_buffer"):
        steps = BYTES
    shown = value if isinstance(value, bool) else _shown(value)
    says = _explanation(type(flow), field)
    if field == "cc":
        says = "; ".join(f"{entry}: {text}" for entry, text in _native.algorithms() if entry == value) or says
    return Control(
        SEPARATOR.join(("flows", name, field)),
        group,
        field.replace("_", " "),
        kind,
        shown,
        says,
        f"manypath.{type(flow).__name__}",
        choices,
        steps,
        advanced=field not in FIRST,
    )


def _of_the_run(state: State) -> Iterator[Control]:
    scenario = state.scenario
    for field in ("warmup", "measure"):
        yield Control(
            field,
            "Run",
            field,
            "amount",
            _shown(getattr(scenario, field)),
            _explanation(Scenario, field),
            "manypath.Scenario",
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
    )


def _fields(flow: Model) -> list[str]:
    """Return the fields of a flow that are controls, the most frequent first."""
    plain = [
        name
        for name, field in type(flow).model_fields.items()
        if name not in ("transport", "paths", "app", "start", "rto") and field.annotation is not None
    ]
    return sorted(plain, key=lambda name: FIRST.index(name) if name in FIRST else len(FIRST))


def _with_link(state: State, name: str, field: str, value: Any) -> State:
    """Change a link, and its other direction if both are equal."""
    network = state.scenario.network
    link = network.links[name]
    back = _mirrored(state.scenario, name)
    outer, _, inner = field.partition(".")
    with _Short(""):
        if field in ("queue", "loss") and value == getattr(link, field).kind:
            return state
        if field == "queue":
            size = (
                {"bytes": link.queue.bytes} if link.queue.bytes is not None else {"packets": link.queue.packets or 100}
            )
            size = {
                key: each.dimension.show(each) if isinstance(each, Quantity) else each for key, each in size.items()
            }
            queue = QUEUES[_known(value, tuple(QUEUES))]
            new = link.but(queue=queue(**size))
        elif field == "loss":
            new = link.but(loss=LOSSES[_known(value, tuple(LOSSES))])
        elif inner:
            part = getattr(link, outer)
            new = link.but(**{outer: part.but(**{inner: _read(type(part), inner, value)})})
        else:
            new = link.but(**{field: value})
    links = {**network.links, name: new, **({back: new} if back is not None else {})}
    return state.but(scenario=state.scenario.but(network=network.but(links=links)))


def _mirrored(scenario: Scenario, name: str) -> str | None:
    """Return the other direction of a link if it is equal."""
    links = scenario.network.links
    for other in (f"{name}/back", "-".join(reversed(name.split("-")))):
        if other != name and other in links:
            return other if links[other] == links[name] else None
    return None


def _rivals(state: State) -> list[str]:
    """Return the single-path flows that are equal to the first rival."""
    if state.rival is None:
        return []
    flows = state.scenario.flows
    return [name for name, flow in flows.items() if flow == flows[state.rival]]


def _with_rivals(state: State, count: int) -> State:
    if state.rival is None:
        raise UserError("rivals: the scenario has no single-path flow: choose another preset")
    rivals, flow = _rivals(state), state.scenario.flows[state.rival]
    kept = {name: each for name, each in state.scenario.flows.items() if name not in rivals[count:]}
    names = (f"{state.rival}{number}" for number in range(2, 10 * MOST_RIVALS))
    for _ in range(count - len(rivals)):
        kept[next(name for name in names if name not in kept)] = flow
    return state.but(scenario=state.scenario.but(flows=kept))


def _with_transport(state: State, name: str, transport: str) -> State:
    """Change the protocol of a multipath flow, and of the single-path flows."""
    from manypath.scenario import Mptcp, Sctp, Tcp

    if _known(transport, ("sctp", "mptcp")) == state.scenario.flows[name].transport:
        return state
    flows: dict[str, Any] = {}
    for each, flow in state.scenario.flows.items():
        if flow.app.kind != "saturated" or (each != name and len(flow.paths) > 1):
            flows[each] = flow
        elif transport == "mptcp":
            flows[each] = Mptcp(paths=flow.paths, cc=flow.cc) if each == name else Tcp(paths=flow.paths, cc=flow.cc)
        else:
            app = {"kind": "saturated", "message": "1452 B"}
            multi = Sctp(paths=flow.paths, cc=flow.cc, app=app)
            flows[each] = multi if each == name else Sctp.standard(next(iter(flow.paths)), cc=flow.cc, app=app)
    return state.but(scenario=state.scenario.but(flows=flows))


class _Short:
    """Shortens error messages to one line without the place of the setting, which stands beside its control."""

    def __init__(self, place: str) -> None:
        self._place = place

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        """Replace the error."""
        if isinstance(error, UserError):
            raise UserError(str(error).splitlines()[0].removeprefix(self._place)) from None


def _read(model: type[Model], field: str, value: Any) -> Any:
    """Return a text of the page as the type of the field; quantities and probabilities read texts themselves."""
    annotation = model.model_fields[field].annotation
    reads_texts = any(hasattr(part, "func") for part in model.model_fields[field].metadata)
    if not isinstance(value, str) or annotation not in (int, int | None, float, float | None) or reads_texts:
        return value
    text = value.strip()
    if not text and annotation in (int | None, float | None):
        return None
    try:
        return float(text) if annotation in (float, float | None) else int(text)
    except ValueError:
        kind = "number" if annotation in (float, float | None) else "whole number"
        raise UserError(f"{field}: {text or 'an empty text'} is no {kind}: write one") from None


def _whole(name: str, value: Any, least: int, most: int) -> int:
    text = str(value).strip()
    if not re.fullmatch(r"\d{1,19}", text) or not least <= int(text) <= most:
        raise UserError(f"{name}: {text or 'an empty text'} is no whole number from {least} to {most}: write one")
    return int(text)


def _known(value: Any, names: tuple[str, ...]) -> str:
    if value not in names:
        raise UserError(f"{value}: is unknown: choose one of {', '.join(names)}")
    return str(value)


def _shown(value: Any) -> str:
    """Return a value as a text that can be read again."""
    if isinstance(value, Quantity):
        return value.dimension.show(value) if value else f"0 {value.dimension.example.split()[1]}"
    return "" if value is None else str(value)


def _explanation(model: type[Model], field: str) -> str:
    said = model.model_fields[field].description or ""
    return " ".join(said.replace("``", "").replace("`", "").split())


SEPARATOR = "\t"
"""Separates the parts of a place; names of links and flows may contain dots."""

QUEUES = {"drop-tail": DropTail, "red": Red, "codel": CoDel, "pie": Pie, "fq-codel": FqCoDel}
"""Queue disciplines by kind."""

LOSSES = {
    "none": "0 %",
    "bernoulli": Bernoulli(p="0.1 %"),
    "bit-error": BitError(rate=1e-6),
    "gilbert-elliott": GilbertElliott(to_bad=0.001, to_good=0.3),
}
"""The first settings of each loss model."""

FIRST = ("cc", "scheduler", "send_order", "send_buffer", "receive_buffer")
"""The fields of flows that are shown at once, in their order."""

RATES = tuple(
    f"{n} {unit}"
    for unit, numbers in (("kbit/s", (250, 500)), ("Mbit/s", (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100)))
    for n in numbers
)
DELAYS = tuple(f"{n} ms" for n in (1, 2, 5, 10, 15, 20, 30, 40, 50, 75, 100, 150, 200, 300))
PACKETS = tuple(str(n) for n in (5, 10, 20, 30, 50, 75, 100, 150, 200, 300, 500, 1000))
BYTES = tuple(f"{n} kB" for n in (10, 20, 50, 100, 200, 500, 1000, 2000, 5000))
SHARES = tuple(f"{n:g} %" for n in (0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10))
SPANS = tuple(f"{n} s" for n in (0, 1, 2, 5, 10, 20, 35, 60, 100, 200, 300))

MOST_RIVALS = 8
"""Largest number of rivals."""

MOST_LINKS = 8
"""Largest number of links with controls."""

MOST_FLOWS = 6
"""Largest number of flows with controls."""
