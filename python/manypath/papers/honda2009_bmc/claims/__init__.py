"""The 37 claims of this thesis: theory, examples, simulations, and sentences without a claim at first."""

from __future__ import annotations

from manypath.papers.honda2009_bmc.claims import chapter5, examples, theory, unsaid
from manypath.papers.honda2009_bmc.claims.register import claim

__all__ = ["CLAIMS", "chapter5", "examples", "theory", "unsaid"]

CLAIMS = claim.all()
