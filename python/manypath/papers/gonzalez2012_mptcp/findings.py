"""What stands of this paper and what does not, as sentences that can be quoted."""

from __future__ import annotations

from manypath.papers.findings import Finding, each

FINDINGS = (
    Finding(
        "Linked increases with the approximated maximum grow windows as the formula says, keep the links "
        "full, move traffic away from the more congested link, and in scenario 2 give MPTCP at least what a "
        "single TCP gets on the better path.",
        each("holds", ("C-001-3", "C-001-4", "C-001-5", "C-001-6", "C-001-13", "C-001-23", "C-001-25", "C-001-26")),
    ),
    Finding(
        "With exactly timed hosts and an initial window of 10 segments the means of table 1 are not "
        "reproduced, because MPTCP gets more than in the paper in scenarios 1 and 3; the reason that the "
        "paper gives for the division in scenario 3, compensation of round-trip times, is contradicted.",
        each("contradicted", ("C-001-8", "C-001-14", "C-001-17", "C-001-22")),
    ),
)
