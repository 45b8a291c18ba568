"""One end of a bulk transfer, run on a host of the testbed. It needs only Python's standard library.

``stream.py receive PROTOCOL ADDRESS PORT`` accepts one connection over ``tcp`` or ``mptcp``. When the connection ends,
it prints a JSON object: the received bytes over time (``notes``), which are pairs [seconds of the system's monotonic
clock, bytes], and the longest delay of the process in seconds (``longest``).

``stream.py send PROTOCOL ADDRESS PORT LOCAL CONTROL BEGIN END`` connects at BEGIN and sends until END on that clock.
Then it prints a JSON object: the number of sleeps (``naps``), the number of late wake-ups (``late``), the longest delay
of the start or of a wake-up in seconds (``longest``), and the number of observations of an invalid slow-start threshold
(``senseless``).

Linux assigns data to a subflow when the application writes them. Data that wait for a subflow with a small window block
the other subflows when the buffers are full (head-of-line blocking). So the sender writes only the data that the
subflows will send soon. Congestion control then limits the connection.
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
import threading
import time
from pathlib import Path

PROTOCOLS = {"tcp": socket.IPPROTO_TCP, "mptcp": socket.IPPROTO_MPTCP}
"""IP protocol numbers by the names of transports."""

EVERY = 0.01
"""Smallest interval of two notes in seconds."""

PR_SET_PDEATHSIG = 1
"""Operation of prctl: Linux sends a signal when the thread that started this process ends."""

BLOCK = bytes(65_536)
"""The payload, which is sent repeatedly."""


class Watch:
    """Measures delays of this process by a thread that sleeps repeatedly. `close` ends the thread."""

    def __init__(self) -> None:
        self.longest = 0.0
        """The longest delay of a wake-up in seconds."""
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._sleep, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the thread, which includes a delay that has just ended."""
        self._is_over.set()
        self._thread.join()

    def _sleep(self) -> None:
        while not self._is_over.is_set():
            asleep = time.monotonic()
            time.sleep(EVERY)
            self.longest = max(self.longest, time.monotonic() - asleep - EVERY)


def receive(protocol: str, address: str, port: str) -> None:
    """Accept one connection, read it to its end and print the notes."""
    _take_priority()
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, PROTOCOLS[protocol]) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((address, int(port)))
        listener.listen()
        sys.stdout.write("listening\n")
        sys.stdout.flush()
        connection, _ = listener.accept()
        # The listener stays open for the other subflows of the connection.
        with connection, contextlib.closing(Watch()) as watch:
            notes = _note(connection)
    json.dump({"notes": notes, "longest": watch.longest}, sys.stdout)


def _take_priority() -> None:
    """Request real-time priority: other load on this machine must not limit the flow."""
    with contextlib.suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))


def _note(connection: socket.socket) -> list[tuple[float, int]]:
    """Read a connection to its end; return pairs of an instant in seconds and the bytes received until then."""
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
    """Return the number of bytes read; 0 at the end of the connection or after a reset."""
    try:
        return connection.recv_into(block)
    except ConnectionResetError:
        return 0


def send(protocol: str, address: str, port: str, local: str, control: str, begin: str, end: str) -> None:
    """Send as fast as the connection accepts data, and print the account of the sender."""
    _take_priority()
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, PROTOCOLS[protocol]) as connection:
        _control(connection, control)
        # Discard unsent data at the end: close() sends a reset instead of waiting for them.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.bind((local, 0))
        time.sleep(max(0.0, float(begin) - time.monotonic()))
        late = time.monotonic() - float(begin)
        with contextlib.closing(Watch()) as watch:
            connection.connect((address, int(port)))
            account = _fill(connection, float(end), binds_late=protocol == "mptcp")
    json.dump({**account, "longest": max(account["longest"], watch.longest, late)}, sys.stdout)


def _control(connection: socket.socket, control: str) -> None:
    """Choose the congestion control. Multipath TCP accepts unknown names and uses the default for them."""
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, control.encode())
    chosen = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, NAME).rstrip(b"\0").decode()
    if chosen != control:
        raise OSError(f"{control} is not loaded in the kernel, which used {chosen} instead")


def _fill(connection: socket.socket, end: float, *, binds_late: bool) -> dict[str, float]:
    """Write until the instant `end` and return the account of the sender.

    If `binds_late`, each write has only the data that a subflow needs soon (`wanted`).
    """
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
    """Whether a subflow has a slow-start threshold that no congestion control returns.

    Some kernels, such as those of sandboxes, sometimes do not call BPF programs. The threshold is then an arbitrary
    value from the stack.
    """
    return any(struct.unpack_from("=I", subflow, THRESHOLD)[0] > INFINITE for subflow in subflows)


def wanted(subflows: list[bytes]) -> int:
    """Return the number of bytes to write, in full segments: the largest need of a subflow, or 0.

    Subflows in loss recovery are ignored, because the scheduler would give their data to another subflow.
    """
    return max((_store(subflow) for subflow in subflows if subflow[STATE] < RECOVERY), default=0)


def _store(subflow: bytes) -> int:
    """Return the unsent bytes that a subflow needs for `AHEAD` seconds at its rate, or 0 if it has them."""
    (mss,) = struct.unpack_from("=I", subflow, MSS)
    (rate,) = struct.unpack_from("=Q", subflow, PACING_RATE)
    (unsent,) = struct.unpack_from("=I", subflow, UNSENT)
    segment = mss - SEQUENCE
    store = (1 + int(rate * AHEAD) // segment) * segment
    return 0 if unsent >= store else store


def _subflows(connection: socket.socket) -> list[bytes]:
    """Return the `struct tcp_info` of each subflow."""
    head = struct.pack("=4I", HEAD, 0, 0, INFO)
    answer = ctypes.create_string_buffer(head, HEAD + SUBFLOWS * INFO)
    length = ctypes.c_uint32(len(answer))
    # Python's socket.getsockopt cannot pass the head to the kernel.
    if LIBC.getsockopt(connection.fileno(), SOL_MPTCP, MPTCP_TCPINFO, answer, ctypes.byref(length)) != 0:
        if (code := ctypes.get_errno()) == errno.EOPNOTSUPP:
            raise OSError(code, f"the connection fell back from Multipath TCP to TCP: {_fallbacks()}")
        raise OSError(code, f"subflows: {os.strerror(code)}")
    (count,) = struct.unpack_from("=I", answer, 4)
    return [answer.raw[HEAD + INFO * i : HEAD + INFO * (i + 1)] for i in range(min(count, SUBFLOWS))]


def _fallbacks() -> str:
    """Return the kernel's counters of fallbacks to TCP on this host that are not 0, as a text."""
    lines = Path("/proc/net/netstat").read_text(encoding="ascii").splitlines()
    names, counts = (line.split()[1:] for line in lines if line.startswith("MPTcpExt:"))
    counted = [f"{name} {count}" for name, count in zip(names, counts, strict=True) if "Fallback" in name]
    return ", ".join(each for each in counted if not each.endswith(" 0")) or "the kernel counted no fallback"


AHEAD = 0.01
"""Seconds for which the unsent data of a subflow last: longer than a tolerated delay, shorter than a round trip."""

PAUSE = 0.001
"""Seconds of a sleep between two reads of the subflows' state."""

NAME = 16
"""Size of the name of a congestion control in bytes: TCP_CA_NAME_MAX."""

LATE = AHEAD / 2
"""Tolerated delay of a wake-up in seconds. After a longer delay a subflow may have no data to send."""

LIBC = ctypes.CDLL(None, use_errno=True)

SOL_MPTCP, MPTCP_TCPINFO = 284, 2
"""Level and name of the socket option, from linux/mptcp.h."""

HEAD, SUBFLOWS = 16, 9
"""Size of the answer's head in bytes, and the largest number of subflows in the answer."""

INFO = 152
"""Bytes of each subflow in the answer: `struct tcp_info` of linux/tcp.h up to the last field that is read here."""

STATE, MSS, THRESHOLD, PACING_RATE, UNSENT = 1, 16, 76, 104, 144
"""Offsets in `struct tcp_info`: state of congestion control, MSS, slow-start threshold in packets, pacing rate in
bytes per second, unsent bytes."""

INFINITE = 0x7FFFFFFF
"""The largest slow-start threshold: TCP_INFINITE_SSTHRESH."""

SEQUENCE = 24
"""Bytes of the Multipath TCP option in each segment, which reduce the payload of a full segment."""

RECOVERY = 3
"""State of congestion control during fast recovery, TCP_CA_Recovery. The state after a timeout is larger."""


if __name__ == "__main__":
    # If the testbed is killed, its links disappear. A receiver would wait forever.
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    {"receive": receive, "send": send}[sys.argv[1]](*sys.argv[2:])
