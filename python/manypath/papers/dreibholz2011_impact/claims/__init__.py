"""The 43 claims of this paper, by figure."""

from __future__ import annotations

from manypath.papers.dreibholz2011_impact.claims import figure2, figure3, figure4, figure5, theory, unsaid
from manypath.papers.dreibholz2011_impact.claims.register import claim

__all__ = ["CLAIMS", "figure2", "figure3", "figure4", "figure5", "theory", "unsaid"]

CLAIMS = claim.all()
