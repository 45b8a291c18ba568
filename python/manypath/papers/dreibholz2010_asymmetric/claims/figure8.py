"""The claim of section VI-C, figure 8: ordered transfer by CMT/RP."""

from __future__ import annotations

from manypath.papers.check import Check, all_of
from manypath.papers.dreibholz2010_asymmetric.claims.figure7 import effect_of_splitting, without_one
from manypath.papers.dreibholz2010_asymmetric.claims.register import (
    ORDERED_TRANSFER,
    claim,
)
from manypath.papers.dreibholz2010_asymmetric.names import RP
from manypath.papers.evidence import Evidence


@claim(
    "C-002-30",
    place="VI-C, figure 8",
    kind="ordering",
    figure=8,
    suspects=("profile-paper", "fifo-1000", "rescheduling-inet", "sack-now-off"),
    fact=ORDERED_TRANSFER,
    says="Chunk rescheduling, buffer splitting, drop reports and smart fast retransmission improve ordered transfer by "
    "CMT/RP, too.",
)
def four_mechanisms_improve_cmt_rp(results: Evidence) -> Check:
    """Remove one mechanism at the points where it helps, and require a lower average rate there."""
    return all_of(*without_one(results, RP))


four_mechanisms_improve_cmt_rp.explain(lambda results: effect_of_splitting(results, RP))
