"""The mutation matrix: which claims detect which wrong implementation. A claim that detects none proves nothing.

A claim detects a mutation if it holds without the mutation, and is contradicted or undecided with it. Undecided counts,
because a mutation often makes two quantities equal (one control in place of another). No number of runs then shows that
one exceeds the other, or contradicts it. The table distinguishes the two verdicts.
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
        The claims without a mutation.
    verdicts : mapping
        Verdicts by (claim id, mutation name); missing if the mutation changes no case that the claim reads.
    """

    mutations: tuple[Mutation, ...]
    plain: tuple[Verified, ...]
    verdicts: Mapping[tuple[str, str], Verdict]

    @property
    def by_name(self) -> VerdictMatrix:
        """The verdicts without the outcomes."""
        names = tuple(mutation.name for mutation in self.mutations)
        return VerdictMatrix(names, {item.claim.id: item.check.verdict for item in self.plain}, self.verdicts)

    def of(self, mutations: tuple[Mutation, ...]) -> Matrix:
        """Return the part with some of the mutations."""
        names = {mutation.name for mutation in mutations}
        return Matrix(mutations, self.plain, {key: found for key, found in self.verdicts.items() if key[1] in names})

    def unmoved(self) -> list[str]:
        """Return the ids of claims that hold and detect no mutation. They prove nothing."""
        return self.by_name.unmoved()

    def unnoticed(self) -> list[tuple[str, str]]:
        """Return (mutation, claim id) for each holding claim that does not detect a mutation that it must detect."""
        matrix = self.by_name
        return [
            (mutation.name, number)
            for mutation in self.mutations
            for number in mutation.flips
            if matrix.plain.get(number) == "holds" and matrix.mark(number, mutation.name) is None
        ]

    def markdown(self) -> str:
        """Return the matrix as a table, with the verdict of each claim under each mutation that it detects."""
        matrix = self.by_name
        rows = [
            [number, before, *(mark or "" for mark in matrix.marks(number))] for number, before in matrix.plain.items()
        ]
        return markdown(["claim", "without mutation", *matrix.mutations], rows)


def mutate(
    runner: Runner, mutations: tuple[Mutation, ...] | None = None, claims: tuple[Claim, ...] | None = None
) -> Matrix:
    """Run every mutation and check the claims again.

    Parameters
    ----------
    runner : Runner
        The runner of the paper. The precision for mutations replaces its precision.
    mutations, claims : tuple, optional
        The mutations and claims; all of the paper by default.
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
