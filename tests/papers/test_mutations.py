"""Mutations (wrong implementations) change the verdicts of the claims that must detect them."""

from dataclasses import dataclass, replace

import pytest

from lists import cases
from manypath.papers import NAMES, registry
from manypath.papers.dreibholz import ALL, RPV1
from manypath.papers.dreibholz2010_asymmetric.names import BOTH, NONE, SPLITS
from manypath.papers.experiment import Grid
from manypath.papers.gonzalez2012_mptcp.names import APPROXIMATED, RENO
from manypath.papers.honda2009_bmc.claims.theory import WEIGHTS
from manypath.papers.mutations import mutate
from manypath.papers.runner import Runner


@dataclass(frozen=True)
class Reduced:
    """A part of a paper's matrix: claims with the least traffic, and the mutations that must change their verdicts."""

    claims: tuple[str, ...]
    mutations: tuple[str, ...]
    grids: dict[str, Grid]
    runs: int
    window: tuple[str, str] | None = None


REDUCED = {
    "dreibholz2011_impact": Reduced(
        claims=("C-000-10", "C-000-18", "C-000-19", "C-000-20", "C-000-31", "C-000-34", "C-000-36"),
        mutations=("rpv1-is-plain", "mptcp-is-plain", "mptcp-is-rpv2", "plain-is-rpv2", "sfr-off", "queue-20"),
        grids={
            "figure2-right": {"cc": ALL, "paths": (8,)},
            "figure3": {"cc": (RPV1,), "north": (0.25,)},
            "figure3-windows": {"cc": (RPV1,)},
            "figure5": {"cc": ALL},
        },
        runs=4,
    ),
    "dreibholz2010_asymmetric": Reduced(
        claims=("C-002-5", "C-002-6", "C-002-8", "C-002-11", "C-002-12", "C-002-14", "C-002-21", "C-002-22"),
        mutations=(
            *("no-splitting", "sender-only", "always-split", "no-nr-sack"),
            *("no-errors", "rp-is-plain", "paths-equal"),
        ),
        grids={
            **{f"figure4-{side}": {"split": SPLITS, "capacity": (20, 300)} for side in ("left", "middle", "right")},
            "figure5-rate": {"split": (NONE, BOTH), "nr": (False, True), "rate": (10.0, 100.0)},
            "figure6-rate": {"split": (NONE, BOTH), "nr": (True,), "rate": (100.0,)},
            "figure5-errors": {"split": (NONE, BOTH), "nr": (False, True), "reports": (False,), "errors": (0.0, 5e-6)},
        },
        runs=3,
        window=("6 s", "6 s"),
    ),
    "dreibholz2012_testbed": Reduced(
        claims=("C-004-9", "C-004-11"),
        mutations=("rpv1-is-rpv2", "rpv2-is-plain", "rpv2-is-rpv1", "mptcp-is-plain", "plain-is-rpv2"),
        grids={"figure4": {"cc": ALL, "south": (2.0, 5.0, 10.0)}},
        runs=4,
    ),
    "gonzalez2012_mptcp": Reduced(
        claims=("C-001-3", "C-001-4", "C-001-5", "C-001-6", "C-001-12", "C-001-13", "C-001-19"),
        mutations=("mptcp-is-reno", "mptcp-is-coupled", "mptcp-is-ewtcp", "reno-is-linked", "small-buffers"),
        grids={
            "figure2": {"cc": (APPROXIMATED, RENO)},
            **{name: {"cc": (APPROXIMATED,)} for name in ("figure3", "figure4", "figure5", "figure6")},
            "single": {"scenario": (2,), "path": ("a",)},
        },
        runs=8,
        window=("0 s", "85 s"),
    ),
    "honda2009_bmc": Reduced(
        claims=("C-003-2", "C-003-3", "C-003-4", "C-003-5", "C-003-6", "C-003-10"),
        mutations=("aimd-is-newreno", "growth-linear", "aimd-is-cubic", "reno-is-cubic"),
        grids={"figure2.1": {"weight": WEIGHTS}, "sawtooths": {}, "given-loss": {}},
        runs=4,
    ),
}
"""The tested part of each paper; `--full` runs the whole matrix."""


# The gate has the paper whose part takes the least time.
@pytest.mark.parametrize("name", cases(REDUCED, long=lambda name: name != "dreibholz2012_testbed"))
def test_the_claims_hold_without_a_mutation_and_every_mutation_changes_the_verdicts_that_it_must(name):
    paper, part = registry()[name], REDUCED[name]
    warmup, measure = part.window or (paper.mutated.warmup, "60 s")
    sizes = {"replications": part.runs, "trials": part.runs, "curves": part.runs}
    reduced = replace(paper.mutated, **sizes, warmup=warmup, measure=measure, grids=part.grids)
    runner = Runner(replace(paper, mutated=reduced), reduced, store=None, progress=False)
    mutations = tuple(each for each in paper.mutations if each.name in part.mutations)
    matrix = mutate(runner, mutations, tuple(claim for claim in paper.claims if claim.id in part.claims))
    assert {item.claim.id: item.check for item in matrix.plain if not item.check.holds} == {}
    assert matrix.unnoticed() == [], "mutations that do not change the verdicts that they must"
    assert matrix.unmoved() == [], "claims that no mutation changes"
    marks_changed_verdicts(matrix)


def test_every_paper_has_a_tested_part():
    assert set(REDUCED) == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_every_claim_that_a_mutation_must_change_exists(name):
    paper = registry()[name]
    known = {claim.id for claim in paper.claims}
    assert {number for mutation in paper.mutations for number in mutation.flips} <= known


@pytest.mark.parametrize("name", NAMES)
def test_the_tested_parts_exist(name):
    paper, part = registry()[name], REDUCED[name]
    assert set(part.claims) <= {claim.id for claim in paper.claims}
    assert set(part.mutations) <= {mutation.name for mutation in paper.mutations}


def marks_changed_verdicts(matrix):
    """Check that the table marks the verdicts that its mutations must change."""
    header, _, *rows = (
        [cell.strip() for cell in line.strip("|").split("|")] for line in matrix.markdown().splitlines()
    )
    names = [mutation.name for mutation in matrix.mutations]
    assert header == ["claim", "without mutation", *names]
    marked = {(row[0], name) for row in rows for name, mark in zip(names, row[2:], strict=True) if mark}
    shown = {row[0] for row in rows}
    must = {(number, each.name) for each in matrix.mutations for number in each.flips if number in shown}
    assert must
    assert must <= marked
