"""The decorator that registers this paper's claims, and common suspects."""

from __future__ import annotations

from manypath.papers.claim import Claims

claim = Claims()

SETTINGS = (
    "jitter",
    "queue-half",
    "mptcp-late",
    "lia",
    "red",
    "settled",
    "ack-every-1",
    "rival-ack-every-1",
    "start-1s",
    "initial-window-3",
    "sack-off",
    "min-rto-1s",
    "rivals-late",
    "queue-double",
    "framing",
)
"""Suspects of the claims about numbers: settings that the paper leaves open, and the exact maximum."""

TRACES = ("lia", "queue-half", "queue-quarter", "ack-every-1", "sack-off")
"""Suspects of the claims about window curves."""

GROWTH = "growth of the windows"
SCENARIO_1, SCENARIO_2, SCENARIO_3 = (f"throughput in scenario {number}" for number in (1, 2, 3))
COUPLED_DECREASES = "coupled decreases"
ALL_SCENARIOS = "throughput in all scenarios"
