"""Each claim of [D10] holds with made-up results that agree with the paper, and fails with altered ones."""

import asymmetric_world as world
import pytest
from drawn import plots

from manypath.papers import registry
from manypath.papers.dreibholz2010_asymmetric.buffers import MIB, for_fast_retransmissions, for_timeouts
from manypath.papers.dreibholz2010_asymmetric.inet import inet_points
from manypath.papers.dreibholz2010_asymmetric.names import (
    BOTH,
    INETS,
    NONE,
    OFF,
    PLAIN,
    PLOTTED,
    RP,
    THRESHOLD,
    ideal,
)
from manypath.papers.evidence import Case


@pytest.fixture(scope="module")
def asymmetric():
    """[D10]."""
    return registry()["dreibholz2010_asymmetric"]


def as_if(where=None, **factors):
    """Return a treatment that gives a case the results of other factors."""

    def treat(case, facts):
        levels = dict(case.factors)
        known = {name: level for name, level in factors.items() if name in levels}
        if not known or (where and not case.experiment.startswith(where)):
            return facts
        return world.facts_of(Case.of(case.experiment, **{**levels, **known}))

    return treat


def with_facts(where, **changed):
    """Return a treatment that overwrites facts of some experiments."""
    return lambda case, facts: {**facts, **changed} if case.experiment.startswith(where) else facts


def failing(asymmetric, treat, among):
    """Return those of some claims that do not hold with altered results."""
    results = world.evidence(asymmetric.experiments.cases(asymmetric.quick), treat=treat)
    return {claim.id for claim in asymmetric.claims if claim.id in among and not claim(results).holds}


def test_the_paper_has_forty_five_claims(asymmetric):
    assert [claim.id for claim in asymmetric.claims] == [f"C-002-{number}" for number in range(1, 46)]
    assert all(claim.says and claim.place for claim in asymmetric.claims)


@pytest.mark.parametrize("precision", ["quick", "full", "mutated"])
def test_every_claim_holds_with_results_that_agree_with_the_asymmetric_paper(asymmetric, precision):
    results = world.evidence(asymmetric.experiments.cases(getattr(asymmetric, precision)))
    checks = {claim.id: claim(results) for claim in asymmetric.claims}
    assert {number: check for number, check in checks.items() if not check.holds} == {}


@pytest.mark.parametrize(
    ("treat", "turned"),
    [
        (as_if(split=NONE), {5, 6, 7, 8, 10, 12, 22, 23, 24, 27, 35, 37}),
        (as_if(split=BOTH), {4, 6, 7, 10, 21, 22, 23, 24, 32, 35, 37, 39}),
        (as_if(nr=False), {3, 10, 12, 14, 16, 18, 24, 40}),
        (as_if(nr=True), {3, 9, 10, 13, 14, 18, 24, 40}),
        (as_if(reports=False), {16, 17, 24, 28, 30, 36, 43}),
        (as_if(errors=0.0), {13, 14, 16, 17, 24, 28, 43}),
        (as_if(smart=False), {18, 19, 24, 29, 30, 34, 36}),
        (as_if(rescheduling=OFF), {26, 27, 30, 36, 37, 38}),
        (as_if(rescheduling=THRESHOLD), {26, 30, 36, 37, 38}),
        (with_facts("figure5-growth", growth=0.5), {42}),
        (with_facts("figure5-growth", cut=0.5), {42}),
        (with_facts("figure5-rate", timeouts=30.0), {45}),
        (with_facts("figure5-rate", fast=0.0), {45}),
        (with_facts("figure5-standstill", still=0.2), {40}),
        (with_facts("figure5-standstill", timeouts=0.0), {40}),
        (with_facts("figure5-standstill", send_buffer=0.0, receive_window=0.9), {40}),
        (with_facts("figure7-rate", rescheduled=0.0), {38}),
        (with_facts("figure8-rate", rate=90.0), {30, 44}),
        (with_facts("figure7-delay", rate=90.0), {36, 37}),
        (with_facts("figure7-errors", rate=130.0), {28}),
        (as_if(delay=1.0), {19, 33}),
        (as_if(rate=100.0), {9, 10, 12, 24, 27, 30, 36, 39}),
        (as_if("buffers", part=1.0), {1, 2}),
        (as_if("buffers", outage=False), {2}),
        (as_if("figure6-dip", cc=PLAIN), {35, 41}),
        (as_if("figure6-dip", cc=RP), {35, 41}),
        (with_facts("figure5-rate", rate=ideal(10.0)), {9, 10, 12, 20, 21}),
        (with_facts("figure6", rate=120.0), {20, 21, 22, 23, 24}),
        (with_facts("figure7-promises", rate=ideal(1.0)), {25}),
        (with_facts("figure7-promises", send_buffer=0.9), {25}),
        (with_facts("figure7-buffers", rate=ideal(10.0)), {36}),
    ],
)
def test_altered_results_of_the_asymmetric_paper_fail_its_claims(asymmetric, treat, turned):
    noticed = {f"C-002-{number}" for number in turned}
    assert failing(asymmetric, treat, among=noticed) == noticed


def test_an_effect_of_splitting_under_errors_fails_claims(asymmetric):
    def treat(case, facts):
        levels = dict(case.factors)
        lowered = case.experiment == "figure5-errors" and levels["split"] == NONE
        return {**facts, "rate": 0.8 * facts["rate"]} if lowered else facts

    noticed = {"C-002-15", "C-002-17"}
    assert failing(asymmetric, treat, among=noticed) == noticed


def test_a_competing_flow_slowed_by_rescheduling_fails_a_claim(asymmetric):
    def treat(case, facts):
        taken = dict(case.factors).get("rescheduling") == THRESHOLD and "rival" in facts
        return {**facts, "rival": 0.7 * facts["rival"]} if taken else facts

    assert failing(asymmetric, treat, among={"C-002-31"})


def test_buffers_have_the_papers_sizes():
    assert for_timeouts([0.110], [1.0], [100e6, 100e6]) / MIB == pytest.approx(31.71, abs=0.005)
    assert for_fast_retransmissions([0.010, 0.110], [100e6, 100e6]) == pytest.approx(5.5e6)


def test_ideal_rates_equal_those_of_the_paper():
    assert ideal(10.0) == pytest.approx(106.0, abs=0.05)
    assert ideal(100.0) == pytest.approx(192.7, abs=0.05)
    assert ideal(errors=5e-6) == pytest.approx(96.35 * (2 - 0.0582), abs=0.05)


def test_every_point_of_inet_has_a_case(asymmetric):
    cases = set(asymmetric.experiments.cases(asymmetric.quick))
    assert {Case.of(point.experiment, **point.factors) for point in inet_points()} <= cases


def test_each_point_of_inet_is_compared_with_plotted_and_inet_settings(asymmetric):
    flows = {
        settings: asymmetric.experiments.scenario(
            Case.of("figure4-inet", split="none", by="buffered", nr="promised", settings=settings), asymmetric.quick
        )
        for settings in (PLOTTED, INETS)
    }
    left = asymmetric.experiments.scenario(Case.of("figure4-left", split="none", capacity=100), asymmetric.quick)
    assert flows[PLOTTED].flows == left.flows
    assert flows[PLOTTED].flows["cmt"].sack_path == "last-data"
    assert flows[INETS].flows["cmt"].sack_path == "smallest-srtt"
    assert flows[PLOTTED].network == left.network
    assert flows[INETS].flows["cmt"].window_overrun == "wraps"
    assert flows[INETS].network.access.delay == 0
    assert [point.factors["settings"] for point in inet_points()] == 5 * [PLOTTED, INETS]


def test_every_figure_of_the_asymmetric_paper_is_drawn(asymmetric):
    results = world.evidence(asymmetric.experiments.cases(asymmetric.mutated), runs=2)
    for figure in asymmetric.figures:
        shown = plots(figure.draw(results))
        assert shown, figure.name
        assert all(shown), figure.name


def test_every_claim_that_an_asymmetric_mutation_must_change_exists(asymmetric):
    known = {claim.id for claim in asymmetric.claims}
    assert {number for mutation in asymmetric.mutations for number in mutation.flips} <= known


def test_only_cases_with_long_delays_have_a_longer_measurement(asymmetric):
    switch, quick = asymmetric.switches["window-60, sack-round-robin"], asymmetric.quick
    cases = {case["delay"]: case for case in asymmetric.experiments.cases(quick, {"figure5-delay"})}
    short, long = (asymmetric.experiments.scenario(cases[delay], quick) for delay in (1.0, 100.0))
    assert switch.change(short) == short
    changed = switch.change(long)
    assert (changed.warmup, changed.measure) == (19_000_000_000, 60_000_000_000)
    assert changed.flows["cmt"] == long.flows["cmt"].but(sack_path="round-robin")
    assert changed.network == long.network
