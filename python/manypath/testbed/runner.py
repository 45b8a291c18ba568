"""A runner of campaigns that runs scenarios on real stacks over emulated links."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import count
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from typing_extensions import override

from manypath import _native
from manypath.arguments import file, positive
from manypath.campaign.cell import Cell
from manypath.campaign.runners import Halt, JsonOrError, Runner, chance
from manypath.emulation import Emulation, Pair
from manypath.emulation.log import LinkLog
from manypath.errors import UserError, quoted
from manypath.outputs import Outputs
from manypath.programs import EMULATOR, fingerprint, program
from manypath.scenario import Network
from manypath.testbed import sources
from manypath.testbed.contestants import Account, Contestant, Part
from manypath.testbed.contestants.contestant import LONGEST_DELAY
from manypath.testbed.emulation import Running, Sent, clean, running
from manypath.testbed.stacks import assigned, at_once_of, check_flows, checked, chosen, standards, tries_of


class Testbed(Runner):
    """Runs scenarios in real time: real stacks run the flows over the simulator's links.

    Needs root and the program ``manypath-emu``. By default the kernel runs `Tcp` and `Mptcp`, and our program
    ``manypath-net`` runs `Sctp`. `manypath.testbed.loaded` loads congestion controls into the kernel. `contestants` has
    one module for each stack. Applications must be saturated.

    The outcome has each flow's goodput in the scenario's window and its sender's counters for each path. ``marks`` are
    the reasons not to trust the run, such as late packets or a late wake-up of an end. ``late_share`` is the share of
    late packets. ``tries`` is the number of measurements.

    Parameters
    ----------
    tries
        The largest number of measurements of a run that has marks; the last measurement counts.
    stacks
        The stack of each flow: the name of the flow, or ``""`` for all flows that the stack can run, and the name of
        the contestant. Both ends of a flow have the same stack.
    interval
        Seconds between two samples of each link, or None for no samples. With samples the outcome has a ``course``: the
        payload that each flow has ``received`` and the bytes that each of the ``links`` has delivered, as pairs of
        seconds since the begin of the scenario and bytes.
    events
        Folder for the events of each run, which `manypath explore --attach` shows while it goes on: ``links.jsonl`` has
        the counters of links, and ``flow-NAME.jsonl`` what the sender of a flow of our stack does. A later run replaces
        them, so only one run may go on at a time.

    Raises
    ------
    UserError
        If a stack does not exist, or if files cannot be written into the folder of events.
    """

    def __init__(
        self,
        tries: int = 1,
        stacks: Mapping[str, str] | None = None,
        interval: float | None = None,
        events: str | PathLike[str] | None = None,
    ) -> None:
        self._tries = tries_of(tries)
        self._events = None if events is None else Outputs().folder("events", file("events", events)).absolute()
        self._interval = None if interval is None else _sampling(interval)
        self.stacks = checked(stacks)

    @property
    @override
    def version(self) -> str:
        """Kernel release, then hashes of the emulator, the default stacks, the Python code and the chosen stacks."""
        programs = [fingerprint(program(EMULATOR)), *(each for stack in standards() for each in stack.fingerprints)]
        parts = [platform.release(), *programs, sources.version(), *chosen(self.stacks)]
        parts += [f"every={self._interval!r}"] if self._interval else []
        return f"{type(self).__module__}:{'-'.join(parts)}"

    @override
    def prepare(self, cells: Sequence[Cell], at_once: int) -> None:
        """Refuse flows that their stacks do not support, and remove the hosts of killed runs.

        Raises
        ------
        UserError
            If this process is not root, or if a stack cannot run its flow.
        """
        at_once_of(at_once)
        if os.geteuid() != 0:
            raise UserError("testbed: it makes network namespaces, which needs root: try again with sudo")
        scenarios = [json.loads(document)["flows"] for document in dict.fromkeys(cell.document for cell in cells)]
        check_flows(self.stacks, scenarios)
        for flows in scenarios:
            for name, contestant in assigned(self.stacks, flows).items():
                contestant.check(f"flows.{name}", flows[name])
        clean()

    @override
    def run(self, cells: Sequence[Cell], threads: int, halt: Halt) -> list[JsonOrError]:
        """Run the cells one after the other."""
        return [self._run(cell, halt) for cell in cells]

    def _run(self, cell: Cell, halt: Halt) -> JsonOrError:
        scenario, seed = json.loads(cell.document), chance(cell)
        contestants = assigned(self.stacks, scenario["flows"])
        try:
            tries, outcome = 1, _measure(scenario, contestants, seed, halt, self._interval, self._events)
            while outcome["marks"] and tries < self._tries:
                tries, outcome = tries + 1, _measure(scenario, contestants, seed, halt, self._interval, self._events)
            return json.dumps({**outcome, "tries": tries})
        except (ValueError, OSError, subprocess.SubprocessError) as error:
            return _native.RunError(f"seed {cell.seed}, replication {cell.replication}: {error}")


def _sampling(interval: float) -> float:
    """Return the seconds between two samples, if the emulator can take them."""
    seconds = positive("interval", interval)
    if not SHORTEST <= seconds <= LONGEST:
        raise UserError(f"interval: {quoted(interval)} is no interval of samples: give {SHORTEST} to {LONGEST} seconds")
    return seconds


def _measure(
    scenario: Mapping[str, Any],
    contestants: Mapping[str, Contestant],
    seed: int,
    halt: Halt,
    interval: float | None,
    events: Path | None,
) -> dict[str, Any]:
    """Run a scenario once, in real time."""
    warmup, measured = scenario["warmup"] / NANOSECONDS, scenario["measure"] / NANOSECONDS
    emulation = _emulated(scenario, contestants, seed)
    with _log(events, emulation) as log, running(emulation, interval, log) as links:
        begin = time.monotonic() + SETTLING
        window = (begin + warmup, begin + warmup + measured)
        with ExitStack() as processes:
            flows = {
                name: contestants[name].start(_part(links, name, flow, begin, window, seed, processes, events))
                for name, flow in scenario["flows"].items()
            }
            while time.monotonic() < window[1] + LINGERING:
                if halt.is_set():
                    raise ValueError("stopped before its end")
                links.check()
                time.sleep(0.1)
            for flow in flows.values():
                flow.stop()
            accounts = {name: flow.account() for name, flow in flows.items()}
        ending = links.stop()
    sent = links.sent(window)
    doubts = [doubt for account in accounts.values() for doubt in account.doubts]
    doubts += early_events(scenario["network"]["links"], begin - SETTLING - links.began())
    course = {"course": _course(accounts, begin, links)} if interval else {}
    return {
        **course,
        "flows": {name: _outcome(account, sent[name], window) for name, account in accounts.items()},
        "marks": "; ".join([*ending["marks"], *doubts]),
        "late_share": ending["lateness"]["late"] / max(1, ending["lateness"]["packets"]),
    }


@contextmanager
def _log(events: Path | None, emulation: Emulation) -> Iterator[LinkLog | None]:
    """Yield the log of the links in the folder of events; None without one."""
    if events is None:
        yield None
        return
    events.mkdir(parents=True, exist_ok=True)
    with (events / LINKS).open("w", encoding="utf-8") as out:
        yield LinkLog(out, emulation)


def _course(accounts: Mapping[str, Account], begin: float, links: Running) -> dict[str, Any]:
    """Return the payload that flows received and the bytes that links delivered, over the scenario's time."""
    received = {
        name: [(round(at - begin, 6), int(total)) for at, total in account.notes] for name, account in accounts.items()
    }
    carried = {
        link: [(round(at - SETTLING, 6), total) for at, total in samples] for link, samples in links.carried().items()
    }
    return {"received": received, "links": carried}


def early_events(links: Mapping[str, Any], early: float) -> list[str]:
    """Return the reason not to trust a run if the events of its links were more than `LONGEST_DELAY` early.

    Their instants count from the begin of the emulation, which is `early` seconds before that of the flows.
    """
    if early > LONGEST_DELAY and any(link["events"] for link in links.values()):
        return [f"the events of links were {early:.1f} s early, because the start of the run was delayed"]
    return []


def _outcome(account: Account, sent: Mapping[str, Sent], window: tuple[float, float]) -> dict[str, Any]:
    """Return the result of a flow within the window by the simulator's names.

    `sent` is what its left host sent on each path. Throughput counts all packets of the sender with headers and
    retransmissions.
    """
    throughput = {path: 8 * each.bytes / (window[1] - window[0]) for path, each in sent.items()}
    return {
        "goodput": _rate(account.notes, window),
        "throughput": sum(throughput.values()),
        **account.flow,
        "streams": [],
        "paths": {
            path: {"throughput": throughput[path], "data_packets": each.packets, **account.paths.get(path, {})}
            for path, each in sent.items()
        },
    }


def _emulated(scenario: Mapping[str, Any], contestants: Mapping[str, Contestant], seed: int) -> Emulation:
    """Return the emulation of a scenario. Each flow has its own pair of hosts; events of links are `SETTLING` later."""
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
            name: Pair(paths=flow["paths"], sysctl=dict(contestants[name].sysctl(flow))) for name, flow in flows.items()
        },
        mtu=f"{max([USUAL_MTU, *(flow.get('mtu', 0) for flow in flows.values())])} B",
        seed=seed,
    )


def _part(
    links: Running,
    name: str,
    flow: Mapping[str, Any],
    begin: float,
    window: tuple[float, float],
    seed: int,
    processes: ExitStack,
    events: Path | None,
) -> Part:
    """Return a flow with its hosts and times."""
    left, right = links.host(name, "left"), links.host(name, "right")
    # The emulator has accepted the name, so it is valid as a part of a file name.
    log = None if events is None else events / f"flow-{name}.jsonl"
    return Part(name, flow, left, right, begin + starting(name, flow, seed), window, processes, log)


def starting(name: str, flow: Mapping[str, Any], seed: int) -> float:
    """Return the starting time of a flow in seconds, as in a simulation with this seed and replication 0."""
    earliest, latest = flow["start"]["earliest"], flow["start"]["latest"]
    return _native.first_between(f"flow/{name}/start", seed, 0, earliest, latest) / NANOSECONDS


def _rate(notes: np.ndarray, window: tuple[float, float]) -> float:
    """Return the rate in bit/s within the window, by linear interpolation; no bytes arrive after the last note."""
    before, after = np.interp(window, notes[:, 0], notes[:, 1])
    return float(8.0 * (after - before) / (window[1] - window[0]))


EMULATIONS = count(1)
"""Numbers of the emulations of this process, for unique names."""

LINKS = "links.jsonl"
"""Name of the file with the counters of links, in the folder of events."""

SHORTEST, LONGEST = 0.01, 3600
"""Limits of the interval between two samples in seconds; the emulator has the same lower limit."""

SETTLING = 2.0
"""Seconds between the start of the processes and the earliest start of a flow."""

AROUND = 2.0
"""Seconds of a run, besides `SETTLING`, in which processes start and end."""

LINGERING = 0.3
"""Seconds for which flows run after the window, so that the last note of a receiver is later than the window."""

USUAL_MTU = 1500
"""MTU of the hosts in bytes, unless a flow has a larger MTU."""

NANOSECONDS = 1e9
"""Nanoseconds per second."""
