"""Output of `manypath show`: tables and texts, or JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import typer

from manypath import _native, describe
from manypath.cli.output import print_details, print_tables
from manypath.display import Column, Table, number_columns, text_columns
from manypath.quantity import RATE, SIZE

if TYPE_CHECKING:
    from manypath.scenario import Link, Network, Scenario
    from manypath.scenario.flows import Flow


def print_scenario(scenario: Scenario) -> None:
    """Print paths, links, flows, and the time and memory of a run."""
    print_tables([_paths(scenario.network), _links(scenario.network)])
    for name, flow in scenario.flows.items():
        print_details(_title(name, flow), _flow(flow))
    warmup, measure = (describe.amount(span) for span in (scenario.warmup, scenario.measure))
    memory = SIZE.show(_two_digits(_native.memory(scenario.document())))
    typer.echo(f"\nmeasured time {measure} after a warm-up of {warmup}; a run needs at most {memory} of memory")


def _paths(network: Network) -> Table:
    rows: list[list[Any]] = []
    for name, path in network.paths.items():
        way = describe.way(network, path)
        full = way.full_queue / 1e6 if way.full_queue is not None else None
        times = [time / 1e6 for time in (way.delay, way.delay_back, way.base_rtt)]
        rows.append([name, *times, RATE.show(way.rate), way.bottleneck, full])
    return Table("paths", PATH_COLUMNS, rows)


def _links(network: Network) -> Table:
    """Return one row for each link; a link shares a row with an equal reverse link; the access links come last."""
    links = network.links
    rows: list[list[Any]] = []
    for name, link in links.items():
        there = name.removesuffix("/back")
        if name != there and links.get(there) == link:
            continue
        rows.append([f"{name}, back" if links.get(f"{name}/back") == link else name, *_about(link)])
    if network.access is not None:
        rows.append(["access links", *_about(network.access)])
    return Table("links", LINK_COLUMNS, rows)


def _about(link: Link) -> list[str]:
    happens = [describe.loss_words(link.loss), *map(describe.event_words, link.events)]
    rate, delay = describe.rate_words(link), describe.delay_words(link) or "0"
    return [rate, delay, describe.queue_words(link.queue), "; ".join(filter(None, happens))]


def _title(name: str, flow: Flow) -> str:
    return f"{name}: {TRANSPORTS[flow.transport]} over {', '.join(flow.paths)}, congestion control {flow.cc}"


def _flow(flow: Flow) -> dict[str, str]:
    app = ", ".join([flow.app.kind, *describe.settings(flow.app, {"kind"})])
    return {
        "application": app,
        "start": describe.range_words(flow.start),
        "differs from the defaults": ", ".join(describe.settings(flow, SHOWN)),
    }


def document_of(scenario: Scenario) -> dict[str, Any]:
    """Return the summary for JSON: rates in bit/s, times in seconds, memory in bytes; and the network in base units."""
    return {
        "warmup": scenario.warmup / 1e9,
        "measure": scenario.measure / 1e9,
        "memory": _native.memory(scenario.document()),
        "paths": dict(_path_documents(scenario.network)),
        "flows": {
            name: {
                "transport": flow.transport,
                "cc": flow.cc,
                "paths": list(flow.paths),
                "application": flow.app.kind,
                "differs": describe.settings(flow, SHOWN),
            }
            for name, flow in scenario.flows.items()
        },
        "network": scenario.network.model_dump(mode="json"),
    }


def _path_documents(network: Network) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, path in network.paths.items():
        way = describe.way(network, path)
        yield (
            name,
            {
                "forward": list(path.forward),
                "reverse": list(path.reverse),
                "delay": way.delay / 1e9,
                "delay_back": way.delay_back / 1e9,
                "bottleneck": way.bottleneck,
                "rate": way.rate,
                "base_rtt": way.base_rtt / 1e9,
                "full_queue": None if way.full_queue is None else way.full_queue / 1e9,
            },
        )


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

TRANSPORTS = {"sctp": "SCTP", "tcp": "TCP", "mptcp": "Multipath TCP"}
"""Names of the protocols."""

SHOWN = frozenset({"transport", "paths", "cc", "app", "start"})
"""Fields of a flow that have their own place in the output."""
