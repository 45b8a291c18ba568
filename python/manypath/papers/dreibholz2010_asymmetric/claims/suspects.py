"""Switches that may explain differences at several figures, in the order in which they are tried."""

from __future__ import annotations

DAMAGE = ("clean-way-back, spared-headers", "clean-way-back", "spared-headers")
"""The bit errors that the paper does not describe."""

QUEUES = ("fifo-100", "red-2012")
"""The queues."""
