"""The decorator under which this paper's claims register, and what several of them suspect."""

from __future__ import annotations

from manypath.papers.claim import Claims

claim = Claims()

SETTINGS = (
    "lia",
    "initial-window-3",
    "min-rto-1s",
    "ack-every-1",
    "sack-off",
    "settled",
    "rivals-late",
    "mptcp-late",
    "queue-half",
    "queue-double",
    "framing",
    "red",
)
"""Suspects of every number: what the paper leaves open, and the exact maximum."""

TRACES = ("lia", "queue-quarter", "ack-every-1", "sack-off")
"""Suspects of what is read from window curves."""
