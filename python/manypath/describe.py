"""Short texts that describe parts of a scenario: links, queues, losses, events, and settings that are not defaults."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from manypath.display import counted
from manypath.quantity import RATE, SIZE, SPAN, Quantity
from manypath.scenario.losses import Bernoulli, BitError, NoLoss
from manypath.scenario.model import Model
from manypath.scenario.ranges import Range

if TYPE_CHECKING:
    from manypath.scenario import Event, Link, Network, Path
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
