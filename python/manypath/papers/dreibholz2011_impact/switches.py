"""Changes of one setting: they find a cause, measure sensitivity, or prove that a claim detects a mistake."""

from __future__ import annotations

from manypath.papers.dreibholz import MPTCP, RPV2
from manypath.papers.settings import FORMS, SETTINGS
from manypath.papers.shared_mutations import mutation
from manypath.papers.switch import (
    Mutation,
    Switch,
    by_name,
    every_flow,
    queues_of,
    replace_control,
)
from manypath.scenario import Saturated, Scenario, Sizes


def _uncoupled_with_every_packet_acknowledged(scenario: Scenario) -> Scenario:
    return every_flow(sack_every=1)(replace_control(MPTCP, f"{MPTCP}:2012")(scenario))


PAIRS = (
    Switch(
        "mptcp-2012, sack-every-1",
        "both the form printed in 2012 and a SACK for every packet",
        _uncoupled_with_every_packet_acknowledged,
    ),
)
"""Pairs of changes, where one alone is not enough."""

FIXED_MESSAGES = Switch(
    "fixed-messages", "all messages of 1452 bytes", every_flow(app=Saturated(message=Sizes(min="1452 B", max="1452 B")))
)

OPEN = (*SETTINGS, FIXED_MESSAGES)
"""Settings that the paper leaves open, one changed at a time."""

ENVIRONMENT = (
    Switch("queue-64", "queues of 64 packets", queues_of(64)),
    Switch(
        "mptcp-for-rpv2",
        "MPTCP-like, which halves the window on a loss, in place of CMT/RPv2",
        replace_control(RPV2, MPTCP),
    ),
)
"""Parts of the setup, one changed at a time."""


MUTATIONS = (
    mutation(
        "rpv1-is-plain", "C-000-5", "C-000-10", "C-000-18", "C-000-19", "C-000-20", "C-000-22", "C-000-34", "C-000-43"
    ),
    mutation(
        "rpv2-is-plain", "C-000-3", "C-000-5", "C-000-10", "C-000-23", "C-000-24", "C-000-30", "C-000-36", "C-000-43"
    ),
    mutation("mptcp-is-plain", "C-000-5", "C-000-10", "C-000-30", "C-000-43"),
    mutation("mptcp-is-rpv2", "C-000-14", "C-000-30", "C-000-36"),
    mutation("rpv1-is-rpv2", "C-000-18", "C-000-19", "C-000-20", "C-000-22", "C-000-35"),
    mutation("rpv2-is-rpv1", "C-000-3", "C-000-23", "C-000-24", "C-000-35"),
    mutation("plain-is-rpv2", "C-000-1", "C-000-2", "C-000-5", "C-000-7", "C-000-10", "C-000-21", "C-000-31"),
    mutation("single-joins", "C-000-1", "C-000-2", "C-000-7", "C-000-21"),
    mutation("sfr-off", "C-000-21", "C-000-24", "C-000-31"),
    mutation("dac-off"),
    mutation("cuc-none", "C-000-5", "C-000-21", "C-000-24"),
    mutation("recovery-shared", "C-000-7"),
    mutation("small-buffers", "C-000-7", "C-000-21", "C-000-24", "C-000-32"),
    Mutation(
        "queue-20",
        "queues of 20 packets",
        queues_of(20),
        flips=("C-000-19", "C-000-31"),
    ),
    Mutation("floor-4", "windows of at least 4 segments, as in plain CMT", every_flow(profile="paper")),
)
"""Wrong implementations, and the claims that must detect them; none detects `dac-off` and `floor-4`."""

SWITCHES = by_name((*FORMS, *PAIRS, *OPEN, *ENVIRONMENT))
"""All switches that may be a cause, by name."""
