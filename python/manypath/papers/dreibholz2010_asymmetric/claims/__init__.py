"""The claims of this paper, by figure, and of sentences that had none."""

from __future__ import annotations

from manypath.papers.dreibholz2010_asymmetric.claims import figure4, figure5, figure6, figure7, figure8, theory, unsaid
from manypath.papers.dreibholz2010_asymmetric.claims.register import claim

__all__ = ["CLAIMS", "figure4", "figure5", "figure6", "figure7", "figure8", "theory", "unsaid"]

CLAIMS = claim.all()
