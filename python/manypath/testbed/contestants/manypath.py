"""SCTP of this repository over real sockets, in IP or inside UDP. Both ends are ``manypath-net perf``."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any, TextIO, cast

import numpy as np
from typing_extensions import override

from manypath.errors import UserError
from manypath.programs import NET, fingerprint, installed, program, why_ended
from manypath.testbed.contestants.contestant import (
    GUARD,
    PATIENCE,
    Account,
    Contestant,
    Ends,
    Part,
    delays,
    only_saturated,
)
from manypath.testbed.emulation import Host

Events = Sequence[Mapping[str, Any]]
"""The output of an end: the lines of ``--json-stream``."""


class Manypath(Contestant):
    """Flows are associations of this repository's stack. All settings of the simulator apply."""

    @property
    @override
    def name(self) -> str:
        """Name of the stack."""
        return "manypath"

    @property
    @override
    def transports(self) -> tuple[str, ...]:
        """SCTP."""
        return ("sctp",)

    @property
    @override
    def fingerprints(self) -> Sequence[str]:
        """Hash of the program ``manypath-net``."""
        found = installed(NET)
        return [fingerprint(found)] if found else []

    @override
    def check(self, field: str, flow: Mapping[str, Any]) -> None:
        """Refuse unsupported applications and messages."""
        if wrong := only_saturated(field, flow):
            raise UserError(wrong)
        message = flow["app"]["message"]["max"]
        if message > MOST_MESSAGE:
            raise UserError(f"{field}.app.message: {message} B is more than the testbed sends: give 1 MiB or less")
        program(NET)

    @override
    def sysctl(self, flow: Mapping[str, Any]) -> Mapping[str, str]:
        """Return no settings, because the protocol runs in user space."""
        return {}

    @override
    def start(self, part: Part) -> Ends:
        """Start a receiver, and a sender that opens the association at `part.starts`."""
        flow = part.flow
        settings = os.memfd_create("settings")
        part.processes.callback(os.close, settings)
        os.write(settings, json.dumps(flow).encode())
        left, right = (",".join(host.addresses[path] for path in flow["paths"]) for host in (part.left, part.right))
        common = ["--json-stream", "--interval", repr(EVERY), "--one-thread", "--settings", f"/dev/fd/{settings}"]

        def end(host: Host, at: float, *words: str) -> End:
            # A pipe would fill up during the run and block the program.
            printed = part.processes.enter_context(tempfile.TemporaryFile("w+"))  # noqa: SIM115 - the run closes it
            line = [repr(at), program(NET), "perf", *words, *common]
            return End(part.process(host, GUARD, *line, stdout=printed, pass_fds=(settings,)), printed)

        receiver = end(part.right, 0.0, "--listen", "--once", "--bind", right)
        if not cast("TextIO", receiver.process.stderr).readline().startswith("waiting on"):
            raise ValueError(f"flow {part.name}: the receiver does not listen: {receiver.error()}")
        app = flow["app"]
        words = ["--to", right, "--bind", left]
        words += ["--time", repr(part.window[1] - part.starts + SPARE)]
        words += ["--size", f"{app['message']['min']}-{app['message']['max']}", "--streams", str(flow["streams"])]
        words += [] if app["ordered"] else ["--unordered"]
        if part.events is not None:
            # Events of packets would load the sender.
            words += ["--events", str(part.events), "--only", "recovery", "--only", "connectivity"]
        return _Ends(part, end(part.left, part.starts, *words), receiver)


@dataclass(frozen=True)
class End:
    """A program and its output."""

    process: subprocess.Popen[str]
    printed: IO[str]

    def wait(self, patience: float) -> bool:
        """Whether the program ends within `patience` seconds."""
        try:
            self.process.wait(patience)
        except subprocess.TimeoutExpired:
            return False
        return True

    def error(self) -> str:
        """Return why the program ended."""
        said = self.process.communicate(timeout=PATIENCE)[1]
        return why_ended(self.process, said)

    def events(self) -> Events:
        """Return the program's events without an incomplete last line, which a killed program may leave."""
        self.printed.seek(0)
        return [json.loads(line) for line in self.printed if line.endswith("\n")]


@dataclass(frozen=True)
class _Ends(Ends):
    part: Part
    sender: End
    receiver: End

    @override
    def stop(self) -> None:
        """Interrupt the sender without waiting for the data in its buffer."""
        if self.sender.process.poll() is None:
            self.sender.process.send_signal(signal.SIGINT)

    @override
    def account(self) -> Account:
        """Wait for both ends and return the result; interrupt a receiver that has not seen the association end."""
        name = self.part.name
        if not self.sender.wait(PATIENCE) or self.sender.process.returncode != INTERRUPTED:
            raise ValueError(f"flow {name}: its sender failed: {self.sender.error()}")
        if not self.receiver.wait(1.0):
            self.receiver.process.send_signal(signal.SIGINT)
            self.receiver.wait(PATIENCE)
        sent, came = self.sender.events(), self.receiver.events()
        notes = arrivals(came, time.time() - time.monotonic())
        if not len(notes) or notes[-1, 0] < self.part.window[1]:
            raise ValueError(f"flow {name}: its receiver ended early: {self.receiver.error()}")
        late = (each["data"]["late"] for each in sent if each["event"] == "guard")
        doubts = [
            *delays(name, "sender", max(late, default=0.0)),
            *lateness(name, "sender", sent),
            *lateness(name, "receiver", came),
        ]
        window = (self.part.window[0] - notes[0, 0], self.part.window[1] - notes[0, 0])
        paths = dict(zip(self.part.flow["paths"], of_paths(sent, came, window), strict=False))
        total = {key: sum(path[key] for path in paths.values()) for key in COUNTED}
        return Account(notes, doubts, total, paths)


def arrivals(events: Events, wall: float) -> np.ndarray:
    """Return the received payload over time from the events of a receiver: rows of instant in seconds and bytes.

    Instants are those of the monotonic clock; `wall` is the real-time clock minus the monotonic clock in seconds.
    """
    begin = next((each["data"]["timestamp"] for each in events if each["event"] == "start"), None)
    if begin is None:
        return np.empty((0, 2))
    start = begin["timesecs"] + 1e-9 * begin["timenanosecs"] - wall
    sums = [each["data"]["sum"] for each in events if each["event"] == "interval"]
    instants = [start, *(start + each["end"] for each in sums)]
    return np.column_stack([instants, np.cumsum([0, *(each["bytes"] for each in sums)])])


def lateness(name: str, side: str, events: Events) -> Iterator[str]:
    """Yield the reasons not to trust an end: intervals that ended late."""
    ends = np.array([each["data"]["sum"]["end"] for each in events if each["event"] == "interval"])
    late = np.mean((ends + TINY) % EVERY > LATE) if len(ends) else 0.0
    if late > LATE_SHARE:
        yield f"flow {name}: {100 * late:.1f} % of the intervals of its {side} ended late"
    # Intervals that end during a delay are left out, so a delay counts as at most one late interval.
    yield from delays(name, side, np.max(np.diff(ends, prepend=0.0), initial=0.0) - EVERY)


def of_paths(sent: Events, came: Events, window: tuple[float, float]) -> list[dict[str, float]]:
    """Return the counters of the sender and the goodput of the receiver within the window, one mapping for each path.

    Counters and bytes are summed over the intervals of the window; ``cwnd`` in bytes and ``srtt`` in seconds are means.
    ``goodput`` is in bit/s.
    """

    def within(events: Events) -> list[Mapping[str, Any]]:
        parts = [each["data"] for each in events if each["event"] == "interval"]
        return [part for part in parts if window[0] < part["sum"]["end"] <= window[1]]

    paths: dict[int, dict[str, float]] = {}
    parts = within(sent)
    for part in parts:
        for path in part["paths"]:
            numbers = paths.setdefault(path["path"], dict.fromkeys((*COUNTED, "cwnd", "srtt", "goodput"), 0.0))
            for name in COUNTED:
                numbers[name] += path[name]
            numbers["cwnd"] += path["snd_cwnd"] / len(parts)
            numbers["srtt"] += 1e-6 * path["rtt"] / len(parts)
    for part in within(came):
        for path in part["paths"]:
            if path["path"] in paths:
                paths[path["path"]]["goodput"] += 8 * path["bytes_received"] / (window[1] - window[0])
    return [paths[number] for number in sorted(paths)]


COUNTED = ("data_packets", "retransmitted_chunks", "fast_retransmissions", "timeouts")
"""Counters of a path, named as in the simulator."""

EVERY = 0.1
"""Seconds between two reports."""

LATE = 0.005
"""Seconds by which an interval may end late: tokio's timers have a resolution of 1 ms."""

LATE_SHARE = 0.01
"""Share of late intervals above which a run is marked."""

TINY = 1e-6
"""Seconds by which an interval may end early because of rounding."""

SPARE = 60.0
"""Seconds after the window at which a sender would end by itself; it is interrupted before."""

MOST_MESSAGE = 1 << 20
"""Bytes of the largest message that the program sends."""

INTERRUPTED = 130
"""Exit code of the program after Ctrl-C."""
