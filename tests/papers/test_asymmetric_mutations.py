"""Wrong implementations of [D10]'s mechanisms are noticed by the claims that are meant to notice them."""

from dataclasses import replace

import pytest

from manypath.papers import registry
from manypath.papers.dreibholz2010_asymmetric.names import BOTH, NONE, SPLITS
from manypath.papers.mutations import mutate
from manypath.papers.runner import Runner

CLAIMS = ("C-002-5", "C-002-6", "C-002-8", "C-002-11", "C-002-12", "C-002-14", "C-002-21", "C-002-22")
MUTATIONS = ("no-splitting", "sender-only", "always-split", "no-nr-sack", "no-errors", "rp-is-plain", "paths-equal")


@pytest.fixture(scope="module")
def matrix():
    """A reduced matrix: few points, short runs, and the mutations that must turn each of these claims."""
    paper = registry()["dreibholz2010_asymmetric"]
    grids = {
        **{f"figure4-{side}": {"split": SPLITS, "capacity": (20, 300)} for side in ("left", "middle", "right")},
        "figure5-rate": {"split": (NONE, BOTH), "nr": (False, True), "rate": (10.0, 100.0)},
        "figure6-rate": {"split": (NONE, BOTH), "nr": (True,), "rate": (100.0,)},
        "figure5-errors": {"split": (NONE, BOTH), "nr": (False, True), "reports": (False,), "errors": (0.0, 5e-6)},
    }
    reduced = replace(paper.mutated, replications=3, trials=3, curves=0, warmup="6 s", measure="6 s", grids=grids)
    runner = Runner(replace(paper, mutated=reduced), reduced, store=None, progress=False)
    mutations = tuple(each for each in paper.mutations if each.name in MUTATIONS)
    return mutate(runner, mutations, tuple(claim for claim in paper.claims if claim.id in CLAIMS))


def test_the_asymmetric_claims_hold_without_a_mutation(matrix):
    assert {item.claim.id: item.check for item in matrix.plain if not item.check.holds} == {}


def test_every_asymmetric_mutation_turns_the_claims_that_it_must(matrix):
    assert matrix.unnoticed() == []


def test_no_asymmetric_claim_proves_nothing(matrix):
    assert matrix.unmoved() == []
