"""Scenarios on real stacks as a runner of campaigns: the kernel's TCP and Multipath TCP over emulated links."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import Any, TextIO, cast

import numpy as np
from typing_extensions import override

from manypath import _native
from manypath.campaign.cell import Cell
from manypath.campaign.runners import Halt, Outcome, Runner, chance
from manypath.emulation import Emulation, Pair
from manypath.errors import UserError
from manypath.programs import APART, EMULATOR, LOADER, fingerprint, installed, last_line, program, spawn
from manypath.scenario import Network
from manypath.testbed.congestion import available, kernel_name
from manypath.testbed.emulation import Host, Running, running


class Testbed(Runner):
    """Runs scenarios in real time: flows are sockets of this machine's kernel, links are those of the simulator.

    Needs root, the program ``manypath-emu``, and the congestion controls in the kernel (`manypath.testbed.loaded`).
    Flows are `Tcp` or `Mptcp` with saturated applications. What a scenario says of the protocols themselves (initial
    window, timeouts, schedulers) is the kernel's own business; buffers grow as large as the flow's. A sender over
    Multipath TCP gives the kernel what its subflows can take soon, and no more: what is bound to a subflow stays there.

    The outcome has each flow's goodput in the scenario's window, its packets on each path, and ``marks``: why the run
    is not to be trusted, such as packets that left late (``late_share`` says how many) or a sender that woke late or
    saw that the kernel left programs out.

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
        """Kernel, what is loaded into it, emulator, and how they are used."""
        files = [program(EMULATOR), installed(LOADER), __file__, STREAM]
        parts = [fingerprint(file) for file in files if file is not None]
        return f"{type(self).__module__}:{platform.release()}-{'-'.join(parts)}"

    @override
    def prepare(self, cells: Sequence[Cell], at_once: int) -> None:
        """Refuse flows that the kernel cannot run."""
        if os.geteuid() != 0:
            raise UserError("testbed: it makes network namespaces, which needs root: try again with sudo")
        there = available()
        for document in dict.fromkeys(cell.document for cell in cells):
            for name, flow in json.loads(document)["flows"].items():
                _check(f"flows.{name}", flow, there)

    @override
    def run(self, cells: Sequence[Cell], threads: int, halt: Halt) -> list[Outcome]:
        """Run one cell after the other."""
        return [self._run(cell, halt) for cell in cells]

    def _run(self, cell: Cell, halt: Halt) -> Outcome:
        try:
            outcome = _measure(json.loads(cell.document), chance(cell), halt)
            for _ in range(1, self._tries):
                if not outcome["marks"]:
                    break
                outcome = _measure(json.loads(cell.document), chance(cell), halt)
            return json.dumps(outcome)
        except (ValueError, OSError, subprocess.SubprocessError) as error:
            return _native.RunError(f"seed {cell.seed}, replication {cell.replication}: {error}")


def _check(field: str, flow: Mapping[str, Any], there: set[str]) -> None:
    if flow["transport"] not in ("tcp", "mptcp"):
        raise UserError(f"{field}.transport: the kernel runs no {flow['transport']} here: give tcp or mptcp")
    if flow["app"]["kind"] != "saturated":
        raise UserError(f"{field}.app: {flow['app']['kind']} is not built for the testbed: give saturated")
    control = kernel_name(flow["cc"])
    if control not in there:
        raise UserError(f'{field}.cc: the kernel has no "{control}" now: load it, manypath kernel load {flow["cc"]}')


def _measure(scenario: Mapping[str, Any], seed: int, halt: Halt) -> dict[str, Any]:
    """Run a scenario once, in real time."""
    warmup, measured = scenario["warmup"] / NANOSECONDS, scenario["measure"] / NANOSECONDS
    with running(_emulated(scenario, seed)) as links:
        begin = time.monotonic() + SETTLING
        with ExitStack() as processes:
            flows = {
                name: _start(links, name, flow, begin, warmup + measured, seed, processes)
                for name, flow in scenario["flows"].items()
            }
            while time.monotonic() < begin + warmup + measured:
                if halt.is_set():
                    raise ValueError("stopped before its end")
                time.sleep(0.1)
            # Senders end first, and tell receivers so.
            accounts = {name: json.loads(_said(name, sender)) for name, (sender, _) in flows.items()}
            notes = {name: np.array(json.loads(_said(name, receiver))) for name, (_, receiver) in flows.items()}
        ending = links.stop()
    packets = links.packets(ending)
    window = (begin + warmup, begin + warmup + measured)
    return {
        "flows": {
            name: {
                "goodput": _rate(notes[name], window),
                "streams": [],
                "paths": {path: {"data_packets": sent} for path, sent in packets[name].items()},
            }
            for name in flows
        },
        "marks": "; ".join([*ending["marks"], *_doubts(accounts)]),
        "late_share": ending["lateness"]["late"] / max(1, ending["lateness"]["packets"]),
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
    return Emulation(
        name=f"m{os.getpid()}-{next(EMULATIONS)}",
        network=Network.from_document({**scenario["network"], "links": links}),
        pairs={name: Pair(paths=flow["paths"], sysctl=_settings(flow)) for name, flow in scenario["flows"].items()},
        seed=seed,
    )


def _settings(flow: Mapping[str, Any]) -> dict[str, str]:
    """Buffers that may become as large as the flow's; the kernel counts its own memory, about as much again.

    The receiver's is so large from the beginning. The sender's grows with the window: so less waits for a subflow.
    """
    send, receive = 2 * flow["send_buffer"], 2 * flow["receive_buffer"]
    return {
        "net.ipv4.tcp_wmem": f"4096 16384 {send}",
        "net.ipv4.tcp_rmem": f"4096 {receive} {receive}",
        "net.ipv4.tcp_no_metrics_save": "1",
        # The host's own default may be anything, and what joins a connection begins with it.
        "net.ipv4.tcp_congestion_control": kernel_name(flow["cc"]),
    }


def _start(
    links: Running,
    name: str,
    flow: Mapping[str, Any],
    begin: float,
    length: float,
    seed: int,
    processes: ExitStack,
) -> tuple[subprocess.Popen[str], subprocess.Popen[str]]:
    """Start both ends of a flow and return sender and receiver, which knows in the end what has come."""
    left, right = links.host(name, "left"), links.host(name, "right")
    first = flow["paths"][0]
    target = (flow["transport"], right.addresses[first], PORT)
    receiver = _process(right, processes, "receive", *target)
    if cast("TextIO", receiver.stdout).readline() != "listening\n":
        raise ValueError(f"flow {name}: the receiver does not listen: {receiver.communicate()[1].strip()}")
    earliest, latest = flow["start"]["earliest"], flow["start"]["latest"]
    draw = np.random.default_rng([seed, *name.encode()])
    starts = begin + draw.uniform(earliest, latest) / NANOSECONDS
    own = (left.addresses[first], kernel_name(flow["cc"]), repr(starts), repr(begin + length))
    return _process(left, processes, "send", *target, *own), receiver


def _process(host: Host, processes: ExitStack, *words: str) -> subprocess.Popen[str]:
    """Start an end of a transfer; it ends with the run at the latest."""
    # Without the site's packages it starts in some hundredths of a second.
    line = host.command(sys.executable, "-I", "-S", str(STREAM), *words)
    process = spawn(line, stdin=subprocess.DEVNULL, **APART)
    processes.enter_context(process)
    processes.callback(process.kill)
    return process


def _doubts(accounts: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    """What senders give reason to doubt: one that was kept waiting, or a congestion control that was left out."""
    for name, account in accounts.items():
        share = account["late"] / max(1, account["naps"])
        if share > LATE_SHARE:
            yield f"flow {name}: its sender woke late in {100 * share:.1f} % of its naps"
        if account["senseless"]:
            yield f"flow {name}: the kernel left a program of its congestion control out"


def _said(name: str, process: subprocess.Popen[str]) -> str:
    """What an end of a flow said; it must have come to its end."""
    out, error = process.communicate(timeout=PATIENCE)
    if process.returncode != 0:
        raise ValueError(f"flow {name}: an end failed: {last_line(error)}")
    return out


def _rate(notes: np.ndarray, window: tuple[float, float]) -> float:
    """Bit/s in a window; between two notes bytes come evenly, after the last none."""
    before, after = np.interp(window, notes[:, 0], notes[:, 1])
    return float(8.0 * (after - before) / (window[1] - window[0]))


EMULATIONS = count(1)
"""Tells the emulations of this process apart."""

STREAM = Path(__file__).with_name("stream.py")
"""The ends of a transfer."""

PORT = "5001"
"""Where receivers listen; each has a host of its own."""

SETTLING = 1.0
"""Seconds before the first flow may start, for processes to come up."""

LATE_SHARE = 0.01
"""Share of late wake-ups from which on a run says that it is not to be trusted."""

PATIENCE = 10.0
"""Seconds after which a receiver has noticed that its sender is gone."""

NANOSECONDS = 1e9
"""In a second."""
