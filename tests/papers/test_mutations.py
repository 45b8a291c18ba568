"""Wrong implementations are noticed by the claims that are meant to notice them."""

from dataclasses import replace

import pytest

from manypath.papers.dreibholz2011_impact.names import ALL, RPV1
from manypath.papers.mutations import mutate
from manypath.papers.runner import Runner

CLAIMS = ("C-000-7", "C-000-10", "C-000-18", "C-000-19", "C-000-20", "C-000-31", "C-000-34", "C-000-36")
MUTATIONS = ("rpv1-is-plain", "mptcp-is-plain", "mptcp-is-rpv2", "plain-is-rpv2", "sfr-off", "queue-20")


@pytest.fixture(scope="module")
def matrix(impact):
    """A reduced matrix: the claims that need the least traffic, and the mutations that must turn each of them."""
    grids = {
        "figure2-right": {"cc": ALL, "paths": (8,)},
        "figure3": {"cc": (RPV1,), "north": (0.25,)},
        "figure3-windows": {"cc": (RPV1,)},
        "figure5": {"cc": ALL},
    }
    reduced = replace(impact.mutated, replications=4, trials=4, curves=4, measure="60 s", grids=grids)
    runner = Runner(replace(impact, mutated=reduced), reduced, store=None, progress=False)
    mutations = tuple(each for each in impact.mutations if each.name in MUTATIONS)
    return mutate(runner, mutations, tuple(claim for claim in impact.claims if claim.id in CLAIMS))


def test_the_claims_hold_without_a_mutation(matrix):
    assert {item.claim.id: item.check for item in matrix.plain if not item.check.holds} == {}


def test_every_mutation_turns_the_claims_that_it_must(matrix):
    assert matrix.unnoticed() == []


def test_no_claim_proves_nothing(matrix):
    assert matrix.unmoved() == []


def test_every_claim_that_a_mutation_must_turn_exists(impact):
    known = {claim.id for claim in impact.claims}
    assert {number for mutation in impact.mutations for number in mutation.flips} <= known


def test_the_table_marks_what_turns(matrix):
    table = matrix.markdown().splitlines()
    assert table[0] == f"| claim | as it is | {' | '.join(MUTATIONS)} |"
    row = next(line for line in table if line.startswith("| C-000-7 |"))
    assert row.split(" | ")[MUTATIONS.index("plain-is-rpv2") + 2] == "x"
