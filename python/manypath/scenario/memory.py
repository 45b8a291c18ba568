"""Does a scenario fit into the memory of this machine?"""

from __future__ import annotations

import os
from collections.abc import Iterator

from manypath.errors import UserError
from manypath.quantity import SIZE
from manypath.scenario.links import Link
from manypath.scenario.queues import DropTail
from manypath.scenario.scenario import Scenario


def check_memory(scenario: Scenario) -> None:
    """Raise `UserError` if buffers and queues may grow beyond this machine's memory, and name the largest."""
    memory = machine_memory()
    needs = list(_needs(scenario))
    total = sum(size for _, size in needs)
    if total > memory:
        field, size = max(needs, key=lambda need: need[1])
        raise UserError(
            f"{field}: {size} B is more than there is, as all buffers and queues need {_rounded(total)} "
            f"and this machine has {_rounded(memory)}: make it smaller"
        )


def machine_memory() -> int:
    """Bytes of memory that this machine has."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _needs(scenario: Scenario) -> Iterator[tuple[str, int]]:
    """Every field that takes memory, and the bytes it may take."""
    for name, flow in scenario.flows.items():
        yield f"flows.{name}.send_buffer", flow.send_buffer
        yield f"flows.{name}.receive_buffer", flow.receive_buffer
    largest = max(flow.mtu for flow in scenario.flows.values())
    for name, link in scenario.network.links.items():
        yield from _queue(f"network.links.{name}.queue", link, largest)
    if scenario.network.access is not None:
        yield from _queue("network.access.queue", scenario.network.access, largest)


def _queue(field: str, link: Link, packet: int) -> Iterator[tuple[str, int]]:
    match link.queue:
        case DropTail(packets=int(packets)):
            yield f"{field}.packets", packets * packet
        case DropTail(bytes=int(size)):
            yield f"{field}.bytes", size
        case queue:
            yield f"{field}.capacity", int((queue.capacity or queue.max) * packet)


def _rounded(size: int) -> str:
    return SIZE.show(int(float(f"{size:.2g}")))
