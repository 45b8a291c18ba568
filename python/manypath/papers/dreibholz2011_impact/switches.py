"""Changes of one setting: they find a cause, measure sensitivity, or prove that a claim detects a mistake."""

from __future__ import annotations

from manypath.papers.dreibholz import MPTCP, PLAIN, RPV1, RPV2
from manypath.papers.settings import FORMS, SETTINGS
from manypath.papers.switch import (
    Mutation,
    Switch,
    by_name,
    every_flow,
    multipath_flows,
    queues_of,
    replace_control,
    single_flows_join,
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


def _small_undivided_buffers(scenario: Scenario) -> Scenario:
    return multipath_flows(buffer_split="none", send_buffer="40 kB", receive_buffer="20 kB")(scenario)


MUTATIONS = (
    Mutation(
        "rpv1-is-plain",
        "CMT/RPv1 without its coupling",
        replace_control(RPV1, PLAIN),
        flips=("C-000-2", "C-000-5", "C-000-10", "C-000-18", "C-000-19", "C-000-20", "C-000-22", "C-000-34"),
    ),
    Mutation(
        "rpv2-is-plain",
        "CMT/RPv2 without its coupling",
        replace_control(RPV2, PLAIN),
        flips=("C-000-2", "C-000-3", "C-000-5", "C-000-10", "C-000-23", "C-000-24", "C-000-30", "C-000-36"),
    ),
    Mutation(
        "mptcp-is-plain",
        "MPTCP-like without its coupling",
        replace_control(MPTCP, PLAIN),
        flips=("C-000-2", "C-000-5", "C-000-10", "C-000-30"),
    ),
    Mutation(
        "mptcp-is-rpv2",
        "CMT/RPv2 in place of MPTCP-like",
        replace_control(MPTCP, RPV2),
        flips=("C-000-14", "C-000-30", "C-000-36"),
    ),
    Mutation(
        "rpv1-is-rpv2",
        "CMT/RPv2 in place of CMT/RPv1",
        replace_control(RPV1, RPV2),
        flips=("C-000-18", "C-000-19", "C-000-20", "C-000-22", "C-000-35"),
    ),
    Mutation(
        "rpv2-is-rpv1",
        "CMT/RPv1 in place of CMT/RPv2",
        replace_control(RPV2, RPV1),
        flips=("C-000-3", "C-000-23", "C-000-24", "C-000-35"),
    ),
    Mutation(
        "plain-is-rpv2",
        "CMT/RPv2 in place of plain CMT",
        replace_control(PLAIN, RPV2),
        flips=("C-000-1", "C-000-2", "C-000-5", "C-000-7", "C-000-10", "C-000-21", "C-000-31"),
    ),
    Mutation(
        "single-joins",
        "the single-path flow uses all paths too",
        single_flows_join,
        flips=("C-000-1", "C-000-2", "C-000-7", "C-000-21"),
    ),
    Mutation(
        "sfr-off",
        "no split fast retransmit",
        every_flow(sfr=False),
        flips=("C-000-21", "C-000-24", "C-000-31"),
    ),
    Mutation("dac-off", "no delayed acknowledgement for CMT", every_flow(dac=False)),
    Mutation(
        "cuc-none",
        "windows grow only by the cumulative acknowledgement",
        every_flow(cuc="none"),
        flips=("C-000-5", "C-000-21", "C-000-24"),
    ),
    Mutation(
        "recovery-shared",
        "one fast recovery for all paths",
        every_flow(path_fast_recovery=False),
        flips=("C-000-7",),
    ),
    Mutation(
        "small-buffers",
        "small buffers, not split among the paths",
        _small_undivided_buffers,
        flips=("C-000-7", "C-000-21", "C-000-24", "C-000-32"),
    ),
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
