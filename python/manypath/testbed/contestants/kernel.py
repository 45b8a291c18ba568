"""TCP and Multipath TCP of the kernel."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO, cast

import numpy as np
from typing_extensions import override

from manypath.errors import UserError
from manypath.programs import LOADER, fingerprint, installed
from manypath.testbed.congestion import available, kernel_name
from manypath.testbed.contestants.contestant import (
    PATIENCE,
    Account,
    Contestant,
    Ends,
    Part,
    delays,
    only_saturated,
)


class Kernel(Contestant):
    """Flows are sockets of this machine's kernel.

    The protocol settings of a scenario (initial window, timeouts, schedulers) have no effect. The kernel's buffers grow
    to the size of the flow's buffers. A Multipath TCP sender writes only the data that its subflows will send soon,
    because the kernel assigns data to a subflow when the application writes them.
    """

    @property
    @override
    def name(self) -> str:
        """Name of the stack."""
        return "kernel"

    @property
    @override
    def transports(self) -> tuple[str, ...]:
        """TCP and Multipath TCP."""
        return "tcp", "mptcp"

    @property
    @override
    def fingerprints(self) -> Sequence[str]:
        """Hash of the program that loads congestion controls into the kernel."""
        loader = installed(LOADER)
        return [fingerprint(loader)] if loader else []

    @override
    def check(self, field: str, flow: Mapping[str, Any]) -> None:
        """Refuse unsupported applications, and congestion controls that are not loaded in the kernel."""
        if wrong := only_saturated(field, flow):
            raise UserError(wrong)
        control = kernel_name(flow["cc"])
        if control not in available():
            raise UserError(
                f'{field}.cc: "{control}" is not loaded in the kernel: load it, manypath kernel load {flow["cc"]}'
            )

    @override
    def sysctl(self, flow: Mapping[str, Any]) -> Mapping[str, str]:
        """Return the congestion control and limits of the buffers.

        The limits are twice the flow's buffers, because the kernel counts its own overhead. The receive buffer has this
        size from the beginning. The send buffer grows with the window, so that fewer data wait for a subflow.
        """
        send, receive = 2 * flow["send_buffer"], 2 * flow["receive_buffer"]
        return {
            "net.ipv4.tcp_wmem": f"4096 16384 {send}",
            "net.ipv4.tcp_rmem": f"4096 {receive} {receive}",
            "net.ipv4.tcp_no_metrics_save": "1",
            # Joining subflows start with the default of the host.
            "net.ipv4.tcp_congestion_control": kernel_name(flow["cc"]),
        }

    @override
    def start(self, part: Part) -> Ends:
        """Start a receiver, and a sender that opens the connection at `part.starts`."""
        flow, first = part.flow, part.flow["paths"][0]
        target = (flow["transport"], part.right.addresses[first], PORT)
        receiver = part.process(part.right, STREAM, "receive", *target)
        if cast("TextIO", receiver.stdout).readline() != "listening\n":
            _, said = receiver.communicate(timeout=PATIENCE)
            raise ValueError(f"flow {part.name}: the receiver does not listen: {said.strip()}")
        own = (part.left.addresses[first], kernel_name(flow["cc"]), repr(part.starts), repr(part.window[1]))
        return _Ends(part, part.process(part.left, STREAM, "send", *target, *own), receiver)


@dataclass(frozen=True)
class _Ends(Ends):
    part: Part
    sender: subprocess.Popen[str]
    receiver: subprocess.Popen[str]

    @override
    def stop(self) -> None:
        """Do nothing: the sender ends at the end of the window."""

    @override
    def account(self) -> Account:
        """Wait for the sender, which resets the connection, and for the receiver; return the result."""
        name = self.part.name
        sent = json.loads(self.part.said("sender", self.sender))
        came = json.loads(self.part.said("receiver", self.receiver))
        return Account(np.array(came["notes"]), [*doubts(name, sent), *delays(name, "receiver", came["longest"])])


def doubts(name: str, account: Mapping[str, float]) -> Iterator[str]:
    """Yield the reasons not to trust a sender: delays, or a BPF program that the kernel did not call."""
    share = account["late"] / max(1, account["naps"])
    if share > LATE_SHARE:
        yield f"flow {name}: its sender woke up late in {100 * share:.1f} % of its sleeps"
    yield from delays(name, "sender", account["longest"])
    if account["senseless"]:
        yield f"flow {name}: the kernel did not call a BPF program of its congestion control"


STREAM = Path(__file__).with_name("stream.py")
"""The script of both ends."""

PORT = "5001"
"""TCP port of all receivers; each receiver has its own host."""

LATE_SHARE = 0.01
"""Share of late wake-ups above which a run is marked."""
