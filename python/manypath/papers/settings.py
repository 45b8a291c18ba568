"""Switches of settings that several papers share, one change each."""

from __future__ import annotations

from manypath.papers.switch import Switch, every_flow, replace_control

SETTINGS = (
    Switch("burst-max", "burst mitigation: at most 4 packets, window untouched", every_flow(burst="max-burst")),
    Switch("burst-none", "no burst mitigation", every_flow(burst="none")),
    Switch(
        "sack-first", "SACK on the path of the first packet since the last SACK", every_flow(sack_path="first-data")
    ),
    Switch("sack-round-robin", "SACKs on all paths in turn", every_flow(sack_path="round-robin")),
    Switch("sack-every-1", "a SACK for every packet instead of every second", every_flow(sack_every=1)),
    Switch("sack-now-off", "no requests for immediate SACKs", every_flow(sack_immediately=False)),
    Switch("t3-rfc9260", "T3-rtx timer restarted as in RFC 9260", every_flow(t3_reset="rfc9260")),
    Switch("profile-paper", "accounting as printed in the paper", every_flow(profile="paper")),
    Switch("profile-rfc9260", "accounting of RFC 9260", every_flow(profile="rfc9260")),
    Switch("dac-off", "no delayed acknowledgement for CMT", every_flow(dac=False)),
    Switch("sfr-off", "no split fast retransmit", every_flow(sfr=False)),
)
"""Settings that the papers do not specify."""

FORMS = (
    Switch(
        "mptcp-2012",
        "MPTCP-like as printed in 2012, where an error of units removes the coupling",
        replace_control("mptcp-like", "mptcp-like:2012"),
    ),
    Switch(
        "mptcp-2011",
        "MPTCP-like as printed in 2011, with linear slow start",
        replace_control("mptcp-like", "mptcp-like:2011"),
    ),
)
"""The printed forms of the MPTCP-like control, [D11] and [D12]."""
