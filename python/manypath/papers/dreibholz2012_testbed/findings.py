"""What stands of this paper and what does not, as sentences that can be quoted."""

from __future__ import annotations

from manypath.papers.findings import Finding, each

FINDINGS = (
    Finding(
        "Plain CMT takes as many shares of a bottleneck as it has paths, CMT/RPv2 and MPTCP-like control keep "
        "within the bounds of plain CMT on dissimilar paths and CMT/RPv1 does not, the single-path flow gets "
        "more than the CMT flow from about 4 and 6 Mbit/s on, and usrsctp is slightly less aggressive than "
        "the simulation.",
        each("holds", ("C-004-1", "C-004-2", "C-004-3", "C-004-6", "C-004-9", "C-004-11", "C-004-12", "C-004-13")),
    ),
    Finding(
        "CMT/RPv1 violates the bounds at a faster southern path than printed, the lead of the CMT flow over a "
        "bottleneck exceeds 15 % of the fair share at some rates, and under MPTCP-like control the CMT flow "
        "gains more than half as much as the single-path flow.",
        each("contradicted", ("C-004-4", "C-004-10", "C-004-17")),
    ),
)
