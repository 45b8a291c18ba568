"""The kernel's own TCP and Multipath TCP."""

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
    only_saturated,
    standstill,
)


class Kernel(Contestant):
    """Flows are sockets of this machine's kernel.

    What a scenario says of the protocols themselves (initial window, timeouts, schedulers) is the kernel's own
    business; buffers grow as large as the flow's. A sender over Multipath TCP gives the kernel what its subflows can
    take soon, and no more: what is bound to a subflow stays there.
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
        """Refuse what the kernel cannot run now."""
        if wrong := only_saturated(field, flow):
            raise UserError(wrong)
        control = kernel_name(flow["cc"])
        if control not in available():
            raise UserError(
                f'{field}.cc: the kernel has no "{control}" now: load it, manypath kernel load {flow["cc"]}'
            )

    @override
    def sysctl(self, flow: Mapping[str, Any]) -> Mapping[str, str]:
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

    @override
    def start(self, part: Part) -> Ends:
        """Start a receiver, and a sender that waits for its time."""
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
        """Leave the sender alone: it knows when the flow is over."""

    @override
    def account(self) -> Account:
        """Senders end first, and tell receivers so."""
        account = json.loads(self.part.said(self.sender))
        notes = np.array(json.loads(self.part.said(self.receiver)))
        return Account(notes, list(doubts(self.part.name, account)))


def doubts(name: str, account: Mapping[str, float]) -> Iterator[str]:
    """What a sender gives reason to doubt: it was kept waiting, or a congestion control was left out."""
    share = account["late"] / max(1, account["naps"])
    if share > LATE_SHARE:
        yield f"flow {name}: its sender woke late in {100 * share:.1f} % of its naps"
    yield from standstill(name, "sender", account["longest"])
    if account["senseless"]:
        yield f"flow {name}: the kernel left a program of its congestion control out"


STREAM = Path(__file__).with_name("stream.py")
"""The ends of a transfer."""

PORT = "5001"
"""Where receivers listen; each has a host of its own."""

LATE_SHARE = 0.01
"""Share of late wake-ups from which on a run says that it is not to be trusted."""
