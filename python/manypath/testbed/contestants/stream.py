"""One end of a bulk transfer, run inside a host of the testbed; it needs nothing but Python's own library.

``stream.py receive PROTOCOL ADDRESS PORT`` takes one connection over ``tcp`` or ``mptcp``, and at its end prints how
many bytes had come by when: a JSON list of pairs of the system's monotonic clock in seconds and bytes. ``stream.py send
PROTOCOL ADDRESS PORT LOCAL CONTROL BEGIN END`` connects at BEGIN and sends until END on that clock, and at its end
prints a JSON object: how often it slept (``naps``), how often it woke too late to be in time (``late``), by how many
seconds at most (``longest``), and how often it saw a threshold of a subflow that cannot be (``senseless``).

Linux binds data to a subflow as soon as the application writes it. What waits for a subflow whose window has fallen
blocks all others once the buffers are full. So that congestion control decides and not that queue, the sender writes no
more than the subflows can take soon.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import json
import os
import signal
import socket
import struct
import sys
import time
from pathlib import Path

PROTOCOLS = {"tcp": socket.IPPROTO_TCP, "mptcp": socket.IPPROTO_MPTCP}
"""What a flow can be carried by."""

EVERY = 0.01
"""Seconds between two notes of what has come, at least."""

PR_SET_PDEATHSIG = 1
"""Asks Linux for a signal at the end of the parent, or rather of its thread that started this process."""

BLOCK = bytes(65_536)
"""What is sent again and again."""


def receive(protocol: str, address: str, port: str) -> None:
    """Take one connection and read it to its end."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, PROTOCOLS[protocol]) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((address, int(port)))
        listener.listen()
        sys.stdout.write("listening\n")
        sys.stdout.flush()
        connection, _ = listener.accept()
        # The listener stays: further subflows come to it.
        with connection:
            notes = _note(connection)
    json.dump(notes, sys.stdout)


def _note(connection: socket.socket) -> list[tuple[float, int]]:
    """Read a connection to its end, and note what has come by when."""
    block, total, noted = bytearray(len(BLOCK)), 0, time.monotonic()
    notes = [(noted, 0)]
    while count := _read(connection, block):
        total += count
        now = time.monotonic()
        if now - noted >= EVERY:
            notes.append((now, total))
            noted = now
    return [*notes, (time.monotonic(), total)]


def _read(connection: socket.socket, block: bytearray) -> int:
    """Return how many bytes have come; 0 at the end, which a sender may make by a reset."""
    try:
        return connection.recv_into(block)
    except ConnectionResetError:
        return 0


def send(protocol: str, address: str, port: str, local: str, control: str, begin: str, end: str) -> None:
    """Send as fast as the connection takes it."""
    # Other load on this machine must not limit the flow.
    with contextlib.suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, PROTOCOLS[protocol]) as connection:
        _control(connection, control)
        # What waits at the end is thrown away, or it would have to arrive first.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.bind((local, 0))
        time.sleep(max(0.0, float(begin) - time.monotonic()))
        connection.connect((address, int(port)))
        account = _fill(connection, float(end), binds_late=protocol == "mptcp")
    json.dump(account, sys.stdout)


def _control(connection: socket.socket, control: str) -> None:
    """Choose the congestion control. Multipath TCP takes any name, and the default for one unknown."""
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, control.encode())
    chosen = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, NAME).rstrip(b"\0").decode()
    if chosen != control:
        raise OSError(f"the kernel has no {control} any more, and took {chosen}")


def _fill(connection: socket.socket, end: float, *, binds_late: bool) -> dict[str, float]:
    """Write until the end, as much as may be, or as little as subflows want; return what may cast doubt on the run."""
    account = {"naps": 0, "late": 0, "longest": 0.0, "senseless": 0}
    while (left := end - time.monotonic()) > 0:
        subflows = _subflows(connection) if binds_late else []
        account["senseless"] += has_senseless_threshold(subflows)
        length = min(wanted(subflows), len(BLOCK)) if binds_late else len(BLOCK)
        if length == 0:
            asleep = time.monotonic()
            time.sleep(PAUSE)
            late = time.monotonic() - asleep - PAUSE
            account["naps"] += 1
            account["late"] += late > LATE
            account["longest"] = max(account["longest"], late)
            continue
        connection.settimeout(left)
        try:
            connection.send(memoryview(BLOCK)[:length])
        except TimeoutError:
            break
    return account


def has_senseless_threshold(subflows: list[bytes]) -> bool:
    """Whether a subflow has a slow-start threshold that no congestion control gives.

    Some kernels, such as those of sandboxes, leave BPF programs out now and then. What was asked for a threshold then
    returns whatever lies on the stack.
    """
    return any(struct.unpack_from("=I", subflow, THRESHOLD)[0] > INFINITE for subflow in subflows)


def wanted(subflows: list[bytes]) -> int:
    """Bytes, in full segments, that the fastest of those subflows needs which have too little in store; 0 if none has.

    A subflow that repairs a loss needs nothing: the scheduler would give what is written for it to another one.
    """
    return max((_store(subflow) for subflow in subflows if subflow[STATE] < RECOVERY), default=0)


def _store(subflow: bytes) -> int:
    """Bytes that a subflow is to have in store, or 0 if it has them."""
    (mss,) = struct.unpack_from("=I", subflow, MSS)
    (rate,) = struct.unpack_from("=Q", subflow, PACING_RATE)
    (unsent,) = struct.unpack_from("=I", subflow, UNSENT)
    segment = mss - SEQUENCE
    store = (1 + int(rate * AHEAD) // segment) * segment
    return 0 if unsent >= store else store


def _subflows(connection: socket.socket) -> list[bytes]:
    """What the kernel tells of each subflow: its `struct tcp_info`."""
    head = struct.pack("=4I", HEAD, 0, 0, INFO)
    answer = ctypes.create_string_buffer(head, HEAD + SUBFLOWS * INFO)
    length = ctypes.c_uint32(len(answer))
    # Python's own getsockopt passes nothing in.
    if LIBC.getsockopt(connection.fileno(), SOL_MPTCP, MPTCP_TCPINFO, answer, ctypes.byref(length)) != 0:
        if (code := ctypes.get_errno()) == errno.EOPNOTSUPP:
            raise OSError(code, f"it is no Multipath TCP any more, but TCP: {_fallbacks()}")
        raise OSError(code, f"subflows: {os.strerror(code)}")
    (count,) = struct.unpack_from("=I", answer, 4)
    return [answer.raw[HEAD + INFO * i : HEAD + INFO * (i + 1)] for i in range(min(count, SUBFLOWS))]


def _fallbacks() -> str:
    """Why connections of this host fell back to TCP, as the kernel counts it."""
    lines = Path("/proc/net/netstat").read_text(encoding="ascii").splitlines()
    names, counts = (line.split()[1:] for line in lines if line.startswith("MPTcpExt:"))
    counted = [f"{name} {count}" for name, count in zip(names, counts, strict=True) if "Fallback" in name]
    return ", ".join(each for each in counted if not each.endswith(" 0")) or "the kernel counts no fallback"


AHEAD = 0.01
"""Seconds that a subflow's store lasts at its rate: longer than the sender may be late, shorter than a round trip."""

PAUSE = 0.001
"""Seconds until subflows are looked at again."""

NAME = 16
"""Bytes of a name of a congestion control: TCP_CA_NAME_MAX."""

LATE = AHEAD / 2
"""Seconds by which a sleep may be longer than it should: later than that a subflow's store may run out."""

LIBC = ctypes.CDLL(None, use_errno=True)

SOL_MPTCP, MPTCP_TCPINFO = 284, 2
"""Of linux/mptcp.h."""

HEAD, SUBFLOWS = 16, 9
"""Bytes before the first subflow in the answer; subflows that it has room for, as many as Linux allows by default."""

INFO = 152
"""Bytes of each: `struct tcp_info` of linux/tcp.h up to what is read here."""

STATE, MSS, THRESHOLD, PACING_RATE, UNSENT = 1, 16, 76, 104, 144
"""Where it has the state of congestion control, MSS, slow-start threshold in packets, rate in bytes per second,
and bytes not sent yet."""

INFINITE = 0x7FFFFFFF
"""The largest threshold that there is: TCP_INFINITE_SSTHRESH."""

SEQUENCE = 24
"""Bytes of each segment that Multipath TCP takes for its sequence numbers: a shorter segment would cost as much."""

RECOVERY = 3
"""That state from a loss, and a larger one from a timeout, until all has arrived: TCP_CA_Recovery."""


if __name__ == "__main__":
    # When the testbed is killed, its links go, and a receiver would never hear of the end.
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    {"receive": receive, "send": send}[sys.argv[1]](*sys.argv[2:])
