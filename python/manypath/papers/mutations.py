"""The mutation matrix: which claims notice which wrong implementation; a claim that none turns over proves nothing.

A mutation is noticed by a claim that held and no longer holds, be it contradicted or undecided. Undecided counts,
because a mutation often makes two things equal (one control in place of another): that one exceeds the other is then
shown by no number of runs, and not contradicted either. The table tells the two apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from manypath.papers.causes import Verified, verify
from manypath.papers.claim import Claim
from manypath.papers.evidence import Evidence
from manypath.papers.runner import Runner
from manypath.papers.switch import Mutation
from manypath.papers.tables import markdown
from manypath.papers.verdict import Verdict
from manypath.papers.verdict_matrix import VerdictMatrix


@dataclass(frozen=True)
class Matrix:
    """Verdicts of every claim under every mutation.

    Attributes
    ----------
    mutations : tuple
        The wrong implementations.
    plain : tuple
        The claims as they stand without a mutation.
    verdicts : mapping
        Verdicts by (claim id, mutation name); missing where the mutation changes nothing that the claim reads.
    """

    mutations: tuple[Mutation, ...]
    plain: tuple[Verified, ...]
    verdicts: Mapping[tuple[str, str], Verdict]

    @property
    def by_name(self) -> VerdictMatrix:
        """The verdicts alone."""
        names = tuple(mutation.name for mutation in self.mutations)
        return VerdictMatrix(names, {item.claim.id: item.check.verdict for item in self.plain}, self.verdicts)

    def unmoved(self) -> list[str]:
        """Return the ids of the claims that hold and that no mutation turns over: they prove nothing."""
        return self.by_name.unmoved()

    def unnoticed(self) -> list[tuple[str, str]]:
        """Return (mutation, claim) where a claim that holds should have turned over and did not."""
        matrix = self.by_name
        return [
            (mutation.name, number)
            for mutation in self.mutations
            for number in mutation.flips
            if matrix.plain.get(number) == "holds" and matrix.mark(number, mutation.name) is None
        ]

    def markdown(self) -> str:
        """Return the matrix as a table: the verdict to which a mutation turns a claim over."""
        matrix = self.by_name
        rows = [
            [number, before, *(mark or "" for mark in matrix.marks(number))] for number, before in matrix.plain.items()
        ]
        return markdown(["claim", "as it is", *matrix.mutations], rows)


def mutate(
    runner: Runner, mutations: tuple[Mutation, ...] | None = None, claims: tuple[Claim, ...] | None = None
) -> Matrix:
    """Run every mutation at the paper's precision for it and check the claims again.

    Parameters
    ----------
    runner : Runner
        Its precision is replaced by the paper's precision for mutations.
    mutations, claims : tuple, optional
        A part of them; all by default.
    """
    paper = runner.paper
    runner = replace(runner, precision=paper.mutated)
    mutations = paper.mutations if mutations is None else mutations
    claims = paper.claims if claims is None else claims
    evidence = Evidence(runner.plain(paper.experiments.cases(paper.mutated)))
    plain = tuple(verify(claim, evidence) for claim in claims)
    read = set().union(*(item.read for item in plain))
    evidence = evidence.along_with(runner.switched(dict.fromkeys(mutations, read), "mutations"))
    verdicts: dict[tuple[str, str], Verdict] = {
        (item.claim.id, mutation.name): verify(item.claim, evidence.under(mutation.name)).check.verdict
        for item in plain
        for mutation in mutations
        if evidence.changes(mutation.name, item.read)
    }
    return Matrix(mutations, plain, verdicts)
