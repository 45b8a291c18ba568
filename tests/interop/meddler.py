"""A bridge that duplicates and reorders packets. Links of the emulator cannot do this.

It connects two interfaces of its namespace: ``python meddler.py LEFT RIGHT SHARE SEED``.

It duplicates a share SHARE of the packets, and delays another share SHARE by some packets.
"""

from __future__ import annotations

import selectors
import socket
import sys

import numpy as np

LATER = 8
"""The maximum number of packets that overtake a delayed one."""
PATIENCE = 0.05
"""Seconds after which a delayed packet leaves even if no packet follows."""


class Direction:
    """One direction: packets from one interface leave on the other one."""

    def __init__(self, source: socket.socket, target: socket.socket, share: float, draw: np.random.Generator) -> None:
        self._source, self._target = source, target
        self._share, self._draw = share, draw
        self._waiting: list[tuple[int, bytes]] = []

    def forward(self) -> None:
        """Forward the next packet."""
        frame, (_, _, kind, *_) = self._source.recvfrom(65_535)
        if kind == socket.PACKET_OUTGOING:
            return
        chance = self._draw.random()
        if chance < self._share:
            self._waiting.append((int(self._draw.integers(1, LATER, endpoint=True)), frame))
        else:
            self._send(frame)
            if chance < 2 * self._share:
                self._send(frame)
        self._waiting = [(left - 1, frame) for left, frame in self._waiting]
        for _, frame in [each for each in self._waiting if each[0] < 0]:
            self._send(frame)
        self._waiting = [each for each in self._waiting if each[0] >= 0]

    def release(self) -> None:
        """Send all delayed packets."""
        for _, frame in self._waiting:
            self._send(frame)
        self._waiting.clear()

    def _send(self, frame: bytes) -> None:
        try:
            self._target.send(frame)
        except OSError:
            # The queue of the interface is full: the packet is lost.
            return


def main(left: str, right: str, share: float, seed: int) -> None:
    """Forward packets until the process is killed."""
    ends = [socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3)) for _ in range(2)]
    for end, name in zip(ends, (left, right), strict=True):
        end.bind((name, 0))
    draw = np.random.default_rng(seed)
    selector = selectors.DefaultSelector()
    directions = [Direction(ends[here], ends[1 - here], share, draw) for here in (0, 1)]
    for end, direction in zip(ends, directions, strict=True):
        selector.register(end, selectors.EVENT_READ, direction)
    # The test waits for this line.
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    while True:
        ready = selector.select(PATIENCE)
        for key, _ in ready:
            key.data.forward()
        if not ready:
            for direction in directions:
                direction.release()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]), int(sys.argv[4]))
