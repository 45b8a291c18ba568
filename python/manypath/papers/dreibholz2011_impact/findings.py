"""What stands of this paper and what does not, as sentences that can be quoted."""

from __future__ import annotations

from manypath.papers.findings import Finding, each

FINDINGS = (
    Finding(
        "Plain CMT takes n shares of a common bottleneck, CMT/RPv1 fails beside a slow path by the mechanism "
        "that the paper gives, CMT/RPv2 gives both flows about 7 Mbit/s with 10 in the south and 5 in the "
        "north, and with 7.5 to 15 Mbit/s in the south CMT/RPv2 and MPTCP-like control fulfil the goals of "
        "resource pooling.",
        each(
            "holds",
            ("C-000-1", "C-000-7", "C-000-18", "C-000-19", "C-000-20", "C-000-23", "C-000-24", "C-000-30", "C-000-41"),
        ),
    ),
    Finding(
        "Behind drop-tail queues plain CMT leaves the single-path flow less than half of the shared path, "
        "MPTCP-like control gains less over CMT/RPv2 than printed and gets no more beside many flows, and "
        "over one bottleneck the coupled controls do not keep the rates of both flows within 15 % up to four "
        "paths.",
        each("contradicted", ("C-000-4", "C-000-8", "C-000-12", "C-000-25", "C-000-27", "C-000-28")),
    ),
)
