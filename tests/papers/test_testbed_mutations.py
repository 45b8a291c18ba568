"""Wrong implementations are noticed by the claims of [D12] that are meant to notice them."""

from dataclasses import replace

import pytest

from manypath.papers.dreibholz2012_testbed.names import ALL
from manypath.papers.mutations import mutate
from manypath.papers.runner import Runner

CLAIMS = ("C-004-9", "C-004-11", "C-004-16")
MUTATIONS = ("rpv1-is-rpv2", "rpv2-is-plain", "rpv2-is-mptcp", "mptcp-is-plain", "plain-is-rpv2")


@pytest.fixture(scope="module")
def matrix(testbed):
    """A reduced matrix: the claims whose margin is wide, at the slowest, a middle and the fastest southern rate."""
    grids = {"figure4": {"cc": ALL, "south": (2.0, 5.0, 10.0)}}
    reduced = replace(testbed.mutated, replications=4, trials=4, measure="60 s", grids=grids)
    runner = Runner(replace(testbed, mutated=reduced), reduced, store=None, progress=False)
    mutations = tuple(each for each in testbed.mutations if each.name in MUTATIONS)
    return mutate(runner, mutations, tuple(claim for claim in testbed.claims if claim.id in CLAIMS))


def test_the_claims_about_disjoint_paths_hold_without_a_mutation(matrix):
    assert {item.claim.id: item.check for item in matrix.plain if not item.check.holds} == {}


def test_every_mutation_turns_the_claims_about_disjoint_paths_that_it_must(matrix):
    assert matrix.unnoticed() == []


def test_no_claim_about_disjoint_paths_proves_nothing(matrix):
    assert matrix.unmoved() == []


def test_every_claim_of_the_testbed_paper_that_a_mutation_must_turn_exists(testbed):
    known = {claim.id for claim in testbed.claims}
    assert {number for mutation in testbed.mutations for number in mutation.flips} <= known
