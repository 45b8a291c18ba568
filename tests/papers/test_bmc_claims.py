"""Each claim of [H09] holds with made-up results that agree with the thesis, and fails with altered ones."""

import bmc_world as world
import numpy as np
import pytest
from drawn import plots

from manypath.papers.evidence import Case
from manypath.papers.honda2009_bmc.measures import (
    epoch,
    first_change,
    growth,
    loss_event_rate,
    peaks,
    ratio,
    rise,
    steps,
    time_until,
    timeout_share,
    wandering,
)
from manypath.papers.honda2009_bmc.names import AIMD, BUNDLE, BUNDLES, EQUAL, PAIRS, TCP, value, weights_of
from manypath.papers.honda2009_bmc.proportion import EIGHT, TEN
from manypath.papers.traces import Trace


def scaled(experiments, kind, factor):
    """Return a treatment that scales the rates of a kind of flows in some experiments."""

    def treat(case, rates, _run):
        if case.experiment not in experiments:
            return rates
        return {name: rate * (factor if name.startswith(kind) else 1.0) for name, rate in rates.items()}

    return treat


def at(experiments, flows, factor):
    """Return a treatment that scales the rates of weighted flows in cases with given numbers of flows."""

    def treat(case, rates, run):
        right = dict(case.factors).get("flows") in flows
        return scaled(experiments, AIMD, factor)(case, rates, run) if right else rates

    return treat


def still(case, rates, run):
    """Give every run with few flows the mean rate."""
    if dict(case.factors).get("flows", 99) > 4 or not set(EQUAL) & {case.experiment.removeprefix("figure")}:
        return rates
    weight = value(EQUAL[case.experiment.removeprefix("figure")])
    return {name: weight if name.startswith(AIMD) else rate for name, rate in rates.items()}


def slower(_case, trace):
    """Stretch curves to twice their duration."""
    paths = {
        key: type(path)(2.0 * path.time, path.cwnd, path.ssthresh, path.goodput, path.srtt, path.throughput)
        for key, path in trace.paths.items()
    }
    return Trace(paths, {}, trace.weights)


def shallow(case, trace):
    """Cut windows by a third at a loss."""
    if case.experiment not in {"figure2.1", "sawtooths"}:
        return trace
    paths = {}
    for key, path in trace.paths.items():
        cwnd = 0.5 * path.cwnd.max() + 0.5 * path.cwnd
        ssthresh = np.full(len(cwnd), cwnd.min())
        goodput = path.goodput * cwnd / path.cwnd
        paths[key] = type(path)(path.time, cwnd, ssthresh, goodput, path.srtt, path.throughput)
    return Trace(paths, {})


def mirrored(case, trace):
    """Move weights in the opposite direction."""
    if not case.experiment.startswith("figure4.1"):
        return trace
    return world.weights(
        (EIGHT, TEN),
        [(0.0, 0.3), (30.0, 0.7)]
        if dict(case.factors).get("start") == "1:1"
        else [
            (0.0, 0.7),
            (30.0, 0.1),
        ],
    )


def larger_steps(case, trace):
    """Make steps of the weights larger than the formula."""
    if case.experiment != "figure3.1-managed":
        return trace
    return world.weights(("path1", "path2"), [(0.0, 0.5), (20.0, 0.2)])


def ideal_is_worse(case, rates, _run):
    """Lower the rates of the subflows with the ideal weights."""
    worse = case.experiment == "figure4.1-weights" and dict(case.factors)["weights"] == "1/3+2/3"
    return {name: rate * (0.8 if worse and name.startswith(AIMD) else 1.0) for name, rate in rates.items()}


def other_weights_get_less(case, rates, _run):
    """Lower the rates of the subflows with weights of 1/4 and 3/4 behind the limit."""
    worse = case.experiment == "figure3.1" and dict(case.factors)["weights"] == "1/4+3/4"
    return {name: rate * (0.7 if worse and name.startswith(AIMD) else 1.0) for name, rate in rates.items()}


def one_class(case, rates, _run):
    """Give all weighted flows of a bundle their mean rate."""
    if case.experiment.removeprefix("figure") not in BUNDLES:
        return rates
    mean = np.mean([rate for name, rate in rates.items() if name.startswith(AIMD)])
    return {name: mean if name.startswith(AIMD) else rate for name, rate in rates.items()}


def drifting(case, trace):
    """Let the weights add up to a little more than one."""
    if case.experiment != "figure4.1-managed":
        return trace
    return Trace(trace.paths, {}, {key: 1.01 * curve for key, curve in trace.weights.items()})


def weightless(_case, trace):
    """Return a trace without weights."""
    nothing = {key: np.full(len(curve), np.nan) for key, curve in trace.weights.items()}
    return Trace(trace.paths, {}, nothing)


FIVE = {f"figure{number}" for number in {**EQUAL, **BUNDLES}}
PAIR = {f"figure{number}" for number in PAIRS}


def failing(bmc, among=None, **turned):
    """Return the claims, or those of some, that do not hold with altered results."""
    results = world.evidence(bmc.experiments.cases(bmc.quick), **turned)
    claims = [claim for claim in bmc.claims if among is None or claim.id in among]
    return {claim.id for claim in claims if claim(results).verdict in ("contradicted", "undecided")}


def test_the_thesis_has_thirty_seven_claims(bmc):
    assert [claim.id for claim in bmc.claims] == [f"C-003-{number}" for number in range(1, 38)]
    assert all(claim.says and claim.place for claim in bmc.claims)


@pytest.mark.parametrize("precision", ["quick", "full", "mutated"])
def test_every_claim_holds_with_results_that_agree_with_the_thesis(bmc, precision):
    results = world.evidence(bmc.experiments.cases(getattr(bmc, precision)))
    checks = {claim.id: claim(results) for claim in bmc.claims}
    assert {number: check for number, check in checks.items() if not check.holds} == {}


def test_claims_about_weights_ignore_the_time_before_a_late_subflow_joins(bmc):
    def joins_late(_case, trace):
        late = {key: np.where(np.arange(len(weights)) < 6, np.nan, weights) for key, weights in trace.weights.items()}
        return Trace(trace.paths, trace.queues, late)

    assert failing(bmc, bend=joins_late) == failing(bmc)


@pytest.mark.parametrize(
    ("turned", "noticed"),
    [
        ({"treat": scaled({"figure1.2"}, BUNDLE, 0.5)}, {"C-003-1"}),
        ({"bend": slower}, {"C-003-2", "C-003-6", "C-003-10"}),
        ({"bend": shallow}, {"C-003-3", "C-003-4", "C-003-6"}),
        ({"treat": scaled({"given-loss"}, "4-5", 1.4)}, {"C-003-5"}),
        ({"treat": scaled({"figure3.1"}, AIMD, 1.5)}, {"C-003-7", "C-003-8"}),
        ({"treat": other_weights_get_less}, {"C-003-37"}),
        ({"bend": larger_steps}, {"C-003-9"}),
        ({"treat": scaled({"figure4.1"}, BUNDLE, 0.7)}, {"C-003-12", "C-003-36"}),
        ({"treat": scaled({"figure4.1-weights"}, AIMD, 1.3)}, {"C-003-13", "C-003-15"}),
        ({"bend": weightless}, {"C-003-9", "C-003-11", "C-003-14", "C-003-15"}),
        ({"bend": mirrored}, {"C-003-11", "C-003-14", "C-003-15"}),
        ({"treat": scaled({"flowshares"}, BUNDLE, 1.3)}, {"C-003-16"}),
        (
            {"treat": scaled(FIVE, AIMD, 1.5)},
            {"C-003-17", "C-003-22", "C-003-23", "C-003-25", "C-003-26", "C-003-27"},
        ),
        ({"treat": at(FIVE, {32, 48, 64}, 0.8)}, {"C-003-18", "C-003-24", "C-003-25"}),
        ({"treat": still}, {"C-003-19"}),
        ({"losses": 0.01}, {"C-003-21"}),
        ({"treat": at(PAIR, {4}, 0.8)}, {"C-003-26"}),
        ({"treat": at(FIVE, {32, 48, 64}, 1.15)}, {"C-003-18"}),
        ({"treat": scaled({"sack-for-one-kind"}, AIMD, 1.3)}, {"C-003-29"}),
        ({"treat": at({f"figure{number}" for number in EQUAL}, {1, 2, 4}, 1.5)}, {"C-003-17", "C-003-19"}),
        ({"treat": scaled({"figure5.17"}, AIMD, 1.3)}, {"C-003-23", "C-003-27"}),
        ({"losses": 0.2}, {"C-003-35"}),
        ({"treat": scaled({"given-loss", "formula"}, TCP, 1.2)}, {"C-003-5", "C-003-30"}),
        ({"treat": ideal_is_worse}, {"C-003-13", "C-003-31"}),
        ({"treat": one_class}, {"C-003-32"}),
        ({"lossy": TCP}, {"C-003-33"}),
        ({"timeouts": 0.0}, {"C-003-28"}),
        ({"bend": drifting}, {"C-003-34"}),
    ],
    ids=[
        "bundle-is-two-tcps",
        "all-takes-twice-as-long",
        "shallow-cuts",
        "other-cuts-are-stronger",
        "weighted-flows-are-stronger-behind-limits",
        "other-weights-get-less",
        "larger-steps",
        "bundle-takes-less",
        "weighted-flows-are-stronger-on-two-links",
        "no-weights",
        "weights-move-in-the-opposite-direction",
        "more-than-its-shares",
        "weighted-flows-are-stronger",
        "many-flows-are-below",
        "no-variation-of-runs",
        "few-losses",
        "no-odd-point",
        "many-flows-are-far-above",
        "the-excess-stays-with-sack-of-weighted-flows",
        "few-flows-are-far-off",
        "one-set-is-stronger",
        "few-losses-of-a-flow",
        "another-absolute-rate",
        "ideal-weights-get-less",
        "classes-of-weights-get-the-same",
        "standard-flows-lose-more",
        "no-timeouts",
        "weights-that-drift",
    ],
)
def test_altered_results_of_the_thesis_fail_its_claims(bmc, turned, noticed):
    assert failing(bmc, among=noticed, **turned) == noticed


def test_the_loss_rate_of_the_thesis_differs_for_large_windows(bmc):
    results = world.evidence(bmc.experiments.cases(bmc.quick))
    outcome = results.runs(Case.of("figure5.6", flows=1)).outcomes[0]
    assert loss_event_rate(outcome) == pytest.approx(0.13)
    assert timeout_share(outcome) == pytest.approx(1 / 130)
    assert ratio(outcome) == pytest.approx(0.5 * (1 - world.SWINGS))


def test_measured_sawtooths_equal_the_constructed_ones():
    path = world.sawtooth(0.5, 0.04, 40.0)
    assert growth(path) == pytest.approx(0.25, rel=0.01)
    assert rise(path) == pytest.approx(0.25 / 0.04, rel=0.01)
    assert peaks(path).mean() == pytest.approx(40.0, rel=0.01)
    assert epoch(path) == pytest.approx(0.5 * 40.0 / 0.25 + 1.0, rel=0.02)


def test_measured_weights_over_time_equal_the_constructed_ones():
    trace = world.weights((EIGHT, TEN), [(0.0, 0.9), (40.0, 0.81), (100.0, 0.3), (590.0, 0.4)])
    assert next(steps(trace)) == pytest.approx((0.9, 0.09))
    assert first_change(trace, TEN) == pytest.approx(0.09)
    assert time_until(trace, EIGHT, 0.25, 0.42) == 100.0
    assert time_until(trace, EIGHT, 0.5, 0.6) == 599.0
    assert 0.0 < wandering(trace, EIGHT) < 0.03
    assert first_change(world.weights((EIGHT, TEN), [(0.0, 0.5)]), EIGHT) == 0.0


def test_tables_have_a_cell_for_each_column(bmc):
    results = world.evidence(bmc.experiments.cases(bmc.quick), runs=3)
    for table in bmc.tables:
        rows = table.rows(results)
        assert {len(row) for row in rows} == {len(table.head)}, table.name


def test_every_figure_of_the_thesis_is_drawn(bmc):
    results = world.evidence(bmc.experiments.cases(bmc.quick), runs=3)
    for figure in bmc.figures:
        shown = plots(figure.draw(results))
        assert shown, figure.name
        assert all(shown), figure.name
    numbers = {str(figure.number) for figure in bmc.figures}
    assert {f"5.{number}" for number in range(2, 19)} <= numbers


def test_sets_of_weights_add_up_to_one():
    for bundle in BUNDLES.values():
        assert sum(map(value, weights_of(bundle))) == pytest.approx(1.0)
    assert TCP != AIMD
