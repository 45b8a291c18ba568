"""Short texts and tables that describe a scenario: links, queues, losses, events, settings that are not defaults."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from manypath import _native
from manypath.display import Column, Table, counted, number_columns, text_columns
from manypath.quantity import RATE, SIZE, SPAN, Quantity
from manypath.scenario.losses import Bernoulli, BitError, NoLoss
from manypath.scenario.model import Model
from manypath.scenario.ranges import Range

if TYPE_CHECKING:
    from manypath.scenario import Event, Link, Network, Path, Scenario
    from manypath.scenario.flows import Flow
    from manypath.scenario.losses import Loss
    from manypath.scenario.queues import Queue


def link_speed(link: Link) -> str:
    """Return rate and delay of a link: ``10 Mbit/s, 20 ms``; a delay of zero is left out."""
    return ", ".join(filter(None, [rate_words(link), delay_words(link)]))


def rate_words(link: Link) -> str:
    """Return the rate of a link; for a recorded link the mean rate of its trace."""
    return f"trace, mean {RATE.show(link.rate)}" if link.trace is not None else RATE.show(link.rate)


def delay_words(link: Link) -> str:
    """Return delay and jitter of a link: ``20 ms + 0 to 3 ms``; an empty text if both are zero."""
    jitter = f" + 0 to {SPAN.show(link.jitter)}" if link.jitter else ""
    return f"{SPAN.show(link.delay)}{jitter}" if link.delay or link.jitter else ""


def queue_words(queue: Queue) -> str:
    """Return the discipline, limits and other settings of a queue: ``drop-tail, 100 packets``."""
    limits = [
        *([counted(queue.packets, "packet")] if queue.packets is not None else []),
        *([SIZE.show(queue.bytes)] if queue.bytes is not None else []),
    ]
    return ", ".join([queue.kind, *limits, *settings(queue, {"kind", "packets", "bytes"})])


def loss_words(loss: Loss) -> str:
    """Return the loss model of a link: ``0.1 % lost``; an empty text without losses."""
    match loss:
        case NoLoss():
            return ""
        case Bernoulli(p=p):
            return f"{100 * p:g} % lost"
        case BitError(rate=rate):
            return ", ".join([f"bit errors {rate:g}", *settings(loss, {"kind", "rate"})])
        case _:
            return ", ".join([loss.kind, *settings(loss, {"kind"})])


def event_words(event: Event) -> str:
    """Return the time and the change of a link event: ``60 s: rate 2 Mbit/s``."""
    at = amount(event.at)
    if event.change is not None:
        return f"{at}: {event.change}"
    if event.loss is not None:
        return f"{at}: {loss_words(event.loss) or 'no loss'}"
    return f"{at}: {', '.join(settings(event, {'at'}))}"


def settings(part: Model, without: Collection[str] = ()) -> list[str]:
    """Return fields of a part that differ from their defaults, with units: ``["rto.min 400 ms"]``."""
    return [f"{name} {value}" for name, value in _different(part, without)]


def range_words(ends: Range) -> str:
    """Return both ends of a range: ``500 B to 1452 B``; a single value if they are equal."""
    low, high = (amount(getattr(ends, name)) for name in type(ends).model_fields)
    return low if low == high else f"{low} to {high}"


def amount(quantity: Quantity) -> str:
    """Return a quantity with its unit; zero has the unit of the dimension's example."""
    dimension = quantity.dimension
    return dimension.show(quantity) if quantity else f"0 {dimension.example.split()[1]}"


@dataclass(frozen=True)
class Way:
    """Properties of a path without other traffic.

    Attributes
    ----------
    delay, delay_back : int
        Propagation delays of the forward and of the reverse path, access links included, nanoseconds.
    bottleneck : str
        The slowest link from sender to receiver; the first one if several are equally slow.
    rate : int
        Rate of the bottleneck, bit/s.
    base_rtt : int
        Round-trip time with empty queues, for a data packet of `PACKET` bytes and an acknowledgement of
        `ACKNOWLEDGEMENT` bytes, nanoseconds.
    full_queue : int or None
        Time to drain a full queue of the bottleneck, nanoseconds; None if the discipline drops packets early.
    """

    delay: int
    delay_back: int
    bottleneck: str
    rate: int
    base_rtt: int
    full_queue: int | None


def way(network: Network, path: Path) -> Way:
    """Return the properties of a path of a network."""
    there, back = (list(_crossed(network, names)) for names in (path.forward, path.reverse))
    delay, delay_back = (sum(link.delay for link in links) for links in (there, back))
    sending = sum(_transmission(link, PACKET) for link in there)
    answering = sum(_transmission(link, ACKNOWLEDGEMENT) for link in back)
    slowest = min(path.forward, key=lambda name: network.links[name].rate)
    return Way(
        delay=delay,
        delay_back=delay_back,
        bottleneck=slowest,
        rate=network.links[slowest].rate,
        base_rtt=delay + delay_back + sending + answering,
        full_queue=_drain(network.links[slowest]),
    )


def paths(network: Network) -> Table:
    """Return one row for each path: delays, and its slowest link."""
    rows: list[list[Any]] = []
    for name, path in network.paths.items():
        seen = way(network, path)
        full = seen.full_queue / 1e6 if seen.full_queue is not None else None
        times = [time / 1e6 for time in (seen.delay, seen.delay_back, seen.base_rtt)]
        rows.append([name, *times, RATE.show(seen.rate), seen.bottleneck, full])
    return Table("paths", PATH_COLUMNS, rows)


def links(network: Network) -> Table:
    """Return one row for each link; a link shares a row with an equal reverse link; the access links come last."""
    rows: list[list[Any]] = []
    for name, link in network.links.items():
        there = name.removesuffix("/back")
        if name != there and network.links.get(there) == link:
            continue
        rows.append([f"{name}, back" if network.links.get(f"{name}/back") == link else name, *_about(link)])
    if network.access is not None:
        rows.append(["access links", *_about(network.access)])
    return Table("links", LINK_COLUMNS, rows)


def _about(link: Link) -> list[str]:
    happens = [loss_words(link.loss), *map(event_words, link.events)]
    rate, delay = rate_words(link), delay_words(link) or "0"
    return [rate, delay, queue_words(link.queue), "; ".join(filter(None, happens))]


def flows(scenario: Scenario) -> Table:
    """Return one row for each flow."""
    rows = [
        [name, TRANSPORTS[flow.transport], ", ".join(flow.paths), flow.cc, *flow_words(flow)]
        for name, flow in scenario.flows.items()
    ]
    return Table("flows", FLOW_COLUMNS, rows)


def flow_words(flow: Flow) -> tuple[str, str, str]:
    """Return the application of a flow, its start, and its settings that are not defaults."""
    application = ", ".join([flow.app.kind, *settings(flow.app, {"kind"})])
    return application, range_words(flow.start), ", ".join(settings(flow, SHOWN))


def effort(scenario: Scenario) -> str:
    """Return the simulated time of a run and the memory that it needs."""
    warmup, measure = amount(scenario.warmup), amount(scenario.measure)
    memory = SIZE.show(_two_digits(_native.memory(scenario.document())))
    return f"measured time {measure} after a warm-up of {warmup}; a run needs about {memory} of memory"


def counterparts(network: Network) -> dict[str, str]:
    """Return the reverse link of each forward link, if all paths over it have the same reverse link at its position."""
    found: dict[str, set[str]] = {}
    for path in network.paths.values():
        backs = reversed(path.reverse) if len(path.forward) == len(path.reverse) else [""] * len(path.forward)
        for there, back in zip(path.forward, backs, strict=True):
            found.setdefault(there, set()).add(back)
    return {there: back for there, backs in found.items() for back in backs if back and len(backs) == 1}


def _crossed(network: Network, names: tuple[str, ...]) -> Iterator[Link]:
    """Return the links of one direction, with the access links of both ends."""
    ends = [network.access] * 2 if network.access is not None else []
    return chain(ends, (network.links[name] for name in names))


def _transmission(link: Link, size: int) -> int:
    """Return the transmission time of a packet, nanoseconds."""
    return (size + link.overhead) * 8 * 10**9 // link.rate


def _drain(link: Link) -> int | None:
    """Return the time to drain a full drop-tail queue, nanoseconds; None for other disciplines."""
    if link.queue.kind != "drop-tail":
        return None
    waiting = link.queue.packets * (PACKET + link.overhead) if link.queue.packets is not None else link.queue.bytes
    return waiting * 8 * 10**9 // link.rate if waiting is not None else None


def _different(part: Model, without: Collection[str]) -> Iterator[tuple[str, str]]:
    for name, field in type(part).model_fields.items():
        value = getattr(part, name)
        default = field.get_default(call_default_factory=True)
        if isinstance(value, Quantity) and isinstance(default, str):
            default = value.dimension.parse(default)
        if name in without or value == default:
            continue
        if isinstance(value, Model) and not isinstance(value, Range) and isinstance(field.default, type(value)):
            yield from ((f"{name}.{inner}", text) for inner, text in _different(value, ()))
        else:
            yield name, _shown(value)


def _shown(value: Any) -> str:
    match value:
        case Range():
            return range_words(value)
        case Model():
            return " ".join([*getattr(value, "kind", "").split(), *settings(value, {"kind"})])
        case Quantity():
            return amount(value)
        case bool():
            return "on" if value else "off"
        case float():
            return f"{value:g}"
        case _:
            return f"{value}"


PACKET = 1500
"""Size of the data packet for round-trip times, bytes."""

ACKNOWLEDGEMENT = 60
"""Size of its acknowledgement, bytes."""


def _two_digits(amount: int) -> int:
    """Round a number of bytes up to two significant digits."""
    unit = 10 ** max(len(str(amount)) - 2, 0)
    return -(-amount // unit) * unit


def _milliseconds(time: float) -> str:
    return f"{time:.3f}".rstrip("0").rstrip(".")


PATH_COLUMNS = (
    Column("path"),
    Column("delay ms", _milliseconds, is_number=True),
    Column("back ms", _milliseconds, dropped=1, is_number=True),
    Column("base RTT ms", _milliseconds, is_number=True),
    *number_columns("bottleneck"),
    *text_columns("slowest link"),
    Column("full queue ms", "{:.1f}".format, is_number=True),
)

LINK_COLUMNS = (*text_columns("link"), *number_columns("rate", "delay"), *text_columns("queue", "losses, events"))

FLOW_COLUMNS = text_columns(
    "flow", "transport", "paths", "congestion control", "application", "start", "differs from the defaults"
)

TRANSPORTS = {"sctp": "SCTP", "tcp": "TCP", "mptcp": "Multipath TCP"}
"""Names of the protocols."""

SHOWN = frozenset({"transport", "paths", "cc", "app", "start"})
"""Fields of a flow that have their own place in the output."""
