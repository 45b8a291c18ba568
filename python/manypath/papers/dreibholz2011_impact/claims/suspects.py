"""Switches that may explain differences at several figures, in the order in which they are tried."""

from __future__ import annotations

SETTINGS = ("sack-every-1", "sack-now-off", "dac-off", "t3-rfc9260", "burst-max")
"""Settings of the flows that the paper does not print."""

UNCOUPLED = ("mptcp-2012", "sack-every-1", "mptcp-2012, sack-every-1", "profile-paper", "mptcp-2011")
"""Readings of the MPTCP-like control, and settings that affect its coupling."""
