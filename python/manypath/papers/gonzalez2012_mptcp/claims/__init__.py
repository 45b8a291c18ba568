"""The claims of this paper, by topic."""

from __future__ import annotations

from manypath.papers.gonzalez2012_mptcp.claims import general, sharing, theory, unsaid, windows
from manypath.papers.gonzalez2012_mptcp.claims.register import claim

__all__ = ["CLAIMS", "general", "sharing", "theory", "unsaid", "windows"]

CLAIMS = claim.all()
"""All claims, by number."""
