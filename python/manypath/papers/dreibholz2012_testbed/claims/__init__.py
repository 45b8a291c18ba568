"""The 20 claims of this paper, by figure."""

from __future__ import annotations

from manypath.papers.dreibholz2012_testbed.claims import figure3, figure4, testbed
from manypath.papers.dreibholz2012_testbed.claims.register import claim

__all__ = ["CLAIMS", "figure3", "figure4", "testbed"]

CLAIMS = claim.all()
