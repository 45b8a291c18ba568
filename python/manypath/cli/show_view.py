"""Output of `manypath show`: tables and texts, or JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import typer

from manypath import _native, describe
from manypath.cli.output import print_details, print_tables

if TYPE_CHECKING:
    from manypath.scenario import Network, Scenario
    from manypath.scenario.flows import Flow


def print_scenario(scenario: Scenario) -> None:
    """Print paths, links, flows, and the time and memory of a run."""
    print_tables([describe.paths(scenario.network), describe.links(scenario.network)])
    for name, flow in scenario.flows.items():
        print_details(_title(name, flow), _flow(flow))
    typer.echo(f"\n{describe.effort(scenario)}")


def _title(name: str, flow: Flow) -> str:
    return f"{name}: {describe.TRANSPORTS[flow.transport]} over {', '.join(flow.paths)}, congestion control {flow.cc}"


def _flow(flow: Flow) -> dict[str, str]:
    application, start, different = describe.flow_words(flow)
    return {"application": application, "start": start, "differs from the defaults": different}


def document_of(scenario: Scenario) -> dict[str, Any]:
    """Return the summary for JSON, and the network in the form and the units of scenario documents."""
    return {
        "units": {"rates": "bit/s", "times": "s", "sizes": "bytes", "network": "bit/s, ns and bytes, as in documents"},
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
                "differs": describe.settings(flow, describe.SHOWN),
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
