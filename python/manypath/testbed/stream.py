"""One end of a bulk transfer, run inside a host of the testbed; it needs nothing but Python's own library.

``stream.py receive PROTOCOL ADDRESS PORT`` takes one connection over ``tcp`` or ``mptcp``, and at its end prints how
many bytes had come by when: a JSON list of pairs of the system's monotonic clock in seconds and bytes. ``stream.py send
PROTOCOL ADDRESS PORT LOCAL CONTROL BEGIN END`` connects at BEGIN and sends until END on that clock.
"""

import json
import socket
import struct
import sys
import time

PROTOCOLS = {"tcp": socket.IPPROTO_TCP, "mptcp": socket.IPPROTO_MPTCP}
"""What a flow can be carried by."""

EVERY = 0.01
"""Seconds between two notes of what has come, at least."""

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
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, PROTOCOLS[protocol]) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, control.encode())
        # What waits at the end is thrown away, or it would have to arrive first.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.bind((local, 0))
        time.sleep(max(0.0, float(begin) - time.monotonic()))
        connection.connect((address, int(port)))
        while (left := float(end) - time.monotonic()) > 0:
            connection.settimeout(left)
            try:
                connection.send(BLOCK)
            except TimeoutError:
                break


if __name__ == "__main__":
    {"receive": receive, "send": send}[sys.argv[1]](*sys.argv[2:])
