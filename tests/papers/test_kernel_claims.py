"""Each claim of [G12] holds with made-up results that agree with the paper, and fails with altered ones."""

from dataclasses import replace

import kernel_world as world
import numpy as np
import pytest

from manypath.papers.evidence import Case
from manypath.papers.gonzalez2012_mptcp.names import (
    APPROXIMATED,
    COUPLED,
    EXACT,
    HALVES,
    MPTCP,
    RENO,
    RIVALS,
    SHEETS,
    TCP_A,
    TCP_B,
)
from manypath.papers.traces import Trace


def in_place_of(old, new):
    """Return a treatment that gives one congestion control the results of another."""

    def treat(case, rates):
        if dict(case.factors).get("cc") != old:
            return rates
        return world.rates_of(Case.of(case.experiment, **{**dict(case.factors), "cc": new}))

    return treat


def uncoupled(case, rates):
    """Let each subflow of the paper's congestion control take as much as the competing TCP."""
    if dict(case.factors).get("cc") != APPROXIMATED or (TCP_A, "a") not in rates:
        return rates
    both = {path: (rates[MPTCP, path] + rates[flow, path]) / 2.0 for path, flow in RIVALS.items()}
    return {(flow, path): both[path] for flow, path in rates}


def scaled(experiment, place, factor):
    """Return a treatment that scales the rate of a flow over a path in an experiment."""

    def treat(case, rates):
        return {**rates, place: factor * rates[place]} if case.experiment == experiment and place in rates else rates

    return treat


def failing(kernel, among, treat=None, bend=None):
    """Return those of some claims that do not hold with altered results."""
    results = world.evidence(kernel.experiments.cases(kernel.quick), treat=treat, bend=bend)
    claims = [claim for claim in kernel.claims if claim.id in among]
    return {claim.id for claim in claims if claim(results).verdict in ("contradicted", "undecided")}


def test_the_paper_has_twenty_eight_claims(kernel):
    assert [claim.id for claim in kernel.claims] == [f"C-001-{number}" for number in range(1, 29)]
    assert all(claim.says and claim.place for claim in kernel.claims)


@pytest.mark.parametrize("precision", ["quick", "full", "mutated"])
def test_every_claim_holds_with_results_that_agree_with_the_kernel_paper(kernel, precision):
    results = world.evidence(kernel.experiments.cases(getattr(kernel, precision)))
    checks = {claim.id: claim(results) for claim in kernel.claims}
    assert {number: check for number, check in checks.items() if not check.holds} == {}


@pytest.mark.parametrize(
    ("treat", "turned"),
    [
        (
            uncoupled,
            {
                *("C-001-1", "C-001-8", "C-001-9", "C-001-11", "C-001-14", "C-001-15"),
                *("C-001-17", "C-001-18", "C-001-20", "C-001-22", "C-001-23", "C-001-24"),
            },
        ),
        (in_place_of(APPROXIMATED, COUPLED), {"C-001-2", "C-001-11", "C-001-12", "C-001-17"}),
        (in_place_of(COUPLED, APPROXIMATED), {"C-001-2"}),
        (scaled("figure4", (MPTCP, "a"), 0.6), {"C-001-1", "C-001-9"}),
        (scaled("figure4", (TCP_A, "a"), 1.3), {"C-001-8", "C-001-9", "C-001-17"}),
        (scaled("figure5", (TCP_B, "b"), 1.5), {"C-001-11", "C-001-12", "C-001-17"}),
        (scaled("figure5", (MPTCP, "a"), 0.8), {"C-001-11", "C-001-13", "C-001-17", "C-001-20"}),
        (scaled("single", (MPTCP, "a"), 1.6), {"C-001-13", "C-001-20"}),
        (scaled("figure6", (MPTCP, "b"), 0.6), {"C-001-14", "C-001-15", "C-001-16", "C-001-17"}),
        (in_place_of(APPROXIMATED, HALVES), {"C-001-14", "C-001-17", "C-001-22"}),
        (in_place_of(RENO, APPROXIMATED), {"C-001-22", "C-001-26", "C-001-27"}),
        (in_place_of(EXACT, RENO), {"C-001-23"}),
        (scaled("signalling", (MPTCP, "a"), 0.7), {"C-001-24"}),
        (scaled("figure6", (TCP_B, "b"), 0.8), {"C-001-14", "C-001-15", "C-001-17", "C-001-25"}),
        (scaled("figure6", (TCP_A, "a"), 0.75), {"C-001-15"}),
        (scaled("figure6", (TCP_B, "b"), 1.2), {"C-001-14", "C-001-15"}),
        (scaled("figure6", (MPTCP, "b"), 1.8), {"C-001-16"}),
    ],
    ids=[
        "mptcp-is-uncoupled",
        "mptcp-is-fully-coupled",
        "fully-coupled-is-linked",
        "mptcp-starves",
        "tcp-takes-more",
        "b-is-left",
        "mptcp-gains-nothing",
        "one-tcp-does-better",
        "short-delays-win",
        "mptcp-is-two-halves",
        "uncoupled-is-linked",
        "the-exact-maximum-is-another-control",
        "signalling-costs-much",
        "a-link-is-idle",
        "tcp-on-a-falls-behind",
        "tcp-on-b-gets-ahead",
        "b-carries-much-more",
    ],
)
def test_altered_results_of_the_kernel_paper_fail_its_claims(kernel, treat, turned):
    assert failing(kernel, turned, treat) == turned


def curves(change, *experiments):
    """Return a function that changes curves of some experiments under the paper's congestion control."""

    def bend(case, trace):
        if case.experiment not in experiments or case["cc"] != APPROXIMATED:
            return trace
        return Trace({place: change(place, path) for place, path in trace.paths.items()}, trace.queues)

    return bend


def reno(case, trace):
    """Let subflows without competing TCP grow like TCP Reno."""
    if case.experiment in world.ALONE and case["cc"] == APPROXIMATED:
        return world._alone(world.ALONE[case.experiment], RENO)
    return trace


def reno_is_linked(case, trace):
    """Let subflows without coupling grow like coupled ones."""
    return world._alone(2, EXACT) if case.experiment == "figure2" and case["cc"] == RENO else trace


def without_turns(_place, path):
    """Give every flow its constant mean rate."""
    return replace(path, throughput=np.full(len(path.time), path.throughput.mean()))


def in_step(place, path):
    """Let both subflows exceed TCP's rate at the same time."""
    moment = (path.time - 5.0) % 20.0
    return replace(path, throughput=np.where(moment < 3.0, 4e6, 1.2e6)) if place[0] == MPTCP else path


def fading(place, path):
    """Let MPTCP's rate decrease over the whole run."""
    return replace(path, throughput=path.throughput * (1.8 - path.time / 60.0)) if place[0] == MPTCP else path


def shallow(case, trace):
    """Let a loss take a quarter of the window."""
    if case.experiment != "bends":
        return trace
    return Trace({place: replace(path, cwnd=_raised(path)) for place, path in trace.paths.items()}, trace.queues)


def _raised(path):
    cwnd = path.cwnd.copy()
    cwnd[path.cuts() - 1] = path.cwnd[path.cuts()] / 0.75
    return cwnd


def in_common(case, trace):
    """Let a loss of one subflow halve the window of the other for a moment, too."""
    if case.experiment != "bends":
        return trace
    bent = {}
    for place, path in trace.paths.items():
        cwnd = path.cwnd.copy()
        for other in trace.paths.values():
            if other is not path:
                cwnd[np.minimum(other.cuts() + 1, len(cwnd) - 1)] *= 0.5
        bent[place] = replace(path, cwnd=cwnd)
    return Trace(bent, trace.queues)


def times(factor):
    def change(_place, path):
        return replace(path, throughput=factor * path.throughput)

    return change


@pytest.mark.parametrize(
    ("bend", "turned"),
    [
        (reno, {"C-001-3", "C-001-4", "C-001-5", "C-001-6", "C-001-7"}),
        (reno_is_linked, {"C-001-5"}),
        (curves(without_turns, "figure4"), {"C-001-10"}),
        (curves(in_step, "figure4"), {"C-001-10"}),
        (curves(fading, "figure4"), {"C-001-10"}),
        (curves(times(0.9), "figure4", "figure5", "figure6"), {"C-001-19"}),
        (curves(times(1.4), "figure4", "figure5", "figure6"), {"C-001-19"}),
        (curves(without_turns, "rise"), {"C-001-21"}),
        (shallow, {"C-001-28"}),
        (in_common, {"C-001-28"}),
    ],
    ids=[
        "windows-grow-as-renos",
        "no-control-is-uncoupled",
        "no-flapping",
        "subflows-in-step",
        "rate-not-stable",
        "never-above-the-link",
        "far-above-the-link",
        "nothing-gained-from-a-faster-link",
        "losses-take-a-quarter",
        "losses-of-one-reduce-both",
    ],
)
def test_altered_curves_of_the_kernel_paper_fail_its_claims(kernel, bend, turned):
    assert failing(kernel, turned, bend=bend) == turned


def test_buffers_are_the_products_of_rate_and_round_trip_time():
    buffers = {number: (sheet.buffer("a"), sheet.buffer("b")) for number, sheet in SHEETS.items()}
    assert buffers == {1: (41, 41), 2: (83, 41), 3: (41, 83)}


def test_every_suspect_changes_a_case_of_its_claim_in_the_kernel_paper(kernel):
    results = world.evidence(kernel.experiments.cases(kernel.quick))
    for claim in kernel.claims:
        view = results.under(None)
        claim(view)
        for name in claim.suspects:
            assert any(changes(kernel, name, case) for case in view.read), f"{claim.id}: {name}"


def changes(kernel, switch, case):
    plain = kernel.experiments.scenario(case, kernel.quick)
    return kernel.switches[switch].change(plain) != plain
