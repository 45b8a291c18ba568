"""What stands of this paper and what does not, as sentences that can be quoted."""

from __future__ import annotations

from manypath.papers.findings import Finding, each

FINDINGS = (
    Finding(
        "Plain CMT takes as many shares of a bottleneck as it has paths, the coupled controls leave a lead of at "
        "most a quarter of the fair share, CMT/RPv2 and MPTCP-like control keep within the bounds of plain CMT on "
        "dissimilar paths and CMT/RPv1 does not, the single-path flow gets more than the CMT flow from about 4 and "
        "6 Mbit/s on, and usrsctp is slightly less aggressive than the simulation.",
        each(
            "holds",
            (
                "C-004-1",
                "C-004-2",
                "C-004-3",
                "C-004-4",
                "C-004-6",
                "C-004-9",
                "C-004-11",
                "C-004-12",
                "C-004-13",
                "C-004-20",
            ),
        ),
    ),
    Finding(
        "CMT/RPv1 violates the bounds at a faster southern path than printed, and the lead of the CMT flow over a "
        "bottleneck does not come from a window of one packet at a round-trip time of 25 ms: queues make round-trip "
        "times longer, and windows are larger.",
        each("contradicted", ("C-004-5", "C-004-10", "C-004-18")),
    ),
)
