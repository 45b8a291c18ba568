"""Scenarios on real stacks as a runner of campaigns: the kernel's TCP and our SCTP, over emulated links."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from itertools import count
from typing import Any

import numpy as np
from typing_extensions import override

from manypath import _native
from manypath.campaign.cell import Cell
from manypath.campaign.runners import Halt, Outcome, Runner, chance
from manypath.emulation import Emulation, Pair
from manypath.errors import UserError
from manypath.programs import EMULATOR, fingerprint, program
from manypath.scenario import Network
from manypath.testbed import sources
from manypath.testbed.contestants import CONTESTANTS, Account, Contestant, Part
from manypath.testbed.contestants.contestant import Ends
from manypath.testbed.emulation import Running, running


class Testbed(Runner):
    """Runs scenarios in real time: flows are played by real stacks, links are those of the simulator.

    Needs root and the program ``manypath-emu``. Flows are `Tcp` or `Mptcp`, which the kernel plays with the congestion
    controls that it has (`manypath.testbed.loaded`), or `Sctp`, which our program ``manypath-net`` plays; `contestants`
    has what each can. Applications are saturated.

    The outcome has each flow's goodput in the scenario's window, what its sender counted on each path, and ``marks``:
    why the run is not to be trusted, such as packets that left late (``late_share`` says how many) or an end that woke
    late. ``tries`` says how often it was measured.

    Parameters
    ----------
    tries
        How often a run is measured until it has no marks; the last time counts, whatever it has.
    """

    def __init__(self, tries: int = 1) -> None:
        self._tries = tries

    @property
    @override
    def version(self) -> str:
        """Kernel, emulator, stacks, and the code that uses them."""
        programs = [program(EMULATOR), *(file for each in CONTESTANTS for file in each.programs)]
        parts = [platform.release(), *(fingerprint(file) for file in programs), sources.version()]
        return f"{type(self).__module__}:{'-'.join(parts)}"

    @override
    def prepare(self, cells: Sequence[Cell], at_once: int) -> None:
        """Refuse flows that no contestant supports."""
        if os.geteuid() != 0:
            raise UserError("testbed: it makes network namespaces, which needs root: try again with sudo")
        for document in dict.fromkeys(cell.document for cell in cells):
            for name, flow in json.loads(document)["flows"].items():
                _contestant(flow).check(f"flows.{name}", flow)

    @override
    def run(self, cells: Sequence[Cell], threads: int, halt: Halt) -> list[Outcome]:
        """Run one cell after the other."""
        return [self._run(cell, halt) for cell in cells]

    def _run(self, cell: Cell, halt: Halt) -> Outcome:
        scenario, seed = json.loads(cell.document), chance(cell)
        try:
            tries, outcome = 1, _measure(scenario, seed, halt)
            while outcome["marks"] and tries < self._tries:
                tries, outcome = tries + 1, _measure(scenario, seed, halt)
            return json.dumps({**outcome, "tries": tries})
        except (ValueError, OSError, subprocess.SubprocessError) as error:
            return _native.RunError(f"seed {cell.seed}, replication {cell.replication}: {error}")


def _contestant(flow: Mapping[str, Any]) -> Contestant:
    """Who plays a flow."""
    return next(each for each in CONTESTANTS if flow["transport"] in each.transports)


def _measure(scenario: Mapping[str, Any], seed: int, halt: Halt) -> dict[str, Any]:
    """Run a scenario once, in real time."""
    warmup, measured = scenario["warmup"] / NANOSECONDS, scenario["measure"] / NANOSECONDS
    with running(_emulated(scenario, seed)) as links:
        begin = time.monotonic() + SETTLING
        window = (begin + warmup, begin + warmup + measured)
        with ExitStack() as processes:
            flows = {
                name: _start(links, name, flow, begin, window, seed, processes)
                for name, flow in scenario["flows"].items()
            }
            while time.monotonic() < window[1] + LINGERING:
                if halt.is_set():
                    raise ValueError("stopped before its end")
                time.sleep(0.1)
            for flow in flows.values():
                flow.stop()
            accounts = {name: flow.account() for name, flow in flows.items()}
        ending = links.stop()
    packets = links.packets(ending)
    doubts = [doubt for account in accounts.values() for doubt in account.doubts]
    return {
        "flows": {name: _outcome(account, packets[name], window) for name, account in accounts.items()},
        "marks": "; ".join([*ending["marks"], *doubts]),
        "late_share": ending["lateness"]["late"] / max(1, ending["lateness"]["packets"]),
    }


def _outcome(account: Account, packets: Mapping[str, int], window: tuple[float, float]) -> dict[str, Any]:
    """What came of a flow, in the words of the simulator; `packets` is what its left host sent on each path."""
    return {
        "goodput": _rate(account.notes, window),
        **account.flow,
        "streams": [],
        "paths": {path: {"data_packets": sent, **account.paths.get(path, {})} for path, sent in packets.items()},
    }


def _emulated(scenario: Mapping[str, Any], seed: int) -> Emulation:
    """The emulation of a scenario: each flow has a pair of hosts of its own, and links' events wait for the flows."""
    links = {
        name: {
            **link,
            "events": [{**event, "at": event["at"] + round(SETTLING * NANOSECONDS)} for event in link["events"]],
        }
        for name, link in scenario["network"]["links"].items()
    }
    flows = scenario["flows"]
    return Emulation(
        name=f"m{os.getpid()}-{next(EMULATIONS)}",
        network=Network.from_document({**scenario["network"], "links": links}),
        pairs={
            name: Pair(paths=flow["paths"], sysctl=dict(_contestant(flow).sysctl(flow))) for name, flow in flows.items()
        },
        mtu=f"{max([USUAL_MTU, *(flow.get('mtu', 0) for flow in flows.values())])} B",
        seed=seed,
    )


def _start(
    links: Running,
    name: str,
    flow: Mapping[str, Any],
    begin: float,
    window: tuple[float, float],
    seed: int,
    processes: ExitStack,
) -> Ends:
    """Start both ends of a flow."""
    left, right = links.host(name, "left"), links.host(name, "right")
    starts = begin + starting(name, flow, seed)
    return _contestant(flow).start(Part(name, flow, left, right, starts, window, processes))


def starting(name: str, flow: Mapping[str, Any], seed: int) -> float:
    """Seconds after the beginning at which a flow starts: as in a simulation with this seed, replication 0."""
    earliest, latest = flow["start"]["earliest"], flow["start"]["latest"]
    return _native.first_between(f"flow/{name}/start", seed, 0, earliest, latest) / NANOSECONDS


def _rate(notes: np.ndarray, window: tuple[float, float]) -> float:
    """Bit/s in a window; between two notes bytes come evenly, after the last none."""
    before, after = np.interp(window, notes[:, 0], notes[:, 1])
    return float(8.0 * (after - before) / (window[1] - window[0]))


EMULATIONS = count(1)
"""Tells the emulations of this process apart."""

SETTLING = 1.0
"""Seconds before the first flow may start, for processes to come up."""

LINGERING = 0.3
"""Seconds for which flows go on after the window, so that the last notes are from behind it."""

USUAL_MTU = 1500
"""Bytes of the largest packet, unless a flow has larger ones."""

NANOSECONDS = 1e9
"""In a second."""
