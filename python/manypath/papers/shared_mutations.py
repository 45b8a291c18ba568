"""Wrong implementations that several papers run, one change each. A paper adds its claims that must detect them."""

from __future__ import annotations

from dataclasses import replace

from manypath.papers.dreibholz import MPTCP, PLAIN, RPV1, RPV2
from manypath.papers.switch import Mutation, every_flow, multipath_flows, replace_control, single_flows_join


def mutation(name: str, *flips: str) -> Mutation:
    """Return the shared wrong implementation of this name, with the claims of a paper that must detect it."""
    return replace(BY_NAME[name], flips=flips)


BY_NAME = {
    each.name: each
    for each in (
        Mutation("rpv1-is-plain", "CMT/RPv1 without its coupling", replace_control(RPV1, PLAIN)),
        Mutation("rpv2-is-plain", "CMT/RPv2 without its coupling", replace_control(RPV2, PLAIN)),
        Mutation("mptcp-is-plain", "MPTCP-like without its coupling", replace_control(MPTCP, PLAIN)),
        Mutation("mptcp-is-rpv2", "CMT/RPv2 in place of MPTCP-like", replace_control(MPTCP, RPV2)),
        Mutation("rpv1-is-rpv2", "CMT/RPv2 in place of CMT/RPv1", replace_control(RPV1, RPV2)),
        Mutation("rpv2-is-rpv1", "CMT/RPv1 in place of CMT/RPv2", replace_control(RPV2, RPV1)),
        Mutation("plain-is-rpv2", "CMT/RPv2 in place of plain CMT", replace_control(PLAIN, RPV2)),
        Mutation("single-joins", "the single-path flow uses all paths too", single_flows_join),
        Mutation("sfr-off", "no split fast retransmit", every_flow(sfr=False)),
        Mutation("dac-off", "no delayed acknowledgement for CMT", every_flow(dac=False)),
        Mutation("cuc-none", "windows grow only by the cumulative acknowledgement", every_flow(cuc="none")),
        Mutation("recovery-shared", "one fast recovery for all paths", every_flow(path_fast_recovery=False)),
        Mutation(
            "small-buffers",
            "small buffers, not split among the paths",
            multipath_flows(buffer_split="none", send_buffer="40 kB", receive_buffer="20 kB"),
        ),
    )
}
"""The wrong implementations by name."""
