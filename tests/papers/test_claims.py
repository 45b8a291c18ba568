"""Each claim of [D11] holds with made-up results that agree with the paper, and fails with altered ones."""

import pytest
import world

from manypath.papers.dreibholz import MPTCP, PLAIN, RPV1, RPV2
from manypath.papers.dreibholz2011_impact.names import SINGLE
from manypath.papers.evidence import Case


def in_place_of(old, new):
    """Return a treatment that gives one congestion control the results of another."""

    def treat(case, rates):
        if dict(case.factors).get("cc") != old:
            return rates
        return world.rates_of(Case.of(case.experiment, **{**dict(case.factors), "cc": new}))

    return treat


def give_single(factor):
    """Return a treatment that scales the rates of single-path flows; the CMT flow gets the rest."""

    def treat(_case, rates):
        singles = {name: rate * factor for name, rate in rates.items() if name.startswith(SINGLE)}
        spent = sum(singles.values()) - sum(rates[name] for name in singles)
        return {**rates, **singles, "south": max(rates["south"] - spent, 0.0)}

    return treat


def spread_rivals(_case, rates):
    """Let the second competing flow starve the third."""
    if "single-3" in rates:
        return {**rates, "single-2": 1.9 * rates["single-2"], "single-3": 0.1 * rates["single-3"]}
    return rates


def failing(impact, treat, among):
    """Return those of some claims that do not hold with altered results."""
    results = world.evidence(impact.experiments.cases(impact.quick), treat=treat)
    return {claim.id for claim in impact.claims if claim.id in among and not claim(results).holds}


def test_the_paper_has_forty_three_claims(impact):
    assert [claim.id for claim in impact.claims] == [f"C-000-{number}" for number in range(1, 44)]
    assert all(claim.says and claim.place for claim in impact.claims)


@pytest.mark.parametrize("precision", ["quick", "full", "mutated"])
def test_every_claim_holds_with_results_that_agree_with_the_paper(impact, precision):
    results = world.evidence(impact.experiments.cases(getattr(impact, precision)), runs=6)
    checks = {claim.id: claim(results) for claim in impact.claims}
    assert {number: check for number, check in checks.items() if not check.holds} == {}


@pytest.mark.parametrize(
    ("treat", "turned"),
    [
        (
            in_place_of(PLAIN, RPV2),
            {"C-000-1", "C-000-2", "C-000-4", "C-000-5", "C-000-7", "C-000-10", "C-000-12", "C-000-13", "C-000-21"},
        ),
        (
            in_place_of(RPV1, PLAIN),
            {"C-000-5", "C-000-8", "C-000-10", "C-000-11", "C-000-17", "C-000-18", "C-000-22", "C-000-30", "C-000-43"},
        ),
        (
            in_place_of(RPV2, PLAIN),
            {"C-000-5", "C-000-13", "C-000-14", "C-000-16", "C-000-23", "C-000-24", "C-000-26", "C-000-30", "C-000-43"},
        ),
        (in_place_of(MPTCP, PLAIN), {"C-000-5", "C-000-8", "C-000-11", "C-000-13", "C-000-16", "C-000-43"}),
        (
            in_place_of(MPTCP, RPV2),
            {"C-000-6", "C-000-14", "C-000-15", "C-000-25", "C-000-26", "C-000-27", "C-000-28", "C-000-30"},
        ),
        (in_place_of(RPV2, RPV1), {"C-000-23", "C-000-24", "C-000-37"}),
        (give_single(0.8), {"C-000-1", "C-000-4", "C-000-12"}),
        (spread_rivals, {"C-000-29"}),
        (lambda _case, rates: {**rates, "south": 1.3 * rates["south"]}, {"C-000-39"}),
        (
            lambda case, rates: (
                world.rates_of(Case.of(case.experiment, **{**dict(case.factors), "paths": min(case["paths"], 4)}))
                if case.experiment == "figure2-right"
                else rates
            ),
            {"C-000-9"},
        ),
        (
            lambda case, rates: {**rates, "south": 2.3} if case.experiment == "figure3" else rates,
            {"C-000-20"},
        ),
    ],
    ids=[
        "plain-is-rpv2",
        "rpv1-is-plain",
        "rpv2-is-plain",
        "mptcp-is-plain",
        "mptcp-is-rpv2",
        "rpv2-is-rpv1",
        "rival-starves",
        "rivals-differ",
        "more-than-tcp",
        "no-minimum",
        "south-is-used",
    ],
)
def test_altered_results_fail_claims(impact, treat, turned):
    assert failing(impact, treat, among=turned) == turned


@pytest.mark.parametrize(
    ("change", "turned"),
    [
        ("windows-swapped", {"C-000-19", "C-000-32", "C-000-33", "C-000-3", "C-000-41"}),
        ("shallow-cuts", {"C-000-3", "C-000-19", "C-000-40"}),
        ("queues-empty", {"C-000-19", "C-000-31"}),
        ("one-control", {"C-000-35", "C-000-36"}),
        ("fast-growth", {"C-000-20", "C-000-34"}),
    ],
)
def test_altered_windows_fail_claims(impact, change, turned, monkeypatch):
    build = {"windows-swapped": _swapped, "shallow-cuts": _shallow, "queues-empty": _empty, "fast-growth": _fast}
    original = world._curves
    if change == "one-control":
        monkeypatch.setattr(
            world,
            "_trace",
            lambda _case: original({"north": (0.5, 46.0, 1500.0, 5.0), "south": (1.0, 19.0, 150.0, 4.0)}),
        )
        results = world.evidence(
            case for case in impact.experiments.cases(impact.quick) if case.experiment == "figure5"
        )
        assert turned <= {claim.id for claim in impact.claims if claim.id in turned and not claim(results).holds}
        return
    monkeypatch.setattr(world, "_curves", lambda paths: build[change](original, paths))
    assert failing(impact, None, among=turned) == turned


def _swapped(original, paths):
    return original(dict(zip(paths, reversed(list(paths.values())), strict=True)))


def _shallow(original, paths):
    return original({name: (0.3, *rest) for name, (_, *rest) in paths.items()})


def _empty(original, paths):
    trace = original(paths)
    for queue in trace.queues.values():
        queue[:] = 0
    return trace


def _fast(original, paths):
    return original({name: (depth, peak, 1500.0, rate) for name, (depth, peak, _, rate) in paths.items()})


def test_more_data_in_flight_than_a_window_and_a_packet_fails_a_claim(impact, monkeypatch):
    monkeypatch.setattr(world, "IN_FLIGHT", {**world.IN_FLIGHT, "outstanding": 31_500.0})
    assert failing(impact, None, among={"C-000-38"})


def test_a_lead_of_several_segments_for_each_path_fails_a_claim(impact, monkeypatch):
    monkeypatch.setattr(world, "IN_FLIGHT", {**world.IN_FLIGHT, "srtt": 0.2})
    assert failing(impact, None, among={"C-000-42"})


def test_a_single_run_decides_no_claim(impact):
    results = world.evidence(impact.experiments.cases(impact.quick), runs=1)
    checks = [claim(results) for claim in impact.claims]
    assert {check.runs for check in checks} == {1}
    assert {check.verdict for check in checks} == {"undecided"}
    assert {check.outlook for check in checks} == {None}
