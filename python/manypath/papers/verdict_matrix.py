"""Verdicts of claims under wrong implementations, by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from manypath.papers.verdict import Verdict


@dataclass(frozen=True)
class VerdictMatrix:
    """Verdicts of claims under mutations.

    Attributes
    ----------
    mutations : tuple of str
        Names of the wrong implementations.
    plain : mapping
        Verdict of each claim without a mutation, at the precision of the matrix.
    verdicts : mapping
        Verdicts by (claim id, mutation); missing if the mutation changes no case that the claim reads.
    """

    mutations: tuple[str, ...]
    plain: Mapping[str, Verdict]
    verdicts: Mapping[tuple[str, str], Verdict]

    def mark(self, claim: str, mutation: str) -> Verdict | None:
        """Return the verdict on a claim under a mutation that it detects; None if it does not detect it.

        A claim detects a mutation if it holds either with or without it, but not both.
        """
        before = self.plain[claim]
        after = self.verdicts.get((claim, mutation), before)
        return after if (after == "holds") != (before == "holds") else None

    def marks(self, claim: str) -> list[Verdict | None]:
        """Return the marks of a claim, in the order of the mutations."""
        return [self.mark(claim, mutation) for mutation in self.mutations]

    def unmoved(self) -> list[str]:
        """Return the ids of claims that hold and detect no mutation. They prove nothing."""
        return [claim for claim, before in self.plain.items() if before == "holds" and not any(self.marks(claim))]
