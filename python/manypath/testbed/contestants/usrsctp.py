"""FreeBSD's SCTP in user space (usrsctp), in IP or inside UDP. Both ends are a C program that uses the library."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO, cast

import numpy as np
from typing_extensions import override

from manypath.errors import UserError, remedy
from manypath.programs import last_line
from manypath.testbed import sources
from manypath.testbed.contestants.compiled import Program
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


class Usrsctp(Contestant):
    """Flows are associations of usrsctp. `settings` returns the settings that apply."""

    @property
    @override
    def name(self) -> str:
        """Name of the stack."""
        return "usrsctp"

    @property
    @override
    def transports(self) -> tuple[str, ...]:
        """SCTP."""
        return ("sctp",)

    @property
    @override
    def fingerprints(self) -> Sequence[str]:
        """Hashes of the C program with the library, and of the Python code that runs the program."""
        return [PROGRAM.key(), sources.code_hash(sources.of("usrsctp"))]

    @override
    def check(self, field: str, flow: Mapping[str, Any]) -> None:
        """Refuse unsupported settings, and compile the program."""
        if wrong := next(refusals(field, flow), None):
            raise UserError(wrong)
        PROGRAM.path()

    @override
    def sysctl(self, flow: Mapping[str, Any]) -> Mapping[str, str]:
        """Return no settings, because the protocol runs in user space."""
        return {}

    @override
    def start(self, part: Part) -> Ends:
        """Start a receiver, and a sender that opens the association at `part.starts`."""
        program = PROGRAM.path()

        def end(role: str, host: Host, *words: str) -> subprocess.Popen[str]:
            line = ("0", program, role, *words, *settings(part.flow))
            process = part.process(host, GUARD, *line)
            if cast("TextIO", process.stdout).readline() != "ready\n":
                said = process.communicate(timeout=PATIENCE)[1]
                raise ValueError(f"flow {part.name}: its usrsctp does not {role}: {last_line(said)}")
            return process

        left, right = (
            ",".join(host.addresses[path] for path in part.flow["paths"]) for host in (part.left, part.right)
        )
        ends = f"end={part.window[1] + TAIL!r}"
        receiver = end("receive", part.right, f"local={right}", ends)
        sender = end("send", part.left, f"local={left}", f"remote={right}", f"begin={part.starts!r}", ends)
        return _Ends(part, sender, receiver, time.monotonic() - part.starts)


def settings(flow: Mapping[str, Any]) -> list[str]:
    """Return the command-line words NAME=VALUE of both ends: settings of the program and of the library."""
    rto, app = flow["rto"], flow["app"]
    values = {
        "udp": UDP_PORT if flow["udp_encapsulation"] else 0,
        "message_min": app["message"]["min"],
        "message": app["message"]["max"],
        "streams": flow["streams"],
        "unordered": not app["ordered"],
        "nodelay": not flow["nagle"],
        "mtu": flow["mtu"],
        "send_buffer": flow["send_buffer"],
        "receive_buffer": flow["receive_buffer"],
        "sctp_cmt_on_off": cmt(flow),
        "sctp_cmt_use_dac": flow["dac"],
        "sctp_nrsack_enable": flow["nr_sack"],
        # With this setting the library may renege, so it reports only delivered data as non-renegable.
        "sctp_do_drain": not flow["never_renege"],
        "sctp_pktdrop_enable": flow["packet_drop_reports"],
        "sctp_buffer_splitting": SPLITS[flow["buffer_split"]],
        "sctp_rto_initial_default": _milliseconds(rto["initial"]),
        "sctp_rto_min_default": _milliseconds(rto["min"]),
        "sctp_rto_max_default": _milliseconds(rto["max"]),
        "sctp_delayed_sack_time_default": _milliseconds(flow["sack_delay"]),
        "sctp_sack_freq_default": flow["sack_every"],
        "sctp_heartbeat_interval_default": _milliseconds(flow["heartbeat_interval"]),
        "sctp_path_rtx_max_default": flow["path_max_retransmissions"],
        "sctp_assoc_rtx_max_default": flow["association_max_retransmissions"],
        "sctp_path_pf_threshold": flow.get("potentially_failed_after", NO_THRESHOLD),
        "sctp_max_burst_default": 0 if flow["burst"] == "none" else flow["max_burst"],
        "sctp_use_cwnd_based_maxburst": flow["burst"] == "use-it-or-lose-it",
        # The buffers limit the data. The library's own limit of 512 chunks is smaller than usual buffers.
        "sctp_max_chunks_on_queue": NO_LIMIT,
    }
    return [f"{name}={int(value)}" for name, value in values.items()]


def cmt(flow: Mapping[str, Any]) -> int:
    """Return the value of sctp_cmt_on_off for the congestion control; 0 is SCTP without CMT."""
    if flow["cc"] == "newreno" and not _is_concurrent(flow):
        return 0
    return CONTROLS[flow["cc"]]


def refusals(field: str, flow: Mapping[str, Any]) -> Iterator[str]:
    """Yield an error message for each setting of a flow that usrsctp does not support."""
    if wrong := only_saturated(field, flow):
        yield wrong
        return
    is_concurrent, is_inside_udp = _is_concurrent(flow), flow["udp_encapsulation"]
    message, most = flow["app"]["message"]["max"], MESSAGES[is_inside_udp] + flow["mtu"] - USUAL_MTU
    most = min(most, MESSAGES[is_inside_udp])
    if message > most:
        carrier = f"{'inside UDP' if is_inside_udp else 'directly in IP'} with an MTU of {flow['mtu']} B"
        yield f"{field}.app.message: {message} B stalls usrsctp {carrier}: give {most} B or less"
    if flow["cc"] not in CONTROLS:
        yield f'{field}.cc: usrsctp has no "{flow["cc"]}": {remedy(flow["cc"], CONTROLS)}'
    elif flow["cc"] != "newreno" and len(flow["paths"]) > 1 and not is_concurrent:
        yield f'{field}.cc: usrsctp has "{flow["cc"]}" only with concurrent paths: give newreno'
    for name, value in {**FIXED, **(FIXED_OVER_PATHS if is_concurrent else {})}.items():
        if flow[name] != value and (name != "split_by" or flow["buffer_split"] != "none"):
            yield f"{field}.{name}: usrsctp does not have {_shown(flow[name])}: give {_shown(value)}"
    for name, span in _spans(flow):
        if span % MILLISECOND or span > LONGEST:
            time = f"{span / MILLISECOND:g} ms"
            yield f"{field}.{name}: {time} is not a time of usrsctp: give whole milliseconds, at most an hour"
    for name in ("send_buffer", "receive_buffer"):
        if not LEAST_BUFFER <= flow[name] <= MOST_BUFFER:
            right = f"{LEAST_BUFFER} to {MOST_BUFFER} B"
            yield f"{field}.{name}: {flow[name]} B is not a buffer of usrsctp: give {right}"
    if not is_inside_udp and any(sign.exists() for sign in KERNEL_SCTP):
        wrong = "false: the SCTP of this kernel answers packets of usrsctp"
        yield f"{field}.udp_encapsulation: {wrong}: give true, or unload it (rmmod sctp)"


def _spans(flow: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """Yield name and value in nanoseconds of the times of a flow that are settings of usrsctp."""
    yield from ((f"rto.{name}", flow["rto"][name]) for name in ("initial", "min", "max"))
    yield from ((name, flow[name]) for name in ("sack_delay", "heartbeat_interval"))


def _is_concurrent(flow: Mapping[str, Any]) -> bool:
    return len(flow["paths"]) > 1 and flow["concurrent"]


def _milliseconds(span: int) -> int:
    return span // MILLISECOND


def _shown(value: object) -> str:
    return json.dumps(value) if isinstance(value, bool) else str(value)


@dataclass(frozen=True)
class _Ends(Ends):
    part: Part
    sender: subprocess.Popen[str]
    receiver: subprocess.Popen[str]
    late: float
    """Delay of the start in seconds, if it is positive: the sender was ready so long after its instant."""

    @override
    def stop(self) -> None:
        """Do nothing: both ends stop shortly after the window."""

    @override
    def account(self) -> Account:
        """Wait for both ends and return the result."""
        name = self.part.name
        sent, came = (self._rows(side) for side in ("sender", "receiver"))
        notes = np.array(came["rows"])
        if not len(notes) or notes[-1, 0] < self.part.window[1]:
            raise ValueError(f"flow {name}: the receiver of usrsctp ended early")
        doubts = [
            doubt
            for side, rows in (("sender", sent), ("receiver", came))
            for doubt in delays(name, side, max(rows["longest"], self.late if side == "sender" else 0.0))
        ]
        flow, paths = counted(np.array(sent["rows"]), self.part.flow["paths"], self.part.window)
        return Account(notes, doubts, flow, paths)

    def _rows(self, side: str) -> Mapping[str, Any]:
        """Wait for one end and return its output: ``rows``, and the ``longest`` delay of a row in seconds."""
        return json.loads(self.part.said(side, getattr(self, side)))


def counted(
    rows: np.ndarray, names: Sequence[str], window: tuple[float, float]
) -> tuple[dict[str, float], dict[str, dict[str, float]]]:
    """Return the counters of a sender within the window, and for each path the means of its state.

    Parameters
    ----------
    rows
        Rows of the sender: the instant in seconds, three counters, then for each path the congestion window in bytes,
        the smoothed round-trip time in milliseconds, and 1 if the path is active, else 0.
    names
        The paths.
    window
        Begin and end in seconds.
    """
    # A row that is due at the begin or the end of the window is some microseconds late.
    first, last = np.searchsorted(rows[:, 0], (window[0] + SLACK, window[1] + SLACK))
    before = rows[first - 1] if first else np.zeros(rows.shape[1])
    counted = rows[last - 1, 1 : 1 + len(COUNTERS)] - before[1 : 1 + len(COUNTERS)]
    flow: dict[str, float] = dict(zip(COUNTERS, map(float, counted), strict=True))
    paths: dict[str, dict[str, float]] = {}
    for index, name in enumerate(names):
        column = 1 + len(COUNTERS) + 3 * index
        cwnd, srtt, active = rows[first:last, column : column + 3].mean(axis=0) if last > first else np.zeros(3)
        paths[name] = {"cwnd": float(cwnd), "srtt": 1e-3 * float(srtt), "active": float(active)}
    return flow, paths


PROGRAM = Program("usrsctp", Path(__file__).with_name("usrsctp"), "gcc, libc6-dev, libusrsctp-dev and pkg-config")
"""The program of both ends."""

CONTROLS = {"newreno": 1, "cmt-rpv1": 2, "cmt-rpv2": 3, "mptcp-like": 4}
"""Values of sctp_cmt_on_off over concurrent paths, by the names of congestion controls in the simulator."""

SPLITS = {"none": 0, "sender": 1, "receiver": 2, "both": 3}
"""Values of sctp_buffer_splitting by the names in the simulator."""

FIXED: Mapping[str, object] = {"pacing": False}
"""Settings that are fixed in usrsctp, with their values."""

FIXED_OVER_PATHS: Mapping[str, object] = {
    "rescheduling": "none",
    "path_blocking": "none",
    "cuc": "v2",
    "sfr": True,
    "path_fast_recovery": True,
    "split_by": "outstanding",
}
"""Settings that are fixed in usrsctp and that apply to concurrent paths only, with their values."""

COUNTERS = ("retransmitted_chunks", "fast_retransmitted_packets", "timeouts")
"""Counters of a sender, in the order of its rows."""

MESSAGES = {False: 1452, True: 1400}
"""Largest message in bytes with an MTU of 1500 bytes, by UDP encapsulation. Larger messages stall CMT of usrsctp."""

USUAL_MTU = 1500
"""The MTU in bytes for which `MESSAGES` holds."""

UDP_PORT = 9899
"""UDP port of both ends. RFC 6951"""

LEAST_BUFFER, MOST_BUFFER = 4096, 100_000_000
"""Smallest and largest buffer in bytes."""

NO_THRESHOLD = 65_535
"""Value of sctp_path_pf_threshold with which no path becomes potentially failed."""

NO_LIMIT = 1 << 20
"""Number of chunks that no send or receive buffer contains."""

MILLISECOND = 1_000_000
"""Nanoseconds per millisecond."""

LONGEST = 3_600_000 * MILLISECOND
"""Largest time of a setting in nanoseconds: one hour."""

TAIL = 0.2
"""Seconds for which both ends run after the window."""

SLACK = 0.05
"""Half of the interval between two rows, in seconds."""

KERNEL_SCTP = (Path("/proc/net/sctp"), Path("/sys/module/sctp"))
"""Paths that exist if the SCTP module of the kernel is loaded."""
