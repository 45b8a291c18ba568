"""Switches that may explain differences at several figures, in the order in which they are tried."""

from __future__ import annotations

DAMAGE = ("clean-way-back, spared-headers", "clean-way-back", "spared-headers")
"""The bit errors that the paper does not describe."""

GROWTH = ("sack-every-1", "dac-off", "burst-none")
"""What changes the growth of windows."""

QUEUES = ("fifo-100", "red-2012")
"""The queues."""
