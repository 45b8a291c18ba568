"""What stands of this thesis and what does not, as sentences that can be quoted."""

from __future__ import annotations

from manypath.papers.findings import Finding, each

FINDINGS = (
    Finding(
        "The weighted AIMD grows and falls as designed and has the rates of its formulas, the examples on two "
        "links agree as shares of what the links carry, and bundles with weights of sum 1 get about the rate "
        "of one TCP flow.",
        each("holds", ("C-003-4", "C-003-5", "C-003-6", "C-003-12", "C-003-13", "C-003-27", "C-003-30")),
    ),
    Finding(
        "Small weights among many flows get more than 25 % above their share; this excess vanishes when only "
        "the standard flows are spared timeouts, so timeouts of the weighted flows are not its reason; the "
        "printed loss-event rates with few flows are not reproducible.",
        each("contradicted", ("C-003-17", "C-003-20", "C-003-23", "C-003-29", "C-003-32")),
    ),
)
