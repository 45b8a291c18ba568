"""The 27 claims of this thesis: theory, examples, simulations."""

from __future__ import annotations

from manypath.papers.honda2009_bmc.claims import chapter5, examples, theory
from manypath.papers.honda2009_bmc.claims.register import claim

__all__ = ["CLAIMS", "chapter5", "examples", "theory"]

CLAIMS = claim.all()
