"""The 17 claims of this paper, by figure."""

from __future__ import annotations

from manypath.papers.dreibholz2012_testbed.claims import figure3, figure4
from manypath.papers.dreibholz2012_testbed.claims.register import claim

__all__ = ["CLAIMS", "figure3", "figure4"]

CLAIMS = claim.all()
