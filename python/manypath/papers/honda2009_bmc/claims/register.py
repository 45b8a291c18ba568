"""The decorator that registers this thesis's claims, common suspects, and a tolerance."""

from __future__ import annotations

from manypath.papers.claim import Claims

claim = Claims()

OPEN = ("sack", "red-ns2", "red-strict", "fifo", "packets-1500", "after-start", "rto-1s", "equal-delays", "ns2")
"""Suspects of chapter 5: settings that the thesis leaves open."""

MANY_LOSSES = ("newreno", "rto-1s", "fifo", "red-ns2", "sack", "limited-transmit-off", "packets-1500", "ns2")
"""Suspects of claims with many losses: they change the number of losses or the cost of timeouts."""

ABOUT = 0.25
"""Tolerance of `approximately`, which the thesis uses for figure 5.18 with deviations of 20 and 25 %."""

EQUAL_WEIGHTS = "ratios with equal weights"
LOSS_EVENT_RATES = "loss-event rates"
BUNDLES_OF_ONE = "ratios of bundles with sum 1"
FIXED_WEIGHTS = "two links with fixed weights"
