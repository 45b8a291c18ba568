"""The decorator under which this thesis's claims register, and what they suspect."""

from __future__ import annotations

from manypath.papers.claim import Claims

claim = Claims()

OPEN = ("sack", "red-ns2", "red-strict", "fifo", "packets-1500", "after-start", "rto-1s", "equal-delays", "ns2")
"""Suspects of chapter 5: what the thesis leaves open."""

MANY_LOSSES = ("newreno", "rto-1s", "fifo", "red-ns2", "sack", "limited-transmit-off", "packets-1500", "ns2")
"""Suspects where losses are many: what makes them more or fewer, and what timeouts cost."""

ABOUT = 0.25
"""What the thesis calls approximate: it calls the ratios of figure 5.18 so, and names deviations of 20 and 25 %."""
