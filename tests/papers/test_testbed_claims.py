"""Each claim of [D12] holds with made-up results that agree with the paper, and fails with altered ones."""

import pytest
import testbed_world as world

from manypath.papers.dreibholz import COUPLED, MPTCP, PLAIN, RPV1, RPV2
from manypath.papers.dreibholz2012_testbed import measured
from manypath.papers.dreibholz2012_testbed.names import CMT, SINGLE
from manypath.papers.evidence import Case

MEASURED = {"C-004-3", "C-004-6", "C-004-15", "C-004-19"}
"""Claims about the testbed, which read measured runs only."""


@pytest.fixture(autouse=True)
def _without_measured_runs(monkeypatch):
    monkeypatch.setattr(measured, "published", lambda _: ())


def in_place_of(old, new):
    """Return a treatment that gives one congestion control the results of another."""

    def treat(case, rates):
        if dict(case.factors).get("cc") != old:
            return rates
        return world.rates_of(Case.of(case.experiment, **{**dict(case.factors), "cc": new}))

    return treat


def scaled(experiment, flow, factor, cc=None):
    """Return a treatment that scales the rate of a flow in an experiment, under one congestion control or all."""

    def treat(case, rates):
        if case.experiment != experiment or (cc is not None and case["cc"] != cc):
            return rates
        return {**rates, flow: factor * rates[flow]}

    return treat


def without_lead(case, rates):
    """Give both flows the same rate over the bottleneck under coupled congestion control."""
    if case.experiment != "figure3" or case["cc"] not in COUPLED:
        return rates
    return dict.fromkeys(rates, sum(rates.values()) / 2.0)


def failing(testbed, treat, among):
    """Return those of some claims that do not hold with altered results."""
    results = world.evidence(testbed.experiments.cases(testbed.quick), treat=treat)
    claims = [claim for claim in testbed.claims if claim.id in among]
    return {claim.id for claim in claims if claim(results).verdict in ("contradicted", "undecided")}


def test_the_paper_has_twenty_claims(testbed):
    assert [claim.id for claim in testbed.claims] == [f"C-004-{number}" for number in range(1, 21)]
    assert all(claim.says and claim.place for claim in testbed.claims)


@pytest.mark.parametrize("precision", ["quick", "full", "mutated"])
def test_every_simulated_claim_holds_with_results_that_agree_with_the_testbed_paper(testbed, precision):
    results = world.evidence(testbed.experiments.cases(getattr(testbed, precision)))
    checks = {claim.id: claim(results) for claim in testbed.claims}
    assert {number: check for number, check in checks.items() if check.verdict in ("contradicted", "undecided")} == {}
    assert {number for number, check in checks.items() if check.verdict == "open"} == MEASURED


def test_testbed_claims_are_open_without_its_runs(testbed):
    results = world.evidence(testbed.experiments.cases(testbed.quick))
    for claim in testbed.claims:
        if claim.id in MEASURED:
            assert claim(results).why.startswith("Needs measured runs of figures 3 and 4: ")


@pytest.mark.parametrize(
    ("treat", "turned"),
    [
        (in_place_of(PLAIN, RPV2), {"C-004-2", "C-004-8", "C-004-9", "C-004-11"}),
        (in_place_of(RPV1, PLAIN), {"C-004-4", "C-004-5", "C-004-9", "C-004-10"}),
        (
            in_place_of(RPV2, PLAIN),
            {"C-004-4", "C-004-5", "C-004-9", "C-004-11", "C-004-12", "C-004-14", "C-004-16", "C-004-17"},
        ),
        (
            in_place_of(MPTCP, PLAIN),
            {"C-004-4", "C-004-5", "C-004-9", "C-004-11", "C-004-13", "C-004-14", "C-004-17"},
        ),
        (in_place_of(MPTCP, RPV2), {"C-004-13", "C-004-16"}),
        (in_place_of(RPV2, MPTCP), {"C-004-12", "C-004-16"}),
        (in_place_of(RPV1, RPV2), {"C-004-9", "C-004-10"}),
        (in_place_of(RPV2, RPV1), {"C-004-9", "C-004-11", "C-004-12", "C-004-14"}),
        (scaled("figure3-paths", SINGLE, 0.8), {"C-004-1"}),
        (scaled("figure3", SINGLE, 0.8, PLAIN), {"C-004-2"}),
        (without_lead, {"C-004-4", "C-004-5"}),
        (scaled("figure3-far", CMT, 1.2), {"C-004-5"}),
        (scaled("figure3-blocking", CMT, 1.2), {"C-004-7"}),
        (scaled("figure4-without-north", CMT, 1.6), {"C-004-14", "C-004-17"}),
        (scaled("figure4", CMT, 1.3, RPV1), {"C-004-10"}),
        (scaled("figure4-similar", CMT, 0.3, RPV1), {"C-004-20"}),
    ],
    ids=[
        "plain-is-rpv2",
        "rpv1-is-plain",
        "rpv2-is-plain",
        "mptcp-is-plain",
        "mptcp-is-rpv2",
        "rpv2-is-mptcp",
        "rpv1-is-rpv2",
        "rpv2-is-rpv1",
        "rival-starves-beside-many-paths",
        "rival-starves-at-the-bottleneck",
        "no-lead",
        "delay-does-not-matter",
        "blocking-speeds-up",
        "the-south-was-enough",
        "rpv1-keeps-up",
        "rpv1-starves",
    ],
)
def test_altered_results_of_the_testbed_paper_fail_its_claims(testbed, treat, turned):
    assert failing(testbed, treat, among=turned) == turned


@pytest.mark.parametrize(
    ("field", "value"), [("srtt", 0.06), ("cwnd", 13_000.0)], ids=["long-round-trip", "large-windows"]
)
def test_a_lead_with_other_windows_or_round_trip_times_contradicts_its_mechanism(testbed, field, value):
    results = world.evidence(testbed.experiments.cases(testbed.quick))
    for case in results.cases():
        for turn, outcome in enumerate(results.runs(case).outcomes):
            for path in outcome["flows"][CMT]["paths"].values():
                path[field] = value * (1.0 + 0.001 * turn)
    claims = {claim.id: claim(results).verdict for claim in testbed.claims if claim.id in ("C-004-5", "C-004-18")}
    assert claims == {"C-004-5": "holds", "C-004-18": "contradicted"}
