"""Buffer sizes at which a loss on one path does not stop the other paths ([D10] section IV-A)."""

from __future__ import annotations

from collections.abc import Sequence

MIB = 2**20
"""Bytes of a mebibyte."""


def for_fast_retransmissions(rtts: Sequence[float], rates: Sequence[float]) -> float:
    """Return the buffer size that covers a fast retransmission on any path, bytes.

    Parameters
    ----------
    rtts : sequence of float
        Round-trip time of each path, s.
    rates : sequence of float
        Rate of each path, bit/s.
    """
    return 2.0 * max(rtts) * sum(rates) / 8.0


def for_timeouts(rtts: Sequence[float], rtos: Sequence[float], rates: Sequence[float]) -> float:
    """Return the buffer size that covers a timer-based retransmission on any path, bytes.

    Parameters
    ----------
    rtts, rtos : sequence of float
        Round-trip time and retransmission timeout of each path, s.
    rates : sequence of float
        Rate of each path, bit/s.
    """
    return (3.0 * max(rtts) + max(rtos)) * sum(rates) / 8.0
