"""A made-up result of a reconstruction of [D12]: two factors, a test on [D11] and the claims that are given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from manypath.papers.reconstruction.result import ClaimResult, FactorResult, Half, Reconstruction, Scores, Transfer

PAPER = "dreibholz2012_testbed"

SCORES = Scores(stated=0.5, found=0.75, random=0.25, low=0.125, high=1.0)


def reconstruction(claims: Sequence[str] = ("C-004-1", "C-004-2")) -> Reconstruction:
    """Return a result whose first half has the first claim, and whose second half has the other ones."""
    half = Half(name="A", claims=(claims[0],), found=("queue",), fitted=SCORES, untouched=replace(SCORES, found=0.625))
    return Reconstruction(
        paper=PAPER,
        tag="D12",
        engine="0123456789abcdef",
        seed=1,
        replications=3,
        settings=20,
        runs=1234,
        digest="0" * 64,
        factors=(
            FactorResult("queue", "RED queues", "FIFO queues", "contradicts", 0.96, "changed"),
            FactorResult("accounting", "accounting of INET", "accounting as printed", "stated", 0.5, "not told"),
        ),
        found=("queue",),
        penalty=0.03,
        scores=SCORES,
        rivals=(("accounting",), ()),
        together=(("queue", "accounting"),),
        halves=(half, replace(half, name="B", claims=tuple(claims[1:]))),
        transfers=(Transfer("dreibholz2011_impact", ("queue",), SCORES),),
        claims=tuple(
            ClaimResult(number, "B" if place else "A", "holds", "holds", 0.5, 0.75, None, None)
            for place, number in enumerate(claims)
        ),
    )
