"""What stands of this paper and what does not, as sentences that can be quoted."""

from __future__ import annotations

from manypath.papers.findings import Finding, each

FINDINGS = (
    Finding(
        "Plain CMT takes n shares of a common bottleneck, CMT/RPv1 collapses beside a slow path because the threshold "
        "of the faster path is a small part of the sum and its window grows slowly, CMT/RPv2 gives both flows about 7 "
        "Mbit/s with 10 in the south and 5 in the north, and MPTCP-like control gives the CMT flow significantly "
        "more.",
        each(
            "holds",
            ("C-000-1", "C-000-7", "C-000-18", "C-000-20", "C-000-23", "C-000-24", "C-000-26", "C-000-34", "C-000-41"),
        ),
    ),
    Finding(
        "Behind drop-tail queues plain CMT leaves the single-path flow less than half of the shared path, "
        "MPTCP-like control gains less over CMT/RPv2 than printed and gets no more beside many flows, over one "
        "bottleneck the coupled controls do not keep the rates of both flows within 15 % up to four paths, and they do "
        "not balance loss rates better than plain CMT, so that the third goal is not met.",
        each(
            "contradicted",
            (
                "C-000-4",
                "C-000-8",
                "C-000-11",
                "C-000-12",
                "C-000-16",
                "C-000-25",
                "C-000-27",
                "C-000-28",
                "C-000-30",
            ),
        ),
    ),
)
